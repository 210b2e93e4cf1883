package gateway

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// maxClientText is the maximum length of a client's name and version, in
// characters. Both are stored with every call.
const maxClientText = 100

// clientInfo describes the client of a session, from Opening and from the client's own messages. It is safe for
// concurrent use.
type clientInfo struct {
	session string // the id of the session
	entry   string // Opening.Client
	token   string // Opening.Token

	mu           sync.Mutex
	name         string // from initialize or the first modern request
	version      string
	limits       clientLimits
	capabilities map[string]json.RawMessage // from initialize
	declared     json.RawMessage            // capabilities as the client sent them
	offered      json.RawMessage            // capabilities in the answer to initialize
	introduced   bool                       // the client has sent initialize or a modern request
	ready        bool                       // notifications/initialized was received
}

// initializeParams are the params of initialize.
type initializeParams struct {
	ProtocolVersion string                     `json:"protocolVersion"`
	Capabilities    map[string]json.RawMessage `json:"capabilities"`
	ClientInfo      struct{ Name, Version string }
}

// introduce records the initialize params of a legacy client, its capabilities as it has sent them, and the
// capabilities that the hub answers with.
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

// introduceModern records the name of a modern client, for display only. It reports whether this is the first
// request of the client.
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

// setName records the name and version that the client has sent, cut to maxClientText. The caller holds mu.
func (c *clientInfo) setName(name, version string) {
	c.name, c.version = safetext.Clip(name, maxClientText), safetext.Clip(version, maxClientText)
}

// called returns the name and version that the client has sent.
func (c *clientInfo) called() (name, version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name, c.version
}

// isCommandLine reports whether the client is the command line, where a person tries tools out and reads the answers.
func (c *clientInfo) isCommandLine() bool {
	name, _ := c.called()
	return name == words.CommandLine
}

// isIntroduced reports whether the client has sent initialize or a modern request.
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

// origin returns how a call reached the hub, for the audit log. road is the method of the request, or the hub's
// own tool, through which the client made the call.
func (c *clientInfo) origin(road string) call.Origin {
	return call.Origin{Editor: c.entry, Token: c.token, Road: road}
}

// limitedAs returns the id of the client whose rules apply to the session. The id comes from the configuration entry
// or credential with which the client connects. It does not come from the client's messages, because the lists that a
// modern client gets must not depend on them.
func (c *clientInfo) limitedAs() string { return ClientID(c.entry) }

// ClientID returns the current id of a client in the table of editors. The given id may be a former one or
// differ in case. An id that the table does not have is returned without surrounding spaces.
func ClientID(id string) string {
	if e, known := table.ByID(id); known {
		return e.ID
	}
	return strings.TrimSpace(id)
}

// proposer describes the client to the person who reviews the client's proposals. The description contains the name and
// version that the client has sent, and the name of the editor that uses this client name, if one is known.
func (c *clientInfo) proposer() string {
	name, version := c.called()
	client := strings.TrimSpace(name + " " + version)
	if e, known := table.ByClient(name); known && !strings.EqualFold(e.Name, client) {
		return e.Name + " (" + client + ")"
	}
	return client
}

// limitsOf returns the limits of the client for a modern or a legacy request. For a modern
// request, they depend only on the entry through which the client connects.
func (c *clientInfo) limitsOf(modern bool) clientLimits {
	if modern {
		return limitsOfEntry(c.entry)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limits
}

// lacks returns words for what the client would have to support to answer q, for an error message that says that the
// client does not support it. It returns "" if the client can answer.
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

// offeredCapability returns a capability in the hub's answer to initialize, nil if the answer does not have it.
func (c *clientInfo) offeredCapability(capability string) json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return jsonrpc.Get(c.offered, capability)
}
