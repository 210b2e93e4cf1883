package meta

import (
	"encoding/json"
	"strings"

	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/danger"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/roster"
)

// The names of find_tool and of the tools that call other tools; see callers.
const (
	findName  = "find_tool"
	CallRead  = "call_read_tool"
	CallWrite = "call_write_tool"
	callAny   = "call_tool"
)

// Tokens is how many tokens (o200k_base) of a model's context the definitions take without
// the names of servers and subjects. It is a constant because counting loads a large
// vocabulary. A test allows a difference of 5 %.
const Tokens = 557

// callers maps each tool that calls other tools to the worst danger of the tools that it may call.
var callers = map[string]danger.Level{CallRead: danger.Reads, CallWrite: danger.Writes, callAny: danger.Destroys}

// callerOf returns the name of the tool that calls other tools whose danger is at most d.
func callerOf(d danger.Level) string {
	for name, accepts := range callers {
		if accepts == d {
			return name
		}
	}
	return callAny
}

// Definitions returns the definitions of the tools for the servers in r. Some clients defer loading tools and search
// for them. The texts share words and name servers and subjects, so that one such search finds all of these tools. The
// members of _meta ask Claude Code not to defer the tools that a model needs first, and not to cut long results.
func Definitions(r *roster.Roster) []json.RawMessage {
	const (
		loaded = `,"_meta":{"anthropic/alwaysLoad":true`
		whole  = `,"anthropic/maxResultSizeChars":500000`
		called = `"call_as":{"type":"string"},"arguments":{"type":"object"}`
		reads  = `,"annotations":{"readOnlyHint":true}`
		server = `"server":{"type":"string"}`
		tool   = server + `,"tool":{"type":"string"}`
	)
	define := func(name, description, properties, required, rest string) json.RawMessage {
		if properties != "" {
			properties = `,"properties":{` + properties + "}"
		}
		if required != "" {
			properties += `,"required":["` + strings.ReplaceAll(required, " ", `","`) + `"]`
		}
		quoted, _ := answer.Encode(description) // encoding strings cannot fail
		return json.RawMessage(`{"name":"` + name + `","description":` + string(quoted) +
			`,"inputSchema":{"type":"object"` + properties + "}" + rest + "}")
	}
	of := r.Parenthesis() + r.About()
	return []json.RawMessage{
		define(findName, "Find the right tool of this user's MCP servers"+of+
			". Query in plain English, verb and object; "+
			"invoke its call_as with call_read_tool, call_write_tool or call_tool.",
			`"query":{"type":"string"},"call_as":{"type":"string"}`, "", reads+loaded+"}"),
		define(callAny, "Call any tool of this user's MCP servers"+of+" by its call_as from find_tool.", called, "",
			`,"annotations":{"destructiveHint":true}`+loaded+whole+"}"),
		define(CallRead, "Call a tool from find_tool that only reads.", called, "", reads+loaded+whole+"}"),
		define(CallWrite, "Call a tool from find_tool that destroys nothing.", called, "", `,"annotations":{"destructiveHint":false}`),
		define(listServersName, "List servers and their state", "", "", reads),
		define(searchName, "Rank tools for a query", `"query":{"type":"string"},`+server+`,"limit":{"type":"number"}`, "query",
			reads),
		define(listToolsName, "List a server's tools", server+`,"includeDisabled":{"type":"boolean"}`, "server", reads),
		define(detailsName, "Get a tool's description and schema", tool, "server tool", reads),
		define(executeName, "Call a server's tool", tool+`,"arguments":{"type":"object"}`, "server tool arguments", ""),
		define(refreshName, "List tools anew", "", "", ""),
	}
}
