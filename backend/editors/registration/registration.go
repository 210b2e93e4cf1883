// Package registration answers whether our entry is in an editor's
// configuration, and puts it in and takes it out again: shown before, proved
// after, undone to the byte. It is the only room that changes files outside the
// data folder.
package registration

import (
	"context"
	"log/slog"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/editors/configdiff"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// Name is that of our entry.
const Name = "discover"

// State is what our entry is in one file.
type State string

// The states.
const (
	Absent     State = "absent"     // not there
	Registered State = "registered" // there, and right
	Stale      State = "stale"      // ours, but it starts a program that moved, is missing or is another one of ours
	Foreign    State = "foreign"    // an entry of our name starts something else
	Dropped    State = "dropped"    // we put it there, and somebody took it out
	Unreadable State = "unreadable" // the file cannot be changed; Problem says why
	Waiting    State = "waiting"    // it is put there as soon as the editor has ended
)

// FileStatus is a file of an editor.
type FileStatus struct {
	Path    string `json:"path"`
	Exists  bool   `json:"exists"`
	State   State  `json:"state"`
	Command string `json:"command,omitempty"` // that the entry starts now
	Problem string `json:"problem,omitempty"`
	Snippet string `json:"snippet,omitempty"` // to paste by hand, where we may not write
}

// Status is an editor on this machine.
type Status struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Detected    bool         `json:"detected"`
	Evidence    []string     `json:"evidence" nullable:"false"`
	Verified    bool         `json:"verified"`
	Registrable bool         `json:"registrable"` // our entry may come in here
	Importable  bool         `json:"importable"`
	State       State        `json:"state"` // the worst of its files that needs something done
	Files       []FileStatus `json:"files" nullable:"false"`
	Running     bool         `json:"running"`                  // a process of it runs, and it must not while its file is changed
	Reload      string       `json:"reload"`                   // hot, session, refresh or restart
	ReloadHint  string       `json:"reload_hint"`              // a sentence
	NeedsReload bool         `json:"needs_reload"`             // its file was changed and it was not seen connecting since
	ListChanged string       `json:"list_changed"`             // yes, no, unknown
	MaxTools    int          `json:"max_tools"`                // 0: none known
	MaxName     int          `json:"max_name"`                 // 0: none known
	Managed     []string     `json:"managed" nullable:"false"` // policies of an administrator
	Note        string       `json:"note,omitempty"`           // a sentence
	New         bool         `json:"new"`                      // found since a person last looked
}

// Action is what is done to a file.
type Action string

// The actions.
const (
	Register   Action = "register" // also puts right what is stale, and back what was dropped
	Unregister Action = "unregister"
	TakeOut    Action = "take-out" // entries of servers that came in
	Undo       Action = "undo"
)

// Plan is what would be done to one file, or why not.
type Plan struct {
	Editor  string `json:"editor"`
	Path    string `json:"path"`
	Action  Action `json:"action"`
	Nothing bool   `json:"nothing"`               // it is as wished already
	Writer  string `json:"writer,omitempty"`      // the command that will make the change
	Wait    bool   `json:"wait"`                  // until the editor has ended
	Diff    []Line `json:"diff" nullable:"false"` // credentials are covered
	Before  string `json:"before"`                // hash of the file as it was read; "" when it is not there
	Problem string `json:"problem,omitempty"`     // why it is refused
	Snippet string `json:"snippet,omitempty"`
}

// Line is a line of a diff.
type Line = configdiff.Line

// Record is a change that was made, as history shows it.
type Record struct {
	ID       string    `json:"id"`
	Editor   string    `json:"editor"`
	Name     string    `json:"name"` // of the editor
	Path     string    `json:"path"`
	Action   Action    `json:"action"`
	Entries  []string  `json:"entries" nullable:"false"`
	At       time.Time `json:"at"`
	By       string    `json:"by"` // person or automatic
	Undoes   string    `json:"undoes,omitempty"`
	Undone   bool      `json:"undone"`        // by a later record
	Exact    bool      `json:"exact"`         // the file is as we left it: undo gives back every byte
	Possible bool      `json:"possible"`      // it can be undone
	Why      string    `json:"why,omitempty"` // why not
}

// Outcome is what became of one file.
type Outcome struct {
	Editor  string `json:"editor"`
	Path    string `json:"path"`
	Status  string `json:"status"`           // done, nothing, waiting, refused or failed
	Change  string `json:"change,omitempty"` // the record's id
	Problem string `json:"problem,omitempty"`
	Snippet string `json:"snippet,omitempty"`
	Reload  string `json:"reload,omitempty"` // what the user has to do now
}

// Changed is published when the state of an editor may be another.
type Changed struct{}

// Options are what a registrar works with.
type Options struct {
	Machine table.Machine
	Folder  string       // of its own: backups, history, what waits
	Entry   table.Server // what our entry starts
	Auto    bool         // put our entry into editors that are found from now on
	// Execute runs a program of an editor in the user's environment and returns
	// what it printed.
	Execute func(ctx context.Context, program string, args ...string) (output []byte, err error)
	// Running reports whether a process of one of these names runs.
	Running func(ctx context.Context, names []string) bool
	// LastSeen says when a client by one of these names was last connected; zero
	// for never.
	LastSeen func(ctx context.Context, clients []string) time.Time
	Bus      *events.Bus
	Log      *slog.Logger
	Now      func() time.Time // nil: time.Now
}

// Request says what is to be done to which editors.
type Request struct {
	Action      Action
	Editors     []string          // ids
	All         bool              // all that are detected and may have our entry; for Unregister all that have it
	Project     string            // the folder of a project whose own files are meant instead of the user's
	Replace     bool              // also an entry of our name that starts something else
	Expect      map[string]string // hashes of files as they were shown, by path: one that differs is refused
	Environment map[string]string // variables that move files, as the asking person has them
	By          string            // person or automatic
}
