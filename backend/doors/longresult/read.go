package longresult

import (
	"encoding/json"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Query describes a part of a long result. At most one of Grep, Path and Block is set. If none of them is set, the
// query is for the text from Offset on.
type Query struct {
	Handle string
	// Offset is where to begin, in bytes of the text. Earlier answers contain offsets.
	Offset int
	// Grep is a regular expression (RE2). Lines that match are returned with their
	// offsets, from Offset on.
	Grep string
	// Context is the number of lines to return before and after each match, at most maxContext.
	Context int
	// Path is a JSONPath (RFC 9535) into the JSON of the result.
	Path string
	// Block is the number of an image, sound or file, which Read returns whole.
	Block *int
}

// maxContext is the largest Query.Context.
const maxContext = 20

// Read returns the answer to a query as the result of a tool call. Its length is within the client's limit, unless q
// asks for a block, which is returned whole. The error is a fault.Invalid for an invalid query, and a fault.NotFound
// for an unknown handle.
func (s *Store) Read(c Client, q Query) (json.RawMessage, error) {
	doc, err := s.find(c.Session, q.Handle)
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
	case q.Context < 0 || q.Context > maxContext:
		return nil, fault.New(fault.Invalid, "context must be from 0 to %d lines", maxContext)
	case q.Block != nil:
		raw, err := doc.raw(*q.Block)
		if err != nil {
			return nil, err
		}
		return jsonrpc.Set(nil, "content", jsonrpc.Array([]json.RawMessage{raw})), nil
	case q.Path != "":
		return s.project(c, doc, q.Path)
	case q.Grep != "":
		return doc.grep(c, q)
	}
	return doc.readOn(c, q)
}

// readOn returns the text from an offset on, and a notice that explains how to read the rest.
func (d *document) readOn(c Client, q Query) (json.RawMessage, error) {
	text, end, err := d.piece(q.Offset, c.room())
	switch {
	case err != nil:
		return nil, err
	case end == len(d.text):
		return texts(text, fmt.Sprintf("[This is the end of %s.]", q.Handle)), nil
	}
	return texts(text, d.rest(c, q.Handle, end)), nil
}

// piece returns as much of the text from offset on as fits into room bytes of a JSON string. end is the offset at which
// the returned text ends.
func (d *document) piece(offset, room int) (text string, end int, err error) {
	if err := d.checkOffset(offset); err != nil {
		return "", 0, err
	}
	end = d.cut(offset, offset+shownBytes(d.text[offset:], room))
	return string(d.text[offset:end]), end, nil
}

func (d *document) checkOffset(offset int) error {
	if offset < 0 || offset > len(d.text) {
		return fault.New(fault.Invalid, "offset %d is outside the result, which has %d bytes", offset, len(d.text))
	}
	return nil
}

// raw returns the image, sound or file with a block number.
func (d *document) raw(n int) (json.RawMessage, error) {
	for _, p := range d.parts {
		if p.block == n {
			return p.raw, nil
		}
	}
	return nil, fault.New(fault.Invalid, "block %d is not an image, a sound or a file of this result", n)
}
