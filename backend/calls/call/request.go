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

// Methods that the pipeline handles specially.
const (
	callTool   = "tools/call"
	taskState  = "tasks/get"
	taskResult = "tasks/result"
)

// Request is a request to a server.
type Request struct {
	Method string // empty for tools/call
	Client string // the client's name from initialize, or "dashboard" or "rest" for a request through REST
	// LimitedAs is the client whose limits in the configuration apply; empty for none.
	LimitedAs string
	Session   string // id of the client's session; empty for a request through REST
	Origin
	Server string
	// Unlisted is the server to call if it is not in the registry, for example a transient server. If its Name is empty
	// or its ID is not 0, Call looks up Server in the registry instead.
	Unlisted registry.Server
	Tool     string // the tool that is called, or whose task the request is about; empty for none or an unknown one
	// Arguments is set for a request about a task whose id the client does not know. It holds the arguments of
	// the call that started the task.
	Arguments json.RawMessage
	// Vet returns an error if the caller of this package refuses the call. It is used only if Call had to read the
	// server's tools again to find the tool: callers check the tools that the hub already knows before they use
	// Call. It may be nil.
	Vet func() error
	// Params are the params as the client sent them. Call owns them. In a call of a tool, Call replaces the name with
	// the one that the server lists, masks credentials, and sets the arguments that a rule fixes. Unless Direct is
	// set, Call removes members that a server might confuse with a checked one, such as "Name" with "name".
	Params json.RawMessage
	Caller upstream.Caller // answers requests that the server sends meanwhile; may be nil
	// Internal marks a request of the hub itself. Caller and Progress are nil.
	Internal bool
	// Direct marks a request, other than tools/call, of a person who tries a server: its params are sent unchanged,
	// and the result is neither screened nor changed.
	Direct bool
	Over   *upstream.Lease // lease whose session the request uses if that session still accepts calls; may be nil
	// Progress, if not nil, receives the params of progress notifications.
	Progress func(json.RawMessage)
}

// Origin says where a request comes from, for the audit log. The fields are those of audit.Entry with the same
// names.
type Origin struct{ Editor, Token, Road string }

// Result is a server's answer to a request.
type Result struct {
	JSON      json.RawMessage // as the server sent it, unless the steps fit or screen result changed it
	Modern    bool            // the server speaks MCP 2026-07-28 or later
	ToolError bool            // isError is true: the tool itself failed
	// Misfit says how the arguments of a call that was sent and failed violate the schema of the tool; empty otherwise.
	Misfit string

	answer upstream.Result
}

// Lease returns a lease of the session that returned the result; see upstream.Result.Lease.
func (r Result) Lease() *upstream.Lease { return r.answer.Lease() }

// failed reports whether a result says that the tool itself has failed.
func failed(result json.RawMessage) bool {
	return string(jsonrpc.Get(result, "isError")) == "true"
}

// checked are the members of params that decide whether a request may be made. Other members that a server might
// confuse with one of them, such as "Name" with "name", are removed.
var checked = []string{"name", "arguments", "uri", "ref", "taskId", "task"}

// reading has an entry for each method that reads a resource or gets a prompt: kind is the kind of the journal
// records of such requests, member is the member of the params that names the resource or prompt, and answer is the
// member of the result that contains it.
var reading = map[string]struct {
	kind           journal.Kind
	member, answer string
}{
	"resources/read": {journal.ResourceRead, "uri", "contents"},
	"prompts/get":    {journal.PromptGet, "name", "messages"},
}

// exchange is one request on its way through the pipeline.
type exchange struct {
	Request
	p      *Pipeline
	began  time.Time
	server registry.Server // set by resolve
	by     *rules.Policy   // the policy that applies to the call; set by resolve
	sent   bool
	begun  int64 // see journal.Record.Begun

	subject screen.Call // the call as package screen judges it
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

// subject returns a request in the form that package screen judges, and whether a model reads the result.
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
