// Package proxy is the call path: every tool call, from any client, goes
// through Proxy.Call. It checks that the server may be called, forwards the
// call and records it. Processes and connections are left to package upstream,
// the records to package journal.
package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxInFlight limits the calls of all sessions together.
const maxInFlight = 1024

// Request is one tool call.
type Request struct {
	Client  string // the client's name from initialize, or "dashboard" or "rest" for a call through REST
	Session string // id of the client's session; empty for a call through REST
	Server  string
	// Unlisted is the server to call if it is not in the registry, such as a
	// transient server. Its ID must be 0; a server with an ID is looked up in
	// the registry instead.
	Unlisted registry.Server
	Tool     string
	// Params are the params of tools/call as the client sent them. Call owns them. It
	// replaces the tool's name and sends everything else unchanged.
	Params json.RawMessage
	Caller upstream.Caller // answers requests that the server sends during the call; may be nil
	// Progress, if not nil, receives the params of progress notifications.
	Progress func(json.RawMessage)
}

// Result is a server's answer to a tool call.
type Result struct {
	JSON      json.RawMessage // byte for byte as the server sent it; see upstream.Result
	Modern    bool            // it is of the modern era
	ToolError bool            // isError is true: the tool itself failed
}

// FlightChanged is published when a call begins or ends.
type FlightChanged struct{}

// Forwarded is a request to a server that is not a tool call.
type Forwarded struct {
	Server  string
	Session string // id of the client's session
	Method  string
	Params  json.RawMessage // sent unchanged
	Caller  upstream.Caller // answers requests that the server sends meanwhile; may be nil
	Own     bool            // a request of the hub itself; Caller and Progress are nil
	// Progress, if not nil, receives the params of progress notifications.
	Progress func(json.RawMessage)
}

// Proxy makes calls. It is safe for concurrent use.
type Proxy struct {
	registry *registry.Registry
	upstream *upstream.Manager
	journal  *journal.Journal
	bus      *events.Bus
	slots    chan struct{} // holds one token for each call in flight
}

// New returns a proxy.
func New(r *registry.Registry, u *upstream.Manager, j *journal.Journal, bus *events.Bus) *Proxy {
	return &Proxy{registry: r, upstream: u, journal: j, bus: bus, slots: make(chan struct{}, maxInFlight)}
}

// Call makes one tool call. If the server answers with an error, the error is a
// *jsonrpc.Error; any other error is a fault.
func (p *Proxy) Call(ctx context.Context, r Request) (Result, error) {
	began := time.Now()
	server, err := p.admit(r)
	if err == nil {
		err = p.begin()
	}
	if err != nil {
		p.record(r, server, began, journal.Refused, nil, err)
		return Result{}, err
	}
	defer p.release()
	r.Params = jsonrpc.Overwrite(r.Params, "name", jsonrpc.Quote(r.Tool))
	answer, err := p.upstream.Call(ctx, server, r.Session, r.Caller, jsonrpc.Call{Method: "tools/call", Params: r.Params, Progress: r.Progress})
	result := Result{JSON: answer.JSON, Modern: answer.Modern}
	if err == nil {
		result.ToolError = string(jsonrpc.Get(result.JSON, "isError")) == "true"
	}
	p.record(r, server, began, outcome(result, err), result.JSON, err)
	return result, err
}

// Forward sends a request other than tools/call to a server and returns the result
// unchanged. Errors are as those of Call. The request is not recorded.
func (p *Proxy) Forward(ctx context.Context, f Forwarded) (upstream.Result, error) {
	server, err := p.admit(Request{Server: f.Server})
	if err != nil {
		return upstream.Result{}, err
	}
	if err := p.begin(); err != nil {
		return upstream.Result{}, err
	}
	defer p.release()
	call := jsonrpc.Call{Method: f.Method, Params: f.Params, Progress: f.Progress}
	if f.Own {
		return p.upstream.Request(ctx, server, f.Session, call)
	}
	return p.upstream.Call(ctx, server, f.Session, f.Caller, call)
}

// Lease keeps a server running for the session of a client; see upstream.Manager.Lease.
func (p *Proxy) Lease(ctx context.Context, server, session string) (*upstream.Lease, error) {
	admitted, err := p.admit(Request{Server: server})
	if err != nil {
		return nil, err
	}
	return p.upstream.Lease(ctx, admitted, session)
}

// FollowTask subscribes to a task of a server; see upstream.Manager.FollowTask.
func (p *Proxy) FollowTask(ctx context.Context, server, session, id string) (stop func(), err error) {
	admitted, err := p.admit(Request{Server: server})
	if err != nil {
		return nil, err
	}
	return p.upstream.FollowTask(ctx, admitted, session, id)
}

// OwnerOf returns session if each session of a client has the server for itself, and ""
// if clients share the server.
func (p *Proxy) OwnerOf(server, session string) string {
	v, err := p.registry.Get(server)
	if err != nil {
		return ""
	}
	return upstream.TargetOf(v, session).Client
}

// EndSession ends the servers that a session has for itself.
func (p *Proxy) EndSession(session string) { p.upstream.EndClient(session) }

// NotifyOwn sends a notification to the running servers that a session has for itself.
func (p *Proxy) NotifyOwn(session, method string) { p.upstream.NotifyOwn(session, method) }

// Describe returns how a running server has introduced itself, and false if the server
// is not running.
func (p *Proxy) Describe(server string) (upstream.Description, bool) {
	return p.upstream.Describe(server)
}

// Capabilities returns what a running server has declared in its answer to
// initialize, and nil if the server is not running.
func (p *Proxy) Capabilities(server string) json.RawMessage {
	d, _ := p.upstream.Describe(server)
	return d.Capabilities
}

// admit returns the server to call, or an error if it must not be called.
func (p *Proxy) admit(r Request) (registry.Server, error) {
	if r.Unlisted.Name != "" && r.Unlisted.ID == 0 {
		return r.Unlisted, nil
	}
	server, err := p.registry.Get(r.Server)
	switch {
	case err != nil:
		return server, fault.New(fault.NotFound, "unknown server %q", r.Server)
	case !server.Approved:
		return server, fault.New(fault.Denied, "server %q waits for a person's approval: ask the user to approve it in the tray or the dashboard", server.Name)
	case server.Command == "" && server.Transport == "stdio":
		return server, fault.New(fault.Invalid, "server %q has no command", server.Name)
	}
	return server, nil
}

// begin adds one to the calls in flight. The caller must call release.
func (p *Proxy) begin() error {
	select {
	case p.slots <- struct{}{}:
		events.Publish(p.bus, FlightChanged{})
		return nil
	default:
		return fault.New(fault.Busy, "%d calls are in flight on this hub; try again when some have finished", maxInFlight)
	}
}

func (p *Proxy) release() {
	<-p.slots
	events.Publish(p.bus, FlightChanged{})
}

// InFlight returns the number of calls in flight. It includes calls that wait
// for their server to start.
func (p *Proxy) InFlight() int { return len(p.slots) }

// Refuse records a call that was rejected before Call was used.
func (p *Proxy) Refuse(r Request, why error) {
	p.record(r, registry.Server{}, time.Now(), journal.Refused, nil, why)
}

func (p *Proxy) record(r Request, server registry.Server, began time.Time, how journal.Outcome, result json.RawMessage, err error) {
	p.journal.Record(journal.Record{
		At: began, Client: r.Client, Session: r.Session, Server: r.Server, Tool: r.Tool,
		Response: errorText(err), Outcome: how, Latency: time.Since(began),
	}, jsonrpc.Get(r.Params, "arguments"), result, p.upstream.Redactor(server))
}

// errorText returns the text that the journal records for an error, and "" for
// nil.
func errorText(err error) string {
	if text, ok := jsonrpc.ErrorText(err); ok {
		return text
	}
	if errors.Is(err, context.Canceled) {
		return "cancelled by the caller"
	}
	if err != nil {
		return fault.MessageOf(err)
	}
	return ""
}

func outcome(result Result, err error) journal.Outcome {
	var cancelled *jsonrpc.Cancelled
	switch {
	case err == nil && result.ToolError:
		return journal.ToolError
	case err == nil:
		return journal.OK
	case errors.Is(err, upstream.ErrPaused):
		return journal.Refused
	case errors.As(err, &cancelled), errors.Is(err, context.Canceled):
		return journal.Cancelled
	case fault.KindOf(err) == fault.Timeout:
		return journal.Timeout
	}
	return journal.Failed
}
