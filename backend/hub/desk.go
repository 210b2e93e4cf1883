package hub

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/doors/gateway"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/doctor"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// desk is the rooms that have to do with the AI editors of this machine.
type desk struct {
	registrar *registration.Registrar
	intake    *importer.Importer
	doctor    *doctor.Doctor
}

// openDesk makes them. Editors are looked for in the user's own environment,
// which the login shell tells.
func (h *Hub) openDesk(config settings.Settings, servers *registry.Registry, bus *events.Bus, login func(context.Context) process.Env) error {
	look := variable(login)
	machine := table.Here(func(name string) string { return look(context.Background(), name) })
	machine.Command = func(name string) (string, bool) { // as the user's shell finds it, also what was installed a moment ago
		path := login(context.Background()).LookPath(name)
		return path, path != ""
	}
	entry, err := h.entry()
	if err != nil {
		return err
	}
	h.desk.registrar = registration.New(registration.Options{
		Machine: machine, Folder: h.options.Folder.Backups("editors"), Entry: entry, Auto: config.Editors.AutoRegister,
		Execute: executor(login), LastSeen: h.lastSeen, Bus: bus, Log: h.log,
	})
	h.desk.intake = importer.New(importer.Options{
		Machine: machine, Registry: servers, Lifecycle: h.lifecycle, Vault: h.vault, Migrator: h.migrator, RemoveEntries: h.desk.registrar.TakeOut, Bundles: filepath.Join(string(h.options.Folder), "bundles"),
	})
	h.desk.doctor = doctor.New(doctor.Options{
		Machine: machine, Editors: h.desk.registrar, Importer: h.desk.intake, Servers: servers, Tools: h.catalog,
		EntryTokens: func() int { return gateway.EntryTokens }, Listed: h.listed,
	})
	return nil
}

// listed returns the names of the tools that every session lists.
func (h *Hub) listed() []string {
	var names []string
	for _, t := range h.gateway.ActiveTools() {
		names = append(names, t.Proxied())
	}
	return names
}

// entry is what our entry in editors starts: this very program as a companion.
// It is told the data folder only where that is not the usual one.
func (h *Hub) entry() (table.Server, error) {
	program := h.options.Program
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return table.Server{}, err
		}
	}
	entry := table.Server{Transport: "stdio", Command: program, Args: []string{"mcp"}}
	if !h.usualFolder() {
		entry.Env = map[string]string{"AGENT_DISCOVER_HOME": string(h.options.Folder)}
	}
	return entry, nil
}

func (h *Hub) usualFolder() bool {
	home, err := os.UserHomeDir()
	return err == nil && string(h.options.Folder) == filepath.Join(home, ".agent-discover")
}

// keepSetting writes one value to the settings file.
func (h *Hub) keepSetting(keys []string, value any) error {
	return settings.Editor{Set: setScalar, Write: paths.WriteDurable}.Keep(h.options.Folder.Config(), keys, value)
}

func setScalar(data []byte, keys []string, value any) ([]byte, error) {
	change, err := configedit.Scalar(data, keys, value)
	return change.Text, err
}

// lastSeen says when one of these clients was last connected.
func (h *Hub) lastSeen(ctx context.Context, names []string) time.Time {
	var last time.Time
	use, err := h.gateway.Context(ctx)
	if err != nil {
		h.log.Warn("clients not looked up", "error", err)
	}
	for _, c := range use.Clients {
		known := slices.ContainsFunc(names, func(name string) bool { return table.SameClient(name, c.Name) })
		if known && c.Last.After(last) {
			last = c.Last
		}
	}
	return last
}

// executor runs programs of editors as their user would.
func executor(login func(context.Context) process.Env) func(context.Context, string, ...string) ([]byte, error) {
	return func(ctx context.Context, program string, args ...string) ([]byte, error) {
		env := login(ctx).Without(process.OwnVariable)
		path := env.LookPath(program)
		if path == "" {
			return nil, exec.ErrNotFound
		}
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Env, cmd.WaitDelay = env, time.Second
		return cmd.CombinedOutput()
	}
}
