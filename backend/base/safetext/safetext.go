// Package safetext prepares text from other programs or people for display: it
// makes hidden characters visible, and removes their effect on the display.
//
// One rule decides which characters are hidden, here and in the dashboard
// (frontend/src/lib/verbatim.ts): all that Unicode does not count as letters,
// marks, numbers, punctuation or symbols, except the space U+0020. That is
// control characters (C0 and C1), format characters (bidirectional controls,
// zero-width characters, tag characters), private-use and unassigned code
// points, line and paragraph separators, and every other kind of space. Hidden
// are also the characters that have no shape although they count as letters,
// marks or symbols: default ignorable code points (variation selectors, Hangul
// fillers) and the blank Braille pattern U+2800.
//
// Visible writes hidden characters as escapes, Prose keeps those that ordinary
// text needs, and Label removes them. testdata/vectors.json holds examples of
// all three, which the tests of the dashboard read too.
package safetext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a character cannot be seen, or changes how the text
// around it is displayed. utf8.RuneError is not hidden: it has a shape.
func Hidden(r rune) bool {
	if r >= ' ' && r < 0x7f {
		return false
	}
	return !unicode.IsPrint(r) || r == '\u2800' ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// harmless reports whether a hidden character belongs to ordinary text of
// several lines: line feeds, tabs, spaces of any width, and the joiners and
// selectors that scripts and emoji need.
func harmless(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d', '\ufe0e', '\ufe0f':
		return true
	}
	return unicode.Is(unicode.Zs, r)
}

// Visible returns s on one line with every hidden character written as an
// escape: \n, \t, \r, \0, \x1b, \u202e or \u{e0041}. A byte that is not UTF-8
// becomes \xff. Backslashes of s stay single, so the result is for reading and
// cannot be decoded.
func Visible(s string) string { return escape(s, Hidden) }

// Prose is Visible for text of several lines: line feeds, tabs, spaces of any
// width, zero-width joiners and the variation selectors of emoji stay. A line
// that ends with "\r\n" ends with "\n" in the result.
func Prose(s string) string {
	if strings.Contains(s, "\r\n") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return escape(s, func(r rune) bool { return Hidden(r) && !harmless(r) })
}

func escape(s string, hidden func(rune) bool) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case !hidden(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == 0:
			b.WriteString(`\0`)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		s = s[size:]
	}
	return b.String()
}

// Label returns s as one line for a menu or a title, where escapes would be
// noise: white space becomes single spaces, other hidden characters go, and
// each run of bytes that are not UTF-8 becomes U+FFFD.
func Label(s string) string {
	line := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case Hidden(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(line), " ")
}

// Clip returns s when it has at most n characters, and otherwise its first n-1
// and an ellipsis. n is at least 1.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	end := 0 // position after the first n-1 characters
	count := 0
	for i := range s {
		if count == n-1 {
			end = i
		}
		if count++; count > n {
			return s[:end] + "…"
		}
	}
	return s
}

// Prefix returns the longest prefix of s that has at most n bytes and does not
// end within a character.
func Prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
