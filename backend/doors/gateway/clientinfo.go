package gateway

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxClientText is the maximum length of a client's name and version, in
// characters. Both are stored with every call.
const maxClientText = 100

// clientInfo is what a session knows of its client: what opened the session says, and what
// the client has said of itself. It is safe for concurrent use.
type clientInfo struct {
	session string // the id of the session
	entry   string // the client of Opening
	token   string // of Opening

	mu           sync.Mutex
	name         string // from initialize
	version      string
	limits       clientLimits
	capabilities map[string]json.RawMessage // from initialize
	declared     json.RawMessage            // capabilities as the client sent them
	offered      json.RawMessage            // capabilities in the answer to initialize
	introduced   bool                       // the client has said its name
	ready        bool                       // notifications/initialized was received
}

// initializeParams are the params of initialize.
type initializeParams struct {
	ProtocolVersion string                     `json:"protocolVersion"`
	Capabilities    map[string]json.RawMessage `json:"capabilities"`
	ClientInfo      struct{ Name, Version string }
}

// introduce notes what a legacy client says in initialize, its capabilities as it has sent
// them, and the capabilities that it is offered.
func (c *clientInfo) introduce(said initializeParams, declared, offered json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if said.ClientInfo.Name != "" {
		c.setName(said.ClientInfo.Name, said.ClientInfo.Version)
		if c.entry == "" {
			editor, _ := table.ByClient(c.name)
			c.limits = limitsOf(editor)
		}
	}
	c.capabilities, c.declared, c.offered = said.Capabilities, declared, offered
	c.introduced = true
}

// introduceModern notes the name of a modern client, for people. It reports whether the
// client was not known.
func (c *clientInfo) introduceModern(meta mcpversion.Meta) bool {
	name := jsonrpc.GetString(meta.ClientInfo, "name")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.introduced {
		return false
	}
	if name != "" {
		c.setName(name, jsonrpc.GetString(meta.ClientInfo, "version"))
	}
	c.introduced = true
	return true
}

// setName notes how the client calls itself. The caller holds mu.
func (c *clientInfo) setName(name, version string) {
	c.name, c.version = safetext.Clip(name, maxClientText), safetext.Clip(version, maxClientText)
}

// called returns how the client calls itself.
func (c *clientInfo) called() (name, version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name, c.version
}

// isIntroduced reports whether the client has said its name.
func (c *clientInfo) isIntroduced() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.introduced
}

// begin notes that a legacy client is ready for notifications.
func (c *clientInfo) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready = true
}

// isReady reports whether a legacy client is ready for notifications.
func (c *clientInfo) isReady() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ready
}

// editor returns the id of the client in the table of editors, empty if it is not known.
func (c *clientInfo) editor() string {
	if e, known := table.ByID(c.entry); known {
		return e.ID
	}
	name, _ := c.called()
	if e, known := table.ByClient(name); known {
		return e.ID
	}
	return ""
}

// origin returns what the audit log has of the session.
func (c *clientInfo) origin(road string) call.Origin {
	return call.Origin{Editor: c.entry, Token: c.token, Road: road}
}

// limitedAs returns the client whose limits count. It depends on the credential, because the
// lists of modern clients do.
func (c *clientInfo) limitedAs() string { return ClientID(c.entry) }

// ClientID returns the id of a client in the table of editors, which may be written in
// another case or be a former one, and the id itself if the table does not have it.
func ClientID(id string) string {
	if e, known := table.ByID(id); known {
		return e.ID
	}
	return strings.TrimSpace(id)
}

// proposer describes the client to the person who reviews its proposals: the editor that has
// this name, and what the client calls itself.
func (c *clientInfo) proposer() string {
	name, version := c.called()
	client := strings.TrimSpace(name + " " + version)
	if e, known := table.ByClient(name); known && !strings.EqualFold(e.Name, client) {
		return e.Name + " (" + client + ")"
	}
	return client
}

// limitsOf returns the limits of the client for a request of an era. Lists of the modern era
// depend on its entry alone.
func (c *clientInfo) limitsOf(modern bool) clientLimits {
	if modern {
		return limitsOfEntry(c.entry)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limits
}

// lacks returns what the client lacks to answer a question, and "" if it can answer.
func (c *clientInfo) lacks(q upstream.Question) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return unsupported(c.capabilities, q)
}

// hasRoots reports whether the client has declared roots.
func (c *clientInfo) hasRoots() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return jsonrpc.IsObject(c.capabilities["roots"])
}

// declares returns the capabilities as the client has sent them.
func (c *clientInfo) declares() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.declared
}

// offeredCapability returns a capability in the answer to initialize, nil if it was not in it.
func (c *clientInfo) offeredCapability(capability string) json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return jsonrpc.Get(c.offered, capability)
}
