package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Forwarded is a request to a server that is not a tool call.
type Forwarded struct {
	Server  string
	Session string // id of the client's session
	Client  string // as in Request; for the audit log
	Origin
	Method string
	Tool   string // the tool whose task the request is about; "" for none or an unknown one
	// Arguments are those of the call of Tool, if the client knows only the call and no task.
	Arguments json.RawMessage
	Params    json.RawMessage // sent unchanged, except for what Request says about members that could be mistaken
	Caller    upstream.Caller // answers requests that the server sends meanwhile; may be nil
	Own       bool            // a request of the hub itself; Caller and Progress are nil
	Over      *upstream.Lease // whose session is used while it takes calls; may be nil
	// Progress, if not nil, receives the params of progress notifications.
	Progress func(json.RawMessage)
}

// Forward sends a request other than tools/call to a server and returns the result, unchanged
// if clients accept it. Errors are as those of Call. The journal does not record the request,
// and the audit log only what reads a resource or a prompt.
func (p *Proxy) Forward(ctx context.Context, f Forwarded) (upstream.Result, error) {
	began := time.Now()
	server, err := p.admit(Request{Server: f.Server})
	if err == nil && !f.Own {
		err = p.Listed(ctx, server, f.Session, f.Method, f.Params)
	}
	if err == nil && p.trust != nil {
		err = p.trust.Refuse(server, f.Method, f.Params)
	}
	if err == nil {
		err = p.begin()
	}
	if err != nil {
		p.audit(f, server, began, journal.Refused, err)
		return upstream.Result{}, err
	}
	defer p.release()
	screened, judged := f.screened()
	judged = judged && p.screen != nil
	if judged && f.Method != taskState {
		if released, ok := p.screen.Released(screened); ok {
			p.audit(f, server, began, journal.OK, nil)
			return upstream.Result{JSON: released}, nil
		}
	}
	result, err := p.forward(ctx, server, f)
	if err == nil {
		result.JSON, err = p.fitting(f, result)
	}
	p.audit(f, server, began, outcome(Result{}, err), err)
	switch {
	case err != nil || !judged:
		return result, err
	case f.Method == taskState:
		result.JSON, err = p.judgeState(screened, result.JSON)
	default:
		result.JSON, err = p.screen.Result(screened, result.JSON)
	}
	if err != nil {
		return upstream.Result{}, err
	}
	return result, nil
}

const taskState = "tasks/get"

// TaskState returns the state of a task that its server announces, as it is passed on, or
// why its result is kept back.
func (p *Proxy) TaskState(f Forwarded, state json.RawMessage) (json.RawMessage, error) {
	f.Method = taskState
	state = p.fittingState(f, state)
	if screened, judged := f.screened(); judged && p.screen != nil {
		return p.judgeState(screened, state)
	}
	return state, nil
}

// judgeState judges the result in the state of a task, as MCP 2026-07-28 has it.
func (p *Proxy) judgeState(s Screened, state json.RawMessage) (json.RawMessage, error) {
	result := jsonrpc.Get(state, "result")
	if result == nil {
		return state, nil
	}
	if _, ok := p.screen.Released(s); ok {
		return state, nil
	}
	judged, err := p.screen.Result(s, result)
	if err != nil || bytes.Equal(judged, result) {
		return state, err
	}
	return jsonrpc.Set(state, "result", judged), nil
}

// screened returns a request as it is judged, and whether its result is: whether it is text
// that a model reads.
func (f Forwarded) screened() (Screened, bool) {
	if f.Arguments != nil {
		return Screened{Method: "tools/call", Server: f.Server, Tool: f.Tool, Client: f.Client, Session: f.Session, Arguments: f.Arguments}, true
	}
	if f.Method == "tasks/result" || f.Method == taskState {
		return Screened{Method: "tasks/result", Server: f.Server, Tool: f.Tool, Client: f.Client, Session: f.Session, Arguments: jsonrpc.Get(f.Params, "taskId")}, true
	}
	as, ok := audited[f.Method]
	s := Screened{Method: f.Method, Server: f.Server, Tool: jsonrpc.GetString(f.Params, as.member), Client: f.Client, Session: f.Session}
	if f.Method == "prompts/get" {
		s.Arguments = jsonrpc.Get(f.Params, "arguments")
	}
	return s, ok
}

func (p *Proxy) forward(ctx context.Context, server registry.Server, f Forwarded) (upstream.Result, error) {
	call := jsonrpc.Call{Method: f.Method, Params: jsonrpc.Unambiguous(f.Params, checked...), Progress: f.Progress}
	if f.Own {
		return p.upstream.Request(ctx, server, f.Session, f.Over, call)
	}
	return p.upstream.CallOver(ctx, server, f.Session, f.Over, f.Caller, call)
}

// audited maps the methods of Forward that the audit log records to their kinds and to
// the members of the params that name what is read.
var audited = map[string]struct {
	kind   journal.Kind
	member string
}{
	"resources/read": {journal.ResourceRead, "uri"},
	"prompts/get":    {journal.PromptGet, "name"},
}

// audit records a request of Forward in the audit log.
func (p *Proxy) audit(f Forwarded, server registry.Server, began time.Time, how journal.Outcome, err error) {
	as, ok := audited[f.Method]
	if !ok {
		return
	}
	p.journal.Record(journal.Record{
		At: began, Kind: as.kind, Client: f.Client, Session: f.Session, Server: f.Server, Tool: jsonrpc.GetString(f.Params, as.member),
		Outcome: how, Latency: time.Since(began), Editor: f.Editor, Token: f.Token, Road: f.Road, Code: errorCode(err), Unlisted: true,
	}, jsonrpc.Get(f.Params, "arguments"), nil, p.upstream.Redactor(server))
}

// RefuseForward records a request that was rejected before Forward was used.
func (p *Proxy) RefuseForward(f Forwarded, why error) {
	p.audit(f, registry.Server{}, time.Now(), journal.Refused, why)
}
