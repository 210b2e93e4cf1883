package gateway

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/doors/gateway/danger"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/meta"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/registrytool"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/roster"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// hubTools are the hub's own tools on a surface that shows all servers. They are listed before the tools of
// servers.
type hubTools interface {
	Listed() surfaces.Definitions
	// Instructions returns the instructions of the hub as an MCP server.
	Instructions() string
	// Call serves tools/call for the hub's own tools; ok is false if name is not one of them.
	Call(ctx context.Context, name string, params json.RawMessage) (result json.RawMessage, ok bool, err error)
	// FindHow returns a sentence that says how to find a tool, for the error about an unknown name.
	FindHow() string
	// AddsFound reports whether find_tool adds tools to the session's list, unless a
	// setting for the client says otherwise.
	AddsFound() bool
}

// hubDocuments is implemented by hubTools that also have prompts and resources.
type hubDocuments interface {
	// WithOwn adds the hub's prompts or resources to the result of a list request.
	WithOwn(method string, list json.RawMessage) json.RawMessage
	// Serve serves requests for the hub's prompts and resources; ok is false for all other requests.
	Serve(method string, params json.RawMessage) (result json.RawMessage, ok bool, err error)
}

// OwnTools returns the definitions of the hub's own tools on a surface when no server is configured. client is
// as in Opening.Client, folder as in Gateway.ResultsFolder.
func OwnTools(surface, client, folder string) []json.RawMessage {
	switch {
	case surfaces.Server(surface) != "", surfaces.Toolset(surface) != "":
		return nil
	case surface == surfaces.Native:
		c := cutting(nil, Opening{Surface: surface, Client: client})
		c.Folder = folder
		return readingTools(c).Tools
	case surface == surfaces.Meta:
		return meta.Definitions(&roster.Roster{})
	}
	return []json.RawMessage{registrytool.Definition}
}

// noTools are the hubTools of the surface Native. The only tools of the hub on this surface are those that read long
// results.
type noTools struct {
	inventory *inventory.Inventory
	roster    *roster.Keeper
	results   *longResults
}

// Listed implements hubTools.
func (n noTools) Listed() surfaces.Definitions { return readingTools(n.results.now()) }

// Instructions implements hubTools.
func (n noTools) Instructions() string {
	var active []string
	for _, server := range n.inventory.ActiveServers() {
		active = append(active, server.Name)
	}
	if len(active) == 0 {
		return "No MCP server is always listed in Agent Discover. " +
			"A server's tools appear here once the user has chosen to always list them."
	}
	servers := slices.DeleteFunc(slices.Clone(n.roster.Now().Servers), func(name string) bool { return !slices.Contains(active, name) })
	return "Tools of " + roster.Instructed(servers) + ", each named server__tool."
}

// Call implements hubTools.
func (n noTools) Call(_ context.Context, name string, params json.RawMessage) (json.RawMessage, bool, error) {
	return n.results.Call(danger.Destroys, name, jsonrpc.Get(params, "arguments"))
}

// FindHow implements hubTools.
func (n noTools) FindHow() string { return "The list of tools may have changed: read it again." }

// AddsFound implements hubTools.
func (n noTools) AddsFound() bool { return false }
