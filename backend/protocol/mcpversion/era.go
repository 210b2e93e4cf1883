// Package mcpversion translates messages between the two eras of MCP. Versions 2024-11-05 to
// 2025-11-25 form the legacy era, in which initialize opens a session. Version 2026-07-28
// begins the modern era, in which each request carries its version and the client's
// capabilities in _meta.
//
//	received request    Detect, ReadMeta, CheckMeta    find its era, and check its metadata
//	forwarded request   Meta.Stamp                     set the metadata for the next hop
//	returned result     Complete, Restamp, Plain       legacy→modern, modern→modern, modern→legacy
//	returned error      ErrorFor                       use a code that exists in the client's era
//
// All functions are pure and work on bytes: unknown members, the order of members and the
// spelling of numbers stay as they were written. Their arguments must be valid JSON, as
// every part of a jsonrpc.Message is; for other text the results are meaningless. Package
// mcpheader handles HTTP headers, and package inputrequired handles requests for input.
package mcpversion

import (
	"encoding/json"
	"slices"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Era is one of the two eras of MCP, or Unknown.
type Era int

// The eras. Unknown means that a message does not show its era, for example a notification on stdio; then the era of
// the connection applies.
const (
	Unknown Era = iota
	Legacy
	Modern
)

// supported are the versions of MCP that this program speaks, newest first.
var supported = []struct {
	version string
	era     Era
}{
	{"2026-07-28", Modern},
	{"2025-11-25", Legacy},
	{"2025-06-18", Legacy},
	{"2025-03-26", Legacy},
	{"2024-11-05", Legacy},
}

// Versions returns the supported versions of an era, newest first; those of both
// eras for Unknown.
func (e Era) Versions() []string {
	var out []string
	for _, s := range supported {
		if e == Unknown || e == s.era {
			out = append(out, s.version)
		}
	}
	return out
}

// Of returns the era of a supported version, Unknown for other texts.
func Of(version string) Era {
	for _, s := range supported {
		if s.version == version {
			return s.era
		}
	}
	return Unknown
}

// Negotiate returns the version with which a server answers an initialize request
// that asks for a version: the same one if it is a supported legacy version, and
// otherwise the newest legacy version.
func Negotiate(asked string) string {
	if versions := Legacy.Versions(); !slices.Contains(versions, asked) {
		return versions[0]
	}
	return asked
}

// Detect returns the era of a request. header is the value of the header
// MCP-Protocol-Version, or empty. The first of these rules that applies decides:
//   - A supported version in header means its era, whatever _meta says.
//   - A protocol version in _meta means Modern, whichever it is, so that CheckMeta can refuse it.
//   - A method that only one era has, such as initialize, means that era.
//   - An unsupported version in header means Modern if it is a later date than the newest
//     legacy version, and otherwise Legacy.
func Detect(method string, params json.RawMessage, header string) Era {
	if e := Of(header); e != Unknown {
		return e
	}
	if jsonrpc.Get(jsonrpc.Get(params, "_meta"), KeyProtocolVersion) != nil {
		return Modern
	}
	if e := eraOfMethod(method); e != Unknown || header == "" {
		return e
	}
	if header > Legacy.Versions()[0] {
		return Modern
	}
	return Legacy
}

// eraOfMethod returns the era of a method that only one era has.
func eraOfMethod(method string) Era {
	switch method {
	case "initialize", "notifications/initialized", "ping", "logging/setLevel",
		"resources/subscribe", "resources/unsubscribe", "notifications/roots/list_changed":
		return Legacy
	case "server/discover", "subscriptions/listen", "notifications/subscriptions/acknowledged", "tasks/update":
		return Modern
	}
	return Unknown
}
