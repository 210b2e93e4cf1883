// Package proxy is THE call path: every tool call of every door goes through
// Proxy.Call, which looks the server up, decides, invokes and records. Nothing
// else in this program calls a tool.
package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxInFlight bounds the calls of all sessions together.
const maxInFlight = 1024

// Request is one tool call.
type Request struct {
	Client  string // who asks: the name from initialize, or the door
	Session string
	Server  string
	// Unlisted is the server to call when it is in no registry (a transient
	// one). Its ID is 0 then; with another one the registry is asked.
	Unlisted registry.Server
	Tool     string
	// Params are those of tools/call as the client sent them; the name in
	// them is replaced, everything else stays.
	Params json.RawMessage
	Caller upstream.Caller // may be nil: then the server can ask nothing back
	// Progress, when set, receives the params of progress notifications.
	Progress func(json.RawMessage)
}

// FlightChanged is published when a call has begun or ended.
type FlightChanged struct{}

// Proxy makes calls. It is safe for concurrent use.
type Proxy struct {
	registry *registry.Registry
	upstream *upstream.Manager
	journal  *journal.Journal
	bus      *events.Bus
	slots    chan struct{}
}

// New returns a proxy. Calls need no Run; what servers say of themselves is
// recorded while Run runs.
func New(r *registry.Registry, u *upstream.Manager, j *journal.Journal, bus *events.Bus) *Proxy {
	return &Proxy{registry: r, upstream: u, journal: j, bus: bus, slots: make(chan struct{}, maxInFlight)}
}

// Call makes one tool call and returns the server's result byte for byte. The
// error is a *wire.Error when the server answered with one, else a fault.
func (p *Proxy) Call(ctx context.Context, r Request) (json.RawMessage, error) {
	began := time.Now()
	server, err := p.decide(r)
	if err == nil {
		select {
		case p.slots <- struct{}{}:
			events.Publish(p.bus, FlightChanged{})
			defer p.land()
		default:
			err = fault.New(fault.Busy, "%d calls are in flight on this hub; try again when some have finished", maxInFlight)
		}
	}
	if err != nil {
		p.record(r, server, began, journal.Refused, nil, err)
		return nil, err
	}
	params := jsonrpc.Set(r.Params, "name", jsonrpc.Quote(r.Tool))
	result, err := p.upstream.Call(ctx, server, r.Caller, jsonrpc.Call{Method: "tools/call", Params: params, Progress: r.Progress})
	p.record(r, server, began, outcome(result, err), result, err)
	return result, err
}

func (p *Proxy) land() {
	<-p.slots
	events.Publish(p.bus, FlightChanged{})
}

// InFlight counts the calls under way, those included that wait for their
// server to start.
func (p *Proxy) InFlight() int { return len(p.slots) }

// Refuse records a call that a door turns away before it comes here.
func (p *Proxy) Refuse(r Request, why error) {
	p.record(r, registry.Server{}, time.Now(), journal.Refused, nil, why)
}

// decide says whether the call may be made at all.
func (p *Proxy) decide(r Request) (registry.Server, error) {
	if r.Unlisted.Name != "" && r.Unlisted.ID == 0 {
		return r.Unlisted, nil
	}
	server, err := p.registry.Get(r.Server)
	switch {
	case err != nil:
		return server, fault.New(fault.NotFound, "unknown server %q", r.Server)
	case !server.Approved:
		return server, fault.New(fault.Denied, "server %q waits for a person's approval: ask the user to run `agent-discover servers approve %s`", server.Name, server.Name)
	case server.Command == "" && server.Transport == "stdio":
		return server, fault.New(fault.Invalid, "server %q has no command", server.Name)
	}
	return server, nil
}

func (p *Proxy) record(r Request, server registry.Server, began time.Time, how journal.Outcome, result json.RawMessage, err error) {
	p.journal.Record(journal.Record{
		At: began, Client: r.Client, Session: r.Session, Server: r.Server, Tool: r.Tool,
		Response: textOf(err), Outcome: how, Latency: time.Since(began),
	}, jsonrpc.Get(r.Params, "arguments"), result, p.upstream.Redactor(server))
}

// textOf says in the journal what went wrong; nothing when nothing did.
func textOf(err error) string {
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return fmt.Sprintf("MCP error %d: %s", rpc.Code, rpc.Message)
	}
	if errors.Is(err, context.Canceled) {
		return "cancelled by the caller"
	}
	if err != nil {
		return fault.MessageOf(err)
	}
	return ""
}

func outcome(result json.RawMessage, err error) journal.Outcome {
	var cancelled *jsonrpc.Cancelled
	switch {
	case err == nil && IsError(result):
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

// IsError reports whether a tool's result says that the tool failed.
func IsError(result json.RawMessage) bool { return string(jsonrpc.Get(result, "isError")) == "true" }
