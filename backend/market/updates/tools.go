package updates

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Change describes a tool that another version of a server defines differently.
type Change struct {
	Tool        string   `json:"tool"`
	Description bool     `json:"description"` // the description differs
	Schema      bool     `json:"schema"`      // the schema of the arguments or of the result differs
	Hints       bool     `json:"hints"`       // the hints about effects differ, such as that the tool is read-only
	Before      string   `json:"before,omitempty"`
	After       string   `json:"after,omitempty"` // Before and After are the descriptions, if they differ
	Added       []string `json:"added,omitempty"` // names of arguments, as in the next two fields
	Removed     []string `json:"removed,omitempty"`
	Changed     []string `json:"changed,omitempty"`
	Required    []string `json:"required,omitempty"` // arguments that are required only in the other version
}

// maxDescription is the maximum number of characters of a description in a Change.
const maxDescription = 2000

// compareTools compares the tools of two versions of a server.
func compareTools(before, after []*catalog.Tool) (added, removed []string, changed []Change) {
	known := make(map[string]*catalog.Tool)
	for _, t := range before {
		known[t.Name] = t
	}
	for _, t := range after {
		was := known[t.Name]
		delete(known, t.Name)
		switch {
		case was == nil:
			added = append(added, t.Name)
		case was.Hash != t.Hash:
			if c := compareTool(was, t); c.Description || c.Schema || c.Hints {
				changed = append(changed, c)
			}
		}
	}
	for _, t := range before {
		if known[t.Name] != nil {
			removed = append(removed, t.Name)
		}
	}
	return added, removed, changed
}

func compareTool(before, after *catalog.Tool) Change {
	c := Change{Tool: before.Name}
	if before.Description != after.Description || before.Title != after.Title {
		c.Description = true
		c.Before, c.After = safetext.Clip(before.Description, maxDescription), safetext.Clip(after.Description, maxDescription)
	}
	differs := func(member string) bool {
		return !same(jsonrpc.Get(before.Definition, member), jsonrpc.Get(after.Definition, member))
	}
	c.Schema, c.Hints = differs("inputSchema") || differs("outputSchema"), differs("annotations")
	if differs("inputSchema") {
		c.compareArguments(before.InputSchema(), after.InputSchema())
	}
	return c
}

func (c *Change) compareArguments(before, after json.RawMessage) {
	was, is := members(jsonrpc.Get(before, "properties")), members(jsonrpc.Get(after, "properties"))
	for _, name := range slices.Sorted(maps.Keys(is)) {
		old, had := was[name]
		switch {
		case !had:
			c.Added = append(c.Added, name)
		case !same(old, is[name]):
			c.Changed = append(c.Changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, has := is[name]; !has {
			c.Removed = append(c.Removed, name)
		}
	}
	required := names(jsonrpc.Get(before, "required"))
	for _, name := range names(jsonrpc.Get(after, "required")) {
		if !slices.Contains(required, name) {
			c.Required = append(c.Required, name)
		}
	}
}

func members(object json.RawMessage) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage)
	jsonrpc.Each(object, func(name string, value json.RawMessage) { out[name] = value })
	return out
}

func names(array json.RawMessage) (out []string) {
	for item := range jsonrpc.Items(array) {
		if name, ok := jsonrpc.String(item); ok {
			out = append(out, name)
		}
	}
	return out
}

// same reports whether two JSON texts have equal values.
func same(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	decode := func(raw json.RawMessage) (value any) {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		_ = decoder.Decode(&value) // the hub has listed the tool, so its definition is valid
		return value
	}
	return len(a) > 0 && len(b) > 0 && reflect.DeepEqual(decode(a), decode(b))
}

// readsOnly reports whether a tool declares that it changes nothing.
func readsOnly(t *catalog.Tool) bool {
	hints := jsonrpc.Get(t.Definition, "annotations")
	return string(jsonrpc.Get(hints, "readOnlyHint")) == "true" && string(jsonrpc.Get(hints, "destructiveHint")) != "true"
}
