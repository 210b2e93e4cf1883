package secretscan

import (
	"cmp"
	"slices"
)

// Place is the position of a credential in a text.
type Place struct {
	From, To int
	Kind     string // "private key", "authorization", "password in a URL" or "token"
}

// Find returns the credentials in a text that are recognized by their shape alone: tokens
// in the form of their issuer, private keys, credentials after "Bearer" and "Basic", and
// passwords in URLs. Unlike a Redactor, it ignores names such as "token", because the texts
// of servers often use them for other values, such as page tokens. The places are in order
// and may overlap.
func Find(text string) []Place {
	seen := hints.in(text)
	if seen&^aName == 0 {
		return nil
	}
	s := scanner{text: text}
	var places []Place
	keep := func(kind string) {
		for _, span := range s.spans {
			places = append(places, Place{span.From, span.To, kind})
		}
		s.spans = s.spans[:0]
	}
	if seen&aBlock != 0 {
		s.blocks()
		keep("private key")
	}
	if seen&aScheme != 0 {
		s.bearers()
		keep("authorization")
	}
	if seen&aURL != 0 {
		s.urls()
		keep("password in a URL")
	}
	if seen&aShape != 0 {
		s.tokens(func(from, to int) bool {
			s.add(from, to, plain)
			return true
		})
		keep("token")
	}
	slices.SortFunc(places, func(a, b Place) int { return cmp.Compare(a.From, b.From) })
	return places
}
