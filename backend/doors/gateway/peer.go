package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Peer is the client's end of a session. Over a transport with several streams, a
// message belongs on the stream of the client's request in whose context it is sent.
// All methods are safe for concurrent use.
type Peer interface {
	// Notify sends a notification.
	Notify(ctx context.Context, method string, params json.RawMessage) error
	// Call sends a request and waits for the answer.
	Call(ctx context.Context, call jsonrpc.Call) (json.RawMessage, error)
	// Done is closed when the client has left.
	Done() <-chan struct{}
}

// pipe is a Peer at the other end of one stream.
type pipe struct{ *jsonrpc.Conn }

// Notify implements Peer.
func (p pipe) Notify(_ context.Context, method string, params json.RawMessage) error {
	return p.Conn.Notify(method, params)
}

// Opening describes a session that begins.
type Opening struct {
	// ID identifies the session. A client that comes back with the same id gets its
	// session tools back.
	ID   string
	Peer Peer
	// Client is the id of the client in the table of editors, if its credential or the
	// entry that has started it names one. Tools are adapted to its limits. If it is
	// empty, clients before MCP 2026-07-28 are known by the name in initialize, and
	// others have no limits.
	Client string
	// Token is the id and the name of the credential that the client has shown over HTTP,
	// for the audit log.
	Token string
	// Surface is what the client is shown; see package surfaces. A single server is shown
	// as if the client were connected to it directly.
	Surface string
	// Folder is the client's working directory; empty if it is not known.
	Folder string
	// Credential is what the client was given to connect with. What it equips belongs to
	// the credential, because lists of modern clients depend on nothing else.
	Credential string
	// Toolset is the toolset that the client or its project asks to be limited to; empty
	// for none. It has no effect on surfaces of one server or toolset.
	Toolset string
	Project Project
}

// Project is the project that a client works on, if the project names a toolset.
type Project struct {
	File    string `json:"project_file,omitempty" doc:"File of the client's project that names a toolset."`
	Wants   string `json:"project_toolset,omitempty" doc:"Toolset that this file names. If it differs from toolset, it does not exist, waits for approval, or the entry of the client shows something else."`
	Problem string `json:"project_problem,omitempty" doc:"Why the file names no toolset."`
}

// ErrStopping is the cause with which a transport ends the contexts of requests when the
// hub stops. Open subscriptions of modern clients then end with a result.
var ErrStopping = errors.New("the hub is stopping")

// Open begins a session. The caller passes the client's requests and notifications to
// it, and calls Close in the end.
func (g *Gateway) Open(ctx context.Context, o Opening) *Session {
	g.search.Prepare()
	s := newSession(g, o)
	s.addSessionTools(g.sessionTools.load(ctx, o.ID))
	g.mu.Lock()
	g.sessions[s] = struct{}{}
	g.mu.Unlock()
	events.Publish(g.bus, ClientsChanged{})
	go func() { defer close(s.announced); s.announceChanges() }()
	return s
}

// Close ends the session after its peer is done, and returns when nothing of it is
// left. Requests of the session must have ended.
func (s *Session) Close(ctx context.Context) {
	g := s.gateway
	g.mu.Lock()
	delete(g.sessions, s)
	g.mu.Unlock()
	g.note(s)
	events.Publish(g.bus, ClientsChanged{})
	g.subscriptions.removeAll(ctx, s)
	g.endParked(s)
	s.endTasks()
	g.results.EndSession(s)
	g.calls.EndSession(s.id)
	if g.person != nil {
		g.person.EndSession(s.id)
	}
	<-s.announced
}
