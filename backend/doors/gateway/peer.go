package gateway

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Peer is the client's end of a session. If a message is sent with the context of
// a client's request over a transport with several streams, the message belongs
// on the stream of this request. All methods are safe for concurrent use.
type Peer interface {
	// Notify sends a notification.
	Notify(ctx context.Context, method string, params json.RawMessage) error
	// Call sends a request and waits for the answer.
	Call(ctx context.Context, call jsonrpc.Call) (json.RawMessage, error)
	// Done is closed when the client has left.
	Done() <-chan struct{}
}

// pipe is a Peer that is connected by a single stream.
type pipe struct{ *jsonrpc.Conn }

// Notify implements Peer.
func (p pipe) Notify(_ context.Context, method string, params json.RawMessage) error {
	return p.Conn.Notify(method, params)
}
