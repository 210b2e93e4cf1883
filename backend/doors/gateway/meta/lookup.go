package meta

import (
	"encoding/json"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/spelling"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/roster"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// known returns the server with this name if the server is approved. Otherwise, the failure says why the server cannot
// be used.
func (m *Tools) known(name string) (registry.Server, *answer.Failure) {
	v, err := m.hub.registry.Get(name)
	if err == nil {
		if err = v.Usable(); err == nil {
			return v, nil
		}
		return v, &answer.Failure{Code: answer.Configuration, Message: fault.MessageOf(err), Server: name}
	}
	existing, servers := "no server is configured", m.hub.roster.Now().Servers
	if len(servers) > 0 {
		existing = "the servers are " + roster.Names(servers, 100)
	}
	return v, &answer.Failure{
		Code: answer.Connection, Message: fmt.Sprintf("unknown server %q; %s", name, existing), Server: name,
		DidYouMean: spelling.Near(name, servers),
	}
}

// tool returns a tool of an approved server, by any of the tool's names.
func (m *Tools) tool(server, tool string) (*catalog.Tool, *answer.Failure) {
	if server == "" || tool == "" {
		return nil, &answer.Failure{
			Code: answer.Validation, Message: "server and tool are required: names from search_tools or list_tools",
			Server: server, Tool: tool,
		}
	}
	if _, failed := m.known(server); failed != nil {
		failed.Tool = tool
		return nil, failed
	}
	t, err := m.client.Names().Tool(server, tool)
	if err == nil && t.Known == nil {
		err = m.hub.servers.Held(server, t.Name)
	}
	switch {
	case err != nil:
		return nil, answer.FailureOf(err, server, tool)
	case t.Known == nil:
		unlisted := resolve.Unlisted(server, "tool", t.Name, m.near(server, t.Name), nil)
		if len(unlisted.DidYouMean) == 0 {
			unlisted.Message += "; see list_tools"
		}
		return nil, answer.FailureOf(unlisted, server, t.Name)
	}
	return t.Known, nil
}

// near returns names of tools that a client may have meant by the name tool, which the server does not list. They are
// tools of the server or, if none of these has a similar name, of all servers.
func (m *Tools) near(server, tool string) (names []string) {
	rules := m.client.Rules()
	near := m.hub.finder.Near(server, tool, rules)
	if len(near) == 0 {
		near = m.hub.finder.Near("", tool, rules)
	}
	for _, t := range near {
		if t.Server == server {
			names = append(names, t.Name)
		} else {
			names = append(names, fmt.Sprintf("%s (server %s)", t.Name, t.Server))
		}
	}
	return names
}

// fits returns an error that says how the arguments of a call violate the tool's schema, and how to correct
// them. It returns nil for valid arguments, and for tools that are not known.
func (m *Tools) fits(server, tool string, arguments json.RawMessage) error {
	t, known := m.client.Lookup(server, tool)
	if !known {
		return nil
	}
	err := resolve.Fits(t, arguments, "get_tool_details has its schema")
	if err == nil {
		return nil
	}
	text := fault.MessageOf(err)
	return fault.Wrap(&answer.Failure{Code: answer.Validation, Message: text, Server: server, Tool: tool}, fault.Invalid, "%s", text)
}

// unlisted reports whether the tools of a server are not known, because it has never been
// started or has listed none.
func (m *Tools) unlisted(server string) bool {
	return !m.hub.inventory.Snapshot().Known(server)
}
