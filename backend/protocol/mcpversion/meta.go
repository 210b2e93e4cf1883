package mcpversion

import (
	"bytes"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// reserved is the prefix of the names in _meta that MCP defines.
const reserved = "io.modelcontextprotocol/"

// Names in _meta that belong to one hop: each client and server on the way writes
// its own values.
const (
	KeyProtocolVersion    = reserved + "protocolVersion"
	KeyClientInfo         = reserved + "clientInfo"
	KeyClientCapabilities = reserved + "clientCapabilities"
	KeyLogLevel           = reserved + "logLevel"
	KeyServerInfo         = reserved + "serverInfo"
	KeySubscriptionID     = reserved + "subscriptionId"
)

// ofHop reports whether a name in _meta belongs to one hop. All reserved names do,
// except two that the tasks of version 2025-11-25 send from end to end.
func ofHop(key []byte) bool {
	name, ok := bytes.CutPrefix(key, []byte(reserved))
	return ok && string(name) != "related-task" && string(name) != "model-immediate-response"
}

// Meta is the metadata in the _meta of the params of a request or a notification.
// Absent members are empty.
type Meta struct {
	ProtocolVersion    string
	ClientInfo         json.RawMessage
	ClientCapabilities json.RawMessage
	LogLevel           string
	SubscriptionID     json.RawMessage // the id of a subscriptions/listen request, in its notifications
	ProgressToken      json.RawMessage // not written by Stamp
}

// ReadMeta returns the metadata in params. String fields are empty if their members are
// not strings, and raw fields hold values of any type. CheckMeta reports wrong types.
func ReadMeta(params json.RawMessage) Meta {
	meta := jsonrpc.Get(params, "_meta")
	return Meta{
		ProtocolVersion:    jsonrpc.GetString(meta, KeyProtocolVersion),
		ClientInfo:         jsonrpc.Get(meta, KeyClientInfo),
		ClientCapabilities: jsonrpc.Get(meta, KeyClientCapabilities),
		LogLevel:           jsonrpc.GetString(meta, KeyLogLevel),
		SubscriptionID:     jsonrpc.Get(meta, KeySubscriptionID),
		ProgressToken:      jsonrpc.Get(meta, "progressToken"),
	}
}

// CheckVersion returns nil if a version belongs to the modern era, otherwise the
// error that answers a modern request with that version.
func CheckVersion(version string) *jsonrpc.Error {
	if Of(version) == Modern {
		return nil
	}
	use := Unknown.Versions()
	if Of(version) == Legacy {
		use = Modern.Versions() // a legacy version is supported, but not in _meta
	}
	err := jsonrpc.NewError(CodeUnsupportedVersion, "Unsupported protocol version: use one that the error's data lists as supported")
	err.Data, _ = json.Marshal(map[string]any{"supported": use, "requested": version}) // strings cannot fail
	return err
}

// CheckMeta returns the metadata in the params of a modern request, or the error that
// answers it: CodeInvalidParams if a required member is missing or a member has a
// wrong type, CodeUnsupportedVersion if the version is not a modern one.
func CheckMeta(params json.RawMessage) (Meta, *jsonrpc.Error) {
	meta := jsonrpc.Get(params, "_meta")
	if !jsonrpc.IsObject(meta) {
		return Meta{}, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: _meta must be an object with %q and %q",
			KeyProtocolVersion, KeyClientCapabilities)
	}
	version, ok := jsonrpc.String(jsonrpc.Get(meta, KeyProtocolVersion))
	if !ok {
		return Meta{}, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: _meta must have %q, a string", KeyProtocolVersion)
	}
	if err := CheckVersion(version); err != nil {
		return Meta{}, err
	}
	m := ReadMeta(params)
	if !jsonrpc.IsObject(m.ClientCapabilities) {
		return Meta{}, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: _meta must have %q, an object", KeyClientCapabilities)
	}
	if m.ClientInfo != nil && !jsonrpc.IsObject(m.ClientInfo) {
		return Meta{}, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: %q in _meta must be an object", KeyClientInfo)
	}
	return m, nil
}

// Stamp returns params with the metadata of the next hop: it removes the members of _meta that
// belong to the previous hop, and adds those fields of m that are not empty, except the
// progress token. An empty m prepares params for a legacy peer. Stamp removes _meta if nothing
// is left in it. Members that MCP does not reserve, such as traceparent, stay unchanged.
func (m Meta) Stamp(params json.RawMessage) json.RawMessage {
	return stamp(params, m.members())
}

// members returns a JSON object with the fields of m that Stamp writes.
func (m Meta) members() json.RawMessage {
	var out json.RawMessage
	add := func(key string, value json.RawMessage) {
		if len(value) > 0 {
			out = jsonrpc.Set(out, key, value)
		}
	}
	addString := func(key, value string) {
		if value != "" {
			add(key, jsonrpc.Quote(value))
		}
	}
	addString(KeyProtocolVersion, m.ProtocolVersion)
	add(KeyClientInfo, m.ClientInfo)
	add(KeyClientCapabilities, m.ClientCapabilities)
	addString(KeyLogLevel, m.LogLevel)
	add(KeySubscriptionID, m.SubscriptionID)
	return out
}

// stamp replaces the members of _meta that belong to a hop (see ofHop) by the members
// of the object add, which may be nil. raw is params or a result.
func stamp(raw, add json.RawMessage) json.RawMessage {
	old := jsonrpc.Get(raw, "_meta")
	if old == nil && add == nil {
		return raw
	}
	meta := jsonrpc.Edit(old, ofHop, add)
	if add == nil && jsonrpc.IsObject(old) && len(meta) == len(old) {
		return raw // nothing was removed
	}
	if len(bytes.Trim(meta, " \t\r\n{}")) == 0 { // no members are left
		return jsonrpc.Delete(raw, "_meta")
	}
	return jsonrpc.Set(raw, "_meta", meta)
}
