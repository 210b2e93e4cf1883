package operations

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// maxToolClients limits the list of clients that have called a tool.
const maxToolClients = 50

// Tools holds the operations on known tools.
type Tools struct {
	Registry *registry.Registry
	Catalog  *catalog.Catalog
	Policy   *rules.Current
	Journal  *journal.Journal
	FoundBy  func(catalog.Key) []string // names of connected clients to whose lists find_tool has added a tool
	Held     func(server, tool string) error
	// Meant returns the full names of tools that a person may have meant by an unknown name.
	Meant func(name string) []string
	// Near returns the names of a server's tools that client may have meant by tool, which the server does not list.
	// For a person, client is empty.
	Near      func(client, server, tool string) []string
	Readiness readinessReader
	// Seen returns when the tools of a server, or of all servers if server is empty, were first listed and last changed.
	Seen func(ctx context.Context, server string) (map[catalog.Key]catalog.Seen, error)
}

// Routes adds the operations with their handlers to a route table.
func (s *Tools) Routes(t *route.Table) {
	g := t.Group("tools")
	route.Add(g, route.Get("/api/tools", "List known tools, also those of stopped servers"), s.list)
	route.Add(g, route.Get("/api/tools/resolve", "Find the tool that a name refers to"), s.resolve)
	route.Add(g, route.Get("/api/tools/{id}", "Retrieve a tool with its definition, its statistics and the clients that use it"), s.get)
}

// KnownTool is a tool with its server.
type KnownTool struct {
	Server string `json:"server" doc:"Name of the server."`
	Tool
	AppearsAs string   `json:"appears_as,omitempty" doc:"Name under which agents see the tool, if the configuration renames the tool."`
	Disabled  string   `json:"disabled,omitempty" doc:"Why the configuration forbids calls of the tool, for people. The wording may change."`
	Why       string   `json:"disabled_by,omitempty" doc:"The same in a few words, such as: disabled by rule 0."`
	Labels    []string `json:"labels" nullable:"false" doc:"Tags that the rules in the configuration give the tool."`
	Enabled   bool     `json:"enabled" doc:"Whether the tool is in every client's list: its server is always listed and usable, and no rule disables the tool."`
	// ServerState is one of the values of Server.State.
	ServerState  string `json:"server_state,omitempty" doc:"State of the tool's server, as in /api/servers."`
	DiscoveredAt string `json:"discovered_at,omitempty" doc:"When the hub first saw the tool, in RFC 3339. Missing for tools that are older than the stored history, and if the request has brief=true."`
	UpdatedAt    string `json:"updated_at,omitempty" doc:"When the definition last changed, in RFC 3339. Missing when discovered_at is."`
}

type resolveInput struct {
	Name   string `query:"name" doc:"Name of a tool: mcp__SERVER__TOOL, SERVER__TOOL, SERVER.TOOL, or TOOL if only one server has a tool of that name."`
	Server string `query:"server" doc:"Name of the tool's server, if the parameter name does not include it."`
}

// ResolvedTool is the tool that a name refers to.
type ResolvedTool struct {
	Server     string   `json:"server" doc:"Name of the server."`
	Tool       string   `json:"tool" doc:"Name of the tool, as its server lists it."`
	Known      bool     `json:"known" doc:"Whether the hub knows that the server lists the tool. The tools of a server that was never started are unknown."`
	Held       string   `json:"held,omitempty" doc:"Why calls of the tool fail until a person approves the tool or its server."`
	Code       string   `json:"code,omitempty" doc:"Code of the error with which a call of the tool fails while held is set."`
	DidYouMean []string `json:"did_you_mean,omitempty" nullable:"false" doc:"If the server does not list the tool, the similar names of its other tools."`
}

func (s *Tools) resolve(_ context.Context, in *resolveInput) (*route.Reply[ResolvedTool], error) {
	scope := resolve.Scope{
		Servers: s.Registry, View: s.Policy.Get().View("", s.Catalog.Snapshot()),
		Near: s.Meant,
	}
	t, err := scope.Tool(in.Server, in.Name)
	if err != nil {
		return nil, err
	}
	out := ResolvedTool{Server: t.Server, Tool: t.Key().Tool, Known: t.Known != nil}
	if !out.Known {
		out.DidYouMean = s.Near("", out.Server, out.Tool)
	}
	server, err := s.Registry.Get(t.Server)
	if err != nil {
		return nil, err
	}
	err = server.Usable()
	if fault.KindOf(err) != fault.Denied { // otherwise err says why the whole server cannot be used
		err = s.Held(t.Server, out.Tool)
	}
	if err != nil {
		out.Held, out.Code = fault.MessageOf(err), fault.CodeOf(err)
	}
	return route.OK(out)
}

type toolsInput struct {
	Server string `query:"server" doc:"Only tools of the server with this name."`
	Name   string `query:"name" doc:"Only tools whose own name, or the name under which agents see them, is this one."`
	Hash   string `query:"hash" doc:"Only tools with this hash, which several servers may have in common."`
	Brief  string `query:"brief" doc:"If true, input schemas and times are left out."`
}

func (s *Tools) list(ctx context.Context, in *toolsInput) (*route.Reply[[]KnownTool], error) {
	current, servers := s.Policy.Get(), make(map[string]registry.Server)
	snapshot := s.Catalog.Snapshot()
	tools, view := snapshot.Tools, current.View("", snapshot)
	for _, v := range s.Registry.List() {
		if servers[v.Name] = v; in.Server == "" || in.Server == v.Name {
			snapshot.Known(v.Name)
		}
	}
	var seen map[catalog.Key]catalog.Seen
	if in.Brief != "true" {
		var err error
		if seen, err = s.Seen(ctx, in.Server); err != nil {
			return nil, err
		}
	}
	states := make(map[string]string)
	for name, v := range servers {
		states[name] = s.Readiness.Of(v).ID
	}
	out := make([]KnownTool, 0, len(tools))
	for _, t := range tools {
		shown := view.Present(t).Name
		if (in.Server == "" || t.Server == in.Server) && (in.Name == "" || t.Name == in.Name || shown == in.Name) &&
			(in.Hash == "" || t.Hash == in.Hash) {
			known := knownTool(servers[t.Server], t, snapshot, current, in.Brief != "true")
			if shown != t.Name {
				known.AppearsAs = shown
			}
			known.ServerState = states[t.Server]
			known.at(seen[t.Key()])
			out = append(out, known)
		}
	}
	return route.OK(out)
}

// at sets the times of the tool, unless they are not known.
func (k *KnownTool) at(seen catalog.Seen) {
	if !seen.First.IsZero() {
		k.DiscoveredAt, k.UpdatedAt = seen.First.Format(time.RFC3339), seen.Changed.Format(time.RFC3339)
	}
}

// knownTool returns the API's view of a tool. v is the tool's server, or the zero value if the server was just
// removed.
func knownTool(v registry.Server, t *catalog.Tool, in *catalog.Snapshot, current *rules.Policy, schema bool) KnownTool {
	k := KnownTool{
		Server: t.Server, Tool: toolView(v.ID, t, schema), Enabled: v.InEveryList(),
		Labels: append([]string{}, current.Decide(t.Server, t.Name).Tags...),
	}
	if err := current.Refusal("", t.Server, t.Name, in); err != nil {
		k.Enabled, k.Disabled, k.Why = false, fault.MessageOf(err), current.Disabled(t.Server, t.Name, in)
	}
	return k
}

// toolDetail is a tool with its definition, its statistics and the clients that use it.
type toolDetail struct {
	KnownTool
	Definition json.RawMessage `json:"definition" doc:"Object with the tool as its server listed it."`
	Metrics    *ToolMetrics    `json:"metrics,omitempty" doc:"Statistics; left out for a tool that was never called."`
	Used       toolUse         `json:"used"`
}

// toolUse describes which clients have a tool in their list and which have called it.
type toolUse struct {
	Enabled bool         `json:"enabled" doc:"Whether the tool is in every client's list."`
	LentTo  []string     `json:"lent_to" nullable:"false" doc:"Names of connected clients to whose tool list find_tool has added the tool."`
	Clients []toolClient `json:"clients" nullable:"false" doc:"Clients that have called the tool, according to the journal: at most 50, those with most calls first."`
}

// toolClient is a client that called a tool.
type toolClient struct {
	Name         string `json:"name" doc:"Name that the client sent when it connected; api or tester for calls through the REST API."`
	Calls        int64  `json:"calls" doc:"Number of calls, refused ones included."`
	LastCalledAt string `json:"last_called_at" doc:"Time of the last call in UTC, for example 2026-01-31 08:00:00."`
}

type toolInput struct {
	ID string `path:"id" doc:"Unique identifier of the tool."`
}

func (s *Tools) get(ctx context.Context, in *toolInput) (*route.Reply[toolDetail], error) {
	t, err := s.find(in.ID)
	if err != nil {
		return nil, err
	}
	v, _ := s.Registry.Get(t.Server)
	out := toolDetail{KnownTool: knownTool(v, t, s.Catalog.Snapshot(), s.Policy.Get(), true), Definition: t.Definition}
	if v.ID != 0 { // otherwise the server was just removed
		out.ServerState = s.Readiness.Of(v).ID
	}
	seen, err := s.Seen(ctx, t.Server)
	if err != nil {
		return nil, err
	}
	out.at(seen[t.Key()])
	out.Used = toolUse{Enabled: out.Enabled, LentTo: orEmpty(s.FoundBy(t.Key())), Clients: []toolClient{}}
	callers, err := s.Journal.UsedBy(ctx, t.Server, t.Name, maxToolClients)
	if err != nil {
		return nil, err
	}
	for _, c := range callers {
		out.Used.Clients = append(out.Used.Clients, toolClient{c.Client, c.Calls, dateTime(c.Last)})
	}
	if m, called := s.Journal.MetricsOf(t.Server, t.Name); called {
		out.Metrics = &ToolMetrics{m.Tool, m.Calls, m.Errors, latenciesOf(m.Stats)}
	}
	return route.OK(out)
}

func (s *Tools) find(text string) (*catalog.Tool, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		for _, t := range s.Catalog.Snapshot().Tools {
			if t.ID == id {
				return t, nil
			}
		}
	}
	return nil, fault.New(fault.NotFound, "Not found")
}
