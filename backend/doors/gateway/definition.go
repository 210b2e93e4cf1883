package gateway

import (
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpshape"
	"github.com/agent-discover/agent-discover/backend/servers/features"
)

// listed returns a tool's definition under another name, as a tool list contains it and as
// clients accept it. get_schema returns the original.
func listed(t *catalog.Tool, name string) json.RawMessage {
	definition := jsonrpc.Set(t.Definition, "name", jsonrpc.Quote(name))
	fitting, _, err := mcpshape.Item(mcpshape.Tool, definition)
	if err != nil {
		return definition // a tool with a name always fits
	}
	return fitting
}

// accepted returns the definitions of a list that clients accept, mended where that is
// necessary.
func accepted(kind features.Kind, definitions []json.RawMessage) []json.RawMessage {
	out := make([]json.RawMessage, 0, len(definitions))
	for _, definition := range definitions {
		if item, _, err := mcpshape.Item(mcpshape.KindIn(string(kind)), definition); err == nil {
			out = append(out, item)
		}
	}
	return out
}
