package importer

import (
	"cmp"
	"context"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// Removal is the outcome of removing entries from one file.
type Removal struct {
	Editor  string   `json:"editor"`
	Path    string   `json:"path"`
	Entries []string `json:"entries" nullable:"false"`
	Servers []string `json:"servers" nullable:"false"` // names of the configured servers that replace the entries
	Change  string   `json:"change,omitempty"`         // id of the change in the history of editors
	Problem string   `json:"problem,omitempty"`
}

// removable is a candidate whose entries should be removed from the editors,
// with the name of the configured server that replaces them.
type removable struct {
	Candidate
	name string
}

// batch holds the entries to remove from one collection of a file.
type batch struct {
	editor  string
	file    table.File
	entries []string // names as in the file
	servers []string // names of the configured servers
}

// removeEntries removes the imported entries from the editors, with one change for each collection
// of a file. It keeps the entries for which reasonToKeep returns a reason.
func (r *importRun) removeEntries(ctx context.Context) {
	var batches []*batch
	view := r.registryView()
	for _, c := range r.removable {
		for _, s := range c.Sources {
			if !s.Removable {
				if why := s.unremovable(); why != "" {
					r.report.Removed = append(r.report.Removed,
						Removal{Editor: s.Editor, Path: s.Path, Entries: []string{s.Entry}, Servers: []string{c.name}, Problem: why})
				}
				continue
			}
			if why := r.reasonToKeep(ctx, view, c.name, s); why != "" {
				r.report.Removed = append(r.report.Removed,
					Removal{Editor: s.Editor, Path: s.Path, Entries: []string{s.Entry}, Servers: []string{c.name}, Problem: why})
				continue
			}
			batches = collect(batches, s, c.name)
		}
	}
	for _, one := range batches {
		r.report.Removed = append(r.report.Removed, r.removeBatch(ctx, one))
	}
}

// unremovable returns why the entry of a source stays in its file, which this program only reads, and what the person can do
// about it. It returns "" if there is no such file.
func (s Source) unremovable() string {
	keys := s.found.file.Place.Keys
	switch {
	case s.Editor == "" || s.Path == "":
		return ""
	case s.found.file.Plugin != "":
		return "it belongs to a plugin of " + s.Name + "; switch the plugin off there"
	case len(keys) > 1 && keys[0] == "projects" && s.Editor == "claude-code":
		return "it belongs to the project " + shown(keys[1]) + "; to remove it, run there: claude mcp remove --scope local " + s.Entry
	}
	return "Agent Discover only reads this file; remove the entry from it yourself"
}

func collect(batches []*batch, s Source, server string) []*batch {
	file := s.found.file
	at := slices.IndexFunc(batches, func(o *batch) bool {
		return pathname.Here.Equal(o.file.Path, file.Path) && slices.Equal(o.file.Place.Keys, file.Place.Keys)
	})
	if at < 0 {
		batches, at = append(batches, &batch{editor: s.Editor, file: file}), len(batches)
	}
	if one := batches[at]; !slices.Contains(one.entries, s.found.entry) {
		one.entries, one.servers = append(one.entries, s.found.entry), append(one.servers, server)
	}
	return batches
}

// reasonToKeep returns why an entry must stay in its file, or "" if the configured server can
// replace it. A dry run assumes that a server that does not exist yet will be imported.
func (r *importRun) reasonToKeep(ctx context.Context, view *registryView, name string, s Source) string {
	server, err := r.options.Registry.Get(name)
	held := view.names(ctx, name)
	for _, secret := range s.found.needs {
		if _, set := held[secret]; !set {
			return "the entry was kept: the secret " + shown(secret) + " of the server is not set"
		}
	}
	switch {
	case r.connected != nil && !slices.Contains(r.connected, s.Editor):
		return "the entry was kept, because the editor does not have the entry of Agent Discover"
	case s.found.blocked != "":
		return "the entry was kept: " + shown(s.found.blocked)
	case err != nil && r.dry:
		return ""
	case err != nil:
		return "its server was removed meanwhile; the entry was kept"
	case !server.Approved && !s.Disabled: // a disabled entry does not run either
		return "the server " + name + " waits for approval; the entry was kept"
	}
	if how, why := view.compare(ctx, s.found.server, server, true); how != same {
		return "the entry was kept: the server " + server.Name + " exists, but " + cmp.Or(why, "it runs something else")
	}
	return ""
}

func (r *importRun) removeBatch(ctx context.Context, one *batch) Removal {
	removal := Removal{Editor: one.editor, Path: shown(one.file.Path), Entries: []string{}, Servers: one.servers}
	for _, entry := range one.entries {
		removal.Entries = append(removal.Entries, shown(entry))
	}
	if r.dry {
		return removal
	}
	if r.options.RemoveEntries == nil {
		removal.Problem = "this program cannot change the files of editors"
		return removal
	}
	outcome, err := r.options.RemoveEntries(ctx, one.editor, one.file, one.entries)
	if err != nil {
		removal.Problem = fault.MessageOf(err)
		return removal
	}
	removal.Change, removal.Problem = outcome.Change, outcome.Problem
	if outcome.Status == "waiting" && removal.Problem == "" {
		removal.Problem = "the entry is removed when the editor is closed"
	}
	return removal
}
