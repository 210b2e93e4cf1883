// Package tester answers what a person asks a server directly: what it offers
// now, and how one behaves that nobody has configured yet. It keeps the
// questions that servers ask a person meanwhile, and the arguments that a
// person wants to use again.
//
//	person ── Tester ── upstream.Manager ── server (configured or transient)
//	   ▲                      │
//	   └── elicitations ◄─────┘
//
// Tool calls do not go through here but through proxy.Call, with a Tester as
// their caller.
package inspector

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Options are what a tester works with.
type Options struct {
	Upstream *upstream.Manager
	Journal  *journal.Journal
	Bus      *events.Bus
	Kept     PresetStore
	Sampler  *Sampler // nil: servers that ask for sampling are refused
	Log      *slog.Logger
}

// Tester serves a person's questions. It is safe for concurrent use.
type Tester struct {
	Options

	mu         sync.Mutex
	transients map[string]*Transient   // by handle
	starting   int                     // transients that are not up yet
	waiting    map[string]*elicitation // by id
	wake       chan struct{}           // a transient has come: Run looks at the clock
}

// New returns a tester. Transient servers end at their time while Run runs.
func New(o Options) *Tester {
	return &Tester{
		Options: o, transients: make(map[string]*Transient), waiting: make(map[string]*elicitation),
		wake: make(chan struct{}, 1),
	}
}

// Query is one request of a person to a server.
type Query struct {
	Method string
	Params json.RawMessage
	Kind   journal.Kind    // under which it is recorded; empty: it is not
	About  string          // what it is about: a URI, a prompt's name
	Shown  json.RawMessage // what is recorded as its arguments
	// Answer picks what is recorded of a result.
	Answer func(result json.RawMessage) string
}

// Do sends a request to a server, starts it when needed, and returns the
// result as it came. An error answer is a *wire.Error, anything else a fault.
func (t *Tester) Do(ctx context.Context, server registry.Server, q Query) (json.RawMessage, error) {
	began := time.Now()
	result, err := t.Upstream.Call(ctx, server, t, jsonrpc.Call{Method: q.Method, Params: q.Params})
	if q.Kind != "" {
		t.note(server.Name, began, q, result, err, t.Upstream.Redactor(server))
	}
	return result, err
}

// note keeps a request to a server, or one of its own.
func (t *Tester) note(server string, began time.Time, q Query, result json.RawMessage, err error, redactor *secrets.Redactor) {
	r := journal.Record{
		At: began, Kind: q.Kind, Server: server, Tool: q.About, Outcome: journal.OK, Latency: time.Since(began),
	}
	switch text, answered := jsonrpc.ErrorText(err); {
	case answered:
		r.Outcome, r.Response = journal.Failed, text
	case err != nil:
		r.Outcome, r.Response = journal.Failed, fault.MessageOf(err)
	case q.Answer != nil:
		r.Response = q.Answer(result)
	}
	t.Journal.Record(r, q.Shown, nil, redactor)
}
