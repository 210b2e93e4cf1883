package pypi

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// entry is a well-known server on PyPI.
type entry struct {
	name     string
	title    string
	purpose  string
	keywords string // separated by spaces: words that people search for and the purpose does not contain
	program  string // if it is not named as the package
	inputs   []input
}

// input is a variable or an argument of a server.
type input func(*listing.Package)

// need is a variable without which the server does not start.
func need(name, description string) input {
	return variable(name, listing.Input{Description: description, Required: true})
}

// may is a variable that can be left out.
func may(name, description string) input {
	return variable(name, listing.Input{Description: description})
}

// secret and maySecret are need and may for credentials.
func secret(name, description string) input {
	return variable(name, listing.Input{Description: description, Required: true, Secret: true})
}

func maySecret(name, description string) input {
	return variable(name, listing.Input{Description: description, Secret: true})
}

func variable(name string, in listing.Input) input {
	return func(p *listing.Package) { p.Env = append(p.Env, listing.Field{Name: name, Input: in}) }
}

// option is a named argument with a value.
func option(name string, in listing.Input) input {
	return func(p *listing.Package) {
		p.Arguments = append(p.Arguments, listing.Argument{Input: in, Named: true, Name: name})
	}
}

// always is an argument that the server is always started with.
func always(value string) input {
	return func(p *listing.Package) {
		p.Arguments = append(p.Arguments, listing.Argument{Input: listing.Input{Value: value}})
	}
}

// curated are the well-known servers as listings without a version, by name.
var curated = func() map[string]listing.Listing {
	out := make(map[string]listing.Listing)
	for _, e := range entries {
		l := describe(normalize(e.name), "", e.purpose)
		l.Title, l.Keywords = e.title, strings.Fields(e.keywords)
		p := &l.Packages[0]
		p.Identifier, p.Program = e.name, e.program
		if e.program == "" && e.name != l.Name {
			p.Program = e.name
		}
		for _, add := range e.inputs {
			add(p)
		}
		out[l.Name] = l
	}
	return out
}()

// wellKnown returns the well-known servers with words that begin with words of a text, the best first.
// An empty text selects all.
func wellKnown(text string) []listing.Listing {
	words := strings.FieldsFunc(strings.ToLower(text), separatesWords)
	words = slices.DeleteFunc(words, func(w string) bool { return len(w) < 2 || slices.Contains(common, w) })
	hits := make(map[string]int)
	var out []listing.Listing
	for _, name := range slices.Sorted(maps.Keys(curated)) {
		l := curated[name]
		for _, w := range words {
			hits[name] += weight(&l, w)
		}
		if hits[name] > 0 || len(words) == 0 && strings.TrimSpace(text) == "" {
			l.Packages = slices.Clone(l.Packages)
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b listing.Listing) int { return cmp.Compare(hits[b.Name], hits[a.Name]) })
	return out
}

// common are words that say nothing about a server.
var common = []string{"mcp", "server", "servers", "the", "for", "and", "with", "to", "in", "of", "my", "need", "something", "from", "a", "an"}

func separatesWords(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// weight returns 2 if a word of the name of a listing begins with a word or with its singular, 1 if another of its words
// does, and 0 otherwise.
func weight(l *listing.Listing, word string) int {
	if len(word) > 4 {
		word = strings.TrimSuffix(word, "s")
	}
	begins := func(text string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(text), separatesWords), func(have string) bool { return strings.HasPrefix(have, word) })
	}
	switch {
	case begins(l.Name + " " + l.Title):
		return 2
	case begins(l.Description + " " + strings.Join(l.Keywords, " ")):
		return 1
	}
	return 0
}
