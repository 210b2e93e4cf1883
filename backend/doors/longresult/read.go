package longresult

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/ohler55/ojg/jp"
	"github.com/ohler55/ojg/oj"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Query says what to read of a long result. At most one of Grep, Path and Block is set;
// without them, the text from Offset on is read.
type Query struct {
	Handle string `json:"handle"`
	// Offset is where to begin, in bytes of the text, as an earlier answer named it.
	Offset int `json:"offset"`
	// Grep is a regular expression (RE2). Lines that match are returned with their
	// offsets, from Offset on.
	Grep string `json:"grep"`
	// Context is how many lines around each match are returned, at most maxContext.
	Context int `json:"context"`
	// Path is a JSONPath (RFC 9535) into the JSON of the result.
	Path string `json:"path"`
	// Block is the number of an image, a sound or a file, which is returned whole.
	Block *int `json:"block"`
}

// maxContext is the largest Query.Context.
const maxContext = 20

// maxLine is how much of a line that matches is shown, in bytes.
const maxLine = 1000

// Read returns the result of a tool call for a query of a session, with at most limit
// bytes, except that a block is returned whole. A wrong query is a fault.Invalid, an
// unknown handle a fault.NotFound.
func (s *Store) Read(id string, q Query, limit int) (json.RawMessage, error) {
	doc, err := s.find(id, q.Handle)
	if err != nil {
		return nil, err
	}
	chosen := 0
	for _, set := range []bool{q.Grep != "", q.Path != "", q.Block != nil} {
		if set {
			chosen++
		}
	}
	switch {
	case chosen > 1:
		return nil, fault.New(fault.Invalid, "give only one of grep, path and block")
	case q.Offset < 0 || q.Offset > len(doc.text):
		return nil, fault.New(fault.Invalid, "offset %d is outside the result, which has %d bytes", q.Offset, len(doc.text))
	case q.Context < 0 || q.Context > maxContext:
		return nil, fault.New(fault.Invalid, "context must be from 0 to %d lines", maxContext)
	case q.Block != nil:
		return doc.block(*q.Block)
	case q.Path != "":
		return s.project(id, doc, q.Path, limit)
	case q.Grep != "":
		return doc.grep(q, limit)
	}
	return doc.readOn(q, limit), nil
}

// readOn returns the text from an offset on.
func (d *document) readOn(q Query, limit int) json.RawMessage {
	end := d.cut(q.Offset, min(len(d.text), q.Offset+shownBytes(d.text[q.Offset:], max(limit-notice, notice))))
	if end >= len(d.text) {
		return texts(string(d.text[q.Offset:]), fmt.Sprintf("[This is the end of %s.]", q.Handle))
	}
	return texts(string(d.text[q.Offset:end]), d.rest(q.Handle, end))
}

// block returns an image, a sound or a file.
func (d *document) block(n int) (json.RawMessage, error) {
	for _, p := range d.parts {
		if p.block == n {
			return jsonrpc.Set(nil, "content", array([]json.RawMessage{p.raw})), nil
		}
	}
	return nil, fault.New(fault.Invalid, "block %d is not an image, a sound or a file of this result", n)
}

// grep returns the lines that match.
func (d *document) grep(q Query, limit int) (json.RawMessage, error) {
	pattern, err := regexp.Compile(q.Grep)
	if err != nil {
		return nil, fault.New(fault.Invalid, "grep is not a regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	var out strings.Builder
	matches, room, shownTo := 0, max(limit-notice, notice), q.Offset
	for at := q.Offset; at < len(d.text); {
		end := d.endOfLine(at)
		if pattern.Match(bytes.TrimSuffix(d.text[at:end], []byte("\n"))) {
			begin, last := at, end
			for range q.Context {
				begin, last = d.startOfLine(begin-1), d.endOfLine(last)
			}
			var found strings.Builder
			for line := max(begin, shownTo); line < last; line = d.endOfLine(line) {
				fmt.Fprintf(&found, "%d: %s\n", line, shortened(d.text[line:d.endOfLine(line)]))
			}
			if out.Len() > 0 && shownBytes([]byte(found.String()), room) < found.Len() {
				return texts(out.String(), fmt.Sprintf(`[There are further matches: read_more {"handle":%q,"grep":%s,"offset":%d}.]`, q.Handle, quote(q.Grep), at)), nil
			}
			matches++
			room -= len(quote(found.String()))
			out.WriteString(found.String())
			shownTo = max(last, shownTo)
		}
		at = end
	}
	if matches == 0 {
		return texts(fmt.Sprintf("No line matches %s from offset %d on.", quote(q.Grep), q.Offset)), nil
	}
	return texts(out.String(), "[These are all matches. The number before each line is its offset.]"), nil
}

// endOfLine returns the offset after the line at an offset.
func (d *document) endOfLine(at int) int {
	if end := bytes.IndexByte(d.text[at:], '\n'); end >= 0 {
		return at + end + 1
	}
	return len(d.text)
}

// startOfLine returns the offset of the line that has the byte at an offset, which may
// be negative.
func (d *document) startOfLine(at int) int {
	return bytes.LastIndexByte(d.text[:max(at, 0)], '\n') + 1
}

// shortened returns a line without its end, cut if it is long.
func shortened(line []byte) string {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) > maxLine {
		return strings.ToValidUTF8(string(line[:maxLine]), "") + "…"
	}
	return string(line)
}

// project returns what a path selects. A long selection gets a handle of its own.
func (s *Store) project(id string, d *document, path string, limit int) (json.RawMessage, error) {
	if d.source == nil {
		return nil, fault.New(fault.Invalid, "this result is not JSON, so that no path selects from it; use grep or offset")
	}
	expression, err := jp.ParseString(path)
	if err != nil {
		return nil, fault.New(fault.Invalid, "path is not a JSONPath: %s", err)
	}
	d.parse.Do(func() { d.value, d.wrong = oj.Parse(d.source) })
	if d.wrong != nil {
		return nil, fault.New(fault.Invalid, "the JSON of this result cannot be read: %s", d.wrong)
	}
	selected := expression.Get(d.value)
	if len(selected) == 0 {
		return texts(fmt.Sprintf("The path %s selects nothing.", path)), nil
	}
	text := oj.JSON(selected, &oj.Options{Sort: true, Indent: 1, HTMLUnsafe: true})
	return s.Cut(id, texts(text), limit), nil
}

// texts returns a result with text blocks.
func texts(list ...string) json.RawMessage {
	blocks := make([]json.RawMessage, 0, len(list))
	for _, text := range list {
		if text != "" {
			blocks = append(blocks, textBlock(text))
		}
	}
	return jsonrpc.Set(nil, "content", array(blocks))
}
