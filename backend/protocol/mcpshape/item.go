package mcpshape

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

var (
	icons = list{object{
		{name: "src", of: text, required: true},
		{name: "mimeType", of: text},
		{name: "sizes", of: list{text}},
		{name: "theme", of: oneOf("light", "dark")},
	}}
	annotations = object{
		{name: "audience", of: list{oneOf("user", "assistant")}},
		{name: "priority", of: share},
		{name: "lastModified", of: moment},
	}
	toolAnnotations = object{
		{name: "title", of: text},
		{name: "readOnlyHint", of: flag},
		{name: "destructiveHint", of: flag},
		{name: "idempotentHint", of: flag},
		{name: "openWorldHint", of: flag},
	}
	promptArguments = list{object{
		{name: "name", of: text, required: true},
		{name: "title", of: text},
		{name: "description", of: text},
		{name: "required", of: clearFlag},
	}}
	resource = object{
		{name: "uri", of: filled(uri), required: true},
		{name: "name", of: text, required: true, otherwise: valueOf("uri")},
		{name: "title", of: text},
		{name: "description", of: text},
		{name: "mimeType", of: text},
		{name: "size", of: count},
		{name: "icons", of: icons},
		{name: "annotations", of: annotations},
		{name: "_meta", of: free},
	}
)

// item accepts definitions of a kind, such as those of tools.
type item Kind

func (i item) fit(r *report, raw json.RawMessage) (json.RawMessage, string) {
	return items[Kind(i)].fit(r, r.shallow(raw))
}

var items = map[Kind]object{
	Tool: {
		{name: "name", of: filled(text), required: true},
		{name: "title", of: text},
		{name: "description", of: text},
		{name: "inputSchema", of: inputSchema{}, required: true},
		{name: "outputSchema", of: outputSchema{}},
		{name: "annotations", of: toolAnnotations},
		{name: "execution", of: object{{name: "taskSupport", of: oneOf("required", "optional", "forbidden")}}},
		{name: "icons", of: icons},
		{name: "_meta", of: free},
	},
	Prompt: {
		{name: "name", of: filled(text), required: true},
		{name: "title", of: text},
		{name: "description", of: text},
		{name: "arguments", of: promptArguments},
		{name: "icons", of: icons},
		{name: "_meta", of: free},
	},
	Resource: resource,
	Template: {
		{name: "uriTemplate", of: filled(text), required: true},
		{name: "name", of: text, required: true, otherwise: valueOf("uriTemplate")},
		{name: "title", of: text},
		{name: "description", of: text},
		{name: "mimeType", of: text},
		{name: "icons", of: icons},
		{name: "annotations", of: annotations},
		{name: "_meta", of: free},
	},
}

// value returns a function that always returns raw.
func value(raw string) func(json.RawMessage) json.RawMessage {
	return func(json.RawMessage) json.RawMessage { return json.RawMessage(raw) }
}

// valueOf returns a function that returns the named member of an object.
func valueOf(name string) func(json.RawMessage) json.RawMessage {
	return func(object json.RawMessage) json.RawMessage { return jsonrpc.Get(object, name) }
}

// momentForm is the form that clients accept for times.
var momentForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// moment accepts RFC 3339 times, which have an offset from UTC.
var moment scalar = func(raw json.RawMessage) (json.RawMessage, string) {
	value, ok := jsonrpc.String(raw)
	if ok && momentForm.MatchString(value) {
		_, err := time.Parse(time.RFC3339, value)
		ok = err == nil
	}
	return raw, unless(ok && momentForm.MatchString(value), raw)
}

// uri accepts URIs whose host and port can be parsed, because the SDK for Python up to
// version 1 refuses others. A URI needs no scheme: current SDKs accept it without one,
// and the hub adds one where it shows the resources of several servers.
var uri scalar = func(raw json.RawMessage) (json.RawMessage, string) {
	value, ok := jsonrpc.String(raw)
	switch {
	case !ok:
		return nil, is(raw)
	case !parsable(value):
		return nil, is(raw) + ", which is no URI"
	}
	return raw, ""
}

var authority = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#]*)`)

// parsable reports whether the host and the port of a URI can be parsed, or are absent.
func parsable(uri string) bool {
	found := authority.FindStringSubmatch(strings.TrimSpace(uri))
	if found == nil {
		return true
	}
	host := found[1][strings.LastIndexByte(found[1], '@')+1:]
	if strings.HasPrefix(host, "[") != strings.Contains(host, "]") || strings.ContainsAny(host, " <>^|") {
		return false
	}
	colon := strings.LastIndexByte(host, ':')
	if colon < 0 || strings.HasSuffix(host, "]") {
		return true
	}
	port := host[colon+1:]
	_, err := strconv.ParseUint(port, 10, 16)
	return colon > 0 && (port == "" || err == nil)
}

// shallow returns an item without the members that are nested too deeply, except inputSchema.
func (r *report) shallow(definition json.RawMessage) json.RawMessage {
	if depth(definition) <= maxDepth {
		return definition
	}
	out := definition
	jsonrpc.Each(definition, func(name string, value json.RawMessage) {
		if depth(value) <= maxDepth || name == "inputSchema" {
			return
		}
		r.add(name, "is nested too deeply; left out")
		out = jsonrpc.Delete(out, name)
	})
	return out
}

// depth returns the nesting depth of a JSON value. It counts brackets in strings too; real
// definitions have too few of them to matter.
func depth(raw json.RawMessage) int {
	deepest, now := 0, 0
	for _, c := range raw {
		switch c {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}
