package gateway

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// surface is what a session shows its client: all servers of the hub, one of them, or a
// toolset.
type surface interface {
	// Introduce returns what the surface says about itself to a client with these
	// capabilities, which may be nil. It may start a server.
	Introduce(ctx context.Context, client json.RawMessage) (surfaces.Introduction, error)
	// Info returns the serverInfo of results, nil if it is not known. It starts no
	// server.
	Info() json.RawMessage
	// List serves the methods that list something.
	List(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// TTL returns how long modern clients may cache the result of a method, in
	// milliseconds.
	TTL(method string) int64
	// Resolve returns the server and the own name of a tool in the client's list.
	Resolve(name string) (server, tool string, ok bool)
	// Call serves tools/call.
	Call(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
	// Incoming returns the server of a request, or of an answer to a server, and
	// the params or the answer as the server knows them. The server is empty if the
	// params name none.
	Incoming(method string, params json.RawMessage) (server string, own json.RawMessage, err error)
	// Shown returns a result of a server, or the params of its notification or
	// request, as the client is shown them. bare is the URI of the request if the
	// client has written it as the server knows it, otherwise empty.
	Shown(server, method string, message json.RawMessage, bare string) json.RawMessage
	// Listed returns the tools of servers and the hub's own tools in the client's list.
	Listed() (tools []*catalog.Tool, own surfaces.Definitions)
	// Shows reports whether the client lists what a server has. For an empty name it
	// reports whether the client's lists depend on which servers are active.
	Shows(server string) bool
}

// offers reports whether a capability has a member that is true.
func offers(capability json.RawMessage, member string) bool {
	return string(jsonrpc.Get(capability, member)) == "true"
}
