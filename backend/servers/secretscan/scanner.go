package secretscan

import (
	"slices"
	"strings"
)

// A scanner finds credentials in a text that are recognized by their name or shape.
// Texts come from servers, which may be malicious, so the time for a text must grow
// only in proportion to its length. Regular expressions are too slow: a match that
// fails only at the end of the text is tried again from the next name.
type scanner struct {
	text  string
	spans []Span
	runs  []run // the last run of each part of a shape; see shapePart.slot
	steps int   // number of bytes examined, for tests
}

// Span is a range of bytes in a text that has to be replaced.
type Span struct {
	From, To int
	kind     spanKind
}

// spanKind says how a span is replaced.
type spanKind uint8

const (
	plain         spanKind = 0
	inQuotes      spanKind = 1 // replaced by a string in quotes
	acrossStrings spanKind = 2 // not replaced in JSON
)

// run is a range of bytes that belong to a set.
type run struct{ from, to int }

// set is a set of bytes.
type set [256]bool

// bytesOf returns the set of the characters in list or, if except is set, of all other bytes. list may contain ranges,
// as in regular expressions.
func bytesOf(list string, except bool) *set {
	var s set
	for i := 0; i < len(list); i++ {
		last := list[i]
		if i+2 < len(list) && list[i+1] == '-' {
			last = list[i+2]
		}
		for c := int(list[i]); c <= int(last); c++ {
			s[c] = true
		}
		if last != list[i] {
			i += 2
		}
	}
	if except {
		for c := range s {
			s[c] = !s[c]
		}
	}
	return &s
}

const white = " \t\n\f\r"

var (
	inName      = bytesOf("-_.A-Za-z0-9", false)
	inWord      = bytesOf("_A-Za-z0-9", false)
	inLetters   = bytesOf("A-Za-z", false)
	inSpace     = bytesOf(white, false)
	inValue     = bytesOf(white+`,;&"'{}[]`, true)
	inArgument  = bytesOf(white+`"'`, true)
	beforeFlag  = bytesOf(white+`"'=[(,;`, false)
	inBearer    = bytesOf("-_.~+/=A-Za-z0-9", false)
	inScheme    = bytesOf("-+.A-Za-z0-9", false)
	inUser      = bytesOf("/:@"+white, true)
	inPassword  = bytesOf("/@"+white, true)
	inBlockType = bytesOf("A-Z ", false)
)

// skip returns the position after the bytes at i that belong to a set. It skips at most atMost bytes.
func (s *scanner) skip(i int, in *set, atMost int) int {
	end := len(s.text)
	if atMost < end-i {
		end = i + atMost
	}
	from := i
	for i < end && in[s.text[i]] {
		i++
	}
	s.steps += i - from + 1
	return i
}

// all is a number of bytes that no text exceeds.
const all = 1 << 40

// index returns the position of the first occurrence of part at or after i, or -1.
func (s *scanner) index(i int, part string) int {
	n := strings.Index(s.text[i:], part)
	if n < 0 {
		s.steps += len(s.text) - i
		return -1
	}
	s.steps += n + len(part)
	return i + n
}

// at reports whether the byte at i is c.
func (s *scanner) at(i int, c byte) bool { return i < len(s.text) && s.text[i] == c }

// isIn reports whether the byte at i belongs to a set.
func (s *scanner) isIn(i int, in *set) bool { return i >= 0 && i < len(s.text) && in[s.text[i]] }

// quoted returns the position after the string in double quotes that begins at i.
// A backslash escapes the next character.
func (s *scanner) quoted(i int) (end int, ok bool) {
	end = s.quotedPart(i + 1)
	return end + 1, s.at(end, '"')
}

// quotedPart returns the end of the string content that continues at i.
func (s *scanner) quotedPart(i int) int {
	from := i
	for i < len(s.text) && s.text[i] != '"' {
		if s.text[i] == '\\' {
			if i+1 >= len(s.text) || s.text[i+1] == '\n' {
				break
			}
			i++
		}
		i++
	}
	s.steps += i - from + 1
	return i
}

func (s *scanner) add(from, to int, kind spanKind) { s.spans = append(s.spans, Span{from, to, kind}) }

// recognized returns the spans of the credentials in the text. It searches only for the kinds of credentials in seen.
func (s *scanner) recognized(seen hint) []Span {
	if seen&aBlock != 0 {
		s.blocks()
	}
	if seen&aScheme != 0 {
		s.bearers()
	}
	if seen&aName != 0 {
		s.assigned()
		s.flagged()
	}
	if seen&aURL != 0 {
		s.urls()
	}
	if seen&aShape != 0 {
		s.tokens(func(from, to int) bool {
			s.add(from, to, plain)
			return true
		})
	}
	return s.spans
}

// blocks finds private keys. A key whose end is missing extends to the end of the
// text.
func (s *scanner) blocks() {
	for at := 0; ; {
		from := s.index(at, "-----BEGIN ")
		if from < 0 {
			return
		}
		body, ok := s.blockLine(from + len("-----BEGIN "))
		if at = body; !ok {
			continue
		}
		for ok = false; !ok; {
			if at = s.index(at, "-----END "); at < 0 {
				s.add(from, len(s.text), plain)
				return
			}
			at, ok = s.blockLine(at + len("-----END "))
		}
		s.add(from, at, plain)
	}
}

// blockLine reports whether the line that continues at i is the first or the last line of a private key, and where it
// ends.
func (s *scanner) blockLine(i int) (end int, ok bool) {
	end = s.skip(i, inBlockType, all)
	if strings.HasSuffix(s.text[i:end], "PRIVATE KEY") && strings.HasPrefix(s.text[end:], "-----") {
		return end + len("-----"), true
	}
	return end, false
}

// bearers finds the credentials after "Bearer" and "Basic".
func (s *scanner) bearers() {
	s.steps += len(s.text)
	for i := 0; i < len(s.text); i++ {
		if s.text[i]|0x20 != 'b' || s.isIn(i-1, inWord) {
			continue
		}
		end := s.skip(i, inLetters, len("bearer"))
		if !isScheme(s.text[i:end]) {
			continue
		}
		from := s.skip(end, inSpace, all)
		to := from
		if from > end && !s.at(from, '-') {
			to = s.skip(from, inBearer, all)
		}
		if to-from >= 8 {
			s.add(from, to, plain)
			i = to - 1
		} else {
			i = from - 1
		}
	}
}

// urls finds the passwords in URLs such as postgres://user:password@host.
func (s *scanner) urls() {
	for last, at := 0, 0; ; {
		colon := s.index(at, "://")
		if colon < 0 {
			return
		}
		at = colon + len("://")
		if !s.hasScheme(last, colon) {
			continue
		}
		user := s.skip(at, inUser, all)
		if !s.at(user, ':') {
			continue
		}
		end := s.skip(user+1, inPassword, all)
		if end == user+1 || !s.at(end, '@') {
			continue
		}
		if !isHidden(s.text[user+1 : end]) {
			kind := plain
			if strings.Contains(s.text[at:end], `"`) {
				kind = acrossStrings
			}
			s.add(user+1, end, kind)
		}
		at, last = end+1, end+1
	}
}

// hasScheme reports whether text[from:end] ends with the scheme of a URL, which has at least one letter.
func (s *scanner) hasScheme(from, end int) bool {
	for i := end - 1; i >= from && inScheme[s.text[i]]; i-- {
		s.steps++
		if inLetters[s.text[i]] {
			return true
		}
	}
	return false
}

// merge joins spans that overlap.
func merge(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return a.From - b.From })
	var out []Span
	for _, next := range spans {
		if n := len(out); n > 0 && next.From < out[n-1].To {
			out[n-1].To = max(out[n-1].To, next.To)
			out[n-1].kind |= next.kind & inQuotes
		} else {
			out = append(out, next)
		}
	}
	return out
}
