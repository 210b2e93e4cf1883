package hub

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/danger"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/doctor"
	"github.com/agent-discover/agent-discover/backend/editors/importer"
	"github.com/agent-discover/agent-discover/backend/editors/onboarding"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/corrections"
)

type editors struct {
	registrar *registration.Registrar
	importer  *importer.Importer
	guide     *onboarding.Guide
	doctor    *doctor.Doctor
}

// composeEditors creates the parts that deal with AI editors. They use the environment of the login shell, because
// editors run in it.
func (h *Hub) composeEditors(config settings.Settings, login loginEnv) error {
	look := variable(login)
	machine := table.Here(func(name string) string { return look(context.Background(), name) })
	// Look up the program each time, because it may have been installed a moment ago.
	machine.Command = func(name string) (string, bool) {
		path := login(context.Background()).LookPath(name)
		return path, path != ""
	}
	entry, err := editorEntry(h.options)
	if err != nil {
		return err
	}
	e := &h.editors
	e.registrar = registration.New(registration.Options{
		Machine: machine, Folder: h.options.Folder.Backups("editors"), Entry: entry, Auto: config.Editors.AutoRegister,
		IsOurs:  process.IsOurs,
		Execute: executor(login), Sealer: h.servers.vault, Bus: h.bus, Log: h.log,
		LastSeen: func(ctx context.Context, names []string) time.Time { return h.doors.lastSeen(ctx, names, h.log) },
	})
	e.importer = importer.New(importer.Options{
		Machine: machine, Registry: h.servers.registry, Intake: h.servers.intake, Vault: h.servers.vault,
		RemoveEntries: e.registrar.TakeOut, Bundles: filepath.Join(string(h.options.Folder), "bundles"),
	})
	e.guide = onboarding.New(onboarding.Options{
		Editors: e.registrar, Importer: e.importer, Registry: h.servers.registry, Remove: h.servers.lifecycle.Remove,
		State: h.servers.readiness.Of, Tools: h.discovery.catalog, Find: h.firstFound,
		Danger: func(t *catalog.Tool) int { return int(danger.Most(t)) },
		File:   h.options.Folder.Backups("setup.json"), Log: h.log,
	})
	e.doctor = doctor.New(doctor.Options{
		Machine: machine, Editors: e.registrar, Importer: e.importer, Servers: h.servers.registry, Tools: h.discovery.catalog,
		Listed:      h.doors.listed,
		Corrections: h.corrections,
		TakenPort:   func() int { return h.info.TakenPort },
		ShownTokens: func(surface, editor string) int { return h.doors.gateway.SurfaceUse(surface, editor).Tokens },
	})
	return nil
}

// firstFound returns the tool that find_tool gives an agent first for a need; nil if it finds none.
func (h *Hub) firstFound(ctx context.Context, need string) *search.Hit {
	found, err := h.doors.gateway.Find(ctx, need, 1)
	if err != nil || !found.Found || len(found.Hits) == 0 {
		return nil
	}
	return &found.Hits[0]
}

// corrections returns the items of a server's lists that the hub changes or leaves out before clients see the lists.
func (h *Hub) corrections(server string) []corrections.Correction {
	return corrections.Reader{Tools: h.discovery.catalog, Features: h.servers.features, Running: h.servers.upstream}.Of(server)
}

// listed returns the names of the tools that are in the tool list of every session.
func (d *doors) listed() []string {
	var names []string
	for _, t := range d.gateway.ActiveTools() {
		names = append(names, t.Proxied())
	}
	return names
}

// editorEntry returns the server entry that is added to editors: this program as a
// companion. The entry names the data folder only if that is not the default one.
func editorEntry(o Options) (table.Server, error) {
	program := o.Program
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return table.Server{}, err
		}
	}
	if err := paths.CheckPlace(program); err != nil {
		return table.Server{}, err
	}
	entry := table.Server{Transport: "stdio", Command: program, Args: []string{"mcp"}}
	home, err := os.UserHomeDir()
	if err != nil || !pathname.Same(string(o.Folder), filepath.Join(home, ".agent-discover")) {
		entry.Env = map[string]string{"AGENT_DISCOVER_HOME": string(o.Folder)}
	}
	return entry, nil
}

// changeSetting writes one value to the settings file and reloads the settings. It returns the keys of the settings
// that have changed.
func (h *Hub) changeSetting(keys []string, value any) (changed []string, err error) {
	return h.settings.Change(func() error { return settingsEditor.Keep(h.options.Folder.Config(), keys, value) })
}

var settingsEditor = settings.Editor{Set: setScalar, Edit: editFile}

// editFile changes a file that people may edit at the same time.
func editFile(path string, check func([]byte) error, edit func([]byte) ([]byte, error)) error {
	return atomicfile.Disk{}.Edit(context.Background(), path, check, edit)
}

func setScalar(data []byte, keys []string, value any) ([]byte, error) {
	change, err := configedit.Scalar(data, keys, value)
	return change.Text, err
}

// lastSeen returns the time at which a client with one of these names was last connected, or the zero time if no such
// client was connected.
func (d *doors) lastSeen(ctx context.Context, names []string, log *slog.Logger) time.Time {
	var last time.Time
	use, err := d.gateway.Context(ctx)
	if err != nil {
		log.Warn("could not read the client history", "error", err)
	}
	for _, c := range use.Clients {
		known := slices.ContainsFunc(names, func(name string) bool { return table.SameClient(name, c.Name) })
		if known && c.Last.After(last) {
			last = c.Last
		}
	}
	return last
}

// executor returns a function that runs an editor's program in the user's login
// environment and returns its output.
func executor(login loginEnv) func(context.Context, string, ...string) ([]byte, error) {
	return func(ctx context.Context, name string, args ...string) ([]byte, error) {
		cmd, err := program.Command(ctx, login(ctx).Without(process.OwnVariable), name, args...)
		if err != nil {
			return nil, err
		}
		cmd.WaitDelay = time.Second
		return cmd.CombinedOutput()
	}
}
