package configedit

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const (
	limit   = 16 << 20 // the maximum size of a text in bytes
	deepest = 500      // the maximum nesting of values
	bom     = "\uFEFF" // byte order mark
)

// source is a text without a byte order mark and without the carriage returns
// before line feeds, which the parsers do not handle.
type source struct {
	text  []byte // the original
	body  []byte // the text for the parser; an alias of text if that has no carriage returns
	start int    // offset of body in text
	ends  []int  // offsets in body of the line feeds that follow a carriage return in text
	crlf  bool   // most lines end with a carriage return and a line feed
}

// replacement is the replacement of a part of source.body by a text.
type replacement struct {
	from, to int
	text     string // without carriage returns
}

// invalid returns a fault.Invalid that names a line, counted from 1.
func invalid(line int, format string, args ...any) error {
	return fault.New(fault.Invalid, "line %d: "+format, append([]any{line}, args...)...)
}

// newSource checks the size and encoding of a text and prepares it for parsing.
func newSource(text []byte) (source, error) {
	s := source{text: text}
	if len(text) > limit {
		return s, fault.New(fault.Invalid, "the file is larger than %d MB", limit>>20)
	}
	if !utf8.Valid(text) {
		return s, fault.New(fault.Invalid, "the file is not UTF-8")
	}
	if bytes.HasPrefix(text, []byte(bom)) {
		s.start = len(bom)
	}
	s.body = text[s.start:]
	if bytes.Contains(s.body, []byte("\r\n")) {
		s.removeCarriageReturns()
	}
	return s, nil
}

// removeCarriageReturns sets body, ends and crlf of a text with carriage returns.
func (s *source) removeCarriageReturns() {
	body := make([]byte, 0, len(s.body))
	for i, c := range s.body {
		if c == '\r' && i+1 < len(s.body) && s.body[i+1] == '\n' {
			s.ends = append(s.ends, len(body))
			continue
		}
		body = append(body, c)
	}
	s.body = body
	s.crlf = 2*len(s.ends) > bytes.Count(body, []byte("\n"))
}

// offset converts an offset in the body to an offset in the text.
func (s *source) offset(at int) int {
	before, _ := slices.BinarySearch(s.ends, at)
	return s.start + at + before
}

// edits converts replacements of the body into edits of the text. It sorts them,
// joins adjacent ones and drops those that change nothing.
func (s *source) edits(replacements []replacement) []Edit {
	slices.SortStableFunc(replacements, func(a, b replacement) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.to - b.to
	})
	var joined []replacement
	for _, e := range replacements {
		if n := len(joined); n > 0 && joined[n-1].to >= e.from {
			joined[n-1].to, joined[n-1].text = max(joined[n-1].to, e.to), joined[n-1].text+e.text
			continue
		}
		joined = append(joined, e)
	}
	var edits []Edit
	for _, e := range joined {
		from, to := s.offset(e.from), s.offset(e.to)
		if s.crlf {
			e.text = strings.ReplaceAll(e.text, "\n", "\r\n")
		}
		if old := string(s.text[from:to]); old != e.text {
			edits = append(edits, Edit{At: from, Old: old, New: e.text})
		}
	}
	return edits
}

func apply(text []byte, edits []Edit) []byte {
	if len(edits) == 0 {
		return text
	}
	out := make([]byte, 0, len(text)+len(edits[0].New))
	last := 0
	for _, e := range edits {
		out = append(append(out, text[last:e.At]...), e.New...)
		last = e.At + len(e.Old)
	}
	return append(out, text[last:]...)
}

// lineStart returns the offset of the start of the line that contains body[at].
func lineStart(body []byte, at int) int { return bytes.LastIndexByte(body[:at], '\n') + 1 }

// lineEnd returns the offset at which the next line begins, or the end of the body.
func lineEnd(body []byte, at int) int {
	if i := bytes.IndexByte(body[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(body)
}

// lineIndent returns the spaces and tabs at the start of the line that contains body[at].
func lineIndent(body []byte, at int) string {
	start := lineStart(body, at)
	end := start
	for end < at && (body[end] == ' ' || body[end] == '\t') {
		end++
	}
	return string(body[start:end])
}

// lineOf returns the number of the line that contains body[at], counted from 1.
func lineOf(body []byte, at int) int { return 1 + bytes.Count(body[:min(at, len(body))], []byte("\n")) }

// blank reports whether a text contains only white space.
func blank(b []byte) bool { return len(bytes.Trim(b, " \t\r\n")) == 0 }
