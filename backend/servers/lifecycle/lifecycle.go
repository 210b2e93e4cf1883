// Package lifecycle approves, activates, deactivates and removes servers for a
// person, who uses the window or the command line, and for agents, if the
// settings allow it. Package intake adds servers, package registry stores their
// configuration, and package upstream starts and stops them.
package lifecycle

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Processes starts and stops the processes of servers.
type Processes interface {
	// Start starts a server and returns once its tools are in the catalog.
	Start(ctx context.Context, s registry.Server) error
	// Refresh is like Start, but lists the tools of a running server again.
	Refresh(ctx context.Context, s registry.Server) error
	Stop(name string)
	// Remove stops a server and refuses to start it again.
	Remove(name string)
}

// Vault holds the secrets of servers.
type Vault interface {
	// Names returns the names of a server's secrets.
	Names(ctx context.Context, server string) ([]string, error)
	// Forget deletes the secrets of a server that remove removes; see vault.Vault.Forget.
	Forget(ctx context.Context, server string, remove func() error) error
	// Rename gives the secrets of a server to its new name; see vault.Vault.Rename.
	Rename(ctx context.Context, server, to string, store func(kept map[string]string) error) error
}

// Metrics holds the metrics of servers.
type Metrics interface {
	// Forget deletes the metrics of a server.
	Forget(ctx context.Context, server string) error
}

// Options are the dependencies and settings of a Manager.
type Options struct {
	Registry  *registry.Registry
	Catalog   *catalog.Catalog
	Processes Processes
	Vault     Vault
	Metrics   Metrics // may be nil
	Names     Names   // needed for Rename only
	// Hold keeps new servers from being started until release is called. It may be nil.
	Hold func() (release func())
	// Again makes the next start of a server try what has failed before and would not be tried now. It may be nil.
	Again func(name string)
	// Policy returns the setting agents.install: allow, ask or deny. If it is nil, the setting is ask.
	Policy func() registry.Permission
	Log    *slog.Logger
	Now    func() time.Time // nil for time.Now
}

// Manager changes which servers are approved and always listed, and removes servers. It is safe
// for concurrent use.
type Manager struct {
	registry  *registry.Registry
	catalog   *catalog.Catalog
	processes Processes
	vault     Vault
	metrics   Metrics
	names     Names
	hold      func() (release func())
	again     func(name string)
	policy    func() registry.Permission
	log       *slog.Logger

	codes *codes
}

// New returns a manager.
func New(o Options) *Manager {
	if o.Policy == nil {
		o.Policy = func() registry.Permission { return registry.Ask }
	}
	if o.Hold == nil {
		o.Hold = func() func() { return func() {} }
	}
	if o.Again == nil {
		o.Again = func(string) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Manager{
		registry: o.Registry, catalog: o.Catalog, processes: o.Processes, vault: o.Vault, metrics: o.Metrics, names: o.Names,
		hold: o.Hold, again: o.Again,
		policy: o.Policy, log: o.Log, codes: &codes{now: o.Now, open: make(map[string]*code)},
	}
}

// Configure prevents first starts of servers until done is called. Call Configure before approving a server, and
// call done after recording that a person accepts the way in which the server is started.
func (m *Manager) Configure() (done func()) { return m.hold() }

// Refresh lists the tools of a server again, starts the server if necessary, and returns the
// tools. It does not change whether the server is always listed.
func (m *Manager) Refresh(ctx context.Context, name string) ([]*catalog.Tool, error) {
	return m.tools(ctx, name, m.processes.Refresh)
}

// Retry is Refresh for a person, who may have mended what has failed before.
func (m *Manager) Retry(ctx context.Context, name string) ([]*catalog.Tool, error) {
	m.again(name)
	return m.Refresh(ctx, name)
}

// start starts a server if it is not running, and returns its tools.
func (m *Manager) start(ctx context.Context, name string) ([]*catalog.Tool, error) {
	return m.tools(ctx, name, m.processes.Start)
}

func (m *Manager) tools(ctx context.Context, name string, list func(context.Context, registry.Server) error) ([]*catalog.Tool, error) {
	s, err := m.registry.Get(name)
	if err != nil {
		return nil, err
	}
	if err := list(ctx, s); err != nil {
		return nil, err
	}
	return m.catalog.Snapshot().Of(name), nil
}

// Stop ends a server's process or connection and changes nothing else: the next
// call starts the server again. It returns when the process has ended.
func (m *Manager) Stop(_ context.Context, name string) error {
	if _, err := m.registry.Get(name); err != nil {
		return err
	}
	m.processes.Stop(name)
	return nil
}

// Restart stops a server, starts it and returns its tools. It tries again what has failed before.
func (m *Manager) Restart(ctx context.Context, name string) ([]*catalog.Tool, error) {
	if err := m.Stop(ctx, name); err != nil {
		return nil, err
	}
	m.again(name)
	return m.start(ctx, name)
}

// Activate starts a server, makes it always listed and returns its tools. already
// reports whether the server was always listed before; such a server is not started.
func (m *Manager) Activate(ctx context.Context, name string) (tools []*catalog.Tool, already bool, err error) {
	s, err := m.registry.Get(name)
	if err != nil {
		return nil, false, err
	}
	if s.AlwaysListed {
		return m.catalog.Snapshot().Of(name), true, nil
	}
	if tools, err = m.start(ctx, name); err != nil {
		return nil, false, err
	}
	_, err = m.registry.Update(ctx, name, func(s *registry.Server) { s.AlwaysListed = true })
	return tools, false, err
}

// Deactivate makes a server no longer always listed, stops its process and clears KeepRunning. It reports whether the
// server was always listed. find_tool still finds the tools.
//
// The process is stopped before the change is published: a client that sees the
// change may start the server at once, and this start must not be stopped.
func (m *Manager) Deactivate(ctx context.Context, name string) (was bool, err error) {
	s, err := m.registry.Get(name)
	if err != nil {
		return false, err
	}
	m.processes.Stop(name)
	if s.AlwaysListed || s.KeepRunning {
		_, err = m.registry.Update(ctx, name, func(s *registry.Server) { s.AlwaysListed, s.KeepRunning = false, false })
	}
	return s.AlwaysListed, err
}

// Enable lets agents use a server again that was disabled. It reports whether the server was disabled.
func (m *Manager) Enable(ctx context.Context, name string) (was bool, err error) {
	return m.setDisabled(ctx, name, false)
}

// Disable stops a server and keeps it from being started and shown to agents until Enable or Approve. Its settings,
// secrets and approvals stay. Disable reports whether the server was enabled.
func (m *Manager) Disable(ctx context.Context, name string) (was bool, err error) {
	if was, err = m.setDisabled(ctx, name, true); err == nil {
		m.processes.Stop(name) // last, because until the change is stored, a call could start the server again
	}
	return was, err
}

func (m *Manager) setDisabled(ctx context.Context, name string, disabled bool) (changed bool, err error) {
	s, err := m.registry.Get(name)
	if err != nil || s.Disabled == disabled {
		return false, err
	}
	_, err = m.registry.Update(ctx, name, func(s *registry.Server) { s.Disabled = disabled })
	return err == nil, err
}

// RemoveForAgent is Remove for an agent. If the setting agents.install is deny, it
// removes nothing. If the setting is ask, it does not remove servers that have secrets,
// because a person would have to enter the secrets again. In both cases, the error is a
// fault.Denied.
func (m *Manager) RemoveForAgent(ctx context.Context, name string) error {
	if _, err := m.registry.Get(name); err != nil {
		return err
	}
	names, err := m.vault.Names(ctx, name)
	if err != nil {
		return err
	}
	if policy := m.policy(); policy == registry.Deny || !policy.Alone() && len(names) > 0 {
		return fault.New(fault.Denied, "agents may not remove server %q here; ask the user to remove it in the dashboard", name)
	}
	return m.Remove(ctx, name)
}

// Remove deletes a server with its tools, secrets and metrics, and stops its process. If the program ends before Remove
// does, the server either exists with all its data, or a later server of the same name gets none of them.
func (m *Manager) Remove(ctx context.Context, name string) error {
	if _, err := m.registry.Get(name); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // a client that has gone away must not stop it halfway
	removed := false
	var after error // what failed although the server was removed
	err := m.vault.Forget(ctx, name, func() error {
		err := m.registry.Remove(ctx, name)
		if _, missing := m.registry.Get(name); missing == nil {
			return err
		}
		m.processes.Remove(name)
		removed, after = true, err
		return nil
	})
	if !removed {
		return err
	}
	err = errors.Join(after, err, m.catalog.Forget(ctx, name))
	if m.metrics != nil {
		err = errors.Join(err, m.metrics.Forget(ctx, name))
	}
	return err
}
