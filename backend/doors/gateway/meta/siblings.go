package meta

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/loosejson"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/arguments"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/finding"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

const (
	listServersName = "list_mcp_servers"
	searchName      = "search_tools"
	listToolsName   = "list_tools"
	detailsName     = "get_tool_details"
	executeName     = "execute_tool"
	refreshName     = "refresh_cache"
)

// sibling is the function that serves tools/call for one tool in siblings.
type sibling func(m *Tools, ctx context.Context, params json.RawMessage) (json.RawMessage, error)

// siblings are the tools that take the names of a server and of a tool as separate arguments. Their failures
// have codes; see answer.Failure.
var siblings = map[string]sibling{
	listServersName: replying((*Tools).listServers),
	searchName:      replying((*Tools).searchTools),
	listToolsName:   replying((*Tools).listTools),
	detailsName:     replying((*Tools).details),
	refreshName:     replying((*Tools).refresh),
	executeName:     (*Tools).execute,
}

// siblingArguments are the arguments of siblings. The loosejson types also accept values of other JSON types,
// because models sometimes write the wrong type.
type siblingArguments struct {
	Query           string           `json:"query"`
	Server          string           `json:"server"`
	Tool            string           `json:"tool"`
	Limit           loosejson.Number `json:"limit"`
	IncludeDisabled loosejson.Bool   `json:"includeDisabled"`
}

// replying returns a sibling whose result is the text of a JSON object: the reply that do returns.
func replying(do func(*Tools, context.Context, siblingArguments) (any, *answer.Failure)) sibling {
	return func(m *Tools, ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
		var args siblingArguments
		if raw := jsonrpc.Get(params, "arguments"); raw != nil && string(raw) != "null" {
			if err := arguments.Read(raw, &args); err != nil {
				return (&answer.Failure{Code: answer.Validation, Message: fault.MessageOf(err)}).Result()
			}
		}
		reply, failed := do(m, ctx, args)
		if failed != nil {
			return failed.Result()
		}
		return answer.Text(reply, findreply.Text)
	}
}

// serverSummary describes a server without its command, its environment and its headers.
type serverSummary struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	ToolCount    int    `json:"toolCount"`
	EnabledCount int    `json:"enabledCount"`
	Status       string `json:"status"`
	// Note says why the server cannot be used, or why its tools are not known.
	Note string `json:"note,omitempty"`
}

func (m *Tools) describe(v registry.Server, r inventory.Rules) serverSummary {
	status := "disconnected"
	if m.hub.servers.Running(v.Name) {
		status = "connected"
	} else if v.Health.LastError != "" {
		status = "error"
	}
	return serverSummary{v.Name, v.Description, len(r.Of(v.Name)), len(r.Allowed(r.Of(v.Name))), status, m.hub.finder.WhyNot(v)}
}

// approved returns the approved servers that are not disabled.
func (m *Tools) approved() []registry.Server {
	return slices.DeleteFunc(slices.Clone(m.hub.registry.List()), func(v registry.Server) bool { return !v.Approved || v.Disabled })
}

func (m *Tools) listServers(context.Context, siblingArguments) (any, *answer.Failure) {
	servers, present := []serverSummary{}, m.client.Rules()
	for _, v := range m.approved() {
		servers = append(servers, m.describe(v, present))
	}
	return map[string]any{"servers": servers}, nil
}

// hit is a tool that search_tools has found.
type hit struct {
	Server    string   `json:"server"`
	Tool      string   `json:"tool"`
	Summary   string   `json:"summary"`
	Relevance float64  `json:"relevance"`
	Tags      []string `json:"tags"`
	Enabled   *bool    `json:"enabled,omitempty"` // nil unless the search includes disabled tools
}

func (m *Tools) searchTools(ctx context.Context, args siblingArguments) (any, *answer.Failure) {
	const most = 10
	limit, err := finding.LimitOf(args.Query, cmp.Or(float64(args.Limit), most))
	if err != nil {
		return nil, &answer.Failure{Code: answer.Validation, Message: fault.MessageOf(err)}
	}
	if _, failed := m.known(args.Server); args.Server != "" && failed != nil {
		return nil, failed
	}
	ranked, present := m.queries.Ranked(ctx, search.Query{
		Text: args.Query, Limit: limit, Allow: func(t *catalog.Tool) bool { return args.Server == "" || t.Server == args.Server },
	}, bool(args.IncludeDisabled))
	hits := []hit{}
	for _, found := range ranked {
		t := found.Tool
		of := hit{t.Server, t.Name, t.Summary(), findreply.RoundScore(found.Score), m.tags(present, t), nil}
		if args.IncludeDisabled {
			enabled := present.Allows(t)
			of.Enabled = &enabled
		}
		hits = append(hits, of)
	}
	hint := ""
	if len(hits) == 0 {
		hint = m.hub.finder.Searched("no tool fits; use other words, or list_tools").Text()
	}
	return struct {
		Results []hit  `json:"results"`
		Hint    string `json:"hint,omitempty"`
	}{hits, hint}, nil
}

// tags returns the tags that the rules give a tool.
func (m *Tools) tags(r inventory.Rules, t *catalog.Tool) []string {
	return append([]string{}, r.Policy.Decide(t.Server, t.OwnName()).Tags...)
}

// toolSummary is a tool in the reply of list_tools.
type toolSummary struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary"`
	Enabled bool     `json:"enabled"`
	Tags    []string `json:"tags"`
}

func (m *Tools) listTools(ctx context.Context, args siblingArguments) (any, *answer.Failure) {
	if args.Server == "" {
		return nil, &answer.Failure{Code: answer.Validation, Message: "server is required: a name from list_mcp_servers"}
	}
	v, failed := m.known(args.Server)
	if failed != nil {
		return nil, failed
	}
	if failed := m.listAgain(ctx, v.Name); failed != nil {
		return nil, failed
	}
	present := m.client.Rules()
	return struct {
		Server string        `json:"server"`
		Tools  []toolSummary `json:"tools"`
	}{v.Name, m.toolsOf(v.Name, bool(args.IncludeDisabled), present)}, nil
}

// listAgain makes a server list its tools again if no tools of the server are known, as before its first start, or if
// its list is outdated. If an outdated list cannot be replaced, it stays in use.
func (m *Tools) listAgain(ctx context.Context, server string) *answer.Failure {
	none := m.unlisted(server)
	if !none && (m.hub.outdated == nil || !m.hub.outdated(server)) {
		return nil
	}
	if err := m.hub.servers.Refresh(ctx, server); err != nil && none {
		return answer.FailureOf(err, server, "")
	}
	return nil
}

func (m *Tools) toolsOf(server string, disabled bool, r inventory.Rules) []toolSummary {
	out, forModels := []toolSummary{}, m.hub.inventory.ForModels()
	for _, t := range r.Of(server) {
		if enabled := r.Allows(t); forModels(t) && (enabled || disabled) {
			out = append(out, toolSummary{t.Name, t.Summary(), enabled, m.tags(r, t)})
		}
	}
	return out
}

// toolDetails is the reply of get_tool_details.
type toolDetails struct {
	Server       string          `json:"server"`
	Tool         string          `json:"tool"`
	Description  string          `json:"description"`
	Enabled      bool            `json:"enabled"`
	Tags         []string        `json:"tags"`
	Parameters   []parameter     `json:"parameters"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	Examples     json.RawMessage `json:"examples,omitempty"`
	Execute      string          `json:"execute"`
}

// parameter is a parameter of a tool.
type parameter struct {
	Name        string `json:"name"`
	Type        string `json:"type,omitempty"`
	Required    bool   `json:"required"`
	Description string `json:"description,omitempty"`
}

func (m *Tools) details(ctx context.Context, args siblingArguments) (any, *answer.Failure) {
	t, failed := m.tool(args.Server, args.Tool)
	if failed != nil && failed.Code == answer.NotFound && m.unlisted(args.Server) {
		if again := m.listAgain(ctx, args.Server); again != nil {
			again.Tool = args.Tool
			return nil, again
		}
		t, failed = m.tool(args.Server, args.Tool)
	}
	if failed != nil {
		return nil, failed
	}
	m.queries.Described(t)
	present := m.client.Rules()
	d := toolDetails{
		Server: t.Server, Tool: t.Name, Description: t.Description, Enabled: present.Allows(t), Tags: m.tags(present, t),
		Parameters: []parameter{}, InputSchema: t.InputSchema(),
		OutputSchema: jsonrpc.Get(t.Definition, "outputSchema"), Annotations: jsonrpc.Get(t.Definition, "annotations"),
		Execute: executeName + " with server, tool and arguments, or " + callerFor(t) + " with call_as " + t.CallAs(),
	}
	if len(d.InputSchema) == 0 {
		d.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	d.Examples = examplesOf(t)
	var required []string
	_ = json.Unmarshal(jsonrpc.Get(d.InputSchema, "required"), &required) // an invalid list requires nothing
	if properties := jsonrpc.Get(d.InputSchema, "properties"); jsonrpc.IsObject(properties) {
		jsonrpc.Each(properties, func(name string, property json.RawMessage) {
			d.Parameters = append(d.Parameters, parameter{
				Name: name, Type: strings.Trim(string(jsonrpc.Get(property, "type")), `"`),
				Required: slices.Contains(required, name), Description: jsonrpc.GetString(property, "description"),
			})
		})
	}
	return d, nil
}

// refresh lists the tools of the named server again, or those of all running servers if none is named.
func (m *Tools) refresh(ctx context.Context, args siblingArguments) (any, *answer.Failure) {
	servers := m.approved()
	if args.Server != "" {
		v, failed := m.known(args.Server)
		if failed != nil {
			return nil, failed
		}
		servers = []registry.Server{v}
	}
	refreshed, failures := []string{}, []*answer.Failure{}
	for _, v := range servers {
		if args.Server == "" && !m.hub.servers.Running(v.Name) {
			continue
		}
		if err := m.hub.servers.Refresh(ctx, v.Name); err != nil {
			failures = append(failures, answer.FailureOf(err, v.Name, ""))
			continue
		}
		refreshed = append(refreshed, v.Name)
	}
	if args.Server != "" && len(failures) > 0 {
		return nil, failures[0]
	}
	return map[string]any{"refreshed": refreshed, "failed": failures}, nil
}

// execute serves execute_tool. The result is that of the tool, as the server sent it.
func (m *Tools) execute(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	raw := jsonrpc.Get(params, "arguments")
	server, tool := jsonrpc.GetString(raw, "server"), jsonrpc.GetString(raw, "tool")
	own, err := arguments.Inner(jsonrpc.Get(raw, "arguments"))
	if err != nil {
		return (&answer.Failure{Code: answer.Validation, Message: fault.MessageOf(err), Server: server, Tool: tool}).Result()
	}
	t, failed := m.tool(server, tool)
	vet := func() error {
		if err := m.client.ForModel(server, tool); err != nil {
			return err
		}
		return m.fits(server, tool, own)
	}
	switch {
	case failed == nil:
		server, tool = t.Server, t.Name
		if err := vet(); err != nil {
			failed = answer.FailureOf(err, server, tool)
		}
	case failed.Code == answer.NotFound: // the server may have the tool; the call makes it list its tools first
		tool, failed = failed.Tool, nil
	}
	if failed != nil {
		why := fault.New(fault.Invalid, "%s", failed.Message)
		if failed.Code == answer.Held {
			why = &fault.Error{Kind: fault.Denied, Code: fault.CodeHeld, Message: failed.Message}
		}
		m.calls.Refuse(ctx, server, tool, jsonrpc.Set(params, "arguments", own), why)
		return failed.Result()
	}
	called, err := m.calls.Vetted(ctx, server, tool, jsonrpc.Set(params, "arguments", own), vet)
	if err == nil {
		return called.JSON, nil
	}
	if ended := answer.Ended(err); ended != nil {
		return nil, ended
	}
	return answer.FailureOf(err, server, tool).Result()
}
