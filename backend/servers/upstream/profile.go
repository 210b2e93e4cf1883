package upstream

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// profile contains the description that the server of a session has given of itself. It is safe for concurrent use.
type profile struct {
	mu          sync.Mutex
	description Description // guarded by mu; its parts are replaced whole
}

func (p *profile) change(change func(*Description)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.description)
}

// get returns the description. The caller may change its list of tools.
func (p *profile) get() Description {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.description
	d.Tools = slices.Clone(d.Tools)
	return d
}

// tools returns the definitions of the latest list, which must not be changed.
func (p *profile) tools() []json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.description.Tools
}

// inputSchema returns the schema of a tool's arguments, nil if the server does not list
// the tool.
func (p *profile) inputSchema(tool string) json.RawMessage {
	return jsonrpc.Get(named(p.tools(), tool), "inputSchema")
}

func (p *profile) era() mcpversion.Era {
	p.mu.Lock()
	defer p.mu.Unlock()
	if mcpversion.Of(p.description.ProtocolVersion) == mcpversion.Modern {
		return mcpversion.Modern
	}
	return mcpversion.Legacy
}

// modern reports whether the session is one of the modern era.
func (p *profile) modern() bool { return p.era() == mcpversion.Modern }

// offers reports whether the server has declared a capability. A server that lists tools offers the capability tools
// even if undeclared.
func (p *profile) offers(capability string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return jsonrpc.Get(p.description.Capabilities, capability) != nil ||
		capability == lists[toolsList].capability && len(p.description.Tools) > 0
}

// declares reports whether a capability of the server has a member that is true.
func (p *profile) declares(capability, member string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(jsonrpc.Get(jsonrpc.Get(p.description.Capabilities, capability), member)) == "true"
}
