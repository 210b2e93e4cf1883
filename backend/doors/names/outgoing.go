package names

import (
	"bytes"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
)

// Outgoing returns a message of a server as clients are shown it, with the server's slug in all URIs, URI
// templates and task ids. The message is the result of a request with this method, or the params of a
// notification or request from the server. The slug must be one that the function Slug has returned.
//
// Only strings that the protocol defines as such names change; all other bytes
// stay as they are, and so does text that looks like a URI. A message without
// names, and one that is not valid JSON, is returned as it is. Names of tools and
// prompts do not change, because the hub composes their lists.
//
// Do not call Outgoing for a server's request about a task of the client, such as tasks/get: the client has
// chosen the id of that task.
func Outgoing(slug, method string, message json.RawMessage) json.RawMessage {
	return OutgoingExcept("", slug, method, message)
}

// OutgoingExcept is like Outgoing, but does not change strings that are equal to bare, unless bare is empty. A
// client that has named a resource by the server's own URI expects this URI in the result.
func OutgoingExcept(bare, slug, method string, message json.RawMessage) json.RawMessage {
	in, known := shown[method]
	if !known {
		in = anyMessage
	}
	s := scan{data: message, slug: slug, bare: bare}
	end := s.value(in, jsonscan.Space(message, 0))
	// jsonscan.Members and jsonscan.Elements do not detect all invalid text, so a message is checked before it
	// changes.
	if end < 0 || len(s.edits) == 0 || !jsonscan.Valid(message) {
		return message
	}
	return splice(message, s.edits)
}

// edit replaces the bytes from one position to another.
type edit struct {
	from, to int
	text     string
}

// splice returns a copy of data with edits, which are sorted by position.
func splice(data []byte, edits []edit) json.RawMessage {
	size := len(data)
	for _, e := range edits {
		size += len(e.text) - (e.to - e.from)
	}
	out, done := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(append(out, data[done:e.from]...), e.text...)
		done = e.to
	}
	return append(out, data[done:]...)
}

// scan collects the edits of a message. Its methods take the position of a value and return the position after the
// value, or -1 if the value is not valid JSON.
type scan struct {
	data  []byte
	slug  string
	bare  string
	edits []edit
}

func (s *scan) value(in *places, at int) (end int) {
	if at >= len(s.data) {
		return -1
	}
	switch c := s.data[at]; {
	case c == '"' && (in.kind == kindURI || in.kind == kindTask):
		return s.name(in.kind, at)
	case c == '{' && in.kind == kindContent:
		return s.block(at, true)
	case c == '[' && in.kind == kindContent:
		a := jsonscan.Elements(s.data, at)
		for a.Next() {
			if s.data[a.Start()] == '{' {
				a.SetEnd(s.block(a.Start(), true))
			}
		}
		return a.Close()
	case c == '{' && (in.members != nil || in.others != nil):
		o := jsonscan.Members(s.data, at)
		for o.Next() {
			if inner := in.member(&o); inner != nil {
				o.SetEnd(s.value(inner, o.Start()))
			}
		}
		return o.Close()
	case c == '[' && in.each != nil:
		a := jsonscan.Elements(s.data, at)
		for a.Next() {
			a.SetEnd(s.value(in.each, a.Start()))
		}
		return a.Close()
	}
	return jsonscan.End(s.data, at)
}

func (p *places) member(o *jsonscan.Object) *places {
	for i := range p.members {
		if o.Named(p.members[i].name) {
			return p.members[i].in
		}
	}
	return p.others
}

// name adds the edit for a string that is a name of kind k.
func (s *scan) name(k kind, at int) (end int) {
	if end = jsonscan.End(s.data, at); end < 0 {
		return -1
	}
	if s.bare != "" && is(s.data[at:end], s.bare) {
		return end
	}
	offset, after := 0, "+"
	if k == kindURI {
		offset, after = place(s.data[at+1:end-1], true)
	}
	offset += at + 1
	s.edits = append(s.edits, edit{offset, offset, s.slug + after})
	return end
}

// block adds the edits for a content block. It first looks at all members, because the type of the block
// decides which members are names, and may be the last member. In messages for sampling, a block with the
// result of a tool contains other blocks, but these contain no further ones.
func (s *scan) block(at int, mayNest bool) (end int) {
	var uriAt, resourceAt, contentAt int
	var kind []byte
	o := jsonscan.Members(s.data, at)
	for o.Next() {
		switch {
		case o.Named("type"):
			kind = o.Value()
		case o.Named("uri"):
			uriAt = o.Start()
		case o.Named("resource"):
			resourceAt = o.Start()
		case o.Named("content"):
			contentAt = o.Start()
		}
	}
	if end = o.Close(); end < 0 {
		return -1
	}
	switch {
	case uriAt > 0 && is(kind, "resource_link"):
		s.value(aURI, uriAt)
	case resourceAt > 0 && is(kind, "resource"):
		s.value(withURI, resourceAt)
	case contentAt > 0 && mayNest && is(kind, "tool_result"):
		a := jsonscan.Elements(s.data, contentAt)
		for a.Next() {
			if s.data[a.Start()] == '{' {
				a.SetEnd(s.block(a.Start(), false))
			}
		}
	}
	return end
}

// is reports whether raw is a JSON string with the value text.
func is(raw []byte, text string) bool {
	if bytes.IndexByte(raw, '\\') < 0 {
		return len(raw) == len(text)+2 && string(raw[1:len(raw)-1]) == text
	}
	s, ok := jsonscan.String(raw)
	return ok && s == text
}
