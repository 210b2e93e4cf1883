// Package intake answers which MCP servers a person has elsewhere, in editors,
// in bundles and in text that they paste, and brings them in: each once, under
// a name that is free, with its credentials in the keychain. It starts nothing,
// expands no variable and runs no command that it reads.
package intake

import (
	"context"
	"errors"

	"github.com/agent-discover/agent-discover/backend/editors"
	"github.com/agent-discover/agent-discover/backend/install"
	"github.com/agent-discover/agent-discover/backend/registration"
)

// Source is a place in which a server stands.
type Source struct {
	Editor   string `json:"editor"` // its id; "" for a bundle or a text
	Name     string `json:"name"`   // of the editor
	Path     string `json:"path"`
	Entry    string `json:"entry"`    // the server's name there
	Disabled bool   `json:"disabled"` // switched off there
	CanTake  bool   `json:"can_take"` // the entry can be taken out
}

// Candidate is a server that may come in. The same command and arguments in
// several places are one candidate.
type Candidate struct {
	ID       string         `json:"id"`   // of what it runs: the same in every scan
	Name     string         `json:"name"` // proposed; free here and among the candidates
	Sources  []Source       `json:"sources" nullable:"false"`
	Here     string         `json:"here"`                      // the server of the registry that is the same; "" for none
	Ours     bool           `json:"-"`                         // it is our own entry: never shown
	Secrets  []string       `json:"secrets" nullable:"false"`  // places of credentials: env.NAME, args[3], headers.NAME, url
	Problem  string         `json:"problem"`                   // why it cannot come in
	Warnings []string       `json:"warnings" nullable:"false"` // what a person should know: a command that is not on this machine, variables of the editor's own
	Command  string         `json:"command"`                   // as a person reads it, credentials covered
	Server   editors.Server `json:"-"`
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
}

// TakeOut takes entries out of a file of an editor, so that it can be undone.
type TakeOut func(ctx context.Context, editor string, file editors.File, entries []string) (registration.Outcome, error)

// Options are what an intake works with.
type Options struct {
	Machine   editors.Machine
	Installer *install.Installer
	TakeOut   TakeOut
	// Bundles is a folder of ours into which bundles are unpacked.
	Bundles string
}

// Intake brings servers in. It is safe for concurrent use.
type Intake struct{ Options }

// New returns an intake.
func New(o Options) *Intake { return &Intake{o} }

// Scan reads the servers of all editors that are there; of some when ids are
// given.
func (i *Intake) Scan(ctx context.Context, ids []string) (Scan, error) {
	return Scan{}, errors.ErrUnsupported
}

// ScanText reads what a person pasted: the configuration of any client, whole
// or a part of it, a single entry, or a command line.
func (i *Intake) ScanText(ctx context.Context, text string) (Scan, error) {
	return Scan{}, errors.ErrUnsupported
}

// ScanBundle reads the manifest of an .mcpb or .dxt file, and what it asks for.
func (i *Intake) ScanBundle(ctx context.Context, file string) (Scan, []Question, error) {
	return Scan{}, nil, errors.ErrUnsupported
}

// Import brings in what is chosen. With dry nothing is changed.
func (i *Intake) Import(ctx context.Context, q Request, dry bool) (Report, error) {
	return Report{}, errors.ErrUnsupported
}

// Exported is servers as an editor's file holds them.
type Exported struct {
	Editor string   `json:"editor"`
	Path   string   `json:"path"` // where that would go on this machine; "" when not known
	Format string   `json:"format"`
	Text   string   `json:"text"`
	Left   []string `json:"left" nullable:"false"` // servers that it cannot hold, with the reason
}

// Export writes servers of the registry, all when none are named, as an editor
// spells them. References to secrets stay references, which only we know.
func (i *Intake) Export(ctx context.Context, editor string, servers []string) (Exported, error) {
	return Exported{}, errors.ErrUnsupported
}
