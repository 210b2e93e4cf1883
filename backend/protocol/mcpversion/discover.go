package mcpversion

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Discover is the result of server/discover.
type Discover struct {
	Versions     []string        // in Result, nil means all supported versions
	Capabilities json.RawMessage // an object
	Instructions string          // may be empty
	ServerInfo   json.RawMessage // set by ReadDiscover; nil if the result has none
}

// Result returns the result of server/discover. The server information is taken from hop.
func (d Discover) Result(hop Hop) json.RawMessage {
	if d.Versions == nil {
		d.Versions = Unknown.Versions()
	}
	if !jsonrpc.IsObject(d.Capabilities) {
		d.Capabilities = json.RawMessage("{}")
	}
	versions, _ := json.Marshal(d.Versions) // strings cannot fail
	result := jsonrpc.Set(nil, "supportedVersions", versions)
	result = jsonrpc.Set(result, "capabilities", d.Capabilities)
	if d.Instructions != "" {
		result = jsonrpc.Set(result, "instructions", jsonrpc.Quote(d.Instructions))
	}
	return Complete("server/discover", result, hop)
}

// ReadDiscover reads the result of server/discover. An error says which part of the
// result is wrong; the server then does not support the modern era. The returned value
// aliases the raw bytes.
func ReadDiscover(result json.RawMessage) (Discover, error) {
	if !jsonrpc.IsObject(result) || ResultType(result) != TypeComplete {
		return Discover{}, errors.New("read server/discover: the result is not an object of type complete")
	}
	var d Discover
	for item := range jsonrpc.Items(jsonrpc.Get(result, "supportedVersions")) {
		version, ok := jsonrpc.String(item)
		if !ok {
			return Discover{}, errors.New("read server/discover: a supported version is not a string")
		}
		d.Versions = append(d.Versions, version)
	}
	if d.Versions == nil {
		return Discover{}, errors.New("read server/discover: the result has no supportedVersions")
	}
	if d.Capabilities = jsonrpc.Get(result, "capabilities"); !jsonrpc.IsObject(d.Capabilities) {
		return Discover{}, errors.New("read server/discover: capabilities are not an object")
	}
	d.Instructions = jsonrpc.GetString(result, "instructions")
	if info := jsonrpc.Get(jsonrpc.Get(result, "_meta"), KeyServerInfo); jsonrpc.IsObject(info) {
		d.ServerInfo = info
	}
	return d, nil
}

// Version returns the newest version of an era that the server and this program
// support, or "" if there is none.
func (d Discover) Version(e Era) string {
	for _, version := range e.Versions() {
		if slices.Contains(d.Versions, version) {
			return version
		}
	}
	return ""
}
