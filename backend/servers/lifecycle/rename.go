package lifecycle

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Names changes the names of servers in everything that is stored about them, except for secrets and tools.
type Names interface {
	// Prepare returns an error if the name cannot be changed everywhere. It writes the records of calls that have ended.
	Prepare(ctx context.Context, server, to string) error
	// Store changes the name in the database, in one transaction. kept is that of vault.Vault.Rename.
	Store(ctx context.Context, server, to string, kept map[string]string) error
	// Load makes the parts of the hub that have data about a server in memory, or in files, use the new name.
	Load(ctx context.Context, server, to string) error
}

// Rename gives a server another name, under which its approvals, secrets, toolsets, rules and records then hold. It stops
// the server. If the program ends before Rename does, the server has either the former name or the new one everywhere.
func (m *Manager) Rename(ctx context.Context, name, to string) (registry.Server, error) {
	if _, err := m.registry.Get(name); err != nil {
		return registry.Server{}, err
	}
	if err := m.names.Prepare(ctx, name, to); err != nil {
		return registry.Server{}, err
	}
	ctx = context.WithoutCancel(ctx) // a client that has gone away must not stop it halfway
	return m.registry.Rename(ctx, name, to, registry.Renaming{
		Stop: func() { m.processes.Remove(name) },
		Store: func(ctx context.Context) error {
			return m.vault.Rename(ctx, name, to, func(kept map[string]string) error { return m.names.Store(ctx, name, to, kept) })
		},
		Load: func(ctx context.Context) error {
			m.catalog.Rename(name, to)
			m.codes.forget(name)
			return m.names.Load(ctx, name, to)
		},
	})
}
