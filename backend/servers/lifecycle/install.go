// Package install answers how a server comes in, is approved, switched on and
// off, and goes. It is what a person does in the window or on the command
// line, and what an agent may propose.
package lifecycle

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Options are the rooms that an installer works with.
type Options struct {
	Registry *registry.Registry
	Catalog  *catalog.Catalog
	Upstream *upstream.Manager
	Vault    *secrets.Vault
	Metrics  Metrics // nil when nothing is measured
	Agents   settings.Agents
	Log      *slog.Logger
	// WarmPackages lets WarmLater download.
	WarmPackages bool
}

// Metrics are what is known about calls of servers.
type Metrics interface {
	Forget(ctx context.Context, server string) error
}

// Installer changes what is installed. It is safe for concurrent use.
type Installer struct {
	Options
	fresh chan string // names of servers whose tools Run is to list
	cold  chan string // names of servers whose packages Run is to download
	probe probe
}

// New returns an installer. What is to be done in the background waits for Run.
func New(o Options) *Installer {
	i := &Installer{Options: o, fresh: make(chan string, 64), cold: make(chan string, 64)}
	i.probe.works = i.works
	return i
}

// Run lists the tools of new servers, and downloads their packages, until ctx
// ends.
func (i *Installer) Run(ctx context.Context) error {
	var starts sync.WaitGroup
	defer starts.Wait()
	starts.Go(func() { i.warmAll(ctx) })
	for {
		select {
		case name := <-i.fresh:
			starts.Go(func() {
				if _, err := i.Refresh(ctx, name); err != nil {
					i.Log.Warn("tools of a new server not listed", "server", name, "error", fault.MessageOf(err))
				}
			})
		case <-ctx.Done():
			return nil
		}
	}
}

// Add configures a server for a person: it may be started at once.
func (i *Installer) Add(ctx context.Context, s registry.Server) (registry.Server, error) {
	remote := s.Transport != "" && s.Transport != "stdio"
	s.Approved, s.Installed = true, s.Command != "" || remote || s.Installed
	return i.Registry.Add(ctx, s)
}

// Propose configures a server for an agent. Whether it may be started depends
// on agents.install; if so, its tools are listed in the background.
func (i *Installer) Propose(ctx context.Context, s registry.Server) (registry.Server, error) {
	if i.Agents.Install == "deny" {
		return registry.Server{}, fault.New(fault.Denied, "agents may not install servers here (agents.install is deny); ask the user to run: agent-discover servers add %s -- COMMAND ARGS", s.Name)
	}
	s.Approved, s.Installed = i.Agents.Install == "allow", true
	s, err := i.Registry.Add(ctx, s)
	if err == nil && s.Approved {
		select {
		case i.fresh <- s.Name:
		case <-ctx.Done(): // the first call lists them
		}
	}
	return s, err
}

// Approve lets a proposed server be started. A launchHash says what the person
// was shown: when the server is another one by now, nothing is approved and the
// error is a fault.Conflict. An empty one approves whatever it is.
func (i *Installer) Approve(ctx context.Context, name, launchHash string) (registry.Server, error) {
	changed := false
	s, err := i.Registry.Update(ctx, name, func(s *registry.Server) {
		if changed = launchHash != "" && launchHash != LaunchHash(*s); !changed {
			s.Approved = true
		}
	})
	if err == nil && changed {
		err = fault.New(fault.Conflict, "server %q has changed since it was shown; nothing was approved. Look at it again, then approve it", name)
	}
	return s, err
}

// Refresh starts a server and lists its tools, without switching it on.
func (i *Installer) Refresh(ctx context.Context, name string) ([]*catalog.Tool, error) {
	s, err := i.Registry.Get(name)
	if err != nil {
		return nil, err
	}
	if err := i.Upstream.Start(ctx, s); err != nil {
		return nil, err
	}
	return i.Catalog.Snapshot().Of(name), nil
}

// Activate starts a server and puts its tools into every session's list. It
// reports whether the server was active already.
func (i *Installer) Activate(ctx context.Context, name string) (tools []*catalog.Tool, already bool, err error) {
	s, err := i.Registry.Get(name)
	if err != nil {
		return nil, false, err
	}
	if s.Enabled {
		return i.Catalog.Snapshot().Of(name), true, nil
	}
	if tools, err = i.Refresh(ctx, name); err != nil {
		return nil, false, err
	}
	_, err = i.Registry.Update(ctx, name, func(s *registry.Server) { s.Enabled = true })
	return tools, false, err
}

// Deactivate takes a server's tools out of the lists and ends its process. It
// reports whether it was active. Its tools stay known and can still be found.
func (i *Installer) Deactivate(ctx context.Context, name string) (was bool, err error) {
	s, err := i.Registry.Get(name)
	if err != nil {
		return false, err
	}
	if s.Enabled || s.KeepRunning {
		_, err = i.Registry.Update(ctx, name, func(s *registry.Server) { s.Enabled, s.KeepRunning = false, false })
	}
	i.Upstream.Stop(name)
	return s.Enabled, err
}

// Withdraw is Remove for an agent. It may not take away what a person would have
// to bring again: with agents.install deny nothing, with ask no server that has
// secrets.
func (i *Installer) Withdraw(ctx context.Context, name string) error {
	if _, err := i.Registry.Get(name); err != nil {
		return err
	}
	records, err := i.Vault.Names(ctx)
	if err != nil {
		return err
	}
	secret := slices.ContainsFunc(records, func(r secrets.Record) bool { return r.Server == name })
	if i.Agents.Install == "deny" || i.Agents.Install == "ask" && secret {
		return fault.New(fault.Denied, "agents may not remove server %q here; ask the user to run: agent-discover servers remove %s", name, name)
	}
	return i.Remove(ctx, name)
}

// Remove forgets a server, its tools, its secrets and its metrics, and ends its
// process. The secrets go first: no server that comes by this name later gets
// them.
func (i *Installer) Remove(ctx context.Context, name string) error {
	if _, err := i.Registry.Get(name); err != nil {
		return err
	}
	if err := i.Vault.Forget(ctx, name); err != nil {
		return err
	}
	if err := i.Registry.Remove(ctx, name); err != nil {
		return err
	}
	i.Upstream.Remove(name)
	err := errors.Join(i.Vault.Forget(ctx, name), i.Catalog.Forget(ctx, name)) // one may have been set meanwhile
	if i.Metrics != nil {
		err = errors.Join(err, i.Metrics.Forget(ctx, name))
	}
	return err
}
