// Package intake answers which MCP servers a person has elsewhere, in editors,
// in bundles and in text that they paste, and brings them in: each once, under
// a name that is free, with its credentials in the keychain. It starts nothing,
// expands no variable and runs no command that it reads.
package importer

import (
	"context"
	"slices"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/lifecycle"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// Source is a place in which a server stands.
type Source struct {
	Editor   string `json:"editor"` // its id; "" for a bundle or a text
	Name     string `json:"name"`   // of the editor
	Path     string `json:"path"`
	Entry    string `json:"entry"`    // the server's name there
	Disabled bool   `json:"disabled"` // switched off there
	CanTake  bool   `json:"can_take"` // the entry can be taken out

	seen sighting
}

// Candidate is a server that may come in. The same command and arguments in
// several places are one candidate.
type Candidate struct {
	ID       string       `json:"id"`   // of what it runs: the same in every scan
	Name     string       `json:"name"` // proposed; free here and among the candidates
	Sources  []Source     `json:"sources" nullable:"false"`
	Here     string       `json:"here"`                      // the server of the registry that is the same; "" for none
	Ours     bool         `json:"-"`                         // it is our own entry: never shown
	Secrets  []string     `json:"secrets" nullable:"false"`  // places of credentials: env.NAME, args[3], headers.NAME, url
	Problem  string       `json:"problem"`                   // why it cannot come in
	Warnings []string     `json:"warnings" nullable:"false"` // what a person should know: a command that is not on this machine, variables of the editor's own
	Command  string       `json:"command"`                   // as a person reads it, credentials covered
	Server   table.Server `json:"-"`
}

// Scan is what was found.
type Scan struct {
	Candidates []Candidate `json:"candidates" nullable:"false"`
	Problems   []Problem   `json:"problems" nullable:"false"`
}

// Problem is a file that could not be read.
type Problem struct {
	Editor string `json:"editor"`
	Path   string `json:"path"`
	Error  string `json:"error"`
}

// Choice is a candidate that is to come in.
type Choice struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"` // "": the proposed one
}

// Request says what is to come in.
type Request struct {
	Choices []Choice          `json:"servers" nullable:"false"` // none: all that are not here and can come in
	TakeOut bool              `json:"take_out"`                 // take the entries out of the editors, those too of servers that are here already
	Text    string            `json:"text"`                     // pasted: instead of the editors
	Bundle  string            `json:"bundle"`                   // the whole path of an .mcpb or .dxt file: instead of the editors
	Values  map[string]string `json:"values"`                   // what the user answered to what a bundle asks
}

// Arrival says what became of a candidate.
type Arrival struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`   // here
	Status  string   `json:"status"` // imported, here, failed
	Problem string   `json:"problem,omitempty"`
	Moved   []string `json:"moved" nullable:"false"` // places whose credentials went into the keychain
	Kept    []string `json:"kept" nullable:"false"`  // places whose credentials still stand there in plain text, with the reason in Problem
}

// Report is what an import did.
type Report struct {
	Servers []Arrival `json:"servers" nullable:"false"`
	Taken   []Taken   `json:"taken" nullable:"false"` // out of editors
	DryRun  bool      `json:"dry_run,omitempty"`
}

// Taken is a file out of which entries were taken.
type Taken struct {
	Editor  string   `json:"editor"`
	Path    string   `json:"path"`
	Entries []string `json:"entries" nullable:"false"`
	Change  string   `json:"change,omitempty"` // the record in history
	Problem string   `json:"problem,omitempty"`
}

// Question is what a bundle asks the user for.
type Question struct {
	Key         string `json:"key"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Kind        string `json:"kind"` // string, number, boolean, file or directory
	Default     string `json:"default"`
	Required    bool   `json:"required"`
	Secret      bool   `json:"secret"`
	Multiple    bool   `json:"multiple"` // each line of the answer is one
}

// TakeOut takes entries out of a file of an editor, so that it can be undone.
type TakeOut func(ctx context.Context, editor string, file table.File, entries []string) (registration.Outcome, error)

// Options are what an intake works with.
type Options struct {
	Machine   table.Machine
	Registry  *registry.Registry
	Lifecycle *lifecycle.Manager
	Vault     *secrets.Vault // nil: credentials stay in the configuration
	Migrator  *secretmigration.Migrator
	TakeOut   TakeOut
	// Bundles is a folder of ours into which bundles are unpacked.
	Bundles string
}

// Intake brings servers in. It is safe for concurrent use.
type Importer struct {
	Options
	importing sync.Mutex // one import at a time
}

// New returns an intake.
func New(o Options) *Importer { return &Importer{Options: o} }

// Scan reads the servers of all editors that are there. With ids it returns
// those that one of these editors has, with all places in which they are. An
// unknown id is a fault.NotFound.
func (i *Importer) Scan(ctx context.Context, ids []string) (Scan, error) {
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		e, ok := table.ByID(id)
		if !ok {
			return Scan{}, noEditor(id)
		}
		wanted[e.ID] = true
	}
	seen, problems := i.look(ctx)
	scan := Scan{Candidates: i.candidates(ctx, seen), Problems: problems}
	if len(ids) > 0 {
		scan.Candidates = slices.DeleteFunc(scan.Candidates, func(c Candidate) bool {
			return !slices.ContainsFunc(c.Sources, func(s Source) bool { return wanted[s.Editor] })
		})
		scan.Problems = slices.DeleteFunc(scan.Problems, func(p Problem) bool { return !wanted[p.Editor] })
	}
	return scan, ctx.Err()
}

func noEditor(id string) error {
	return fault.New(fault.NotFound, "there is no editor %q; agent-discover editors list --all names them", id)
}

// ScanText reads what a person pasted: the configuration of any client, whole
// or a part of it, a single entry, or a command line.
func (i *Importer) ScanText(ctx context.Context, text string) (Scan, error) {
	entries, err := parseText(text)
	if err != nil {
		return Scan{}, err
	}
	seen := make([]sighting, 0, len(entries))
	for _, e := range entries {
		name := e.Name
		if name == "" {
			name = suggestName(e.Server)
		}
		s := sighting{entry: name, server: e.Server, problem: e.Problem, warnings: e.Notes, pasted: true}
		s.tidy(i.Machine)
		seen = append(seen, s)
	}
	return Scan{Candidates: i.candidates(ctx, seen), Problems: []Problem{}}, ctx.Err()
}
