// Package inspector sends a person's requests straight to a server, for
// testing: to a configured server, or to a transient one that exists for a test
// only. It also holds the questions that servers ask the person during such
// requests, and the saved arguments (presets) for tools and prompts.
//
//	person ── Inspector ── call.Pipeline ── server (configured or transient)
//	   ▲                        │
//	   └──────── Inbox ◄────────┘ elicitation
package inspector

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Recorder stores a record of each request.
type Recorder interface {
	Record(r journal.Record, args, result json.RawMessage, redactor *redact.Redactor)
}

// Pipeline carries out requests; see call.Pipeline.
type Pipeline interface {
	Call(ctx context.Context, r call.Request) (call.Result, error)
}

// Inspector sends a person's requests to servers. It is safe for concurrent use.
type Inspector struct {
	servers    *upstream.Manager
	configured func(name string) (registry.Server, error)
	inbox      *Inbox
	pipeline   Pipeline
	presets    PresetStore

	mu         sync.Mutex
	transients map[string]*Transient // by handle
	starting   int                   // transient servers that are being started
	opened     chan struct{}         // wakes Run after Open
}

// Options are the dependencies of an Inspector.
type Options struct {
	Servers    *upstream.Manager
	Configured func(name string) (registry.Server, error) // a server of the configuration
	Inbox      *Inbox
	Pipeline   Pipeline
	Presets    PresetStore
}

// New returns an inspector. Transient servers are closed at the end of their
// life only while Run is running.
func New(o Options) *Inspector {
	return &Inspector{
		servers: o.Servers, configured: o.Configured, inbox: o.Inbox, pipeline: o.Pipeline, presets: o.Presets,
		transients: make(map[string]*Transient), opened: make(chan struct{}, 1),
	}
}

// Query is a person's request to a server.
type Query struct {
	Method string // empty for a call of Tool
	Tool   string
	Params json.RawMessage
	Client string // the client that sends the request, for the record
	Task   bool   // the request is about a task, or may start one
}

// Do sends a request to a server, which it starts if necessary, and returns the result. The errors are those of
// call.Pipeline.Call. If the request or the tool fails after the server asked a question that nobody could see, the
// error is that of Caller.Unseen.
func (i *Inspector) Do(ctx context.Context, server registry.Server, q Query) (call.Result, error) {
	caller := i.inbox.Caller()
	caller.Tasks = q.Task || strings.HasPrefix(q.Method, "tasks/")
	result, err := i.pipeline.Call(ctx, call.Request{
		Method: q.Method, Tool: q.Tool, Client: q.Client, Origin: call.Origin{Road: audit.REST}, Server: server.Name, Unlisted: server,
		Params: q.Params, Caller: caller, Direct: q.Method != "",
	})
	if unseen := caller.Unseen(server.Name); (err != nil || result.ToolError) && unseen != nil {
		return call.Result{}, unseen
	}
	return result, err
}

// entry is a record of a request that a server has sent.
type entry struct {
	Client string // the client whose call caused the request
	Kind   journal.Kind
	About  string          // the method of the request, recorded as Tool
	Shown  json.RawMessage // the params, or the part of them that the record shows
	// Answer returns the text to record for a result.
	Answer func(result json.RawMessage) string
}

// record stores a record of a request that a server has sent.
func record(to Recorder, server string, began time.Time, q entry, result json.RawMessage, err error, redactor *redact.Redactor) {
	r := journal.Record{
		At: began, Kind: q.Kind, Client: q.Client, Server: server, Tool: q.About, Outcome: journal.OK, Latency: time.Since(began),
		Road: audit.REST,
	}
	switch text, answered := jsonrpc.ErrorText(err); {
	case answered:
		r.Outcome, r.Response = journal.Failed, text
	case err != nil:
		r.Outcome, r.Response = journal.Failed, fault.MessageOf(err)
	case q.Answer != nil:
		r.Response = q.Answer(result)
	}
	to.Record(r, q.Shown, nil, redactor)
}
