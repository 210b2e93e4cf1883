package names

import (
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// HiddenFromModel reports whether a tool is only for the views of MCP Apps, because the visibility in its
// definition does not include model. Such a tool stays in lists, and the client hides it; searches do not find
// it, and models must not call it.
func HiddenFromModel(definition json.RawMessage) bool {
	who, limited := visibility(definition)
	return limited && !who["model"]
}

// ForApps reports whether the views of MCP Apps may call a tool. They may, unless the visibility in its
// definition does not include app.
func ForApps(definition json.RawMessage) bool {
	who, limited := visibility(definition)
	return !limited || who["app"]
}

// visibility returns who may use a tool; limited is false if its definition does not say. If the definition has
// both "ui" and "ui/visibility", the visibility under "ui" applies.
func visibility(definition json.RawMessage) (who map[string]bool, limited bool) {
	meta := jsonrpc.Get(definition, "_meta")
	for _, list := range []json.RawMessage{
		jsonrpc.Get(jsonrpc.Get(meta, "ui"), "visibility"),
		jsonrpc.Get(meta, "ui/visibility"),
	} {
		if len(list) == 0 || list[0] != '[' {
			continue
		}
		who = make(map[string]bool)
		for item := range jsonrpc.Items(list) {
			name, _ := jsonrpc.String(item)
			who[name] = true
		}
		return who, true
	}
	return nil, false
}

// ViewURI returns the URI of the resource with the view of a tool, in any of the
// spellings of MCP Apps, and "" if the tool has no view.
func ViewURI(definition json.RawMessage) string {
	meta := jsonrpc.Get(definition, "_meta")
	if uri := jsonrpc.GetString(jsonrpc.Get(meta, "ui"), "resourceUri"); uri != "" {
		return uri
	}
	if uri := jsonrpc.GetString(meta, "ui/resourceUri"); uri != "" {
		return uri
	}
	return jsonrpc.GetString(meta, "openai/outputTemplate")
}
