package cli

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agent-discover/agent-discover/backend/base/autostart"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/servers/keychain"
)

// purging is one run of the command purge.
type purging struct {
	p        *program
	client   *instance.Client   // nil if no hub could be started
	chain    *keychain.Keychain // of the data folder
	accounts []string           // entries of chain
	login    autostart.Entry
	found    purgeReport

	running, stopped bool // the hub ran, or the user had stopped it, before purge looked at the machine
}

// purgeReport is the output of the command with --json.
type purgeReport struct {
	Editors   []string `json:"editors"`   // files that have the entry
	Keychain  []string `json:"keychain"`  // accounts, such as SERVER/NAME
	Login     []string `json:"login"`     // what starts the tray icon at login
	Data      []string `json:"data"`      // files and folders in the data folder
	Unchecked []string `json:"unchecked"` // what could not be looked at, and why
	Left      []string `json:"left"`      // files in the data folder that other programs wrote
	Removed   bool     `json:"removed"`
}

func (h hubCommands) purge() *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use: "purge", Short: "Remove all settings, servers and secrets, and the entry in editors", Args: cobra.NoArgs,
		Long: `Remove everything that Agent Discover keeps on this machine: its entry in editors, the
start at login, the secrets of its data folder in the keychain, even if the folder is gone,
and the folder itself. All of it is shown before you are asked. This cannot be undone. It
does not remove the programs: make uninstall does.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return h.p.purge(cmd.Context(), yes) },
	}
	return deletes(cmd, &yes)
}

func (p *program) purge(ctx context.Context, yes bool) error {
	g := purging{
		p: p, chain: keychain.New(string(p.folder), strings.EqualFold(os.Getenv("AGENT_DISCOVER_KEYCHAIN"), "off"), 0),
		login: autostart.Tray(""),
		found: purgeReport{
			Editors: []string{}, Keychain: []string{}, Login: []string{}, Data: []string{}, Unchecked: []string{}, Left: []string{},
		},
	}
	// Look at the folder first, because a hub that is started here creates it.
	for _, name := range p.folder.Written() {
		g.found.Data = append(g.found.Data, filepath.Join(string(p.folder), name))
	}
	_, err := instance.Read(p.folder)
	g.running, g.stopped = err == nil, instance.Stopped(p.folder)
	g.lookAtEditors(ctx)
	g.lookAtKeychain(ctx)
	if place, exists, err := g.login.Place(); err != nil {
		g.unchecked("start at login", err)
	} else if exists {
		g.found.Login = append(g.found.Login, place)
	}
	g.show()
	if err := p.confirmDeletion(yes, "Remove all of this? It cannot be undone.", "nothing was removed"); err != nil {
		g.leave(ctx)
		return err
	}
	if err := g.remove(ctx); err != nil {
		return err
	}
	return g.report()
}

// leave ends a hub that was started to look at the machine.
func (g *purging) leave(ctx context.Context) {
	hub := hubCommands{g.p}
	if g.stopped {
		_ = hub.keepStopped()
	}
	if !g.running && hub.end(ctx, true) == nil && len(g.found.Data) == 0 {
		_, _ = g.p.folder.Erase()
	}
}

func (g *purging) unchecked(what string, err error) {
	g.found.Unchecked = append(g.found.Unchecked, what+": "+fault.MessageOf(err))
}

// lookAtEditors starts a hub, even if the user has stopped it, because hubs change the files of editors.
func (g *purging) lookAtEditors(ctx context.Context) {
	info, err := instance.Ensure(ctx, g.p.folder, "start")
	if err != nil {
		g.unchecked("entries in editors", err)
		return
	}
	g.client = instance.NewClient(info)
	plans, err := plan(ctx, g.client, map[string]any{"action": registration.Unregister, "all": true})
	if err != nil {
		g.unchecked("entries in editors", err)
	}
	for _, one := range plans.Plans {
		switch {
		case one.Problem != "":
			g.unchecked("entry in "+tilde(one.Path), errors.New(one.Problem))
		case !one.Nothing:
			g.found.Editors = append(g.found.Editors, one.Path)
		}
	}
}

// lookAtKeychain lists the values in the keychain. If the keychain cannot be listed, it takes their names from the hub.
func (g *purging) lookAtKeychain(ctx context.Context) {
	var err error
	if g.accounts, err = g.chain.Accounts(ctx); err != nil && (runtime.GOOS == "linux" || g.client == nil) {
		g.unchecked("keychain", err)
	} else if err != nil {
		var view operations.SecretsView
		if err := g.client.Do(ctx, http.MethodGet, "/api/secrets", nil, &view); err != nil {
			g.unchecked("keychain", err)
		}
		for _, server := range view.Servers {
			for _, s := range server.Secrets {
				g.accounts = append(g.accounts, server.Server+"/"+s.Key)
			}
		}
		g.accounts = append(g.accounts, "identity")
	}
	g.found.Keychain = append(g.found.Keychain, g.accounts...)
}

func (g *purging) show() {
	for _, row := range []struct {
		what  string
		lines []string
	}{
		{"entry in editors", g.found.Editors},
		{"in the keychain", g.found.Keychain},
		{"starts at login", g.found.Login},
		{"in the data folder", g.found.Data},
		{"could not be checked", g.found.Unchecked},
	} {
		for _, line := range row.lines {
			g.p.notef("%-20s  %s\n", row.what, cell(tilde(line)))
		}
	}
}

// remove removes what was found. The entries in editors come first: if one of them stays, it would start a hub that
// creates the data folder again, so remove stops there.
func (g *purging) remove(ctx context.Context) error {
	if len(g.found.Editors) > 0 {
		out, err := editorCommands{g.p}.apply(ctx, g.client, "/api/editors/"+string(registration.Unregister), map[string]any{"all": true})
		if err != nil {
			return err
		}
		for _, one := range out.Outcomes {
			if one.Problem != "" || one.Status == "waiting" {
				return fault.New(fault.Failed, "the entry stays in %s%s; nothing else was removed. Close the editor and run this again",
					tilde(one.Path), map[bool]string{true: ": " + one.Problem}[one.Problem != ""])
			}
		}
	}
	hub := hubCommands{g.p}
	_ = hub.keepStopped() // keeps editors that still run from starting the hub until the data folder is gone
	if err := hub.end(ctx, true); err != nil {
		return err
	}
	for _, account := range g.accounts {
		if err := g.chain.Delete(ctx, account); err != nil {
			return fault.Wrap(err, fault.KindOf(err), "could not delete %s from the keychain: %s; the data folder was kept", account,
				fault.MessageOf(err))
		}
	}
	if len(g.found.Login) > 0 {
		if err := g.login.Set(false); err != nil {
			return err
		}
	}
	var err error
	if g.found.Left, err = g.p.folder.Erase(); fault.KindOf(err) == fault.Conflict {
		return err
	} else if err != nil {
		return fault.Wrap(err, fault.Unavailable, "the data folder %s could not be deleted completely; delete it yourself", g.p.folder)
	}
	g.found.Removed = true
	return nil
}

func (g *purging) report() error {
	if g.p.json {
		g.found.Left = slices.Concat([]string{}, g.found.Left)
		return g.p.printJSON(g.found)
	}
	if len(g.found.Unchecked) == 0 {
		g.p.printf("Everything was removed.\n")
	} else {
		g.p.printf("Everything that was found was removed. Not checked: %s\n", cell(strings.Join(g.found.Unchecked, "; ")))
	}
	if len(g.found.Left) > 0 {
		g.p.printf("These files in %s stay, because Agent Discover has not written them: %s\n", tilde(string(g.p.folder)),
			cell(strings.Join(g.found.Left, ", ")))
	}
	if len(g.found.Editors) > 0 {
		g.p.printf("Restart your editors: those that are open would start a hub with a new data folder.\n")
	}
	return nil
}
