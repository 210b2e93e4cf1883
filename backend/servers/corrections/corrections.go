// Package corrections reports which tools, prompts, resources and resource templates of a server are changed or left
// out before clients see them, and why. It applies the rules of package mcpshape to the known definitions of a server.
// It computes the corrections from the stored definitions at each call, so that they are also known for stopped
// servers.
package corrections

import (
	"cmp"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpshape"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Correction describes an item that is changed or left out before clients see it.
type Correction struct {
	Kind mcpshape.Kind
	// Name is the name of a tool or a prompt, or the URI of a resource or a template; empty if
	// the item has none.
	Name    string
	LeftOut bool // clients are not shown the item
	// Changes say which members are changed or left out, or why the whole item is left out.
	Changes []string
}

// Reader finds corrections.
type Reader struct {
	Tools    interface{ Snapshot() *catalog.Snapshot }
	Features interface {
		Of(server string, kind features.Kind) []json.RawMessage
	}
	// Running describes running servers. It also lists the tools without a name, which the catalog does not contain. So
	// the corrections of these tools are known only while the server is running.
	Running interface {
		Describe(server string) (upstream.Description, bool)
	}
}

// Of returns the corrections of a server in the order of its lists: tools, prompts, resources
// and templates.
func (r Reader) Of(server string) (all []Correction) {
	var tools []json.RawMessage
	for _, t := range r.Tools.Snapshot().Of(server) {
		tools = append(tools, t.Definition)
	}
	about, _ := r.Running.Describe(server)
	for _, definition := range about.Tools {
		if _, named := catalog.NewTool(server, definition); !named {
			tools = append(tools, definition)
		}
	}
	all = correctionsOf(mcpshape.Tool, tools)
	for _, kind := range []features.Kind{features.Prompts, features.Resources, features.Templates} {
		all = append(all, correctionsOf(mcpshape.KindIn(string(kind)), r.Features.Of(server, kind))...)
	}
	return all
}

func correctionsOf(kind mcpshape.Kind, definitions []json.RawMessage) (all []Correction) {
	member := map[mcpshape.Kind]string{mcpshape.Resource: "uri", mcpshape.Template: "uriTemplate"}[kind]
	for _, definition := range definitions {
		_, changes, err := mcpshape.Item(kind, definition)
		name := cmp.Or(jsonrpc.GetString(definition, member), jsonrpc.GetString(definition, "name"))
		c := Correction{Kind: kind, Name: name, LeftOut: err != nil}
		if err != nil {
			c.Changes = []string{err.Error()}
		}
		for _, change := range changes {
			c.Changes = append(c.Changes, change.String())
		}
		if len(c.Changes) > 0 {
			all = append(all, c)
		}
	}
	return all
}
