package pypi

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// entry is a well-known server on PyPI.
type entry struct {
	name     string
	title    string
	purpose  string
	keywords string // search terms that the purpose does not contain, separated by spaces
	program  string // name of the program, if it is not that of the package
	inputs   []input
}

// input adds a variable or an argument to a package.
type input func(*listing.Package)

// need returns a required variable.
func need(name, description string) input {
	return variable(name, listing.Input{Description: description, Required: true})
}

// may returns an optional variable.
func may(name, description string) input {
	return variable(name, listing.Input{Description: description})
}

// secret and maySecret are like need and may, for credentials.
func secret(name, description string) input {
	return variable(name, listing.Input{Description: description, Required: true, Secret: true})
}

func maySecret(name, description string) input {
	return variable(name, listing.Input{Description: description, Secret: true})
}

func variable(name string, in listing.Input) input {
	return func(p *listing.Package) { p.Env = append(p.Env, listing.Field{Name: name, Input: in}) }
}

// option returns a named argument with a value.
func option(name string, in listing.Input) input {
	return func(p *listing.Package) {
		p.Arguments = append(p.Arguments, listing.Argument{Input: in, Named: true, Name: name})
	}
}

// operand returns a positional argument.
func operand(hint string, in listing.Input) input {
	return func(p *listing.Package) { p.Arguments = append(p.Arguments, listing.Argument{Input: in, Hint: hint}) }
}

// always returns an argument with a fixed value.
func always(value string) input {
	return func(p *listing.Package) {
		p.Arguments = append(p.Arguments, listing.Argument{Input: listing.Input{Value: value}})
	}
}

// curated are the entries as listings without a version, by normalized name.
var curated = func() map[string]listing.Listing {
	out := make(map[string]listing.Listing)
	for _, e := range entries {
		l := describe(Normalize(e.name), "", e.purpose)
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
