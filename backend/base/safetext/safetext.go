// Package safetext prepares text from other programs or people for display: it
// makes hidden characters visible, and removes their effect on the display.
//
// One rule decides which characters are hidden, here and in the dashboard
// (frontend/src/lib/verbatim.ts): all that Unicode does not count as letters,
// marks, numbers, punctuation or symbols, except the space U+0020. That is
// control characters (C0 and C1), format characters (bidirectional controls,
// zero-width characters, tag characters), private-use and unassigned code
// points, line and paragraph separators, and every other kind of space. Characters
// without a shape are hidden too, although they count as letters, marks or
// symbols: default ignorable code points (variation selectors, Hangul fillers) and
// the blank Braille pattern U+2800.
//
// Visible writes hidden characters as escapes, Prose keeps those that ordinary
// text needs, and Label removes them. Runs shortens white space that pushes text
// out of sight. testdata/vectors.json holds examples of all four, which the tests
// of the dashboard read too.
package safetext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
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
// several lines: line feeds, tabs, spaces of any width, the selectors that emoji
// need, and joiners after a character of a script or an emoji that needs them.
func harmless(before, r rune) bool {
	switch r {
	case '\n', '\t', '\ufe0e', '\ufe0f':
		return true
	case '\u200c', '\u200d':
		return joined(before)
	}
	return unicode.Is(unicode.Zs, r)
}

// joined reports whether a joiner may follow r: in scripts whose letters connect,
// and in emoji. Between Latin letters it would only make two equal words differ.
func joined(r rune) bool {
	switch {
	case r <= unicode.MaxLatin1:
		return false
	case r == '\ufe0f' || unicode.In(r, unicode.So, unicode.Sk):
		return true
	}
	return !Hidden(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Common, unicode.Inherited)
}

// Visible returns s on one line with every hidden character written as an
// escape: \n, \t, \r, \0, \x1b, \u202e or \u{e0041}. A byte that is not UTF-8
// becomes \xff. Backslashes in s are not escaped, so the result is for reading and
// cannot be decoded.
func Visible(s string) string { return escape(s, func(_, r rune) bool { return Hidden(r) }) }

// Prose is Visible for text of several lines: line feeds, tabs, spaces of any
// width and the variation selectors of emoji stay, and so do zero-width joiners
// in emoji and in scripts that need them. A line that ends with "\r\n" ends with
// "\n" in the result.
func Prose(s string) string {
	if strings.Contains(s, "\r\n") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return escape(s, func(before, r rune) bool { return Hidden(r) && !harmless(before, r) })
}

// escape writes the characters for which hidden returns true as escapes. The first
// argument of hidden is the character before r, or 0 at the beginning.
func escape(s string, hidden func(before, r rune) bool) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, Hidden) < 0 {
		return s
	}
	var b strings.Builder
	var r, before rune
	for size := 0; len(s) > 0; before = r {
		r, size = utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case !hidden(before, r):
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
// noise: white space becomes single spaces, other hidden characters are removed,
// and each run of bytes that are not UTF-8 becomes U+FFFD.
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

// JSON returns a JSON text with every hidden character in its strings written as
// a \u escape, so that it is safe to display and means the same. Line feeds and
// tabs between its values stay.
func JSON(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, Hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s { // a byte that is not UTF-8 becomes U+FFFD
		switch {
		case !Hidden(r) || r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == '\r': // JSON allows it only between values
			b.WriteByte(' ')
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}

// MaxRun is the smallest number of consecutive white-space characters that Runs replaces.
const MaxRun = 16

// Runs returns s with each run of at least MaxRun white-space characters replaced
// by its length, such as ⟨100000 spaces⟩. A long run would push the text after it
// out of sight.
func Runs(s string) string {
	if LongestRun(s) < MaxRun {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) })
		if end < 0 {
			end = len(s)
		}
		if n := utf8.RuneCountInString(s[:end]); n >= MaxRun {
			fmt.Fprintf(&b, "⟨%d spaces⟩", n)
		} else {
			b.WriteString(s[:end])
		}
		s = s[end:]
		if end = strings.IndexFunc(s, unicode.IsSpace); end < 0 {
			end = len(s)
		}
		b.WriteString(s[:end])
		s = s[end:]
	}
	return b.String()
}

// LongestRun returns the length of the longest run of white space in s, in
// characters.
func LongestRun(s string) int {
	longest, run := 0, 0
	for _, r := range s {
		if run++; !unicode.IsSpace(r) {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
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
