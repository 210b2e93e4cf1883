// Package call carries out every request that a client, a person or the hub sends to a server: calls of tools, and
// requests for prompts, resources, completions and tasks. Each passes the same steps:
//
//	resolve           find the server and the definition that the request names    resolve.go
//	permit            check held definitions, rules and approvals                  permit.go
//	screen arguments  mask or refuse credentials                                   screen.go
//	begin             keep that the request is sent, in case the hub is killed     record.go
//	send              call package upstream                                        send.go
//	fit               adapt the result to what MCP clients accept                  fit.go
//	record            add to the journal and to the audit log                      record.go
//	screen result     look for prompt injection and credentials                    screen.go
//
// A request that is refused before it is sent is recorded too.
package call

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/calls/screen"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
)

// Pipeline sends requests to servers. It is safe for concurrent use.
type Pipeline struct {
	options Options
	mended  sync.Map      // tools and methods for which noteMended has logged a result
	slots   chan struct{} // holds one token for each request in flight
}

// Options are the dependencies of a Pipeline.
type Options struct {
	Registry  *registry.Registry
	Upstream  *upstream.Manager
	Journal   *journal.Journal
	Rules     *rules.Current
	Approvals *rules.Approvals
	Person    Person // if nil, no call can be approved
	Catalog   *catalog.Catalog
	Features  *features.Keeper
	// Near returns the names of a server's tools that are similar to tool, a name that the server does not list.
	// client is as in Request.LimitedAs. Near may be nil.
	Near       func(client, server, tool string) []string
	Quarantine *quarantine.Keeper // nil if no definitions are held
	Screen     *screen.Screen     // nil if nothing is screened
	MustRecord func() bool        // reports whether a call that cannot be recorded is refused; nil means that none is
	Bus        *events.Bus
	Log        *slog.Logger
}

// New returns a pipeline.
func New(o Options) *Pipeline { return &Pipeline{options: o, slots: make(chan struct{}, maxInFlight)} }

// Call sends a request to a server and returns the result. If the server answers with an error, or with a result that
// clients would refuse, the error is a *jsonrpc.Error, and only Result.Misfit may be set. If ctx has ended, the error
// may be context.Cause(ctx). All other errors are faults.
func (p *Pipeline) Call(ctx context.Context, r Request) (Result, error) {
	e := p.exchange(r)
	result, err := e.answer(ctx)
	noteUnsent(ctx, err)
	e.record(ctx, result, err)
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok && e.sent {
		rpc.Redact(p.options.Upstream.Redactor(e.server).Text)
	}
	if err != nil {
		return Result{Misfit: e.misfit(result, err)}, err
	}
	misfit := e.misfit(result, nil)
	result, err = e.screenResult(result)
	result.Misfit = misfit
	return result, err
}

// Refuse records a request that another package rejects instead of passing it to Call. why is the reason.
func (p *Pipeline) Refuse(r Request, why error) {
	p.exchange(r).record(context.Background(), Result{}, why)
}

// answer carries out the steps up to fit. If a person has released a result for the request, it returns that result
// instead of sending the request.
func (e *exchange) answer(ctx context.Context) (Result, error) {
	if err := e.permit(ctx); err != nil {
		return Result{}, err
	}
	if e.judged && e.Method != taskState { // screenState does this for tasks/get, whose answer contains the result as a member
		// A person may have released the result of an earlier, equal request.
		if released, ok := e.p.options.Screen.Released(e.subject); ok {
			return Result{JSON: released, ToolError: failed(released)}, nil
		}
	}
	if err := e.screenArguments(); err != nil {
		return Result{}, err
	}
	return e.send(ctx)
}

// Lease keeps a server running for a session of a client. who is the caller that needs the server; see
// upstream.Manager.Lease.
func (p *Pipeline) Lease(ctx context.Context, server, session string, who upstream.Caller) (*upstream.Lease, error) {
	admitted, err := p.admit(Request{Server: server})
	if err != nil {
		return nil, err
	}
	lease, err := p.options.Upstream.Lease(ctx, admitted, session, who)
	noteUnsent(ctx, err)
	return lease, err
}

type unsentKey struct{}

// WithUnsent returns a context for Call and Lease. They set unsent if the request was not sent to its server because the hub
// is stopping, so that the next hub can carry it out.
func WithUnsent(ctx context.Context, unsent *atomic.Bool) context.Context {
	return context.WithValue(ctx, unsentKey{}, unsent)
}

func noteUnsent(ctx context.Context, err error) {
	if unsent, ok := ctx.Value(unsentKey{}).(*atomic.Bool); ok && errors.Is(err, upstream.ErrStopping) {
		unsent.Store(true)
	}
}

// Held returns an error if a tool is held until a person approves its definition.
func (p *Pipeline) Held(server, tool string) error {
	v, err := p.options.Registry.Get(server)
	if err != nil {
		return nil
	}
	return p.heldTool(v, tool)
}
