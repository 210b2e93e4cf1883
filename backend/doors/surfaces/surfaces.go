// Package surfaces names the surfaces. A surface decides which tools, prompts and resources the hub shows to an MCP
// client. The configuration entry or the token of a client chooses its surface; package gateway serves it.
package surfaces

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// The surfaces. Registry, Meta and Native include the tools, prompts and resources of always listed servers. An
// empty surface counts as Registry.
const (
	Registry  = "registry" // the tool registry
	Meta      = "meta"     // find_tool, and tools that call the tools that it finds
	Native    = "native"   // no tools of the hub, except for long results
	OfServer  = "server:"  // one server and nothing else; its name follows
	OfToolset = "toolset:" // the tools of a toolset and no others; its name follows
)

// Choice describes a surface for people who choose one.
type Choice struct {
	Surface string `json:"surface"`
	Label   string `json:"label"`
	Text    string `json:"text" doc:"What the surface shows, for people. The wording may change."`
}

// Choices are the surfaces that are not limited to one server or toolset. New configuration entries get the first one.
var Choices = []Choice{
	{Meta, "Find and call", "Finds tools, and calls them by what they may do: read, write or destroy. Plan modes can read."},
	{Registry, "Tool registry", "One tool with actions, as in earlier versions."},
	{Native, "Always listed tools", "The tools of always listed servers, for models that handle many."},
}

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

// Server returns the name of the server that a surface shows alone, empty if it shows something else.
func Server(surface string) string {
	name, ok := strings.CutPrefix(surface, OfServer)
	if !ok {
		return ""
	}
	return name
}

// Toolset returns the name of the toolset that a surface shows, empty if it shows something else.
func Toolset(surface string) string {
	name, ok := strings.CutPrefix(surface, OfToolset)
	if !ok {
		return ""
	}
	return name
}
