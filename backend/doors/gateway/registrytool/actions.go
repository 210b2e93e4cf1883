package registrytool

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/arguments"
)

// Definition is the definition of the tool registry. It is in the model's context in every session, so it must
// be small; see Tokens.
var Definition = json.RawMessage(`{"name":"registry","title":"MCP tools of this user",` +
	`"description":"Finds and calls tools of all MCP servers this user has. ` +
	`Start with find_tool: say in query what you need, get the best tool and its required args; ` +
	`then invoke it by its listed name or with proxy_call. ` +
	`find_tools takes several intents at once. get_schema gives a tool's full input schema. ` +
	`list, status: servers. ` +
	`activate, deactivate: put a server's tools into your tool list or take them out. ` +
	`browse (query): find new servers. ` +
	`install: propose a server, a person approves; name, command, args, env, or source: registry, name: id from browse, inputs. ` +
	`uninstall, sync (setup file). toolset (command: help).",` +
	`"inputSchema":{"type":"object","required":["action"],"properties":{` +
	`"action":{"type":"string","enum":["find_tool","find_tools","get_schema","proxy_call","list","install",` +
	`"uninstall","activate","deactivate","browse","status","sync","toolset"]},` +
	`"query":{"type":"string","description":"find_tool: the need in plain English, verb and object"},` +
	`"intents":{"type":"array","items":{"type":"string"}},` +
	`"call_as":{"type":"string","description":"mcp__server__tool from find_tool"},` +
	`"server":{"type":"string"},"tool":{"type":"string"},` +
	`"arguments":{"type":"object","description":"of the called tool"},` +
	`"limit":{"type":"number"},` +
	`"brief":{"type":"boolean","description":"find: leave out what you were told before"},` +
	`"auto_activate":{"type":"boolean","description":"false: find without listing the tool"},` +
	`"source":{"type":"string"},"installed_only":{"type":"boolean"},"name":{"type":"string"},"command":{"type":"string"},` +
	`"args":{"type":"array","items":{"type":"string"}},"env":{"type":"object"},"inputs":{"type":"object"},"description":{"type":"string"},` +
	`"tags":{"type":"array","items":{"type":"string"}},"cursor":{"type":"string"},"file":{"type":"string"}}}}`)

// actions are the actions of registry, in the order in which an error message
// lists them. proxy_call is not among them, because its result is that of the
// called tool.
var actions = []struct {
	name string
	do   func(*Tool, context.Context, arguments.Arguments) (any, error)
	// write encodes the result as the text of the reply.
	write func(any) (string, error)
}{
	{"list", (*Tool).list, answer.Indented},
	{"install", (*Tool).install, answer.Indented},
	{"uninstall", (*Tool).uninstall, answer.Indented},
	{"activate", (*Tool).activate, answer.Indented},
	{"deactivate", (*Tool).deactivate, answer.Indented},
	{"browse", (*Tool).browse, answer.Indented},
	{"status", (*Tool).status, answer.Indented},
	{"sync", (*Tool).sync, answer.Indented},
	{"find_tool", (*Tool).findTool, findreply.Text},
	{"find_tools", (*Tool).findTools, findreply.Text},
	{"get_schema", (*Tool).getSchema, answer.Indented},
	{"toolset", (*Tool).toolset, answer.Indented},
}
