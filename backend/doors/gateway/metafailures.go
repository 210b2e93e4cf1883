package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/protocol/schemacheck"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// The codes of failures.
const (
	codeNotFound      = "TOOL_NOT_FOUND"
	codeDisabled      = "TOOL_DISABLED"
	codeHeld          = "TOOL_HELD"
	codeValidation    = "TOOL_VALIDATION_ERROR"
	codeExecution     = "TOOL_EXECUTION_ERROR"
	codeTimeout       = "TOOL_EXECUTION_TIMEOUT"
	codeConnection    = "SERVER_CONNECTION_ERROR"
	codeConfiguration = "CONFIGURATION_ERROR"
)

// failure says why a sibling has failed. It has no secrets and no environment.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Server  string `json:"server"`
	Tool    string `json:"tool"`
}

// Error implements error.
func (f *failure) Error() string { return f.Message }

// result returns the failure as a result with isError.
func (f *failure) result() (json.RawMessage, error) {
	text, err := encode(struct {
		Success bool     `json:"success"`
		Error   *failure `json:"error"`
	}{false, f})
	if err != nil {
		return nil, err
	}
	return errorResult(string(text))
}

// failureOf returns the failure for an error of a call or a start.
func failureOf(err error, server, tool string) *failure {
	f := &failure{Code: codeExecution, Message: fault.MessageOf(err), Server: server, Tool: tool}
	var rpc *jsonrpc.Error
	var own *fault.Error
	if failed, ok := errors.AsType[*failure](err); ok {
		return failed
	}
	switch {
	case fault.CodeOf(err) == fault.CodeUnlisted:
		f.Code = codeNotFound
	case errors.As(err, &rpc):
		f.Message = strings.TrimSpace(fmt.Sprintf("MCP error %d: %s %s", rpc.Code, rpc.Message, rpc.Data))
		if rpc.Code == jsonrpc.CodeInvalidParams {
			f.Code = codeValidation
		}
	case errors.As(err, &own) && own.Code == fault.CodeDisabled:
		f.Code = codeDisabled
	case errors.As(err, &own) && own.Code == fault.CodeHeld:
		f.Code = codeHeld
	case fault.KindOf(err) == fault.Timeout:
		f.Code = codeTimeout
	case upstream.NotStarted(err), fault.KindOf(err) == fault.Unavailable:
		f.Code = codeConnection
	case errors.As(err, &own) && own.Code == fault.CodeNeedsApproval:
	case fault.KindOf(err) == fault.Denied, fault.KindOf(err) == fault.Invalid:
		f.Code = codeConfiguration
	}
	return f
}

// passesOn reports whether an error of a call is not the tool's, but that of the request: it
// was cancelled, or the hub is busy.
func passesOn(err error) bool {
	var rpc *jsonrpc.Error
	var cancelled *jsonrpc.Cancelled
	return errors.As(err, &cancelled) || errors.As(err, &rpc) && rpc.Code == mcpversion.CodeBusy
}

// known returns an approved server.
func (m metaTools) known(name string) (registry.Server, *failure) {
	v, err := m.gateway.registry.Get(name)
	if err == nil {
		if err = v.Usable(); err == nil {
			return v, nil
		}
		return v, &failure{codeConfiguration, fault.MessageOf(err), name, ""}
	}
	return v, &failure{codeConnection, fmt.Sprintf("unknown server %q; %s", name, m.existing()), name, ""}
}

// existing names servers for the message about an unknown one.
func (m metaTools) existing() string {
	servers := m.gateway.roster().servers
	if len(servers) == 0 {
		return "no server is configured"
	}
	return "the servers are " + nameSome(servers, atMost(100))
}

// tool returns a tool of a server that the session may name, by any of its names.
func (m metaTools) tool(server, tool string) (*catalog.Tool, *failure) {
	if server == "" || tool == "" {
		return nil, &failure{codeValidation, "server and tool are required: names from search_tools or list_tools", server, tool}
	}
	if _, failed := m.known(server); failed != nil {
		failed.Tool = tool
		return nil, failed
	}
	t, err := m.names().Tool(server, tool)
	if err == nil && t.Known == nil {
		err = m.gateway.calls.Held(server, t.Name)
	}
	switch {
	case fault.CodeOf(err) == fault.CodeUnknownTool:
		return nil, &failure{codeNotFound, fault.MessageOf(err), server, tool}
	case err != nil:
		return nil, failureOf(err, server, tool)
	case t.Known == nil:
		return nil, &failure{codeNotFound, fmt.Sprintf("server %q has no tool %q%s", server, tool, m.similar(server, t.Name, m.rules())), server, t.Name}
	}
	return t.Known, nil
}

// similar names the tools of a server, or else of all, whose names are the nearest to one.
func (m metaTools) similar(server, tool string, r ruleset) string {
	near := m.gateway.near(server, tool, 3, r)
	if len(near) == 0 {
		near = m.gateway.near("", tool, 3, r)
	}
	var names []string
	for _, t := range near {
		if mostDanger(t) > dangerOfName(tool) {
			continue
		}
		if t.Server == server {
			names = append(names, t.Name)
		} else {
			names = append(names, fmt.Sprintf("%s (server %s)", t.Name, t.Server))
		}
	}
	if len(names) == 0 {
		return "; see list_tools"
	}
	return "; did you mean " + strings.Join(names, ", ") + "?"
}

// fits returns what is wrong with the arguments of a call by the tool's schema, and how to
// correct it; nil if nothing is, and for tools that are not known.
func (m metaTools) fits(server, tool string, arguments json.RawMessage) error {
	t, known := m.lookup(server, tool)
	if !known {
		return nil
	}
	wrong := schemacheck.Check(t.InputSchema(), arguments)
	if len(wrong) == 0 {
		return nil
	}
	text := fmt.Sprintf("the arguments do not fit %s, which was not called: %s. Correct them and call it again; get_tool_details has its schema.", t.Proxied(), strings.Join(wrong, "; "))
	return fault.Wrap(&failure{codeValidation, text, server, tool}, fault.Invalid, "%s", text)
}
