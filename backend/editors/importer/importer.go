// Package importer finds the MCP servers that a person already has: in the
// configurations of AI editors, in bundles and in pasted text. It adds each
// server once to the registry, under a name that is not taken, with its
// credentials in the keychain. It also exports servers of the registry in the
// format of an editor. It starts no server, expands no variable and runs no
// command that it reads. Package table knows where editors keep their files;
// package registration changes those files.
package importer

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// RemoveEntries removes entries from a file of an editor and records the change
// so that it can be undone.
type RemoveEntries func(ctx context.Context, editor string, file table.File, entries []string) (registration.Outcome, error)

// Options are the dependencies of an Importer.
type Options struct {
	Machine       table.Machine
	Registry      *registry.Registry
	Intake        *intake.Intake
	Vault         *vault.Vault  // compares credentials of entries with stored secrets; may be nil
	RemoveEntries RemoveEntries // if nil, entries stay in the editors
	Bundles       string        // folder into which bundles are unpacked
}

// Importer finds and adds servers. It is safe for concurrent use.
type Importer struct {
	options   Options
	importing sync.Mutex // held during an import, so that imports run one at a time
}

// New returns an Importer.
func New(o Options) *Importer { return &Importer{options: o} }

// Scan returns the servers in the configuration files of all editors. If ids are given, it returns only servers that
// one of these editors has, with all places in which each server was found. An unknown id is a fault.NotFound.
func (i *Importer) Scan(ctx context.Context, ids []string) (Scan, error) {
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		e, ok := table.ByID(id)
		if !ok {
			return Scan{}, unknownEditor(id)
		}
		wanted[e.ID] = true
	}
	found, problems := i.readEditors(ctx)
	scan := Scan{Candidates: i.candidates(ctx, found), Problems: problems, Own: i.ownEntries(found)}
	if len(ids) > 0 {
		scan.Candidates = slices.DeleteFunc(scan.Candidates, func(c Candidate) bool {
			return !slices.ContainsFunc(c.Sources, func(s Source) bool { return wanted[s.Editor] })
		})
		scan.Problems = slices.DeleteFunc(scan.Problems, func(p Problem) bool { return !wanted[p.Editor] })
		scan.Own = slices.DeleteFunc(scan.Own, func(e OwnEntry) bool { return !wanted[e.Editor] })
	}
	return scan, ctx.Err()
}

func unknownEditor(id string) error {
	return fault.New(fault.NotFound, "no editor has the id %q; agent-discover editors list --all shows all ids", id)
}

// ScanText returns the servers in a pasted text: the configuration of any
// client, a part of one, a single entry, a command line, or a URL. The error
// is a fault.Invalid that does not quote the text.
func (i *Importer) ScanText(ctx context.Context, text string) (Scan, error) {
	entries, err := parseText(text)
	if err != nil {
		return Scan{}, err
	}
	found := make([]occurrence, 0, len(entries))
	for _, e := range entries {
		name := cmp.Or(e.Name, suggestName(e.Server))
		o := occurrence{entry: name, server: e.Server, problem: e.Problem, warnings: e.Notes, pasted: true}
		o.nameLosses(e.entry)
		o.normalize(i.options.Machine)
		found = append(found, o)
	}
	return Scan{Candidates: i.candidates(ctx, found), Problems: []Problem{}}, ctx.Err()
}
