package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/loosejson"
	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

const registryName = "registry"

// registryTool is the definition of registry. It is in the model's context in
// every session, so it must be small; see EntryTokens.
var registryTool = json.RawMessage(`{"name":"registry","title":"MCP tools of this user",` +
	`"description":"Finds and calls tools of all MCP servers this user has. Start with find_tool: say in query what you need, get the best tool and its required args; then invoke it by its listed name or with proxy_call. find_tools takes several intents at once. get_schema gives a tool's full input schema. list, status: servers. activate, deactivate: put a server's tools into your tool list or take them out. browse (query): find new servers. install: propose a server, a person approves; name, command, args, env, or source: registry, name: id from browse, inputs. uninstall, sync (setup file). toolset (command: help).",` +
	`"inputSchema":{"type":"object","required":["action"],"properties":{` +
	`"action":{"type":"string","enum":["find_tool","find_tools","get_schema","proxy_call","list","install","uninstall","activate","deactivate","browse","status","sync","toolset"]},` +
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
	do   func(*Session, context.Context, arguments) (any, error)
	// write encodes the result as the text of the reply.
	write func(any) (string, error)
}{
	{"list", (*Session).list, indented},
	{"install", (*Session).install, indented},
	{"uninstall", (*Session).uninstall, indented},
	{"activate", (*Session).activate, indented},
	{"deactivate", (*Session).deactivate, indented},
	{"browse", (*Session).browse, indented},
	{"status", (*Session).status, indented},
	{"sync", (*Session).sync, indented},
	{"find_tool", (*Session).findTool, findreply.Text},
	{"find_tools", (*Session).findTools, findreply.Text},
	{"get_schema", (*Session).getSchema, indented},
	{"toolset", (*Session).toolset, indented},
}

// arguments are the arguments of registry. Models write some of them in other
// types.
type arguments struct {
	Action        string              `json:"action"`
	Query         string              `json:"query"`
	Intents       loosejson.Strings   `json:"intents"`
	CallAs        string              `json:"call_as"`
	Server        string              `json:"server"`
	Tool          string              `json:"tool"`
	Arguments     json.RawMessage     `json:"arguments"`
	Limit         loosejson.Number    `json:"limit"`
	AutoActivate  *loosejson.Bool     `json:"auto_activate"`
	Brief         loosejson.Bool      `json:"brief"`
	Source        string              `json:"source"`
	InstalledOnly loosejson.Bool      `json:"installed_only"`
	Name          string              `json:"name"`
	Command       string              `json:"command"`
	Args          loosejson.Strings   `json:"args"`
	Env           loosejson.StringMap `json:"env"`
	Description   string              `json:"description"`
	Tags          loosejson.Strings   `json:"tags"`
	Cursor        string              `json:"cursor"`
	File          string              `json:"file"`
	Inputs        inputs              `json:"inputs"`
	Do            string              `json:"do"`
	Tools         loosejson.Strings   `json:"tools"`
	Note          string              `json:"note"`
	Confirm       loosejson.Bool      `json:"confirm"`
	AutoEquip     loosejson.Bool      `json:"autoEquip"`
	EquipToo      loosejson.Bool      `json:"auto_equip"` // another way to write it
}

// callRegistry serves tools/call of registry. Errors become results with
// isError, which a model can read. proxy_call returns the result of the called
// tool.
func (s *Session) callRegistry(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var args arguments
	if raw := jsonrpc.Get(params, "arguments"); raw != nil {
		// Do not parse the arguments of the called tool, which may be large.
		inner := jsonrpc.Get(raw, "arguments")
		if inner != nil {
			raw = jsonrpc.Set(raw, "arguments", json.RawMessage("null"))
		}
		if err := json.Unmarshal(raw, &args); err != nil {
			return registryError(badArgument(err))
		}
		if inner != nil {
			args.Arguments = inner
		}
	}
	if args.Action == "proxy_call" {
		return s.proxyCall(ctx, args, params)
	}
	for _, action := range actions {
		if action.name == args.Action {
			result, err := action.do(s, ctx, args)
			if err != nil {
				return registryError(err)
			}
			return textResult(result, action.write)
		}
	}
	if _, ok := toolsetActionNamed(args.Action); ok {
		args.Do = args.Action
		result, err := s.toolset(ctx, args)
		if err != nil {
			return registryError(err)
		}
		return textResult(result, indented)
	}
	var names []string
	for _, action := range actions {
		names = append(names, action.name)
	}
	return registryError(fault.New(fault.Invalid, "Unknown registry action: %q. Valid: %s, proxy_call", args.Action, strings.Join(names, ", ")))
}

// badArgument returns the error for arguments of the wrong type; it names the
// field.
func badArgument(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return fault.New(fault.Invalid, "%s must be of type %s, not %s", wrong.Field, jsonType(wrong.Type.Kind().String()), wrong.Value)
	}
	return fault.New(fault.Invalid, "arguments must be a JSON object")
}

// jsonType returns the JSON type for a kind of Go type.
func jsonType(kind string) string {
	switch kind {
	case "slice":
		return "array"
	case "map", "struct":
		return "object"
	case "bool":
		return "boolean"
	case "float64":
		return "number"
	}
	return kind
}

// registryError returns the result of a failed registry call. Clients rely on
// the code in brackets, which the original product uses too.
func registryError(err error) (json.RawMessage, error) {
	return errorResult("Error [UNKNOWN_ERROR]: " + fault.MessageOf(err))
}

// textResult returns a result with one text block.
func textResult(result any, write func(any) (string, error)) (json.RawMessage, error) {
	text, err := write(result)
	if err != nil {
		return nil, fmt.Errorf("encode reply: %w", err)
	}
	return encode(map[string]any{"content": []map[string]string{{"type": "text", "text": text}}})
}

// indented returns JSON with an indentation of two spaces.
func indented(result any) (string, error) {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(result)
	return strings.TrimSuffix(text.String(), "\n"), err
}

// proxyCall serves proxy_call: it calls a tool by call_as, or by server and tool.
func (s *Session) proxyCall(ctx context.Context, args arguments, params json.RawMessage) (json.RawMessage, error) {
	if args.CallAs == "" && (args.Server == "" || args.Tool == "") {
		return registryError(fault.New(fault.Invalid, "proxy_call requires either call_as or both server+tool"))
	}
	server, tool, err := s.meant(args)
	if err != nil {
		return registryError(err)
	}
	if err := s.forModel(server, tool); err != nil {
		s.gateway.calls.Refuse(s.request(ctx, server, tool, params), err)
		return registryError(err)
	}
	arguments, err := argumentsOf(args.Arguments)
	if err != nil {
		return registryError(err)
	}
	result, err := s.vetted(ctx, server, tool, jsonrpc.Set(params, "arguments", arguments), func() error { return s.forModel(server, tool) })
	if fault.CodeOf(err) == fault.CodeUnlisted {
		_, err = s.suggest(server, tool, result, err)
		text, _ := jsonrpc.ErrorText(err)
		return errorResult(text)
	}
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		// This error belongs to the called tool, not to registry: return it as
		// a result, which a model can read.
		return errorResult(strings.TrimSpace(fmt.Sprintf("MCP error %d: %s %s", rpc.Code, rpc.Message, rpc.Data)))
	}
	if upstream.NotStarted(err) { // clients of the original product look for these words
		err = fault.Wrap(err, fault.KindOf(err), "failed to activate %q: %s", server, fault.MessageOf(err))
	}
	return answer(result.JSON, err)
}

// forModel returns an error for a tool that models must not call, and for one that is
// held until a person approves it.
func (s *Session) forModel(server, tool string) error {
	if err := s.gateway.calls.Held(server, tool); err != nil {
		return err
	}
	if t, known := s.lookup(server, tool); known && !s.gateway.forModels()(t) {
		return fault.New(fault.Denied, "%s is for the view of server %q only, and not for models", t.CallAs(), server)
	}
	return nil
}

// argumentsOf returns the arguments of a tool that another tool calls.
func argumentsOf(raw json.RawMessage) (json.RawMessage, error) {
	switch {
	case raw == nil, string(raw) == "null":
		return json.RawMessage("{}"), nil
	case raw[0] != '{':
		return nil, fault.New(fault.Invalid, "arguments must be an object with the tool's arguments")
	}
	return raw, nil
}

// meant returns the tool that proxy_call is to call, even if no server has such a name. It names its server, as clients of the
// original product expect.
func (s *Session) meant(args arguments) (server, tool string, err error) {
	if args.Server != "" || strings.ContainsAny(args.CallAs, "_.") {
		t, err := s.names().Tool(args.Server, cmp.Or(args.CallAs, args.Tool))
		if fault.CodeOf(err) != fault.CodeUnknownTool || args.Server != "" {
			return t.Server, t.Name, err
		}
	}
	if rest, ok := strings.CutPrefix(args.CallAs, "mcp__"); ok {
		if server, tool, ok = strings.Cut(rest, "__"); ok && server != "" && tool != "" {
			return server, tool, nil
		}
	}
	return "", "", fault.New(fault.Invalid, `call_as must be of the form "mcp__<server>__<tool>" — got %q`, args.CallAs)
}
