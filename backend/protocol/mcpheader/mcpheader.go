// Package mcpheader reads, writes and checks the HTTP headers that repeat parts of a
// request in MCP 2026-07-28 and later, so that proxies need not read the body.
//
//	MCP-Protocol-Version   the version in _meta
//	Mcp-Method             the method
//	Mcp-Name               the tool, prompt, resource or task that the params name
//	Mcp-Param-X            an argument of a tool, where the tool's schema asks for it
//
// A server must refuse a request whose headers contradict its body, because a proxy may
// have allowed or routed the request by its headers.
package mcpheader

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// Names of headers, in the form that http.Header uses.
const (
	Version     = "Mcp-Protocol-Version"
	Method      = "Mcp-Method"
	Name        = "Mcp-Name"
	ParamPrefix = "Mcp-Param-"
)

// encode puts this prefix and this suffix around the standard base64 of a text that a header cannot contain unchanged.
const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// encode returns s as the value of a header. This is s itself if s consists of visible ASCII characters and spaces
// between them, and does not look encoded.
func encode(s string) string {
	safe := strings.Trim(s, " ") == s && !(strings.HasPrefix(s, encodedPrefix) && strings.HasSuffix(s, encodedSuffix))
	for i := 0; safe && i < len(s); i++ {
		safe = s[i] >= 0x20 && s[i] < 0x7f
	}
	if safe {
		return s
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(s)) + encodedSuffix
}

// decode undoes encode; ok is false if value begins and ends like an encoded text, but
// is not valid base64 between.
func decode(value string) (s string, ok bool) {
	body, prefixed := strings.CutPrefix(value, encodedPrefix)
	body, suffixed := strings.CutSuffix(body, encodedSuffix)
	if !prefixed || !suffixed {
		return value, true
	}
	text, err := base64.StdEncoding.DecodeString(body)
	return string(text), err == nil
}

// nameOf returns the text for the header Mcp-Name; ok is false if requests of this
// method do not have that header, or if the params lack the text.
func nameOf(method string, params json.RawMessage) (name string, ok bool) {
	switch method {
	case "tools/call", "prompts/get":
		return jsonrpc.String(jsonrpc.Get(params, "name"))
	case "resources/read":
		return jsonrpc.String(jsonrpc.Get(params, "uri"))
	case "tasks/get", "tasks/update", "tasks/cancel":
		return jsonrpc.String(jsonrpc.Get(params, "taskId"))
	}
	return "", false
}

// Set sets the headers of a request, except for the headers of arguments. The version comes
// from params; if params has none, as in notifications, the version header stays as it is.
func Set(h http.Header, method string, params json.RawMessage) {
	if version := mcpversion.ReadMeta(params).ProtocolVersion; version != "" {
		h.Set(Version, version)
	}
	h.Set(Method, method)
	h.Del(Name)
	if name, ok := nameOf(method, params); ok {
		h.Set(Name, encode(name))
	}
}

// Check returns nil if the headers of a request repeat its body, otherwise the error that
// answers the request. It does not check the headers of arguments, nor that the params
// have a version or a name.
func Check(h http.Header, method string, params json.RawMessage) *jsonrpc.Error {
	version := mcpversion.ReadMeta(params).ProtocolVersion
	if err := compare(h, Version, version, version != "", same); err != nil {
		return err
	}
	if err := compare(h, Method, method, true, same); err != nil {
		return err
	}
	name, ok := nameOf(method, params)
	if !ok {
		return nil
	}
	return compare(h, Name, name, true, same)
}

func same(header, body string) bool { return header == body }

// compare returns nil if a header occurs exactly once and equal accepts its decoded value and
// body. If inBody is false, it only checks that the header does not occur more than once.
func compare(h http.Header, name, body string, inBody bool, equal func(header, body string) bool) *jsonrpc.Error {
	values := h.Values(name)
	switch {
	case len(values) > 1:
		return mismatch("%s occurs more than once", name)
	case !inBody:
		return nil
	case len(values) == 0:
		return mismatch("%s is missing", name)
	}
	header, ok := decode(values[0])
	if !ok {
		return mismatch("%s is not valid base64", name)
	}
	if !equal(header, body) {
		return mismatch("%s differs from the body", name)
	}
	return nil
}

func mismatch(format string, args ...any) *jsonrpc.Error {
	return jsonrpc.NewError(mcpversion.CodeHeaderMismatch, "Header mismatch: "+format+"; send headers that repeat the body", args...)
}
