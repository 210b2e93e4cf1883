package meta

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/findreply"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// guideName is the name of the surface's only prompt. Prompts of servers have other names, which contain __.
const guideName = "usage-guide"

const guideTitle = "How to find and call the tools of this user's MCP servers"

// guideURI is the URI of the usage guide. serverURI, followed by the name of a server, is the URI of the resource about
// that server.
const (
	guideURI  = "agent-discover://docs/usage"
	serverURI = "agent-discover://servers/"
)

// guide tells a model how to use the tools.
const guide = `# How to use the tools of this user's MCP servers

1. find_tool with a query in plain English returns the best tool, its call_as and its required arguments. search_tools returns a ranked list with relevance, and can be limited to a server.
2. find_tool with call_as alone, or get_tool_details with server and tool, returns the whole schema.
3. Call the tool: call_read_tool if it only reads, call_write_tool if it destroys nothing, otherwise call_tool, each with call_as and arguments; or execute_tool with server, tool and arguments.

list_mcp_servers shows the servers, list_tools the tools of one, refresh_cache reads the lists of running servers again. Servers start when they are first called. With includeDisabled, search_tools and list_tools also return the tools that the user has disabled.

Arguments are checked before a call is sent. Failures of execute_tool and of the lists have a code:

- TOOL_NOT_FOUND: use one of the names in the message
- TOOL_DISABLED: only the user can change that
- TOOL_VALIDATION_ERROR: correct the arguments as the message says, and call again
- TOOL_EXECUTION_ERROR: the tool failed, or the user refused the call
- TOOL_EXECUTION_TIMEOUT: the tool took too long; it may have had an effect
- SERVER_CONNECTION_ERROR: the server is unknown, or did not start
- CONFIGURATION_ERROR: the user has to configure or approve something
`

// own returns the items that the surface adds to the result of a list method other than tools/list. member is the name
// of the member of the result that contains the items.
func (m *Tools) own(method string) (items []json.RawMessage, member string) {
	switch method {
	case "prompts/list":
		items = append(items, json.RawMessage(`{"name":"`+guideName+`","title":"Usage guide","description":"`+guideTitle+`"}`))
		return items, "prompts"
	case "resources/list":
		items = append(items,
			json.RawMessage(`{"uri":"`+guideURI+`","name":"`+guideName+`","title":"Usage guide","mimeType":"text/markdown"}`))
		for _, v := range m.approved() {
			item, err := answer.Encode(map[string]string{
				"uri": serverURI + url.PathEscape(v.Name), "name": v.Name, "mimeType": "application/json",
				"description": "Tools and state of the MCP server " + v.Name,
			})
			if err == nil {
				items = append(items, item)
			}
		}
	}
	return items, "resources"
}

// WithOwn returns the result of a list request with the surface's own items before the items of servers.
func (m *Tools) WithOwn(method string, result json.RawMessage) json.RawMessage {
	items, member := m.own(method)
	if len(items) == 0 {
		return result
	}
	for item := range jsonrpc.Items(jsonrpc.Get(result, member)) {
		items = append(items, item)
	}
	return answer.List(member, items)
}

// Serve serves requests for the prompt and the resources of the surface; ok is false for all
// others.
func (m *Tools) Serve(method string, params json.RawMessage) (result json.RawMessage, ok bool, err error) {
	switch uri := jsonrpc.GetString(params, "uri"); {
	case method == "prompts/get" && jsonrpc.GetString(params, "name") == guideName:
		result, err = answer.Encode(map[string]any{
			"description": guideTitle,
			"messages":    []any{map[string]any{"role": "user", "content": map[string]string{"type": "text", "text": guide}}},
		})
		return result, true, err
	case method != "resources/read":
		return nil, false, nil
	case uri == guideURI:
		result, err = contents(uri, "text/markdown", guide)
		return result, true, err
	case strings.HasPrefix(uri, serverURI):
		result, err = m.readServer(uri)
		return result, true, err
	}
	return nil, false, nil
}

func (m *Tools) readServer(uri string) (json.RawMessage, error) {
	servers, rest := m.approved(), strings.TrimPrefix(uri, serverURI)
	at := slices.IndexFunc(servers, func(v registry.Server) bool { return rest == v.Name || rest == url.PathEscape(v.Name) })
	if at < 0 { // clients may know the URI with the slug, which earlier versions listed
		at = slices.IndexFunc(servers, func(v registry.Server) bool { return rest == m.hub.slug(v) })
	}
	if at < 0 {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: unknown resource %s", uri)
	}
	v, rules := servers[at], m.client.Rules()
	text, err := findreply.Text(struct {
		serverSummary
		Tools []toolSummary `json:"tools"`
	}{m.describe(v, rules), m.toolsOf(v.Name, false, rules)})
	if err != nil {
		return nil, err
	}
	return contents(uri, "application/json", text)
}

// contents returns the result of resources/read with one text.
func contents(uri, kind, text string) (json.RawMessage, error) {
	return answer.Encode(map[string]any{"contents": []any{map[string]string{"uri": uri, "mimeType": kind, "text": text}}})
}
