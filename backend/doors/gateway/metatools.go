package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/tokens"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// metaTools are find_tool, the tools that call what it finds, and siblings, which list and
// call tools by server and name. There is one caller for each degree of danger, so that the
// annotations are true and a client's own rules count: plan modes permit callRead only.
type metaTools struct{ *Session }

const (
	findName  = "find_tool"
	callRead  = "call_read_tool"
	callWrite = "call_write_tool"
	callAny   = "call_tool"
)

// MetaTokens is how many tokens (o200k_base) the definitions of metaTools take without
// the names of servers and subjects; see EntryTokens.
const MetaTokens = 525

// callers are the tools that call tools, by the worst danger that they accept.
var callers = map[string]danger{callRead: reads, callWrite: writes, callAny: destroys}

// callerOf returns the tool that calls tools of a danger.
func callerOf(d danger) string {
	for name, accepts := range callers {
		if accepts == d {
			return name
		}
	}
	return callAny
}

// metaDefinitions returns the definitions of metaTools for these servers. The texts share
// words and name servers and subjects, so that one search of a client that defers tools
// finds all of them. The members of _meta ask Claude Code not to defer those that a model
// needs first, and not to cut long results.
func metaDefinitions(r roster) []json.RawMessage {
	const (
		loaded = `,"_meta":{"anthropic/alwaysLoad":true`
		whole  = `,"anthropic/maxResultSizeChars":500000`
		called = `"call_as":{"type":"string"},"arguments":{"type":"object"}`
		reads  = `,"annotations":{"readOnlyHint":true}`
	)
	define := func(name, description, properties, rest string) json.RawMessage {
		if properties != "" {
			properties = `,"properties":{` + properties + "}"
		}
		return json.RawMessage(`{"name":"` + name + `","description":` + string(quoted(description)) + `,"inputSchema":{"type":"object"` + properties + "}" + rest + "}")
	}
	of := r.parenthesis() + r.about()
	return []json.RawMessage{
		define(findName, "Find the right tool of this user's MCP servers"+of+
			". Query in plain English, verb and object; get its call_as and required args, then invoke it with call_read_tool, call_write_tool or call_tool.",
			`"query":{"type":"string"},"call_as":{"type":"string"}`, reads+loaded+"}"),
		define(callAny, "Call any tool of this user's MCP servers"+of+" by its call_as from find_tool.", called, `,"annotations":{"destructiveHint":true}`+loaded+whole+"}"),
		define(callRead, "Call a tool from find_tool that only reads.", called, reads+loaded+whole+"}"),
		define(callWrite, "Call a tool from find_tool that destroys nothing.", called, `,"annotations":{"destructiveHint":false}`),
		define(listServersName, "Servers", "", reads),
		define(searchName, "Rank tools", `"query":{"type":"string"},"server":{"type":"string"},"limit":{"type":"number"}`, reads),
		define(listToolsName, "Tools of a server", `"server":{"type":"string"},"includeDisabled":{"type":"boolean"}`, reads),
		define(detailsName, "A tool's schema", `"server":{"type":"string"},"tool":{"type":"string"}`, reads),
		define(executeName, "Call a tool", `"server":{"type":"string"},"tool":{"type":"string"},"arguments":{"type":"object"}`, ""),
		define(refreshName, "List tools anew", "", ""),
	}
}

// quoted returns a text as JSON in which <, > and & are not escaped.
func quoted(text string) json.RawMessage {
	raw, _ := encode(text) // strings cannot fail
	return raw
}

func (m metaTools) listed() ownTools {
	now, definitions := m.gateway.texts()
	texts := 2 * (tokens.Known(now.parenthesis()) + tokens.Known(now.about()))
	return ownTools{definitions, MetaTokens + texts}
}

func (m metaTools) instructions() string { return m.gateway.roster().metaInstructions() }

func (m metaTools) findHow() string { return "Ask find_tool for others." }

func (m metaTools) lends() bool { return false }

func (m metaTools) call(ctx context.Context, name string, params json.RawMessage) (json.RawMessage, bool, error) {
	if name == findName {
		result, err := m.find(ctx, jsonrpc.Get(params, "arguments"))
		return m.cut(result), true, err
	}
	if do := siblings[name]; do != nil {
		result, err := do(m, ctx, params)
		return m.cut(result), true, err
	}
	if result, ok, err := m.callReading(destroys, name, jsonrpc.Get(params, "arguments")); ok {
		return result, true, err
	}
	accepts, ok := callers[name]
	if !ok {
		return nil, false, nil
	}
	result, err := m.invoke(ctx, accepts, params)
	return result, true, err
}

// find serves find_tool: registry's action of the same name, or get_schema if there is
// only the name of a tool.
func (m metaTools) find(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	var args arguments
	if raw != nil {
		if err := json.Unmarshal(raw, &args); err != nil {
			return errorResult(fault.MessageOf(badArgument(err)))
		}
	}
	find, write := m.search, findreply.Text
	if strings.TrimSpace(args.Query) == "" && args.CallAs != "" {
		find, write = m.getSchema, indented
	}
	result, err := find(ctx, args)
	if err != nil {
		return errorResult(fault.MessageOf(err))
	}
	return textResult(result, write)
}

func (m metaTools) search(ctx context.Context, args arguments) (any, error) {
	return m.Session.find(ctx, args, findStyle{caller: callerFor, miss: "no tools matched with sufficient confidence — try different keywords, or ask the user to add a server"})
}

// callerFor returns the tool that calls a tool, and those that call any if it is nil.
func callerFor(t *catalog.Tool) string {
	if t == nil {
		return callAny + ", or " + callRead + " if it only reads"
	}
	return callerOf(annotatedDanger(t))
}

// annotatedDanger returns the danger that a tool's annotations declare. A tool without
// annotations counts as destructive.
func annotatedDanger(t *catalog.Tool) danger {
	if d, ok := dangerOfHints(t); ok {
		return d
	}
	return destroys
}

// invoke serves a tool that calls another one of at most a danger. The result, or the
// JSON-RPC error, is that of a direct call.
func (m metaTools) invoke(ctx context.Context, accepts danger, params json.RawMessage) (json.RawMessage, error) {
	raw := jsonrpc.Get(params, "arguments")
	name := cmp.Or(jsonrpc.GetString(raw, "call_as"), jsonrpc.GetString(raw, "name"), jsonrpc.GetString(raw, "tool"))
	if name == "" {
		return errorResult("call_as is required: the name of a tool, as find_tool returns it")
	}
	own, err := argumentsOf(jsonrpc.Get(raw, "arguments"))
	if err != nil {
		return errorResult(fault.MessageOf(err))
	}
	if result, ok, err := m.callReading(accepts, name, own); ok {
		return result, err
	}
	if action, ok := toolsetActionNamed(name); ok {
		return m.callToolset(ctx, accepts, action, own)
	}
	server, tool, err := m.target(jsonrpc.GetString(raw, "server"), name)
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
		m.gateway.calls.Refuse(m.request(ctx, server, cmp.Or(tool, name), jsonrpc.Set(params, "arguments", own)), err)
		return errorResult(fault.MessageOf(err))
	}
	called, err := m.vetted(ctx, server, tool, jsonrpc.Set(params, "arguments", own), vet)
	result, err := m.suggest(server, tool, called, err)
	return m.cut(result), err
}

// target returns the tool that a name means.
func (m metaTools) target(server, name string) (string, string, error) {
	t, err := m.names().Tool(server, name)
	if fault.CodeOf(err) == fault.CodeUnknownTool {
		err = fault.New(fault.NotFound, "%s", m.unknownTool(name, m.findHow()).Message)
	}
	return t.Server, t.Name, err
}

// admits returns an error if a tool is more dangerous than a caller accepts. Of a tool that is not known, that is asked once
// more when it is.
func (m metaTools) admits(accepts danger, server, tool string) error {
	if err := m.forModel(server, tool); err != nil {
		return err
	}
	t, known := m.lookup(server, tool)
	if !known {
		return nil
	}
	d := annotatedDanger(t)
	if d <= accepts {
		return nil
	}
	lacks := "is not annotated as read-only"
	if accepts == writes {
		lacks = "is not annotated as harmless, so it may destroy something"
	}
	return fault.New(fault.Denied, "%s__%s %s; call it with %s", server, tool, lacks, callerOf(d))
}
