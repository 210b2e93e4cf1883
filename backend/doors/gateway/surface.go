package gateway

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// surface decides what a session shows its client: all servers of the hub, one of them, or a toolset.
type surface interface {
	// Introduce describes the surface to a client with these capabilities, which may be nil. It may start a server.
	Introduce(ctx context.Context, client json.RawMessage) (surfaces.Introduction, error)
	// Info returns the serverInfo for the _meta of results, or nil if it is not known. It starts no server.
	Info() json.RawMessage
	// List serves tools/list, prompts/list, resources/list and resources/templates/list.
	List(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// TTL returns how long modern clients may cache the result of a method, in
	// milliseconds.
	TTL(method string) int64
	// Resolve returns the server of a tool in the client's list, and the tool's name on that server.
	Resolve(name string) (server, tool string, ok bool)
	// Call serves tools/call.
	Call(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
	// Incoming translates the params of a client's request, or its answer to a server's request, to the names
	// and URIs of the server, and returns the server's name. The name is empty if the params name no server.
	Incoming(method string, params json.RawMessage) (server string, own json.RawMessage, err error)
	// Shown translates a result of a server, or the params of its notification or request, to the names and
	// URIs that the client is shown. If the client itself used the server's own form of a URI in its request,
	// bare is this URI, which Shown leaves unchanged; otherwise bare is empty.
	Shown(server, method string, message json.RawMessage, bare string) json.RawMessage
	// Listed returns the tools of servers that are in the client's list, and the hub's own tools in that list.
	Listed() (tools []*catalog.Tool, own surfaces.Definitions)
	// Shows reports whether the client's lists include the tools, prompts and resources of a server. For an
	// empty name it reports whether the lists depend on which servers are always listed.
	Shows(server string) bool
}

// offers reports whether a capability has a member that is true.
func offers(capability json.RawMessage, member string) bool {
	return string(jsonrpc.Get(capability, member)) == "true"
}
