// Package samename answers whether people, and programs that are lenient with names, may mistake one name for another:
// names that differ only in case, in the width or form of characters, in surrounding spaces, or in invisible characters.
// Callers decide what follows from that.
package samename

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a form of name that is equal for all names that may be mistaken for each other.
func Fold(name string) string {
	if plain(name) {
		return name
	}
	const brailleBlank = '\u2800'
	seen := strings.Map(func(r rune) rune {
		// Remove characters without a shape of their own: control and format characters, variation selectors and blank
		// letters.
		if r == brailleBlank || unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector,
			unicode.Other_Default_Ignorable_Code_Point) && !unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r)) // some capitals, such as Σ, have several small letters
	}, norm.NFKC.String(name))
	return strings.TrimSpace(norm.NFKC.String(seen))
}

// plain reports whether Fold returns the name unchanged because it has only lower-case ASCII letters, digits and ASCII
// punctuation, as most names do.
func plain(name string) bool {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}
