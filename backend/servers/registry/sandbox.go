package registry

import (
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Values of Server.Sandbox, each stricter than the one before.
const (
	Unconfined = "off"    // the server has all rights of the user
	Guard      = "guard"  // it uses only the system, its own files and what is granted
	Strict     = "strict" // as Guard, and it reaches no address unless it is granted
)

// Levels are the values of Server.Sandbox, the loosest first.
var Levels = []string{Unconfined, Guard, Strict}

// AnyHost is the network grant that allows every address.
const AnyHost = "*"

// Grants are the rights that a person gives a confined server beyond its level. Paths are absolute or begin with ~/. A
// network grant is host:port, a port, or AnyHost.
type Grants struct {
	Read    []string `json:"read,omitempty"`
	Write   []string `json:"write,omitempty"`
	Network []string `json:"network,omitempty"`
}

// Equal reports whether g and o contain the same grants in the same order.
func (g Grants) Equal(o Grants) bool {
	return slices.Equal(g.Read, o.Read) && slices.Equal(g.Write, o.Write) && slices.Equal(g.Network, o.Network)
}

// String returns the grants in words, such as "reads ~/notes, connects to x.example:443", and "" if there are none.
func (g Grants) String() string {
	var parts []string
	for _, kind := range []struct {
		what string
		list []string
	}{{"reads", g.Read}, {"writes", g.Write}, {"connects to", g.Network}} {
		if len(kind.list) > 0 {
			parts = append(parts, kind.what+" "+strings.Join(kind.list, " "))
		}
	}
	return strings.Join(parts, ", ")
}

// Confined reports whether the processes of the server run in a sandbox.
func (s Server) Confined() bool {
	return s.Transport == "stdio" && (s.Sandbox == Guard || s.Sandbox == Strict)
}

// Guarded returns the server with a sandbox that no person has relaxed: at least Guard, and without grants.
func (s Server) Guarded() Server {
	if s.Sandbox != Strict {
		s.Sandbox = Guard
	}
	s.Grants = Grants{}
	return s
}

// Looser reports whether a sandbox with this level and these grants allows
// anything that the server's present one does not.
func (s Server) Looser(level string, grants Grants) bool {
	if slices.Index(Levels, level) < slices.Index(Levels, s.Sandbox) {
		return true
	}
	added := func(now, then []string) bool {
		return slices.ContainsFunc(then, func(grant string) bool { return !slices.Contains(now, grant) })
	}
	return added(s.Grants.Read, grants.Read) || added(s.Grants.Write, grants.Write) || added(s.Grants.Network, grants.Network)
}

// CheckSandbox returns a fault.Invalid unless level is empty or one of Levels.
func CheckSandbox(level string) error {
	if level == "" || slices.Contains(Levels, level) {
		return nil
	}
	return fault.New(fault.Invalid,
		"invalid sandbox %q: use %s (no restrictions), %s (only the system, its own files and what is granted) or %s (also no network "+
			"unless granted)", level, Unconfined, Guard, Strict)
}
