package gateway

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// surface is what a session shows its client: all servers of the hub, one of them, or a
// toolset.
type surface interface {
	// introduce returns what the surface says about itself to a client with these
	// capabilities, which may be nil. It may start a server.
	introduce(ctx context.Context, client json.RawMessage) (introduction, error)
	// info returns the serverInfo of results, nil if it is not known. It starts no
	// server.
	info() json.RawMessage
	// list serves the methods that list something.
	list(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// ttl returns how long modern clients may cache the result of a method, in
	// milliseconds.
	ttl(method string) int64
	// resolve returns the server and the own name of a tool in the client's list.
	resolve(name string) (server, tool string, ok bool)
	// call serves tools/call.
	call(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
	// incoming returns the server of a request, or of an answer to a server, and
	// the params or the answer as the server knows them. The server is empty if the
	// params name none.
	incoming(method string, params json.RawMessage) (server string, own json.RawMessage, err error)
	// shown returns a result of a server, or the params of its notification or
	// request, as the client is shown them. bare is the URI of the request if the
	// client has written it as the server knows it, otherwise empty.
	shown(server, method string, message json.RawMessage, bare string) json.RawMessage
	// listed returns the tools of servers and the hub's own tools in the client's list.
	// The caller holds the session's mu.
	listed() (tools []*catalog.Tool, own ownTools)
	// shows reports whether the client lists what a server has. For an empty name it
	// reports whether the client's lists depend on which servers are active.
	shows(server string) bool
}

// introduction is what a surface says about itself in answers to initialize and
// server/discover.
type introduction struct {
	Capabilities json.RawMessage `json:"capabilities"`         // an object
	Info         json.RawMessage `json:"serverInfo,omitempty"` // an object
	Instructions string          `json:"instructions,omitempty"`
}

// offers reports whether a capability has a member that is true.
func offers(capabilities json.RawMessage, capability, member string) bool {
	return string(jsonrpc.Get(jsonrpc.Get(capabilities, capability), member)) == "true"
}
