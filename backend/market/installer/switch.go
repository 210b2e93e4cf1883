package installer

import (
	"context"
	"maps"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// Version describes the version to which Switch changes a server.
type Version struct {
	Planned    Configured        // as a new installation of the version would be configured
	Configured Configured        // Planned, with the changes that a person has made to the current configuration
	Values     map[string]string // values of the secrets to add to the keychain, by name
	Record     Install           // record to add; ignored if To is set
	To         int64             // if not 0, the id of the record of the former version to which the server returns
}

// Switch changes a server to another version. The server keeps its settings, its secrets that are not in to.Values, and
// its links to secrets of other servers. The next call to the server starts the new version.
func (w *Work) Switch(ctx context.Context, name string, to Version) error {
	w.Enter(Switch)
	i := w.installer
	before, err := i.options.Registry.Get(name)
	if err != nil {
		return err
	}
	links, err := i.options.Vault.Links(ctx, name, launch.Of(before))
	if err != nil {
		return err
	}
	after := before
	to.Configured.Apply(&after)
	l := Leftover{Kind: LeftInstall, Server: name, Hash: launch.Of(after).Hash(), Install: &to.Record, To: to.To}
	if to.To != 0 {
		l.Install = nil
	}
	for _, secret := range slices.Sorted(maps.Keys(to.Values)) {
		if err := i.leftovers.mark(ctx, &w.steps, Leftover{Kind: LeftSecret, Server: name, Secret: secret}, nil); err != nil {
			return err
		}
		if err := i.options.Vault.Set(ctx, name, secret, to.Values[secret]); err != nil {
			return err
		}
	}
	if err := i.leftovers.mark(ctx, &w.steps, l,
		func(ctx context.Context) error { return i.configure(ctx, name, ConfiguredOf(before)) }); err != nil {
		return err
	}
	if err := i.configure(ctx, name, to.Configured); err != nil {
		return err
	}
	return i.record(ctx, name, l, links, func(now Configured) Configured { return recorded(to, now) })
}

// recorded returns the configuration to store in the record of a version: to.Planned, without the changes that a person
// has made, but with references in place of credentials. now is the configuration of the server after its credentials
// were moved to the keychain.
func recorded(to Version, now Configured) Configured {
	out := to.Planned
	texts := func(planned, merged, now map[string]string) map[string]string {
		planned = maps.Clone(planned)
		for name, text := range planned {
			if merged[name] == text {
				planned[name] = now[name]
			} else if secretscan.HasCredential(text) {
				delete(planned, name)
			}
		}
		return planned
	}
	out.Env, out.Headers = texts(out.Env, to.Configured.Env, now.Env), texts(out.Headers, to.Configured.Headers, now.Headers)
	if slices.Equal(out.Args, to.Configured.Args) || slices.ContainsFunc(out.Args, secretscan.HasCredential) {
		out.Args = now.Args
	}
	if out.URL == to.Configured.URL {
		out.URL = now.URL
	}
	return out
}

func (i *Installer) configure(ctx context.Context, name string, c Configured) error {
	_, err := i.options.Registry.Update(ctx, name, func(s *registry.Server) { c.Apply(s) })
	return err
}

// record completes a switch once the server has its new configuration: it moves credentials to the keychain, restores
// the links to secrets of other servers, and stores the record. recorded returns the configuration for that record.
func (i *Installer) record(ctx context.Context, name string, l Leftover, links []vault.Grant,
	recorded func(now Configured) Configured,
) error {
	now, err := i.options.Intake.Secure(ctx, name)
	if err != nil {
		return err
	}
	for _, link := range links {
		if link.Holds {
			if err := i.options.Vault.Link(ctx, name, launch.Of(now), link.Owner, link.Name); err != nil {
				return err
			}
		}
	}
	if l.To != 0 {
		return i.options.Store.ReturnTo(ctx, now.ID, l.To)
	}
	l.Install.Server, l.Install.Configured = now.ID, recorded(ConfiguredOf(now))
	return i.options.Store.SaveInstall(ctx, *l.Install)
}

// finishSwitch completes a switch that was interrupted because the hub was killed. If the server did not get its new
// configuration, finishSwitch does nothing.
func (i *Installer) finishSwitch(ctx context.Context, l Leftover) error {
	s, err := i.options.Registry.Get(l.Server)
	if fault.KindOf(err) == fault.NotFound || err == nil && launch.Of(s).Hash() != l.Hash {
		return nil
	}
	if err != nil {
		return err
	}
	installs, err := i.options.Store.Installs(ctx, s.ID)
	if err != nil {
		return err
	}
	for _, one := range installs {
		if one.Current && (one.ID == l.To || l.Install != nil && one.Hash == l.Install.Hash && one.At.Equal(l.Install.At)) {
			return nil // the record was stored before the hub was killed
		}
	}
	// It is no longer known which parts a person has changed, so record the whole configuration.
	return i.record(ctx, l.Server, l, nil, func(now Configured) Configured { return now })
}
