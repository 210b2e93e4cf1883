package surfaces

import (
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Introduction is the part of the answers to initialize and server/discover that describes a surface.
type Introduction struct {
	Capabilities json.RawMessage `json:"capabilities"`         // an object
	Info         json.RawMessage `json:"serverInfo,omitempty"` // an object
	Instructions string          `json:"instructions,omitempty"`
}

// Definitions are the current definitions of the hub's own tools on a surface.
type Definitions struct {
	Tools  []json.RawMessage
	Tokens int
}

// The names of extensions, as servers and clients declare them in their capabilities.
const (
	// AppsExtension is the extension MCP Apps. With this extension, a tool may have a view, a user interface that the
	// client shows.
	AppsExtension = "io.modelcontextprotocol/ui"
	// TasksExtension is the extension for tasks in MCP 2026-07-28.
	TasksExtension = "io.modelcontextprotocol/tasks"
)

// hubCapabilities are the capabilities that the hub declares. Servers may be added and removed during a session, so the
// hub declares every capability that a server may support.
const hubCapabilities = `{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"completions":{},` +
	`"logging":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`

// Capabilities returns the capabilities that the hub declares to a client. client contains the client's own
// capabilities and may be nil. The hub only passes on messages of MCP Apps and of the tasks extension, so it
// declares these extensions in the same way as the client.
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

// ListTTL is how long clients may cache the hub's lists, in milliseconds. A surface of one server uses the time
// that the server has stated.
const ListTTL = 60_000
