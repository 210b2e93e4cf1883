package call

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/calls/screen"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Methods that the pipeline treats in their own way.
const (
	callTool   = "tools/call"
	taskState  = "tasks/get"
	taskResult = "tasks/result"
)

// Request is a request to a server.
type Request struct {
	Method string // empty for tools/call
	Client string // the client's name from initialize, or "dashboard" or "rest" for a request through REST
	// LimitedAs is the client whose limits in the configuration count; empty for none.
	LimitedAs string
	Session   string // id of the client's session; empty for a request through REST
	Origin
	Server string
	// Unlisted is the server to call if it is not in the registry, such as a
	// transient server. Its ID must be 0; a server with an ID is looked up in
	// the registry instead.
	Unlisted registry.Server
	Tool     string // the tool that is called, or whose task the request is about; empty for none or an unknown one
	// Arguments are those of the call of Tool, for a request about a task of which the client knows only the call.
	Arguments json.RawMessage
	// Vet returns why the caller does not make the call of a tool that was not known before its server was asked for its
	// tools because of this call. It may be nil; callers look at known tools themselves.
	Vet func() error
	// Params are the params as the client sent them. Call owns them. It replaces the name of a tool and removes what could be
	// taken for a checked member instead of it; everything else is sent unchanged.
	Params json.RawMessage
	Caller upstream.Caller // answers requests that the server sends meanwhile; may be nil
	// Internal is a request of the hub itself. Caller and Progress are nil.
	Internal bool
	// Direct is a request of a person who tries a server, other than tools/call: its params are sent unchanged, and the
	// result is neither judged nor mended.
	Direct bool
	Over   *upstream.Lease // whose session is used while it takes calls; may be nil
	// Progress, if not nil, receives the params of progress notifications.
	Progress func(json.RawMessage)
}

// Origin is what the audit log has of the client besides its name and session; see
// audit.Entry.
type Origin struct{ Editor, Token, Road string }

// Result is a server's answer to a request.
type Result struct {
	JSON      json.RawMessage // byte for byte as the server sent it, unless it is for a client that would refuse it
	Modern    bool            // it is of the modern era
	ToolError bool            // isError is true: the tool itself failed

	answer upstream.Result
}

// Lease returns a lease of the session with the server that has given the result; see
// upstream.Result.Lease.
func (r Result) Lease() *upstream.Lease { return r.answer.Lease() }

// failed reports whether a result says that the tool itself has failed.
func failed(result json.RawMessage) bool {
	return string(jsonrpc.Get(result, "isError")) == "true"
}

// checked are the members of params by which the hub decides whether a request may be made.
// Servers must not read others in place of them.
var checked = []string{"name", "arguments", "uri", "ref", "taskId", "task"}

// reading maps the methods that read something to their kinds in the log and to the members of the params that name what is
// read, and of the result that have it.
var reading = map[string]struct {
	kind           journal.Kind
	member, answer string // of the params what is read, and of the result what was read
}{
	"resources/read": {journal.ResourceRead, "uri", "contents"},
	"prompts/get":    {journal.PromptGet, "name", "messages"},
}

// exchange is one request on its way through the pipeline.
type exchange struct {
	Request
	p      *Pipeline
	began  time.Time
	server registry.Server // once it is resolved
	by     *rules.Policy   // by which a call is made
	sent   bool

	subject screen.Call // what is judged
	judged  bool        // whether a model reads the result
}

func (p *Pipeline) exchange(r Request) *exchange {
	r.Method = cmp.Or(r.Method, callTool)
	if r.Method == callTool { // other requests that name something twice are refused, see listsPrompt and held
		r.Params = jsonrpc.Unambiguous(r.Params, checked...)
	}
	e := &exchange{Request: r, p: p, began: time.Now()}
	if p.options.Screen != nil && !r.Direct {
		e.subject, e.judged = r.subject()
	}
	return e
}

// subject returns a request as it is judged, and whether its result is: whether it is text
// that a model reads.
func (r Request) subject() (screen.Call, bool) {
	s := screen.Call{Method: r.Method, Server: r.Server, Tool: r.Tool, Client: r.Client, Session: r.Session}
	switch {
	case r.Arguments != nil:
		s.Method, s.Arguments = callTool, r.Arguments
	case r.Method == callTool:
		s.Arguments = jsonrpc.Get(r.Params, "arguments")
	case r.Method == taskResult, r.Method == taskState:
		s.Method, s.Arguments = taskResult, jsonrpc.Get(r.Params, "taskId")
	default:
		read, ok := reading[r.Method]
		if s.Tool = jsonrpc.GetString(r.Params, read.member); r.Method == "prompts/get" {
			s.Arguments = jsonrpc.Get(r.Params, "arguments")
		}
		return s, ok
	}
	return s, true
}
