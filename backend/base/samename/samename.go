// Package samename answers whether people, and programs that are lenient with names, may take two names for the same one:
// names that differ only in case, in the width or form of characters, in spaces around them, or in characters that nobody
// sees. What follows from that is left to those who ask.
package samename

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form that a name shares with all names that may be taken for it.
func Fold(name string) string {
	if plain(name) {
		return name
	}
	const brailleBlank = '\u2800'
	seen := strings.Map(func(r rune) rune {
		// Characters that are not seen control how others are shown, join or vary them, or are empty letters.
		if r == brailleBlank || unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector,
			unicode.Other_Default_Ignorable_Code_Point) && !unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r)) // some letters, such as ς, have several lower cases
	}, norm.NFKC.String(name))
	return strings.TrimSpace(norm.NFKC.String(seen))
}

// plain reports whether a name is its own form: most names have lower-case letters, digits and ASCII punctuation only.
func plain(name string) bool {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}
