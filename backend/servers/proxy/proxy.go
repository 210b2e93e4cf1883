// Package proxy is the call path: every tool call, from any client, goes
// through Proxy.Call. It checks that the server may be called, forwards the
// call and records it. Processes and connections are left to package upstream,
// the records to package journal.
package proxy

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/policy"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxInFlight limits the calls of all sessions together.
const maxInFlight = 1024

// Request is one tool call.
type Request struct {
	Client string // the client's name from initialize, or "dashboard" or "rest" for a call through REST
	// LimitedAs is the client whose limits in the configuration count; empty for none.
	LimitedAs string
	Session   string // id of the client's session; empty for a call through REST
	Origin
	Server string
	// Unlisted is the server to call if it is not in the registry, such as a
	// transient server. Its ID must be 0; a server with an ID is looked up in
	// the registry instead.
	Unlisted registry.Server
	Tool     string
	// Vet returns why the caller does not make the call of a tool that was not known before its server was asked for its
	// tools because of this call. It may be nil; callers look at known tools themselves.
	Vet func() error
	// Params are the params of tools/call as the client sent them. Call owns them. It
	// replaces the tool's name and removes what could be taken for the name or the
	// arguments instead of them; everything else is sent unchanged.
	Params json.RawMessage
	Caller upstream.Caller // answers requests that the server sends during the call; may be nil
	// Progress, if not nil, receives the params of progress notifications.
	Progress func(json.RawMessage)
}

// Origin is what the audit log has of the client besides its name and session; see
// audit.Entry.
type Origin struct{ Editor, Token, Road string }

// Result is a server's answer to a tool call.
type Result struct {
	JSON      json.RawMessage // byte for byte as the server sent it, unless it is for a client that would refuse it
	Modern    bool            // it is of the modern era
	ToolError bool            // isError is true: the tool itself failed

	answer upstream.Result
}

// Lease returns a lease of the session with the server that has given the result; see
// upstream.Result.Lease.
func (r Result) Lease() *upstream.Lease { return r.answer.Lease() }

// FlightChanged is published when a call begins or ends.
type FlightChanged struct{}

// Proxy makes calls. It is safe for concurrent use.
type Proxy struct {
	registry *registry.Registry
	upstream *upstream.Manager
	journal  *journal.Journal
	policy   *policy.Current
	catalog  *catalog.Catalog
	listings *features.Listings
	near     func(client, server, tool string) []string
	approver Approver
	trust    Trust
	screen   Screen
	bus      *events.Bus
	log      *slog.Logger
	mended   sync.Map      // whose results were mended, to log it once
	slots    chan struct{} // holds one token for each call in flight
}

// Options are the dependencies of a Proxy.
type Options struct {
	Registry *registry.Registry
	Upstream *upstream.Manager
	Journal  *journal.Journal
	Policy   *policy.Current
	Catalog  *catalog.Catalog
	Listings *features.Listings
	// Near returns the names of tools of a server that a client may have meant by a name that the server does not list. The
	// client is as Request.LimitedAs. It may be nil.
	Near     func(client, server, tool string) []string
	Approver Approver
	Trust    Trust  // nil holds nothing
	Screen   Screen // nil judges nothing
	Bus      *events.Bus
	Log      *slog.Logger
}

// Trust decides which requests concern something that is held until a person approves it.
type Trust interface {
	// Refuse returns why a request must not be made, and nil if it may be.
	Refuse(server registry.Server, method string, params json.RawMessage) error
	// RefuseTool is Refuse for a call of a tool, by the name that its server lists.
	RefuseTool(server registry.Server, tool string) error
}

// Approver asks a person whether a call may be made. It returns a fault.Denied if not.
type Approver interface {
	Approve(ctx context.Context, c Approvable) error
}

// Approvable is a call for which the configuration requires a person's approval.
type Approvable struct {
	Client, Session string
	Tool            *catalog.Tool // with a hash that also changes when the server is started in another way
	Arguments       json.RawMessage
}

// checked are the members of params by which the hub decides whether a request may be made.
// Servers must not read others in place of them.
var checked = []string{"name", "arguments", "uri", "ref", "taskId", "task"}

// New returns a proxy.
func New(o Options) *Proxy {
	return &Proxy{registry: o.Registry, upstream: o.Upstream, journal: o.Journal, policy: o.Policy, catalog: o.Catalog, listings: o.Listings, near: o.Near, approver: o.Approver, trust: o.Trust, screen: o.Screen, bus: o.Bus, log: o.Log, slots: make(chan struct{}, maxInFlight)}
}

// Call makes one tool call. If the server answers with an error, the error is a
// *jsonrpc.Error; any other error is a fault.
func (p *Proxy) Call(ctx context.Context, r Request) (Result, error) {
	began := time.Now()
	r.Params = jsonrpc.Unambiguous(r.Params, checked...)
	server, rules, err := p.permit(ctx, &r)
	screened := Screened{Method: "tools/call", Server: r.Server, Tool: r.Tool, Client: r.Client, Session: r.Session, Arguments: jsonrpc.Get(r.Params, "arguments")}
	if err == nil && p.screen != nil {
		if released, ok := p.screen.Released(screened); ok {
			return Result{JSON: released, ToolError: failed(released)}, nil
		}
		r.Params, err = p.screenArguments(screened, r.Params)
	}
	if err == nil {
		err = p.begin()
	}
	if err != nil {
		p.record(r, server, began, refusedHow(ctx, err), nil, err)
		return Result{}, err
	}
	defer p.release()
	r.Params = rules.Params(r.Server, r.Tool, jsonrpc.Overwrite(r.Params, "name", jsonrpc.Quote(r.Tool)))
	answer, err := p.upstream.Call(ctx, server, r.Session, r.Caller, jsonrpc.Call{Method: "tools/call", Params: r.Params, Progress: r.Progress})
	result := Result{JSON: answer.JSON, Modern: answer.Modern, answer: answer}
	if err == nil && r.Session != "" { // people who try a tool see what its server sends
		result.JSON = p.fittingCall(r.Server, r.Tool, answer)
	}
	if err == nil {
		result.ToolError = failed(result.JSON)
	}
	p.record(r, server, began, outcome(result, err), result.JSON, err)
	if err == nil && p.screen != nil {
		if result.JSON, err = p.screen.Result(screened, result.JSON); err != nil {
			return Result{}, err
		}
	}
	return result, err
}

// refusedHow returns the outcome of a call that was not sent: the server was asked for its tools in vain, or the hub, a rule or
// a person does not want it.
func refusedHow(ctx context.Context, err error) journal.Outcome {
	switch kind := fault.KindOf(err); {
	case ctx.Err() != nil:
		return journal.Cancelled
	case upstream.NotStarted(err), kind == fault.Failed, kind == fault.Timeout:
		return outcome(Result{}, err)
	}
	return journal.Refused
}

// failed reports whether a result says that the tool itself has failed.
func failed(result json.RawMessage) bool {
	return string(jsonrpc.Get(result, "isError")) == "true"
}

// Lease keeps a server running for a caller in the session of a client; see
// upstream.Manager.Lease.
func (p *Proxy) Lease(ctx context.Context, server, session string, who upstream.Caller) (*upstream.Lease, error) {
	admitted, err := p.admit(Request{Server: server})
	if err != nil {
		return nil, err
	}
	return p.upstream.Lease(ctx, admitted, session, who)
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

// Introductions returns how a server has introduced itself in each era; see
// upstream.Manager.Introductions.
func (p *Proxy) Introductions(server string) (abouts []upstream.Description, without []mcpversion.Era) {
	v, err := p.registry.Get(server)
	if err != nil {
		return nil, nil
	}
	return p.upstream.Introductions(v)
}

// TTLs returns for how long the results of a running server may be cached; see
// upstream.Description.
func (p *Proxy) TTLs(server string) map[string]int64 { return p.upstream.TTLs(server) }

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

// Held returns why a tool of a server must not be called, and nil unless it is held.
func (p *Proxy) Held(server, tool string) error {
	v, err := p.registry.Get(server)
	if err != nil || p.trust == nil {
		return nil
	}
	return p.trust.RefuseTool(v, tool)
}
