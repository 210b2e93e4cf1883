package secrets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Launch describes how a server is started or reached. Its texts may contain
// references to secrets, and links are bound to it.
type Launch struct {
	Transport string // stdio, or the transport of a remote server
	Command   string
	Args      []string
	Env       map[string]string
	URL       string
	Headers   map[string]string
	Source    string // who configured it
}

func (l Launch) remote() bool { return l.Transport != "" && l.Transport != "stdio" }

// runs returns a hash of what a start runs or connects to, and who configured it.
func (l Launch) runs() string {
	canonical, _ := json.Marshal([]any{l.Transport, l.Command, append([]string{}, l.Args...), l.URL, l.Source}) // strings only: cannot fail
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// Link allows a server to use a secret of another server.
type Link struct {
	Server string // the server that uses the secret
	Owner  string // the server that the secret belongs to
	Name   string
	Runs   string // hash of what Server ran when the link was made
}

// Link allows a server, configured as in as, to use a secret of owner. The link
// no longer holds once the server runs or connects to something else.
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
	v.notify(server, []string{server})
	return nil
}

// Unlink removes a link. Removing a missing link is no error.
func (v *Vault) Unlink(ctx context.Context, server, owner, name string) error {
	leave, err := v.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := v.store.RemoveSecretLink(ctx, Link{Server: server, Owner: owner, Name: name}); err != nil {
		return err
	}
	v.notify(server, []string{server})
	return nil
}

// Grant is a link, together with whether it is still valid.
type Grant struct {
	Owner, Name string
	Holds       bool // the server still runs what it ran when the link was made
}

// Links returns the links of a server to secrets of others, sorted by owner and
// name. A link holds if the server was configured as in as when it was made.
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
