// Package pattern answers whether a name matches a pattern that a person wrote in
// the configuration:
//
//	github_*  *issue*  get_?  [a-c]*     a glob, which matches the whole name
//	/\b(read|list)\b/i                   a regular expression (RE2), with flags i, m and s
//	!*delete*  !/drop/                   either of them, negated
//
// In globs, * stands for any characters, ? for one, [abc], [a-z] and [!a] for one
// of a set, and \ takes the next character literally. Callers decide which names
// they match and what a match means.
package pattern

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxLength is the largest length of a pattern, in bytes.
const maxLength = 1000

// Pattern is a parsed pattern. It is immutable. The zero Pattern matches nothing.
type Pattern struct {
	text    string
	negated bool
	body    matcher
}

// matcher is the parsed part of a pattern after an optional "!".
type matcher interface{ matches(n Name) bool }

// Error describes what is wrong with a pattern.
type Error struct {
	At     int // byte offset in the pattern
	Reason string
}

// Error returns the reason and the position, counted from 1.
func (e *Error) Error() string {
	return fmt.Sprintf("%s (character %d of the pattern)", e.Reason, e.At+1)
}

func errorAt(at int, format string, args ...any) *Error {
	return &Error{at, fmt.Sprintf(format, args...)}
}

// Parse parses a pattern. Its errors are of type *Error.
func Parse(text string) (Pattern, error) {
	if len(text) > maxLength {
		return Pattern{}, errorAt(maxLength, "the pattern is longer than %d bytes", maxLength)
	}
	if !utf8.ValidString(text) {
		return Pattern{}, errorAt(0, "the pattern is not valid UTF-8")
	}
	rest, negated := strings.CutPrefix(text, "!")
	at := len(text) - len(rest)
	var body matcher
	var err *Error
	switch {
	case rest == "":
		err = errorAt(0, "the pattern is empty")
	case negated && rest[0] == '!':
		err = errorAt(0, `negate a pattern with one "!"; a name that begins with it is written \!`)
	case rest[0] == '/':
		body, err = parseRegexp(rest)
	default:
		body, err = parseGlob(rest)
	}
	if err != nil {
		err.At += at
		return Pattern{}, err
	}
	return Pattern{text, negated, body}, nil
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.text }

// MarshalText returns the pattern as it was written.
func (p Pattern) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// Negated reports whether the pattern begins with "!".
func (p Pattern) Negated() bool { return p.negated }

// hits reports whether the pattern without a leading "!" matches a name.
func (p Pattern) hits(n Name) bool { return p.body != nil && p.body.matches(n) }

// Name is a name prepared for matching with many patterns.
type Name struct {
	text  string
	lower string // in lower case; "" if the name is not ASCII
}

// NewName prepares a name for matching.
func NewName(text string) Name {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return Name{text: text}
		}
	}
	return Name{text, strings.ToLower(text)}
}

// List is a list of patterns, of which the negated ones exclude names; see Match.
type List []Pattern

// Match returns the index of the first pattern without "!" that matches a name, or
// -1. A negated pattern anywhere in the list excludes the names that it hits: for
// them, Match returns -1. A list that has no pattern without "!" matches all names that
// it does not exclude; for them, Match returns len(l).
func (l List) Match(n Name) int {
	at, positive := -1, false
	for i := range l {
		p := &l[i]
		switch {
		case p.negated:
			if p.hits(n) {
				return -1
			}
		case at < 0:
			positive = true
			if p.hits(n) {
				at = i
			}
		}
	}
	if !positive {
		return len(l)
	}
	return at
}

// Excludes returns the index of the first negated pattern that excludes a name, or -1.
func (l List) Excludes(n Name) int {
	for i := range l {
		if l[i].negated && l[i].hits(n) {
			return i
		}
	}
	return -1
}
