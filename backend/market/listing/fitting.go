package listing

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Fitting returns the listings that match a text, the best first. A listing matches if one of its words begins with a
// word of the text that is not too common. An empty text matches all listings. The packages of the result are copies.
func Fitting(all []Listing, text string) []Listing {
	words := strings.FieldsFunc(strings.ToLower(text), separatesWords)
	words = slices.DeleteFunc(words, func(w string) bool { return len(w) < 2 || slices.Contains(common, w) })
	hits := make(map[string]int)
	var out []Listing
	for _, l := range all {
		for _, w := range words {
			hits[l.Name] += weight(&l, w)
		}
		if hits[l.Name] > 0 || len(words) == 0 && strings.TrimSpace(text) == "" {
			l.Packages = slices.Clone(l.Packages)
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b Listing) int { return cmp.Compare(hits[b.Name], hits[a.Name]) })
	return out
}

// common are words that are too common to select servers.
var common = []string{
	"mcp", "server", "servers", "the", "for", "and", "with", "to", "in", "of", "my", "need", "something", "from", "a", "an",
}

func separatesWords(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// weight returns 2 if a word in the name or title of a listing begins with word or its singular, 1 if another word of
// the listing does, and 0 otherwise.
func weight(l *Listing, word string) int {
	if len(word) > 4 {
		word = strings.TrimSuffix(word, "s")
	}
	begins := func(text string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(text), separatesWords),
			func(have string) bool { return strings.HasPrefix(have, word) })
	}
	switch {
	case begins(l.Name + " " + l.Title):
		return 2
	case begins(l.Description + " " + strings.Join(l.Keywords, " ")):
		return 1
	}
	return 0
}
