package mcpshape

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// blocks maps the types of content items to their shapes.
var blocks = map[string]object{
	"text": {
		{name: "text", of: words, required: true}, {name: "annotations", of: annotations}, {name: "_meta", of: free},
	},
	"image":         media,
	"audio":         media,
	"resource_link": resource,
	"resource": {
		{name: "resource", of: embedded{}, required: true}, {name: "annotations", of: annotations}, {name: "_meta", of: free},
	},
}

var media = object{
	{name: "data", of: base64, required: true},
	{name: "mimeType", of: text, required: true},
	{name: "annotations", of: annotations},
	{name: "_meta", of: free},
}

// words accepts strings, and converts numbers and booleans to strings.
var words scalar = func(raw json.RawMessage) (json.RawMessage, string) {
	switch raw[0] {
	case '"':
		return raw, ""
	case 'n', '{', '[':
		return nil, is(raw)
	}
	return jsonrpc.Quote(string(raw)), ""
}

// block accepts one item of content. Values that are not objects, and objects of unknown
// types, become items of the type text.
type block struct{}

func (block) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	if len(raw) == 0 || raw[0] == 'n' {
		return nil, is(raw)
	}
	if raw[0] != '{' {
		r.add("", is(raw)+"; shown as an item of the type text")
		return textOf(raw), ""
	}
	kind, typed := jsonrpc.String(jsonrpc.Get(raw, "type"))
	if of, known := blocks[kind]; known {
		n := len(r.changes)
		out, why := of.fit(r, raw)
		inner := jsonrpc.Get(jsonrpc.Get(raw, "resource"), "text")
		if why == "" || kind != "resource" || len(inner) == 0 || inner[0] != '"' {
			return out, why
		}
		r.changes = r.changes[:n] // the text matters more than the other members of the resource
		r.add("", why+"; shown as text")
		return textOf(inner), ""
	}
	if value := jsonrpc.Get(raw, "text"); !typed && len(value) > 0 && value[0] == '"' {
		r.add("type", "is missing; shown as text")
		return blocks["text"].fit(r, jsonrpc.Set(raw, "type", json.RawMessage(`"text"`)))
	}
	r.add("type", is(jsonrpc.Get(raw, "type"))+", which clients do not know; shown as text")
	return textOf(raw), ""
}

// textOf returns an item of the type text. Its text is raw if that is a string, and
// otherwise raw as JSON.
func textOf(raw json.RawMessage) json.RawMessage {
	if raw[0] != '"' {
		raw = jsonrpc.Quote(string(raw))
	}
	return jsonrpc.Set(json.RawMessage(`{"type":"text"}`), "text", raw)
}

// contents accepts the content of a call's result. An item that clients refuse is replaced by a text that says so. If
// that item is the only one, the whole content is refused.
type contents struct{}

func (contents) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	if len(raw) == 0 || raw[0] == 'n' {
		return nil, is(raw)
	}
	if raw[0] != '[' {
		r.add("", is(raw)+"; shown as a list with it")
		raw = jsonrpc.Array([]json.RawMessage{raw})
	}
	var shown []json.RawMessage
	changed, refused, at := false, "", 0
	for value := range jsonrpc.Items(raw) {
		n := len(r.changes)
		out, why := block{}.fit(r, value)
		if why != "" {
			refused = element(at) + " " + why
			text := fmt.Sprintf("The server %q sent an item of content that clients refuse, which was left out: %s.", r.of.Server, why)
			out = textOf(jsonrpc.Quote(text))
			r.changes = r.changes[:n]
			r.add("", why+"; replaced by a text")
		}
		r.below(n, element(at))
		at++
		changed = changed || !same(out, value)
		shown = append(shown, out)
	}
	switch {
	case at == 1 && refused != "":
		return nil, refused
	case changed:
		return jsonrpc.Array(shown), ""
	}
	return raw, ""
}

// embedded accepts one resource with its text or blob.
type embedded struct{}

var (
	readText = object{
		{name: "uri", of: uri, required: true},
		{name: "text", of: words, required: true},
		{name: "mimeType", of: text},
		{name: "_meta", of: free},
	}
	readBlob = object{
		{name: "uri", of: uri, required: true},
		{name: "blob", of: base64, required: true},
		{name: "mimeType", of: text},
		{name: "_meta", of: free},
	}
)

func (embedded) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	if value := jsonrpc.Get(raw, "blob"); len(value) > 0 && value[0] == '"' {
		return readBlob.fit(r, raw)
	}
	return readText.fit(r, raw)
}

// texts accepts the contents member of the result of resources/read. Contents without a
// URI get the URI of the request.
type texts struct{}

func (texts) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	if len(raw) > 0 && raw[0] == '{' {
		r.add("", "is an object; shown as a list with it")
		raw = jsonrpc.Array([]json.RawMessage{raw})
	}
	if len(raw) == 0 || raw[0] != '[' {
		return nil, is(raw)
	}
	var shown []json.RawMessage
	changed, at := false, 0
	for value := range jsonrpc.Items(raw) {
		n := len(r.changes)
		own := value
		if value[0] == '"' {
			r.add("", "is a text; shown as an object with it")
			own = jsonrpc.Set(nil, "text", value)
		}
		address := jsonrpc.Get(own, "uri")
		if address == nil {
			address = json.RawMessage("null")
		}
		if _, why := uri(address); why != "" && own[0] == '{' && r.of.Name != "" {
			r.add("uri", why+"; shown as that of the request")
			own = jsonrpc.Set(own, "uri", jsonrpc.Quote(r.of.Name))
		}
		out, why := embedded{}.fit(r, own)
		if why != "" {
			return nil, element(at) + " " + why
		}
		r.below(n, element(at))
		at++
		changed = changed || !same(out, value)
		shown = append(shown, out)
	}
	if changed {
		return jsonrpc.Array(shown), ""
	}
	return raw, ""
}

// messages accepts the messages of a prompt. A message with several items of content becomes
// several messages.
type messages struct{}

func (messages) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, is(raw)
	}
	var shown []json.RawMessage
	changed, at := false, 0
	for message := range jsonrpc.Items(raw) {
		n := len(r.changes)
		role := jsonrpc.Get(message, "role")
		if _, why := oneOf("user", "assistant").fit(r, role); why != "" {
			return nil, safetext.Label(element(at) + ".role " + why)
		}
		parts := []json.RawMessage{jsonrpc.Get(message, "content")}
		if several := parts[0]; len(several) > 0 && several[0] == '[' {
			r.add("content", "is a list; shown as a message for each of its items")
			parts = slices.Collect(jsonrpc.Items(several))
			changed = true
		}
		for _, part := range parts {
			before := len(r.changes)
			out, why := block{}.fit(r, part)
			if why != "" {
				return nil, element(at) + ".content " + why
			}
			r.below(before, "content")
			if whole := message; len(parts) == 1 && same(out, part) && !changed {
				shown = append(shown, whole)
				continue
			}
			changed = true
			shown = append(shown, jsonrpc.Set(message, "content", out))
		}
		r.below(n, element(at))
		at++
	}
	if changed {
		return jsonrpc.Array(shown), ""
	}
	return raw, ""
}
