// Package registry stores which MCP servers are configured: their names, how each one is started or reached, and its
// health at the last start or check. Package upstream knows which servers are running, and package catalog which
// tools they have.
package registry

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// Server is one configured MCP server. Its JSON form is the one in exports. The fields that it leaves out are decided
// by the machine that the server is on.
type Server struct {
	ID          int64             `json:"-"`
	Name        string            `json:"name"` // unique; see CheckName
	Description string            `json:"description,omitempty"`
	Source      string            `json:"source,omitempty"`    // who configured it: local, manual, registry, setup-file, …
	Transport   string            `json:"transport,omitempty"` // stdio, streamable-http or sse
	Command     string            `json:"command,omitempty"`   // a stdio server without a command cannot be started
	Args        []string          `json:"args,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
	Dir         string            `json:"dir,omitempty"` // folder in which a stdio server starts, see CheckDir; the home folder if empty
	Tags        []string          `json:"tags,omitempty"`
	Package     Package           `json:"package,omitzero"`
	Repository  string            `json:"repository,omitempty"`
	URL         string            `json:"url,omitempty"`     // a remote server's endpoint; a stdio server's web page
	Headers     map[string]string `json:"headers,omitempty"` // sent with each request to a remote server
	Installed   bool              `json:"-"`
	// The tools of an AlwaysListed server are in every session's tools/list, whether it is running or not. The REST
	// API calls it active, as the original product does.
	AlwaysListed bool `json:"always_listed,omitempty"`
	// KeepRunning servers start with the hub and are not stopped when idle.
	KeepRunning bool `json:"keep_running,omitempty"`
	// Deferred servers are not started before they are needed: their tools are unknown
	// until then.
	Deferred bool `json:"deferred,omitempty"`
	// Timeouts are the server's own time limits.
	Timeouts Timeouts `json:"timeouts,omitzero"`
	// Isolation is Shared or PerSession; Add and Update make an empty one Shared.
	Isolation string `json:"isolation,omitempty"`
	// Sandbox is Unconfined, Guard or Strict; Add and Update make an empty one Unconfined. Grants are further rights
	// that a person gives the server.
	Sandbox string `json:"sandbox,omitempty"`
	Grants  Grants `json:"grants,omitzero"`
	// Approved is false while a server that an agent proposed waits for a
	// person's approval.
	Approved bool `json:"approved"`
	// Disabled servers keep their settings, secrets and approvals, but are neither started nor shown to agents until a
	// person enables them.
	Disabled bool `json:"disabled,omitempty"`
	// ProposedBy is the client whose agent proposed the server, as the client
	// named itself; empty for a server that a person added.
	ProposedBy string `json:"proposed_by,omitempty"`
	// Account is a person's label for the account that the server uses, if the same server is configured for several
	// accounts; see CheckAccount. It may be empty.
	Account   string    `json:"account,omitempty"`
	Health    Health    `json:"-"`
	CreatedAt time.Time `json:"-"`
	UpdatedAt time.Time `json:"-"`
}

// SameProgram reports whether two servers run the same package or program, or are at the
// same address. They may do so for different accounts or folders.
func (s Server) SameProgram(other Server) bool {
	switch {
	case s.Package.Name != "" && other.Package.Name != "":
		return s.Package.Name == other.Package.Name
	case s.Endpoint() != "" || other.Endpoint() != "":
		return s.Endpoint() == other.Endpoint()
	}
	return s.Command == other.Command && firstName(s.Args) == firstName(other.Args)
}

// firstName returns the first argument that may name a package, an image or a script.
func firstName(args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") && !slices.Contains([]string{"run", "exec", "tool", "dlx", "x"}, arg) {
			return arg
		}
	}
	return ""
}

const maxAccount = 60 // characters

// CheckAccount returns a fault.Invalid if account cannot be the label of an account. A label has at most 60 characters,
// all of them visible.
func CheckAccount(account string) error {
	if utf8.RuneCountInString(account) > maxAccount || safetext.Label(account) != account {
		return fault.New(fault.Invalid, "invalid account: use at most %d characters and no control characters", maxAccount)
	}
	return nil
}

// Values of Server.Isolation.
const (
	Shared     = "shared"  // one process, or one connection, serves all clients
	PerSession = "session" // each session of a client has its own
)

// Isolated reports whether each session of a client has the server for itself.
func (s Server) Isolated() bool { return s.Isolation == PerSession }

// CheckIsolation returns a fault.Invalid unless isolation is empty, Shared or
// PerSession.
func CheckIsolation(isolation string) error {
	switch isolation {
	case "", Shared, PerSession:
		return nil
	}
	return fault.New(fault.Invalid, "invalid isolation %q: use %s (one process for all clients) or %s (one for each session of a client)",
		isolation, Shared, PerSession)
}

// Usable returns nil if a server may be used as it is configured: a person has approved it and has not disabled it, and
// it is complete. Otherwise it returns a fault.Denied with fault.CodeUnapproved or fault.CodeServerDisabled, whose
// message says what to do, or a fault.Invalid with the text of Incomplete.
func (s Server) Usable() error {
	if !s.Approved {
		return &fault.Error{Kind: fault.Denied, Code: fault.CodeUnapproved, Message: "server " + strconv.Quote(s.Name) +
			" waits for a person's approval: ask the user to approve it in the tray or the dashboard"}
	}
	if s.Disabled {
		return &fault.Error{Kind: fault.Denied, Code: fault.CodeServerDisabled, Message: "server " + strconv.Quote(s.Name) +
			" is disabled: ask the user to enable it on its page or with: agent-discover servers enable " + s.Name}
	}
	if lack := s.Incomplete(); lack != "" {
		return fault.New(fault.Invalid, "Server %q %s", s.Name, lack) // in the words of the original product
	}
	return nil
}

// InEveryList reports whether every client lists the server's tools, prompts and resources: it is always listed and
// usable.
func (s Server) InEveryList() bool { return s.AlwaysListed && s.Usable() == nil }

// Incomplete returns why a server cannot be started as it is configured: its transport is unknown, or it lacks a
// command or a URL. The text continues a sentence that begins with the server's name. It is "" for a complete server.
func (s Server) Incomplete() string {
	transport, err := TransportFor(s.Transport, s.Command, s.URL)
	switch {
	case err != nil:
		return "has an " + fault.MessageOf(err)
	case transport == "stdio" && s.Command == "":
		return "has no command configured"
	case transport != "stdio" && s.URL == "":
		return "has no URL configured for remote transport"
	}
	return ""
}

// Package names the published package that a server comes from. All fields may
// be empty.
type Package struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	Latest  string `json:"latest,omitempty"`
}

// Health is the result of a server's starts, exits and checks so far.
type Health struct {
	Status    string    // unknown, healthy or unhealthy
	CheckedAt time.Time // time of the last check; zero before the first
	Errors    int       // number of failed starts, failed checks and unexpected exits since a person reset it
	LastError string    // message for a person, without secrets; empty after a success
	// MissingVariable names the environment variable without which, as LastError
	// says, the server does not start. It may be empty.
	MissingVariable string
	// Listed reports whether the server has started since it was configured, so that its
	// tools are known.
	Listed bool
}

var validName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

const maxName = 64

// CheckName returns a fault.Invalid if name cannot be the name of a server. A
// name has at most 64 letters, digits, dashes, underscores and dots. It does not
// begin with a dash and is not made of dots alone, so that no command takes it
// for an option or a folder. Tools are called server__tool, so that a name
// contains no "__" and does not end with an underscore. The names mcp and
// registry are reserved.
func CheckName(name string) error {
	switch {
	case name == "":
		return fault.New(fault.Invalid, "Name is required")
	case !validName.MatchString(name):
		return fault.New(fault.Invalid, "Invalid name %q — use alphanumeric, dash, underscore, dot only", name)
	case strings.HasPrefix(name, "-") || strings.Trim(name, ".") == "":
		return fault.New(fault.Invalid, "Invalid name %q — a name must not begin with a dash or consist of dots", name)
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

// Endpoint returns the URL to which requests to a remote server go. It returns
// "" for a stdio server, whose URL is only that of a web page.
func (s Server) Endpoint() string {
	if s.Transport == "stdio" {
		return ""
	}
	return s.URL
}

// sameTexts reports whether two configurations are equal in all fields that may
// contain a credential.
func (s Server) sameTexts(o Server) bool {
	return s.Command == o.Command && s.URL == o.URL && s.Dir == o.Dir && slices.Equal(s.Args, o.Args) &&
		maps.Equal(s.Env, o.Env) && maps.Equal(s.Headers, o.Headers)
}

// clone returns a deep copy of s.
func (s Server) clone() Server {
	s.Args, s.Tags, s.Env, s.Headers = slices.Clone(s.Args), slices.Clone(s.Tags), maps.Clone(s.Env), maps.Clone(s.Headers)
	s.Grants = Grants{slices.Clone(s.Grants.Read), slices.Clone(s.Grants.Write), slices.Clone(s.Grants.Network)}
	return s
}
