package vault

import (
	"context"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

// Link allows a server to use a secret of another server.
type Link struct {
	Server string // the server that uses the secret
	Owner  string // the server that the secret belongs to
	Name   string
	Runs   string // Hash of the launch of Server when the link was made
}

// Link allows a server to use a secret of owner. as is the server's present launch; the link is valid only for this
// launch.
func (v *Vault) Link(ctx context.Context, server string, as launch.Launch, owner, name string) error {
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
	if err := v.store.PutSecretLink(ctx, Link{Server: server, Owner: owner, Name: name, Runs: as.Hash()}); err != nil {
		return err
	}
	v.notify(server, []string{server})
	return nil
}

// Missing is a secret that a server's configuration refers to, but that the server does not get.
type Missing struct {
	Owner string // the server that the secret belongs to; empty for a secret of the server itself
	Name  string
	Set   bool // the owner has the secret, but no valid link allows the server to use it
}

// Missing returns the secrets that a server would not get although its launch, as, refers to them, so that its start
// would fail. It reads no values.
func (v *Vault) Missing(ctx context.Context, server string, as launch.Launch) ([]Missing, error) {
	records, err := v.records(ctx, "")
	if err != nil {
		return nil, err
	}
	grants, err := v.Links(ctx, server, as)
	if err != nil {
		return nil, err
	}
	has := func(owner, name string) bool {
		return slices.ContainsFunc(records, func(r Record) bool { return r.Server == owner && r.Name == name })
	}
	var missing []Missing
	for _, reference := range as.References() {
		owner, name, other := strings.Cut(reference, "/")
		switch {
		case has(server, reference):
		case !other || owner == server:
			missing = append(missing, Missing{Name: reference})
		case !has(owner, name) || !slices.Contains(grants, Grant{owner, name, true}):
			missing = append(missing, Missing{owner, name, has(owner, name)})
		}
	}
	return missing, nil
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
func (v *Vault) Links(ctx context.Context, server string, as launch.Launch) ([]Grant, error) {
	links, err := v.store.SecretLinks(ctx)
	if err != nil {
		return nil, err
	}
	var grants []Grant
	for _, l := range links {
		if l.Server == server {
			grants = append(grants, Grant{Owner: l.Owner, Name: l.Name, Holds: l.Runs == as.Hash()})
		}
	}
	return grants, nil
}
