// Package surfaces names what MCP clients can be shown of the hub. The entry or the
// token of a client chooses its surface; package gateway serves it.
package surfaces

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// The surfaces. All but those of one server or toolset include the tools, prompts and
// resources of active servers. An empty surface counts as Registry.
const (
	Registry  = "registry" // the tool registry
	Meta      = "meta"     // find_tool, and tools that call what it finds
	Native    = "native"   // no tool of the hub
	OfServer  = "server:"  // one server alone, whose name follows
	OfToolset = "toolset:" // the tools of a toolset and no others; its name follows
)

// Check returns an error for an unknown surface.
func Check(surface string) error {
	switch surface {
	case "", Registry, Meta, Native:
		return nil
	}
	if Server(surface) == "" && Toolset(surface) == "" {
		return fault.New(fault.Invalid, "unknown surface %q: use %s, %s, %s, %sNAME or %sNAME",
			surface, Registry, Meta, Native, OfServer, OfToolset)
	}
	return nil
}

// Server returns the name of the server that a surface shows alone, empty if it shows
// all servers.
func Server(surface string) string {
	name, ok := strings.CutPrefix(surface, OfServer)
	if !ok {
		return ""
	}
	return name
}

// Toolset returns the name of the toolset that a surface shows, empty if it is another.
func Toolset(surface string) string {
	name, ok := strings.CutPrefix(surface, OfToolset)
	if !ok {
		return ""
	}
	return name
}
