package syncfolder

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/market/backup"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// take makes those steps that change this machine. In a dry run it completes their items.
func (r *run) take(ctx context.Context) {
	var settings []int
	e, private := backup.Export{}, vault.Exported{Values: make(map[string]map[string]string)}
	imported := make(map[Key]int) // indexes of the steps of e
	for n, s := range r.steps {
		if !s.here {
			continue
		}
		if r.Unseen && !r.DryRun {
			r.items[n].Waiting = true
			continue
		}
		switch {
		case s.Kind == Settings:
			settings = append(settings, n)
		case s.value == nil || s.Kind == Approvals: // below
		default:
			if err := r.addTo(ctx, &e, &private, s, &r.items[n]); err != nil {
				r.fail(n, err)
				continue
			}
			imported[s.Key] = n
		}
	}
	r.takeSettings(settings)
	report := r.options.Backup.ImportDocument(ctx, e, private, backup.Request{DryRun: r.DryRun, Conflicts: backup.Replace})
	for _, done := range report.Items {
		n, ok := imported[Key{done.Kind + "s", done.Name}]
		if !ok {
			continue
		}
		item := &r.items[n]
		item.Notes, item.Runs = append(item.Notes, done.Notes...), done.Runs
		if done.Kind == "server" {
			item.Sandbox = done.Sandbox
		}
		if done.Action == backup.Failed || done.Action == backup.Skipped {
			r.fail(n, fault.New(fault.Failed, "%s", done.Why))
		}
	}
	r.remove(ctx)
}

func (r *run) fail(n int, err error) {
	r.items[n].Action, r.items[n].Why = Failed, fault.MessageOf(err)
}

// addTo adds the value of a step to an export that is to be imported.
func (r *run) addTo(ctx context.Context, e *backup.Export, private *vault.Exported, s step, item *SyncedItem) error {
	switch s.Kind {
	case Toolsets:
		e.Toolsets = append(e.Toolsets, json.RawMessage(s.value.canonical()))
	case Personas:
		var p personaFile
		if err := s.value.into(&p); err != nil {
			return err
		}
		e.Personas = append(e.Personas, backup.ExportedPersona{Name: p.Name, Files: p.Files})
	case Servers:
		server, err := serverOf(s.value)
		if err != nil {
			return err
		}
		values := []map[string]string{r.mine.values[s.Name]}
		for _, id := range slices.Sorted(maps.Keys(r.machines)) {
			if id != r.machine {
				values = append(values, r.machines[id].Values[s.Name])
			}
		}
		var missing []string
		if server.Server, missing = local(server.Server, r.options.Home, values...); len(missing) > 0 {
			return fault.New(fault.Invalid, "the folder does not say which path belongs to %s; synchronize the machine that has the server",
				strings.Join(missing, ", "))
		}
		if existing, err := r.options.Registry.Get(s.Name); err == nil {
			server.Package.Latest = existing.Package.Latest
			if private.Values[s.Name], err = r.credentials(ctx, s.Name, launch.Of(server.Server).References()); err != nil {
				return err
			}
		}
		e.Servers = append(e.Servers, server)
	}
	return nil
}

// credentials returns those credentials in the configuration of a server that a new configuration refers to by name.
func (r *run) credentials(ctx context.Context, server string, references []string) (map[string]string, error) {
	existing, err := r.options.Registry.Get(server)
	if err != nil {
		return nil, err
	}
	_, values, err := r.options.Migrator.Without(ctx, existing)
	maps.DeleteFunc(values, func(name, _ string) bool { return !slices.Contains(references, name) })
	return values, err
}

func (r *run) takeSettings(steps []int) {
	if len(steps) == 0 {
		return
	}
	set, removed := make(map[string]any), []string{}
	for _, n := range steps {
		if s := r.steps[n]; s.value == nil {
			removed = append(removed, s.Name)
		} else {
			set[s.Name] = s.value["value"]
		}
	}
	if err := r.replaceSettings(set, removed); err != nil {
		for _, n := range steps {
			r.fail(n, err)
		}
	}
}

// remove makes the steps that remove something from this machine, and those of approvals.
func (r *run) remove(ctx context.Context) {
	order := []string{Approvals, Toolsets, Personas, Servers}
	for _, kind := range order {
		for n, s := range r.steps {
			if s.Kind != kind || !s.here || r.DryRun || r.items[n].Waiting || s.value != nil && kind != Approvals {
				continue
			}
			var err error
			switch kind {
			case Approvals:
				err = r.takeApprovals(ctx, s)
			case Toolsets:
				err = r.options.Toolsets.Delete(ctx, s.Name)
			case Personas:
				err = r.options.Personas.Discard(ctx, s.Name)
			case Servers:
				err = r.options.Remove(ctx, s.Name)
			}
			if err != nil && fault.KindOf(err) != fault.NotFound {
				r.fail(n, err)
			}
		}
	}
}

func (r *run) takeApprovals(ctx context.Context, s step) error {
	var mine, value approvalsFile
	for o, file := range map[*approvalsFile]Object{&mine: s.mine, &value: s.value} {
		if file != nil {
			if err := file.into(o); err != nil {
				return err
			}
		}
	}
	for tool, hash := range mine.Tools {
		if value.Tools[tool] != hash {
			if err := r.options.Approvals.Revoke(ctx, catalog.Key{Server: s.Name, Tool: tool}); err != nil {
				return err
			}
		}
	}
	for tool, hash := range value.Tools {
		if mine.Tools[tool] == hash {
			continue
		}
		given := rules.Approval{Tool: catalog.Key{Server: s.Name, Tool: tool}, Hash: hash, At: time.Now()}
		if _, err := r.options.Approvals.Adopt(ctx, given); err != nil {
			return err
		}
	}
	return nil
}
