package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// Ways to import an object whose name exists already and means something else.
const (
	Skip    = "skip"    // keep what exists
	Rename  = "rename"  // add under a new name
	Replace = "replace" // only for a person
)

// Request selects an export to import.
type Request struct {
	Path       string
	Hash       string // of the file that a person has seen; empty for any
	DryRun     bool
	Conflicts  string // Skip, Rename or Replace; empty means Skip
	Passphrase string // of the encrypted part; if it is empty, that part is not imported
	// Unseen marks a request of a program: no person has seen the export. Only its servers are added then, and they wait
	// for approval.
	Unseen bool
}

// The values of ImportedItem.Action.
const (
	Added    = "add"
	Replaced = "replace"
	Same     = "same" // exists already and is the same
	Skipped  = "skip"
	Failed   = "failed"
)

// ImportedItem is one thing of an export and what was, or would be, done with it.
type ImportedItem struct {
	Kind    string      `json:"kind" enum:"server,toolset,persona,equipped,approvals,learned,learning,settings"`
	Name    string      `json:"name,omitempty" doc:"Name in the export."`
	As      string      `json:"as,omitempty" doc:"New name, if the name exists already and conflicts is rename."`
	Action  string      `json:"action" enum:"add,replace,same,skip,failed" doc:"The change made, or, in a dry run, the change that would be made. same: it exists already and is the same."`
	Why     string      `json:"why,omitempty" doc:"Why it was skipped or failed."`
	Waiting bool        `json:"waiting_for_approval,omitempty" doc:"Whether the added server waits for approval."`
	Notes   []string    `json:"notes,omitempty" doc:"Steps for a person, and remarks, as sentences."`
	Runs    *setup.Runs `json:"runs,omitempty" doc:"The command that a start of the server would run; only in a dry run."`
	Sandbox string      `json:"sandbox,omitempty" doc:"Level of the sandbox of the server."`
}

// ImportedExport says what an import did, or would do in a dry run.
type ImportedExport struct {
	Items  []ImportedItem `json:"items" nullable:"false"`
	Hash   string         `json:"hash" doc:"SHA-256 of the file. Send it with the import, so that nothing is imported if the file has changed."`
	Sealed bool           `json:"sealed" doc:"Whether the file contains secrets, which a passphrase opens."`
	DryRun bool           `json:"dry_run"`
}

// job is one import.
type job struct {
	*Keeper
	Request
	export  Export
	private vault.Exported
	renamed map[string]string // new names of servers by their names in the export
	sets    map[string]string // new names of toolsets by their names in the export
	taken   map[string]bool   // names that a dry run would give to servers
	foreign map[string]bool   // names of servers that exist and are another server than that of the export
	report  ImportedExport
}

// Import adds the content of an export. What exists already is never changed, unless q says so.
func (k *Keeper) Import(ctx context.Context, q Request) (ImportedExport, error) {
	if !filepath.IsAbs(q.Path) {
		return ImportedExport{}, fault.New(fault.Invalid, "invalid path %q: use the absolute path of the export", q.Path)
	}
	switch q.Conflicts {
	case "":
		q.Conflicts = Skip
	case Skip, Rename, Replace:
	default:
		return ImportedExport{}, fault.New(fault.Invalid, "invalid conflicts %q: use %s, %s or %s", q.Conflicts, Skip, Rename, Replace)
	}
	export, data, err := read(q.Path)
	if err != nil {
		return ImportedExport{}, err
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	if q.Hash != "" && q.Hash != hash {
		return ImportedExport{}, fault.New(fault.Conflict, "the file has changed since it was shown; nothing was imported. Import it once more")
	}
	var private vault.Exported
	if export.Sealed != "" && q.Passphrase != "" {
		if private, err = vault.OpenExport(q.Passphrase, export.Sealed); err != nil {
			return ImportedExport{}, err
		}
	}
	report := k.ImportDocument(ctx, export, private, q)
	report.Hash = hash
	return report, nil
}

// ImportDocument is Import for an export that was not read from a file, with the values of its secrets. It uses of q
// only DryRun, Conflicts and Unseen.
func (k *Keeper) ImportDocument(ctx context.Context, e Export, private vault.Exported, q Request) ImportedExport {
	k.importing.Lock()
	defer k.importing.Unlock()
	j := &job{
		Keeper: k, Request: q, export: e, private: private, renamed: make(map[string]string), sets: make(map[string]string),
		taken: make(map[string]bool), foreign: make(map[string]bool),
		report: ImportedExport{Items: []ImportedItem{}, Sealed: e.Sealed != "", DryRun: q.DryRun},
	}
	defer k.options.Intake.Hold()() // so that no server starts before its secrets and rules are there
	for _, part := range []func(context.Context){
		j.settings, j.servers, j.toolsets, j.equip, j.personas, j.approvals, j.learned, j.learning,
	} {
		part(ctx)
	}
	return j.report
}

// done adds an item to the report. An error makes it a failed one.
func (j *job) done(item ImportedItem, err error) {
	if err != nil {
		item.Action, item.Why = Failed, fault.MessageOf(err)
	}
	j.report.Items = append(j.report.Items, item)
}

const needsPerson = "only a person can import this: run the command in a terminal"

// freeName returns name with the first number that makes it free.
func freeName(name string, limit int, free func(string) bool) string {
	for n := 2; ; n++ {
		suffix := fmt.Sprintf("-%d", n)
		if next := name[:min(len(name), limit-len(suffix))] + suffix; free(next) {
			return next
		}
	}
}
