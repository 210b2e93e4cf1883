package registration

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// The flags of the command mcp.
const (
	clientFlag  = "--client"
	surfaceFlag = "--surface"
)

// NewSurface is the surface in the arguments of new entries: only the hub's own tools, which find
// and call the tools of servers.
const NewSurface = "meta"

// bareSurface is the surface of an entry whose arguments do not name a surface. It contains only
// the tool named registry.
const bareSurface = "registry"

// arguments are the arguments with which an Agent Discover entry starts the program.
type arguments struct {
	valid   bool     // the arguments start the command mcp, and all of them are known
	client  string   // value of --client; "" without it
	surface []string // --surface and its value
}

func parseArguments(args []string) arguments {
	if len(args) == 0 || args[0] != "mcp" {
		return arguments{}
	}
	a := arguments{valid: true}
	for rest := args[1:]; len(rest) > 0; {
		name, value, ok := strings.Cut(rest[0], "=")
		words := 1
		if !ok && len(rest) > 1 && (name == clientFlag || name == surfaceFlag) {
			value, words, ok = rest[1], 2, true
		}
		switch {
		case ok && name == clientFlag:
			a.client = value
		case ok && name == surfaceFlag:
			a.surface = append(a.surface, rest[:words]...)
		default:
			a.valid = false
		}
		rest = rest[words:]
	}
	return a
}

// outdated reports whether the entry of a server lacks --client or --surface, like the entries of
// earlier versions.
func outdated(server table.Server) bool {
	a := parseArguments(table.Arguments(server))
	return a.client == "" || len(a.surface) == 0
}

// surfaceName returns the last surface that the arguments name; "" without one.
func (a arguments) surfaceName() string {
	if len(a.surface) == 0 {
		return ""
	}
	last := a.surface[len(a.surface)-1]
	return strings.TrimPrefix(last, surfaceFlag+"=")
}

// updatedArguments returns the wanted arguments of an entry, but with the client and the surface
// that the current arguments name. If chosen is set, it takes the surface from wanted.
func updatedArguments(present, wanted []string, chosen bool) []string {
	a, w := parseArguments(present), parseArguments(wanted)
	if chosen && a.surfaceName() != w.surfaceName() {
		a.surface = nil
	}
	if a.valid && a.client != "" && len(a.surface) > 0 {
		return present
	}
	if len(a.surface) == 0 {
		a.surface = w.surface
	}
	return slices.Concat([]string{"mcp", clientFlag, cmp.Or(a.client, w.client)}, a.surface)
}
