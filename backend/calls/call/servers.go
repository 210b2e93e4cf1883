package call

import (
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// OwnerOf returns session if each session of a client has the server for itself, and ""
// if clients share the server.
func (p *Pipeline) OwnerOf(server, session string) string {
	v, err := p.options.Registry.Get(server)
	if err != nil {
		return ""
	}
	return upstream.TargetOf(v, session).Client
}

// EndSession ends the servers that a session has for itself.
func (p *Pipeline) EndSession(session string) { p.options.Upstream.EndClient(session) }

// NotifyOwn sends a notification to the running servers that a session has for itself.
func (p *Pipeline) NotifyOwn(session, method string) { p.options.Upstream.NotifyOwn(session, method) }

// Describe returns the description that a running server sent when the hub connected to it, and false if the server is
// not running.
func (p *Pipeline) Describe(server string) (upstream.Description, bool) {
	return p.options.Upstream.Describe(server)
}

// Introductions returns the description that a server has sent in each era of MCP, and the eras that the server does
// not support; see upstream.Manager.Introductions.
func (p *Pipeline) Introductions(server string) (abouts []upstream.Description, without []mcpversion.Era) {
	v, err := p.options.Registry.Get(server)
	if err != nil {
		return nil, nil
	}
	return p.options.Upstream.Introductions(v)
}

// TTLs returns for how long the results of a running server may be cached, in milliseconds by method; see
// upstream.Description.
func (p *Pipeline) TTLs(server string) map[string]int64 { return p.options.Upstream.TTLs(server) }

// Capabilities returns the capabilities that a running server has declared when the hub connected to it, and nil if the
// server is not running.
func (p *Pipeline) Capabilities(server string) json.RawMessage {
	d, _ := p.options.Upstream.Describe(server)
	return d.Capabilities
}
