package importer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// split splits a command line at white space, except in single or double
// quotes. A backslash escapes white space and quotes. Before any other
// character the backslash is kept, because Windows paths contain backslashes.
// closed is false when a quote is not closed.
func split(line string) (words []string, closed bool) {
	s := splitter{rest: line}
	for s.rest != "" {
		s.step()
	}
	s.end()
	return s.words, s.quote == 0
}

// splitter splits a line into words.
type splitter struct {
	rest  string
	words []string
	word  strings.Builder
	open  bool // a word has begun; it may still be empty
	quote rune
}

func (s *splitter) step() {
	c, size := utf8.DecodeRuneInString(s.rest)
	before := s.rest
	s.rest = s.rest[size:]
	next, nextSize := utf8.DecodeRuneInString(s.rest)
	switch {
	case s.quote != 0 && c == s.quote:
		s.quote = 0
	case c == '\\' && s.quote == '"' && (next == '"' || next == '\\') && !s.endsFolder(before):
		s.keep(next, nextSize)
	case s.quote != 0:
		s.word.WriteRune(c)
	case c == '"' || c == '\'':
		s.quote, s.open = c, true
	case c == '\\' && s.rest != "" && (unicode.IsSpace(next) || next == '"' || next == '\''):
		s.keep(next, nextSize)
	case unicode.IsSpace(c):
		s.end()
	default:
		s.word.WriteRune(c)
		s.open = true
	}
}

func (s *splitter) keep(c rune, size int) {
	s.word.WriteRune(c)
	s.rest, s.open = s.rest[size:], true
}

func (s *splitter) end() {
	if s.open {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.open = false
}

// endsFolder reports whether a backslash ends a quoted Windows path, as in
// "C:\my folder\" next, and does not escape the quote after it.
func (s *splitter) endsFolder(rest string) bool {
	word := s.word.String()
	return strings.HasPrefix(rest, `\"`) && len(word) > 2 && word[1] == ':' && word[2] == '\\' && !strings.Contains(rest[2:], `"`)
}
