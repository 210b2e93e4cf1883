package installer

import (
	"context"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

// Install is the record of the installation of a server. The same plan can be made again from it: to update the
// server with the same answers, or to return to this version.
type Install struct {
	ID      int64           `json:"-"`
	Server  int64           `json:"-"` // id of the server in the registry
	Current bool            `json:"-"` // the server has this version; the records of former versions are not current
	Listing listing.Listing `json:"listing"`
	Option  string          `json:"option"`
	// Version is the version of the package. A container image may have a digest instead, and a remote server has the
	// version of its listing.
	Version string          `json:"version"`
	Hash    string          `json:"hash"` // plan.Plan.Hash
	Release listing.Release `json:"release,omitzero"`
	Digest  string          `json:"digest,omitempty"`
	// Answers are the answers to the questions of the plan, except for secrets, which are in the keychain.
	Answers map[string][]string `json:"answers,omitempty"`
	// Asked are the names of all questions of the plan.
	Asked []string `json:"asked,omitempty"`
	// Configured is the configuration of the server after its installation. A person may have changed it since.
	Configured Configured `json:"configured"`
	At         time.Time  `json:"at"`
}

// Store stores the records of installations and the notes about leftovers.
type Store interface {
	// SaveInstall adds a version of a server and makes it the current one. All versions of a server are deleted when
	// the server is removed.
	SaveInstall(ctx context.Context, i Install) error
	// ReturnTo makes a former version of a server the current one, and deletes those that came after it.
	ReturnTo(ctx context.Context, server, install int64) error
	// Installs returns the versions of a server, the newest first. For the server 0, it returns the current version of
	// each server.
	Installs(ctx context.Context, server int64) ([]Install, error)

	// SaveLeftover stores a note about something that a job is about to make, and returns the note's id.
	// DropLeftovers deletes the notes with the given ids.
	SaveLeftover(ctx context.Context, l Leftover) (id int64, err error)
	DropLeftovers(ctx context.Context, ids []int64) error
	// Leftovers returns all leftovers, the newest first.
	Leftovers(ctx context.Context) ([]Leftover, error)
}

// RecordOf returns the record of a plan that the caller is about to carry out.
func RecordOf(server int64, r plan.Request, p *plan.Plan) Install {
	i := Install{
		Server: server, Current: true, Listing: r.Listing, Option: p.Option.ID, Version: p.Version, Hash: p.Hash,
		Release: r.Release, Digest: r.Digest, Answers: make(map[string][]string), At: time.Now().UTC(),
	}
	if p.Download != nil && p.Download.Version != "" {
		i.Version = p.Download.Version
	}
	for _, q := range p.Questions {
		i.Asked = append(i.Asked, q.Name)
		if answers := r.Answer(q.Name); len(answers) > 0 && !q.Secret && !slices.ContainsFunc(answers, secretscan.HasCredential) {
			i.Answers[q.Name] = answers
		}
	}
	return i
}

// Configured is the part of a server's configuration that a plan decides. Secrets in its strings are references to
// the keychain.
type Configured struct {
	Transport string            `json:"transport"`
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Package   string            `json:"package,omitempty"`
	Version   string            `json:"version,omitempty"` // of the package
}

// ConfiguredOf returns the part of a server's configuration that a plan decides.
func ConfiguredOf(s registry.Server) Configured {
	return Configured{
		Transport: s.Transport, Command: s.Command, Args: s.Args, Env: s.Env, URL: s.URL, Headers: s.Headers,
		Package: s.Package.Name, Version: s.Package.Version,
	}
}

// Apply replaces the part of a server's configuration that a plan decides.
func (c Configured) Apply(s *registry.Server) {
	s.Transport, s.Command, s.Args, s.Env, s.URL, s.Headers = c.Transport, c.Command, c.Args, c.Env, c.URL, c.Headers
	s.Package.Name, s.Package.Version = c.Package, c.Version
}
