package gateway

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

// siblings are the tools of metaTools that name servers and tools apart. Their failures have
// codes; see failure.
var siblings = map[string]func(m metaTools, ctx context.Context, params json.RawMessage) (json.RawMessage, error){
	listServersName: replying(metaTools.listServers),
	searchName:      replying(metaTools.searchTools),
	listToolsName:   replying(metaTools.listTools),
	detailsName:     replying(metaTools.details),
	refreshName:     replying(metaTools.refresh),
	executeName:     metaTools.execute,
}

// siblingArguments are the arguments of siblings. Models write some of them in other types.
type siblingArguments struct {
	Query           string           `json:"query"`
	Server          string           `json:"server"`
	Tool            string           `json:"tool"`
	Limit           loosejson.Number `json:"limit"`
	IncludeDisabled loosejson.Bool   `json:"includeDisabled"`
}

// replying returns a sibling whose result is the text of a JSON object.
func replying(do func(metaTools, context.Context, siblingArguments) (any, *failure)) func(metaTools, context.Context, json.RawMessage) (json.RawMessage, error) {
	return func(m metaTools, ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
		var args siblingArguments
		if raw := jsonrpc.Get(params, "arguments"); raw != nil && string(raw) != "null" {
			if err := json.Unmarshal(raw, &args); err != nil {
				return (&failure{Code: codeValidation, Message: fault.MessageOf(badArgument(err))}).result()
			}
		}
		reply, failed := do(m, ctx, args)
		if failed != nil {
			return failed.result()
		}
		return textResult(reply, findreply.Text)
	}
}

// metaServer describes a server without its command, its environment and its headers.
type metaServer struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	ToolCount    int    `json:"toolCount"`
	EnabledCount int    `json:"enabledCount"`
	Status       string `json:"status"`
	// Note says why the server cannot be used, or its tools are not known.
	Note string `json:"note,omitempty"`
}

func (m metaTools) describe(v registry.Server, r ruleset) metaServer {
	status := "disconnected"
	if _, running := m.gateway.calls.Describe(v.Name); running {
		status = "connected"
	} else if v.Health.LastError != "" {
		status = "error"
	}
	return metaServer{v.Name, v.Description, len(r.Of(v.Name)), len(r.Allowed(r.Of(v.Name))), status, m.gateway.whyNot(v)}
}

// approved returns the servers that the session may use.
func (m metaTools) approved() []registry.Server {
	return slices.DeleteFunc(slices.Clone(m.gateway.registry.List()), func(v registry.Server) bool { return !v.Approved })
}

func (m metaTools) listServers(context.Context, siblingArguments) (any, *failure) {
	servers, present := []metaServer{}, m.rules()
	for _, v := range m.approved() {
		servers = append(servers, m.describe(v, present))
	}
	return map[string]any{"servers": servers}, nil
}

// metaHit is a tool that search_tools has found.
type metaHit struct {
	Server    string   `json:"server"`
	Tool      string   `json:"tool"`
	Summary   string   `json:"summary"`
	Relevance float64  `json:"relevance"`
	Tags      []string `json:"tags"`
}

func (m metaTools) searchTools(ctx context.Context, args siblingArguments) (any, *failure) {
	const most = 10
	limit, err := limitOf(args.Query, cmp.Or(float64(args.Limit), most))
	if err != nil {
		return nil, &failure{Code: codeValidation, Message: fault.MessageOf(err)}
	}
	if _, failed := m.known(args.Server); args.Server != "" && failed != nil {
		return nil, failed
	}
	present := m.rules()
	query := search.Query{Text: args.Query, Limit: limit, Allow: func(t *catalog.Tool) bool { return args.Server == "" || t.Server == args.Server }}
	found := m.gateway.rank(ctx, query, present)
	if len(found.Hits) == 0 {
		m.gateway.searchAgain(ctx, found.Unread, func(ctx context.Context) {
			present, query.Patient = m.rules(), true
			found = m.gateway.rank(ctx, query, present)
		})
	}
	hits, tools := []metaHit{}, []*catalog.Tool{}
	for _, hit := range found.Hits {
		t := hit.Tool
		hits, tools = append(hits, metaHit{t.Server, t.Name, t.Summary(), findreply.RoundScore(hit.Score), m.tags(present, t)}), append(tools, t)
	}
	m.asked(answerTo(args.Query, tools))
	return struct {
		Results []metaHit `json:"results"`
		Hint    string    `json:"hint,omitempty"`
	}{hits, missing(len(hits), m.gateway.searched("no tool fits; use other words, or list_tools").Text())}, nil
}

// missing returns a hint for a result that is empty.
func missing(found int, hint string) string {
	if found > 0 {
		return ""
	}
	return hint
}

// tags returns the tags that the rules give a tool.
func (m metaTools) tags(r ruleset, t *catalog.Tool) []string {
	return append([]string{}, r.policy.Decide(t.Server, t.OwnName()).Tags...)
}

// metaTool is a tool in the reply of list_tools.
type metaTool struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary"`
	Enabled bool     `json:"enabled"`
	Tags    []string `json:"tags"`
}

func (m metaTools) listTools(ctx context.Context, args siblingArguments) (any, *failure) {
	if args.Server == "" {
		return nil, &failure{Code: codeValidation, Message: "server is required: a name from list_mcp_servers"}
	}
	v, failed := m.known(args.Server)
	if failed != nil {
		return nil, failed
	}
	if failed := m.listAgain(ctx, v.Name); failed != nil {
		return nil, failed
	}
	present := m.rules()
	return struct {
		Server string     `json:"server"`
		Tools  []metaTool `json:"tools"`
	}{v.Name, m.toolsOf(v.Name, bool(args.IncludeDisabled), present)}, nil
}

// listAgain lists the tools of a server again if none are known, because it may never have
// been started, or if the list is outdated. An outdated list is used if that fails.
func (m metaTools) listAgain(ctx context.Context, server string) *failure {
	none := m.unlisted(server)
	if !none && (m.gateway.outdated == nil || !m.gateway.outdated(server)) {
		return nil
	}
	if _, err := m.gateway.lifecycle.Refresh(ctx, server); err != nil && none {
		return failureOf(err, server, "")
	}
	return nil
}

func (m metaTools) toolsOf(server string, disabled bool, r ruleset) []metaTool {
	out, forModels := []metaTool{}, m.gateway.forModels()
	for _, t := range r.Of(server) {
		if enabled := r.Allows(t); forModels(t) && (enabled || disabled) {
			out = append(out, metaTool{t.Name, t.Summary(), enabled, m.tags(r, t)})
		}
	}
	return out
}

// metaDetails is the reply of get_tool_details.
type metaDetails struct {
	Server       string          `json:"server"`
	Tool         string          `json:"tool"`
	Description  string          `json:"description"`
	Enabled      bool            `json:"enabled"`
	Tags         []string        `json:"tags"`
	Parameters   []metaParameter `json:"parameters"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	Examples     json.RawMessage `json:"examples,omitempty"`
	Execute      string          `json:"execute"`
}

// metaParameter is a parameter of a tool.
type metaParameter struct {
	Name        string `json:"name"`
	Type        string `json:"type,omitempty"`
	Required    bool   `json:"required"`
	Description string `json:"description,omitempty"`
}

func (m metaTools) details(ctx context.Context, args siblingArguments) (any, *failure) {
	t, failed := m.tool(args.Server, args.Tool)
	if failed != nil && failed.Code == codeNotFound && m.unlisted(args.Server) {
		if again := m.listAgain(ctx, args.Server); again != nil {
			again.Tool = args.Tool
			return nil, again
		}
		t, failed = m.tool(args.Server, args.Tool)
	}
	if failed != nil {
		return nil, failed
	}
	m.markShown([]*catalog.Tool{t})
	present := m.rules()
	d := metaDetails{
		Server: t.Server, Tool: t.Name, Description: t.Description, Enabled: present.Allows(t), Tags: m.tags(present, t), Parameters: []metaParameter{},
		InputSchema: t.InputSchema(), OutputSchema: jsonrpc.Get(t.Definition, "outputSchema"), Annotations: jsonrpc.Get(t.Definition, "annotations"),
		Execute: executeName + " with server, tool and arguments, or " + callerFor(t) + " with call_as " + t.CallAs(),
	}
	if len(d.InputSchema) == 0 {
		d.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	if d.Examples = jsonrpc.Get(d.InputSchema, "examples"); d.Examples == nil {
		d.Examples = jsonrpc.Get(t.Definition, "examples")
	}
	var required []string
	_ = json.Unmarshal(jsonrpc.Get(d.InputSchema, "required"), &required) // otherwise none is
	if properties := jsonrpc.Get(d.InputSchema, "properties"); isObject(properties) {
		jsonrpc.Each(properties, func(name string, property json.RawMessage) {
			d.Parameters = append(d.Parameters, metaParameter{
				name, strings.Trim(string(jsonrpc.Get(property, "type")), `"`), slices.Contains(required, name), jsonrpc.GetString(property, "description"),
			})
		})
	}
	return d, nil
}

// refresh lists the tools of the named server, or of all that run, anew.
func (m metaTools) refresh(ctx context.Context, args siblingArguments) (any, *failure) {
	servers := m.approved()
	if args.Server != "" {
		v, failed := m.known(args.Server)
		if failed != nil {
			return nil, failed
		}
		servers = []registry.Server{v}
	}
	refreshed, failures := []string{}, []*failure{}
	for _, v := range servers {
		if _, running := m.gateway.calls.Describe(v.Name); !running && args.Server == "" {
			continue
		}
		if _, err := m.gateway.lifecycle.Refresh(ctx, v.Name); err != nil {
			failures = append(failures, failureOf(err, v.Name, ""))
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
func (m metaTools) execute(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	raw := jsonrpc.Get(params, "arguments")
	server, tool := jsonrpc.GetString(raw, "server"), jsonrpc.GetString(raw, "tool")
	own, err := argumentsOf(jsonrpc.Get(raw, "arguments"))
	if err != nil {
		return (&failure{Code: codeValidation, Message: fault.MessageOf(err), Server: server, Tool: tool}).result()
	}
	t, failed := m.tool(server, tool)
	vet := func() error {
		if err := m.forModel(server, tool); err != nil {
			return err
		}
		return m.fits(server, tool, own)
	}
	switch {
	case failed == nil:
		server, tool = t.Server, t.Name
		if err := vet(); err != nil {
			failed = failureOf(err, server, tool)
		}
	case failed.Code == codeNotFound: // the call asks the server first
		tool, failed = failed.Tool, nil
	}
	if failed != nil {
		why := fault.New(fault.Invalid, "%s", failed.Message)
		if failed.Code == codeHeld {
			why = &fault.Error{Kind: fault.Denied, Code: fault.CodeHeld, Message: failed.Message}
		}
		m.gateway.calls.Refuse(m.request(ctx, server, tool, jsonrpc.Set(params, "arguments", own)), why)
		return failed.result()
	}
	called, err := m.vetted(ctx, server, tool, jsonrpc.Set(params, "arguments", own), vet)
	if err == nil {
		return called.JSON, nil
	}
	if _, ended := answer(nil, err); passesOn(ended) {
		return nil, ended
	}
	return failureOf(err, server, tool).result()
}
