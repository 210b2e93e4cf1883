// Package meta is the surface that shows a client a few tools of the hub, no matter which servers are configured. These
// tools are find_tool, the tools that call a found tool by its call_as, and the siblings, which list and call tools by
// the names of a server and a tool.
package meta

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/arguments"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/danger"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/finding"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/roster"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/toolsetview"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Tools are the hub's tools on this surface, for one session. For each level of danger, there is one tool that calls
// other tools up to this level. So the annotations of this tool are true, and the client's own rules work: plan modes
// permit CallRead only.
type Tools struct {
	hub      *Hub
	queries  *finding.Queries
	toolsets *toolsetview.Actions
	client   Client
	calls    Calls
	results  Results
}

// Options are the parts of a session that Tools use.
type Options struct {
	Queries  *finding.Queries
	Toolsets *toolsetview.Actions
	Client   Client
	Calls    Calls
	Results  Results
}

// Client says which tools the session's client may use, and how the hub resolves the names of tools that the client
// sends.
type Client interface {
	Rules() inventory.Rules
	Names() resolve.Scope
	// Lookup returns a tool of a server, by any of the tool's names, with the name and description that the
	// session is shown.
	Lookup(server, tool string) (*catalog.Tool, bool)
	// ForModel returns an error for a tool that models must not call.
	ForModel(server, tool string) error
}

// Calls sends the session's calls of tools.
type Calls interface {
	// Vetted sends a call. If the tool is not in the catalog yet, Vetted calls vet after the server has listed the
	// tool, and does not send the call if vet returns an error.
	Vetted(ctx context.Context, server, tool string, params json.RawMessage, vet func() error) (call.Result, error)
	// Refuse records a call that is not sent.
	Refuse(ctx context.Context, server, tool string, params json.RawMessage, why error)
	// Suggest returns the response to a call. If the call named the wrong tool, the response also names similar
	// tools.
	Suggest(server, tool string, result call.Result, err error) (json.RawMessage, error)
}

// Results cuts long results, and serves requests for the parts that were cut off.
type Results interface {
	// Cut returns a result, cut if it is too long for the client.
	Cut(result json.RawMessage) json.RawMessage
	// Call serves read_more and save_block; ok is false for other tools. accepts is the highest level of danger that
	// the caller permits.
	Call(accepts danger.Level, name string, arguments json.RawMessage) (result json.RawMessage, ok bool, err error)
}

// Hub holds the parts that the tools of all sessions share. It is safe for concurrent use.
type Hub struct {
	registry  *registry.Registry
	inventory *inventory.Inventory
	finder    *finding.Finder
	roster    *roster.Keeper
	servers   Servers
	slug      func(registry.Server) string
	outdated  func(server string) bool

	mu          sync.Mutex
	of          *roster.Roster
	definitions []json.RawMessage // made from the roster in of
}

// HubOptions are the dependencies of a Hub.
type HubOptions struct {
	Registry  *registry.Registry
	Inventory *inventory.Inventory
	Finder    *finding.Finder
	Roster    *roster.Keeper
	Servers   Servers
	Slug      func(registry.Server) string // see package names
	// Outdated reports whether a server must list its tools again before they are shown. If it is nil, the
	// catalog is always used.
	Outdated func(server string) bool
}

// Servers starts servers. It reports whether servers run, and whether their tools wait for a person's approval.
type Servers interface {
	Running(server string) bool
	// Held returns an error for a tool whose definition waits for a person's approval.
	Held(server, tool string) error
	// Refresh lists the tools of a server anew, and starts the server if necessary.
	Refresh(ctx context.Context, server string) error
}

// NewHub returns the hub that the tools of all sessions share.
func NewHub(o HubOptions) *Hub {
	return &Hub{
		registry: o.Registry, inventory: o.Inventory, finder: o.Finder, roster: o.Roster, servers: o.Servers, slug: o.Slug,
		outdated: o.Outdated,
	}
}

// Tools returns the tools of a session.
func (h *Hub) Tools(o Options) *Tools {
	return &Tools{hub: h, queries: o.Queries, toolsets: o.Toolsets, client: o.Client, calls: o.Calls, results: o.Results}
}

// texts returns the current roster, and the definitions that are made from it.
func (h *Hub) texts() (*roster.Roster, []json.RawMessage) {
	now := h.roster.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of != now {
		h.of, h.definitions = now, Definitions(now)
	}
	return now, h.definitions
}

// Listed returns the definitions of the tools, and how many tokens they take.
func (m *Tools) Listed() surfaces.Definitions {
	now, definitions := m.hub.texts()
	texts := 2 * (tokens.Known(now.Parenthesis()) + tokens.Known(now.About()))
	return surfaces.Definitions{Tools: definitions, Tokens: Tokens + texts}
}

// Instructions returns instructions of one line. The first sentence makes sense alone, because a client may
// show only the beginning.
func (m *Tools) Instructions() string {
	servers := m.hub.roster.Now().Servers
	if len(servers) == 0 {
		return "No MCP server is configured in Agent Discover yet; once there is one, find_tool finds its tools and call_tool calls them."
	}
	return "Tools of " + roster.Instructed(servers) + ": search with find_tool, then invoke with call_tool." +
		" Do so before you say that a tool is missing; in plan mode, invoke with call_read_tool."
}

// FindHow returns a sentence that says how to find a tool, for the error about an unknown name.
func (m *Tools) FindHow() string { return "Ask find_tool for others." }

// AddsFound returns false: find_tool adds no tools to the session's list.
func (m *Tools) AddsFound() bool { return false }

// Call serves tools/call for these tools; ok is false if name is not one of them.
func (m *Tools) Call(ctx context.Context, name string, params json.RawMessage) (result json.RawMessage, ok bool, err error) {
	if name == findName {
		result, err := m.find(ctx, jsonrpc.Get(params, "arguments"))
		return m.results.Cut(result), true, err
	}
	if do := siblings[name]; do != nil {
		result, err := do(m, ctx, params)
		return m.results.Cut(result), true, err
	}
	if result, ok, err := m.results.Call(danger.Destroys, name, jsonrpc.Get(params, "arguments")); ok {
		return result, true, err
	}
	accepts, ok := callers[name]
	if !ok {
		return nil, false, nil
	}
	result, err = m.invoke(ctx, accepts, params)
	return result, true, err
}

// find serves find_tool. It does the same as the action find_tool of the tool registry or, if call_as is the only
// argument, as the action get_schema.
func (m *Tools) find(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	var args arguments.Arguments
	if raw != nil {
		if err := arguments.Read(raw, &args); err != nil {
			return answer.Error(fault.MessageOf(err))
		}
	}
	var reply any
	var err error
	write := findreply.Text
	if strings.TrimSpace(args.Query) == "" && args.CallAs != "" {
		reply, err = m.queries.Schema(ctx, args)
		write = answer.Indented
	} else {
		reply, err = m.queries.Tool(ctx, args, finding.Style{
			Caller: callerFor,
			Miss:   "no tools matched with sufficient confidence — try different keywords, or ask the user to add a server",
		})
	}
	if err != nil {
		return answer.Error(fault.MessageOf(err))
	}
	return answer.Text(reply, write)
}

// callerFor returns the name of the hub's tool through which a client calls t. If t is nil, it returns text that names
// the tools through which a client can call any tool.
func callerFor(t *catalog.Tool) string {
	if t == nil {
		return callAny + ", or " + CallRead + " if it only reads"
	}
	return callerOf(danger.Annotated(t))
}

// invoke serves a tool that calls other tools which are at most as dangerous as accepts. The result, or the
// JSON-RPC error, is the same as for a direct call.
func (m *Tools) invoke(ctx context.Context, accepts danger.Level, params json.RawMessage) (json.RawMessage, error) {
	raw := jsonrpc.Get(params, "arguments")
	name := cmp.Or(jsonrpc.GetString(raw, "call_as"), jsonrpc.GetString(raw, "name"), jsonrpc.GetString(raw, "tool"))
	if name == "" {
		return answer.Error("call_as is required: the name of a tool, as find_tool returns it")
	}
	own, err := arguments.Inner(jsonrpc.Get(raw, "arguments"))
	if err != nil {
		return answer.Error(fault.MessageOf(err))
	}
	if result, ok, err := m.results.Call(accepts, name, own); ok {
		return result, err
	}
	if action, ok := toolsetview.ActionNamed(name); ok {
		return m.doToolset(ctx, accepts, action, own)
	}
	t, err := m.client.Names().Tool(jsonrpc.GetString(raw, "server"), name)
	if fault.CodeOf(err) == fault.CodeUnknownTool {
		err = fault.Wrap(err, fault.NotFound, "%s", answer.UnknownTool(name, err, m.FindHow()))
	}
	server, tool := t.Server, t.Name
	vet := func() error {
		if err := m.admits(accepts, server, tool); err != nil {
			return err
		}
		return m.fits(server, tool, own)
	}
	if err == nil {
		err = vet()
	}
	if err != nil {
		m.calls.Refuse(ctx, server, cmp.Or(tool, name), jsonrpc.Set(params, "arguments", own), err)
		return answer.Error(fault.MessageOf(err))
	}
	called, err := m.calls.Vetted(ctx, server, tool, jsonrpc.Set(params, "arguments", own), vet)
	result, err := m.calls.Suggest(server, tool, called, err)
	return m.results.Cut(result), err
}

// admits returns an error if models must not call a tool, or if the tool is more dangerous than accepts. If the tool is
// not known yet, admits does not check its danger; it is called again after the server has listed the tool.
func (m *Tools) admits(accepts danger.Level, server, tool string) error {
	if err := m.client.ForModel(server, tool); err != nil {
		return err
	}
	t, known := m.client.Lookup(server, tool)
	if !known {
		return nil
	}
	d := danger.Annotated(t)
	if d <= accepts {
		return nil
	}
	lacks := "is not annotated as read-only"
	if accepts == danger.Writes {
		lacks = "is not annotated as harmless, so it may destroy something"
	}
	return fault.New(fault.Denied, "%s__%s %s; call it with %s", server, tool, lacks, callerOf(d))
}

// doToolset carries out an action on toolsets, unless it is more dangerous than accepts.
func (m *Tools) doToolset(
	ctx context.Context, accepts danger.Level, action toolsetview.Action, raw json.RawMessage,
) (json.RawMessage, error) {
	var args arguments.Arguments
	if err := arguments.Read(raw, &args); err != nil {
		return answer.Error(fault.MessageOf(err))
	}
	if action.Danger > accepts {
		return answer.Error(fmt.Sprintf("%s changes something; call it with %s", action.Name, callerOf(action.Danger)))
	}
	args.Do = action.Name
	reply, err := m.toolsets.Do(ctx, args)
	if err != nil {
		return answer.Error(fault.MessageOf(err))
	}
	return answer.Text(reply, answer.Indented)
}
