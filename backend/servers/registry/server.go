// Package registry answers which MCP servers this user has configured. It
// knows how one is started, never whether it runs or what its tools are.
package registry

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Server is one configured MCP server.
type Server struct {
	ID          int64
	Name        string // unique; letters, digits, dash, underscore, dot; no "__"
	Description string
	Source      string // local, manual, registry, setup-file, …: who configured it
	Transport   string // stdio, streamable-http or sse
	Command     string // empty: cannot be started
	Args        []string
	Env         map[string]string
	Tags        []string
	Package     Package
	Repository  string
	URL         string            // a remote server's endpoint; a stdio server's web page
	Headers     map[string]string // sent to a remote server with each request
	Installed   bool
	// Enabled servers are in every session's tools/list, running or not.
	Enabled bool
	// KeepRunning servers start with the hub and are never stopped for idleness.
	KeepRunning bool
	// Approved is false while a server that an agent wants waits for a person.
	Approved  bool
	Health    Health
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Package says which published package a server comes from; all fields may be empty.
type Package struct {
	Name, Version, Latest string
}

// Health is what starts, ends and checks have shown.
type Health struct {
	Status    string    // unknown, healthy or unhealthy
	CheckedAt time.Time // of the last check; zero: none yet
	Errors    int       // failures since the last reset
	LastError string    // for a person; without secrets
}

var validName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

const maxName = 64

// CheckName reports what is wrong with a server's name.
func CheckName(name string) error {
	switch {
	case name == "":
		return fault.New(fault.Invalid, "Name is required")
	case !validName.MatchString(name):
		return fault.New(fault.Invalid, "Invalid name %q — use alphanumeric, dash, underscore, dot only", name)
	case strings.Contains(name, "__"):
		return fault.New(fault.Invalid, `Name cannot contain "__" (reserved as tool namespace separator)`)
	case strings.HasSuffix(name, "_"):
		return fault.New(fault.Invalid, "Name %q cannot end with _ (the names of its tools could be another server's)", name)
	case name == "mcp" || name == "registry":
		return fault.New(fault.Invalid, "Name %q is reserved; choose another", name)
	case len(name) > maxName:
		return fault.New(fault.Invalid, "Name %q… is longer than %d characters", name[:16], maxName)
	}
	return nil
}

// Endpoint returns the URL that requests to a remote server go to, and "" for a
// stdio server, whose URL only names a web page.
func (s Server) Endpoint() string {
	if s.Transport == "stdio" {
		return ""
	}
	return s.URL
}

// sameTexts reports whether two configurations hold the same where a credential
// may stand.
func (s Server) sameTexts(o Server) bool {
	return s.Command == o.Command && s.URL == o.URL && slices.Equal(s.Args, o.Args) &&
		maps.Equal(s.Env, o.Env) && maps.Equal(s.Headers, o.Headers)
}

// clone returns a copy that shares nothing with s.
func (s Server) clone() Server {
	s.Args, s.Tags, s.Env, s.Headers = slices.Clone(s.Args), slices.Clone(s.Tags), maps.Clone(s.Env), maps.Clone(s.Headers)
	return s
}
