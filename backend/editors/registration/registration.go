// Package registration adds the Agent Discover entry to the configuration files of editors and
// removes it again. Every change can be previewed, is verified after it is made, and can be undone
// to the byte. The package also removes the entries of imported servers, because it is the only one
// that changes files outside the data folder.
//
// Package table knows the editors and the paths of their files. Packages configedit and atomicfile
// edit text and replace files.
package registration

import (
	"context"
	"log/slog"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/editors/configdiff"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// Name is the name of the Agent Discover entry in every file.
const Name = "discover"

// State is the state of the Agent Discover entry in one file.
type State string

// The states.
const (
	Absent     State = "absent"     // the file has no such entry
	Registered State = "registered" // the entry is correct
	Stale      State = "stale"      // the entry starts a missing or moved program, or has wrong arguments
	Foreign    State = "foreign"    // an entry of the same name starts another program
	Dropped    State = "dropped"    // another program removed the entry
	Unreadable State = "unreadable" // the file cannot be changed; Problem contains the reason
	Waiting    State = "waiting"    // a change is made as soon as the editor has exited
)

// FileStatus describes one configuration file of an editor.
type FileStatus struct {
	Path    string   `json:"path"`
	Exists  bool     `json:"exists"`
	State   State    `json:"state"`
	Command string   `json:"command,omitempty"` // the command that the Agent Discover entry starts
	Also    []string `json:"also,omitempty"`    // the names of other entries that start Agent Discover, too
	Problem string   `json:"problem,omitempty"`
	Snippet string   `json:"snippet,omitempty"` // the text to paste where the file cannot be changed
	// Outdated reports that the entry is correct, but its arguments lack the editor or the surface.
	// Register updates it.
	Outdated bool   `json:"outdated,omitempty"`
	Surface  string `json:"surface,omitempty"` // the surface of the Agent Discover entry; see package surfaces
}

// Status describes one editor on this machine.
type Status struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Detected    bool         `json:"detected"`
	Evidence    []string     `json:"evidence" nullable:"false"`
	Verified    bool         `json:"verified"`
	Registrable bool         `json:"registrable"` // its files may be changed
	Importable  bool         `json:"importable"`
	State       State        `json:"state"` // state of the file that most needs attention
	Files       []FileStatus `json:"files" nullable:"false"`
	Running     bool         `json:"running"`                  // the editor is running and must exit before its file is changed
	Reload      string       `json:"reload"`                   // hot, session, refresh or restart
	ReloadHint  string       `json:"reload_hint"`              // a sentence
	NeedsReload bool         `json:"needs_reload"`             // the editor has not connected to the hub since its file was changed
	ListChanged string       `json:"list_changed"`             // yes, no or unknown
	MaxTools    int          `json:"max_tools"`                // 0 if no limit is known
	MaxName     int          `json:"max_name"`                 // 0 if no limit is known
	Managed     []string     `json:"managed" nullable:"false"` // policy files of an administrator
	Note        string       `json:"note,omitempty"`           // remarks for a person, as sentences
	New         bool         `json:"new"`                      // detected since a person last reviewed the editors
}

// Action is a kind of change to a file.
type Action string

// The actions.
const (
	Register   Action = "register" // add the entry, or repair or update it
	Unregister Action = "unregister"
	TakeOut    Action = "take-out" // remove the entries of imported servers
	Undo       Action = "undo"
)

// Plan is a preview of the change to one file, or the reason for refusing it.
type Plan struct {
	Editor  string            `json:"editor"`
	Shared  []string          `json:"shared,omitempty"` // ids of the other selected editors that read the same file
	Path    string            `json:"path"`
	Target  string            `json:"target,omitempty"` // the file that is changed when Path is a symbolic link
	Action  Action            `json:"action"`
	Change  string            `json:"change,omitempty"`      // for Undo: the id of the change to undo
	Nothing bool              `json:"nothing"`               // the file is already as requested
	Writer  string            `json:"writer,omitempty"`      // the editor's own commands that will make the change
	Wait    bool              `json:"wait"`                  // the change waits until the editor has exited
	Diff    []configdiff.Line `json:"diff" nullable:"false"` // with credentials redacted
	Before  string            `json:"before"`                // hash of the file as it is now; "" when it does not exist
	// Difference identifies the change of the entries. It stays the same while only other parts of
	// the file change.
	Difference string `json:"difference"`
	Problem    string `json:"problem,omitempty"` // the reason for a refusal
	Snippet    string `json:"snippet,omitempty"` // the text to paste after a refusal
	Hint       string `json:"hint,omitempty"`    // steps that the user must take before editors use the project's file
}

// Record is a past change in the history.
type Record struct {
	ID        string    `json:"id"`
	Editor    string    `json:"editor"`
	Name      string    `json:"name"`             // name of the editor
	Shared    []string  `json:"shared,omitempty"` // ids of other editors for which the file was changed too
	Path      string    `json:"path"`
	Action    Action    `json:"action"`
	Entries   []string  `json:"entries" nullable:"false"`
	At        time.Time `json:"at"`
	By        string    `json:"by"` // person or automatic
	Undoes    string    `json:"undoes,omitempty"`
	Undone    bool      `json:"undone"`              // a later record undid this change
	Exact     bool      `json:"exact"`               // the file is unchanged since this change, so Undo restores every byte
	Possible  bool      `json:"possible"`            // Undo is possible
	Forgotten bool      `json:"forgotten,omitempty"` // its backup was deleted
	Why       string    `json:"why,omitempty"`       // why Undo is not possible
}

// Outcome is the result of a request for one file.
type Outcome struct {
	Editor  string   `json:"editor"`
	Shared  []string `json:"shared,omitempty"` // ids of the other selected editors that read the same file
	Path    string   `json:"path"`
	Status  string   `json:"status"`           // done, nothing, waiting, refused or failed
	Change  string   `json:"change,omitempty"` // the id of the record
	Undone  string   `json:"undone,omitempty"` // the id of the change that is undone, now, before or when the editor exits
	Problem string   `json:"problem,omitempty"`
	Review  bool     `json:"review,omitempty"` // refused because the change is no longer the previewed one: preview it again
	Snippet string   `json:"snippet,omitempty"`
	Reload  string   `json:"reload,omitempty"` // steps that the user must take before the change has an effect
}

// Changed is published when the status of an editor may have changed.
type Changed struct{}

// Options are the dependencies and settings of a Registrar.
type Options struct {
	Machine table.Machine
	Folder  string       // holds backups, history and pending changes; nothing else writes to it
	Entry   table.Server // the server that the Agent Discover entry starts
	Auto    bool         // register with editors that are detected later
	// IsOurs reports whether a file is a program that an entry may start instead of that of Entry, because it is
	// another copy of this product. If it is nil, there is none.
	IsOurs func(program string) bool
	// Execute runs a program of an editor in the user's environment and returns
	// its output.
	Execute func(ctx context.Context, program string, args ...string) (output []byte, err error)
	// Running reports whether a process with one of the given names is running. If it is nil,
	// process.Running is used.
	Running func(ctx context.Context, names []string) bool
	// LastSeen returns when a client with one of the given names was last connected, or the zero
	// time if there was none.
	LastSeen func(ctx context.Context, clients []string) time.Time
	Sealer   Sealer // encrypts backups with credentials; if nil, entries with credentials cannot be removed
	Bus      *events.Bus
	Log      *slog.Logger
	Now      func() time.Time // nil means time.Now
}

// Request describes a change to the files of some editors.
type Request struct {
	Action      Action
	Editors     []string          // ids
	All         bool              // all detected editors; for Unregister, all that have the entry
	Project     string            // absolute path of a project, whose files are changed instead of those in the home folder
	Surface     string            // for Register: the surface of the entries; "" keeps the current one
	Replace     bool              // also change an entry of the same name that starts another program
	Expect      map[string]string // Difference or Before of the previewed plans, by path; other plans are refused
	Environment map[string]string // environment variables of the caller, which can change the paths of files
	By          string            // person or automatic
	// Program is the path of the program that the entries start; "" for that of Options.Entry. It must be one of
	// this product, see Options.IsOurs.
	Program string
}
