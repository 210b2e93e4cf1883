// Package inspector sends a person's requests straight to a server, for
// testing: to a configured server, or to a transient one that exists for a test
// only. It also holds the questions that servers ask the person during such
// requests, and the saved arguments (presets) for tools and prompts.
//
//	person ── Inspector ── upstream.Manager ── server (configured or transient)
//	   ▲                         │
//	   └──────── Inbox ◄─────────┘ elicitation
//
// Tool calls do not pass through this package: they go to proxy.Call with the
// Inbox as their caller.
package inspector

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/audit"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Recorder stores a record of each request.
type Recorder interface {
	Record(r journal.Record, args, result json.RawMessage, redactor *secrets.Redactor)
}

// Inspector sends a person's requests to servers. It is safe for concurrent use.
type Inspector struct {
	servers    *upstream.Manager
	configured func(name string) (registry.Server, error)
	inbox      *Inbox
	records    Recorder
	presets    PresetStore
	listed     func(ctx context.Context, server registry.Server, session, method string, params json.RawMessage) error

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
	Records    Recorder
	Presets    PresetStore
	// Listed returns why a request must not be sent, because it names what its server does not list. It may ask the server.
	Listed func(ctx context.Context, server registry.Server, session, method string, params json.RawMessage) error
}

// New returns an inspector. Transient servers are closed at the end of their
// life only while Run is running.
func New(o Options) *Inspector {
	return &Inspector{
		servers: o.Servers, configured: o.Configured, inbox: o.Inbox, records: o.Records, presets: o.Presets, listed: o.Listed,
		transients: make(map[string]*Transient), opened: make(chan struct{}, 1),
	}
}

// Query is one request to a server.
type Query struct {
	Method string
	Params json.RawMessage
	Client string          // the client that asks, for the record
	Kind   journal.Kind    // of the record; if empty, the request is not recorded
	About  string          // subject in the record: a URI or the name of a prompt
	Shown  json.RawMessage // arguments, as the record shows them
	// Answer returns the text of a result for the record. It may be nil.
	Answer func(result json.RawMessage) string
}

// Do sends a request to a server and returns the result unchanged. It starts
// the server if necessary. If the server answers with an error, the error is a
// *jsonrpc.Error, unless it asked before what nobody could see; any other error is a fault.
func (i *Inspector) Do(ctx context.Context, server registry.Server, q Query) (json.RawMessage, error) {
	began := time.Now()
	caller := i.inbox.Caller()
	caller.Tasks = strings.HasPrefix(q.Method, "tasks/")
	var result upstream.Result
	err := i.listed(ctx, server, "", q.Method, q.Params)
	if err == nil {
		result, err = i.servers.Call(ctx, server, "", caller, jsonrpc.Call{Method: q.Method, Params: q.Params})
	}
	if q.Kind != "" {
		record(i.records, server.Name, began, q, result.JSON, err, i.servers.Redactor(server))
	}
	if unseen := caller.Unseen(server.Name); err != nil && unseen != nil {
		return nil, unseen
	}
	return result.JSON, err
}

// record stores a record of a request, whether it was sent to a server or by a
// server.
func record(to Recorder, server string, began time.Time, q Query, result json.RawMessage, err error, redactor *secrets.Redactor) {
	r := journal.Record{
		At: began, Kind: q.Kind, Client: q.Client, Server: server, Tool: q.About, Outcome: journal.OK, Latency: time.Since(began), Road: audit.REST,
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
