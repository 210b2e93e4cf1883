package surfaces

import (
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Introduction is what a surface says about itself in answers to initialize and
// server/discover.
type Introduction struct {
	Capabilities json.RawMessage `json:"capabilities"`         // an object
	Info         json.RawMessage `json:"serverInfo,omitempty"` // an object
	Instructions string          `json:"instructions,omitempty"`
}

// Definitions are those of the hub's own tools on a surface, as they are at present.
type Definitions struct {
	Tools  []json.RawMessage
	Tokens int
}

// The names of extensions in capabilities that servers and clients declare.
const (
	// AppsExtension is MCP Apps: tools of servers that support it have views, which the
	// client shows to its user.
	AppsExtension = "io.modelcontextprotocol/ui"
	// TasksExtension are the tasks of MCP 2026-07-28.
	TasksExtension = "io.modelcontextprotocol/tasks"
)

// hubCapabilities are what the hub offers. Servers may come and go during a session,
// so it declares what any of them may support.
const hubCapabilities = `{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"completions":{},` +
	`"logging":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`

// Capabilities returns the capabilities of the hub for a client with these capabilities,
// which may be nil. The hub passes on what MCP Apps and tasks need, and declares those that
// the client does.
func Capabilities(client json.RawMessage) json.RawMessage {
	capabilities := json.RawMessage(hubCapabilities)
	declared := jsonrpc.Get(client, "extensions")
	for _, name := range []string{AppsExtension, TasksExtension} {
		if own := jsonrpc.Get(declared, name); own != nil {
			capabilities = jsonrpc.Set(capabilities, "extensions", jsonrpc.Set(jsonrpc.Get(capabilities, "extensions"), name, own))
		}
	}
	return capabilities
}

// ListTTL is how long clients may cache the hub's lists, in milliseconds, unless a server
// says how long its own may be.
const ListTTL = 60_000
