package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// scenarios maps the name of a scenario to the calls that its server expects from a client.
var scenarios = map[string]func(c *client) error{
	"initialize":               greet,
	"request-metadata":         greet,
	"json-schema-ref-no-deref": listTools,
	"tools_call":               call("add_numbers", `{"a":5,"b":3}`),
	"sse-retry":                call("test_reconnection", `{}`),

	"elicitation-sep1034-client-defaults": call("test_client_elicitation_defaults", `{}`),
	"sep-2322-client-request-state":       callListed(`{}`),
	"json-schema-2020-12-preservation":    echoSchema,
	"http-standard-headers":               useEverything,
	"http-custom-headers":                 callAsTold,
	"http-invalid-tool-headers":           callListed(`{"region":"us-west1"}`),
}

// greet asks a modern server for its description; a legacy one has sent it in initialize. The servers of these
// scenarios have no tools.
func greet(c *client) error {
	if mcpversion.Of(c.version) != mcpversion.Modern {
		return nil
	}
	_, err := c.ask("server/discover", json.RawMessage("{}"))
	return err
}

func listTools(c *client) error {
	_, err := c.ask("tools/list", json.RawMessage("{}"))
	return err
}

// callTool calls a tool and returns an error if the call fails.
func (c *client) callTool(name string, arguments json.RawMessage) error {
	params := jsonrpc.Set(jsonrpc.Set(nil, "name", jsonrpc.Quote(name)), "arguments", arguments)
	result, err := c.ask("tools/call", params)
	if err == nil && string(jsonrpc.Get(result, "isError")) == "true" {
		err = fmt.Errorf("%s: %s", name, result)
	}
	return err
}

// call returns the calls of a scenario in which the client lists the tools and then calls the tool name.
func call(name, arguments string) func(*client) error {
	return func(c *client) error {
		if err := listTools(c); err != nil {
			return err
		}
		return c.callTool(name, json.RawMessage(arguments))
	}
}

func callListed(arguments string) func(*client) error {
	return func(c *client) error {
		list, err := c.ask("tools/list", json.RawMessage("{}"))
		if err != nil {
			return err
		}
		for tool := range jsonrpc.Items(jsonrpc.Get(list, "tools")) {
			if err := c.callTool(jsonrpc.GetString(tool, "name"), json.RawMessage(arguments)); err != nil {
				return err
			}
		}
		return nil
	}
}

// echoSchema sends the schema of a tool back as it was listed.
func echoSchema(c *client) error {
	list, err := c.ask("tools/list", json.RawMessage("{}"))
	if err != nil {
		return err
	}
	for tool := range jsonrpc.Items(jsonrpc.Get(list, "tools")) {
		if jsonrpc.GetString(tool, "name") == "json_schema_2020_12_tool" {
			return c.callTool("json_schema_echo", jsonrpc.Set(nil, "schema", jsonrpc.Get(tool, "inputSchema")))
		}
	}
	return fmt.Errorf("the tool is not listed: %s", list)
}

// useEverything uses each tool, resource and prompt that is listed.
func useEverything(c *client) error {
	if err := callListed(`{}`)(c); err != nil {
		return err
	}
	for _, kind := range []struct{ list, items, method, key string }{
		{"resources/list", "resources", "resources/read", "uri"},
		{"prompts/list", "prompts", "prompts/get", "name"},
	} {
		list, err := c.ask(kind.list, json.RawMessage("{}"))
		if err != nil {
			return err
		}
		for item := range jsonrpc.Items(jsonrpc.Get(list, kind.items)) {
			if _, err := c.ask(kind.method, jsonrpc.Set(nil, kind.key, jsonrpc.Get(item, kind.key))); err != nil {
				return err
			}
		}
	}
	return nil
}

// callAsTold makes the calls that the suite lists in MCP_CONFORMANCE_CONTEXT.
func callAsTold(c *client) error {
	if err := listTools(c); err != nil {
		return err
	}
	told := json.RawMessage(os.Getenv("MCP_CONFORMANCE_CONTEXT"))
	for tool := range jsonrpc.Items(jsonrpc.Get(told, "toolCalls")) {
		if err := c.callTool(jsonrpc.GetString(tool, "name"), jsonrpc.Get(tool, "arguments")); err != nil {
			return err
		}
	}
	return nil
}
