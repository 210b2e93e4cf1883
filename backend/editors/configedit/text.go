package configedit

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const (
	limit   = 16 << 20 // bytes of a text
	deepest = 500      // levels of a value
	mark    = "\uFEFF" // byte order mark
)

// source is a text without what parsers stumble over: a byte order mark, and
// the carriage returns before line feeds.
type source struct {
	text  []byte // as it came
	body  []byte // aliases text where nothing had to go
	start int    // where body starts in text
	ends  []int  // the line feeds of body that have a carriage return in text
	crlf  bool   // most lines end so
}

// edit is a place of a body that becomes another.
type replacement struct {
	from, to int
	text     string // with line feeds alone
}

// invalid returns a refusal that names a line, counted from 1.
func invalid(line int, format string, args ...any) error {
	return fault.New(fault.Invalid, "line %d: "+format, append([]any{line}, args...)...)
}

func open(text []byte) (source, error) {
	s := source{text: text}
	if len(text) > limit {
		return s, fault.New(fault.Invalid, "the file is larger than %d MiB", limit>>20)
	}
	if !utf8.Valid(text) {
		return s, fault.New(fault.Invalid, "the file is not UTF-8")
	}
	if bytes.HasPrefix(text, []byte(mark)) {
		s.start = len(mark)
	}
	s.body = text[s.start:]
	if bytes.Contains(s.body, []byte("\r\n")) {
		s.unify()
	}
	return s, nil
}

func (s *source) unify() {
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

// at translates a place of the body into one of the text.
func (s *source) at(place int) int {
	before, _ := slices.BinarySearch(s.ends, place)
	return s.start + place + before
}

// cuts translates edits into cuts: in their order, those that touch as one.
func (s *source) edits(edits []replacement) []Edit {
	slices.SortStableFunc(edits, func(a, b replacement) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.to - b.to
	})
	var joined []replacement
	for _, e := range edits {
		if n := len(joined); n > 0 && joined[n-1].to >= e.from {
			joined[n-1].to, joined[n-1].text = max(joined[n-1].to, e.to), joined[n-1].text+e.text
			continue
		}
		joined = append(joined, e)
	}
	var cuts []Edit
	for _, e := range joined {
		from, to := s.at(e.from), s.at(e.to)
		if s.crlf {
			e.text = strings.ReplaceAll(e.text, "\n", "\r\n")
		}
		if old := string(s.text[from:to]); old != e.text {
			cuts = append(cuts, Edit{At: from, Old: old, New: e.text})
		}
	}
	return cuts
}

// apply makes the text that cuts lead to.
func apply(text []byte, cuts []Edit) []byte {
	if len(cuts) == 0 {
		return text
	}
	out := make([]byte, 0, len(text)+len(cuts[0].New))
	last := 0
	for _, c := range cuts {
		out = append(append(out, text[last:c.At]...), c.New...)
		last = c.At + len(c.Old)
	}
	return append(out, text[last:]...)
}

// lineStart returns where the line of a place starts.
func lineStart(body []byte, at int) int { return bytes.LastIndexByte(body[:at], '\n') + 1 }

// lineEnd returns where the next line starts, or the end of the body.
func lineEnd(body []byte, at int) int {
	if i := bytes.IndexByte(body[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(body)
}

// lineIndent returns the blanks that the line of a place starts with.
func lineIndent(body []byte, at int) string {
	start := lineStart(body, at)
	end := start
	for end < at && (body[end] == ' ' || body[end] == '\t') {
		end++
	}
	return string(body[start:end])
}

// lineOf returns the number of a place's line, from 1.
func lineOf(body []byte, at int) int { return 1 + bytes.Count(body[:min(at, len(body))], []byte("\n")) }

func blank(b []byte) bool { return len(bytes.Trim(b, " \t\r\n")) == 0 }
