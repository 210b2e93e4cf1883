package secrets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Launch is how a server is started or reached: what may hold references, and
// what a link is bound to.
type Launch struct {
	Transport string // stdio, or that of a remote server
	Command   string
	Args      []string
	Env       map[string]string
	URL       string
	Headers   map[string]string
	Source    string // who configured it
}

func (l Launch) remote() bool { return l.Transport != "" && l.Transport != "stdio" }

// runs names what a start runs or connects to, and for whom.
func (l Launch) runs() string {
	canonical, _ := json.Marshal([]any{l.Transport, l.Command, append([]string{}, l.Args...), l.URL, l.Source}) // strings
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// Link lets a server use a secret of another.
type Link struct {
	Server string // that uses it
	Owner  string
	Name   string
	Runs   string // what the server ran when the person made the link
}

// Link lets a server, as it is now, use a secret of another. When the server
// runs or connects to something else, the link holds no longer.
func (v *Vault) Link(ctx context.Context, server string, as Launch, owner, name string) error {
	leave, err := v.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if owner == server {
		return fault.New(fault.Invalid, "server %q needs no link to a secret of its own", server)
	}
	r, known, err := v.record(ctx, owner, name)
	if err != nil {
		return err
	}
	if !known || r.Dropped {
		return fault.New(fault.NotFound, "server %q has no secret %q", owner, name)
	}
	if err := v.store.PutSecretLink(ctx, Link{Server: server, Owner: owner, Name: name, Runs: as.runs()}); err != nil {
		return err
	}
	v.tell(server, []string{server})
	return nil
}

// Unlink takes a link away. One that is not there is no error.
func (v *Vault) Unlink(ctx context.Context, server, owner, name string) error {
	leave, err := v.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := v.store.RemoveSecretLink(ctx, Link{Server: server, Owner: owner, Name: name}); err != nil {
		return err
	}
	v.tell(server, []string{server})
	return nil
}

// Grant is a link as it stands now.
type Grant struct {
	Owner, Name string
	Holds       bool // the server still is what it was when the link was made
}

// Links returns the links of a server, sorted by owner and name.
func (v *Vault) Links(ctx context.Context, server string, as Launch) ([]Grant, error) {
	links, err := v.store.SecretLinks(ctx)
	if err != nil {
		return nil, err
	}
	var grants []Grant
	for _, l := range links {
		if l.Server == server {
			grants = append(grants, Grant{Owner: l.Owner, Name: l.Name, Holds: l.Runs == as.runs()})
		}
	}
	return grants, nil
}
