package secrets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Launch describes how a server is started or reached. Its texts may contain
// references to secrets. A link to a secret of another server is valid only
// while the parts of Launch that runs covers stay the same.
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

// runs returns a hash of the program or URL that a start uses, with its
// arguments, and of who configured it.
func (l Launch) runs() string {
	canonical, _ := json.Marshal([]any{l.Transport, l.Command, append([]string{}, l.Args...), l.URL, l.Source}) // cannot fail for strings
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// Link allows a server to use a secret of another server.
type Link struct {
	Server string // the server that uses the secret
	Owner  string // Launch.runs of Server when the link was made
	Name   string
	Runs   string // hash of what Server ran when the link was made
}

// Link allows a server with the configuration as to use a secret of owner. The
// link becomes invalid when the server's program, arguments, URL or source
// change.
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

// Unlink removes a link. Removing a missing link is not an error.
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

// Grant describes a link, and whether it is still valid.
type Grant struct {
	Owner, Name string
	Holds       bool // whether the link is valid for the server's present configuration
}

// Links returns the links of a server to secrets of other servers, sorted by
// owner and name. as is the server's present configuration.
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
