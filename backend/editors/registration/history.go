package registration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// maxChanges is how many changes of one file are kept.
const maxChanges = 50

// change is a record with everything that undoing it needs. It is stored in a
// folder of its own:
//
//	change.json  these fields; they contain no secret
//	before       backup of the file, to the byte; missing when there was no file
//	steps.json   the edits
//	done         an empty file that marks the change as made; see wasMade
//
// A backup or edits that contain a credential are encrypted: these files are called before.age and
// steps.age. All files except the one named done are written and synced before the editor's file is
// touched.
type change struct {
	Record
	Number  int              `json:"number"` // increases with each change of any file
	Scope   string           `json:"scope"`
	Shape   string           `json:"shape"`
	Place   configedit.Place `json:"place"`
	Before  string           `json:"before"` // hash; "" when the file did not exist
	After   string           `json:"after"`  // hash; "" when the file was removed
	Mode    fs.FileMode      `json:"mode"`   // mode of the file
	Folders []string         `json:"folders,omitempty"`
	Had     bool             `json:"had"`              // the Agent Discover entry was in the file before the change
	Has     bool             `json:"has"`              // the Agent Discover entry is in the file after the change
	Writer  bool             `json:"writer,omitempty"` // the editor's commands make the change, so After is unknown until they have ended
	// Loose reports that the file also changed outside the steps, so that the steps alone do not
	// lead from Before to After.
	Loose  bool `json:"loose,omitempty"`
	Sealed bool `json:"sealed,omitempty"` // files with credentials are encrypted; false in records of earlier versions

	steps []step // nil when they are encrypted; see stepsOf
}

// step is the change of one entry. Removing several entries takes several steps.
type step struct {
	Name  string            `json:"name"`
	Keys  []string          `json:"keys,omitempty"` // path of the collection that contains the entry; nil for the servers
	Was   bool              `json:"was"`            // the entry was in the file before the step
	Is    bool              `json:"is"`             // the entry is in the file after the step
	Edits []configedit.Edit `json:"cuts"`
	Made  int               `json:"made"` // see configedit.Change
}

// place returns the place of the collection that the step changes.
func (s step) place(servers configedit.Place) configedit.Place {
	if s.Keys == nil {
		return servers
	}
	return configedit.Place{Format: servers.Format, Keys: s.Keys}
}

// inverse returns the step that undoes s.
func (s step) inverse() step {
	out := step{Name: s.Name, Keys: s.Keys, Was: s.Is, Is: s.Was, Edits: make([]configedit.Edit, len(s.Edits))}
	shift := 0
	for i, e := range s.Edits {
		out.Edits[i] = configedit.Edit{At: e.At + shift, Old: e.New, New: e.Old}
		shift += len(e.New) - len(e.Old)
	}
	return out
}

// applyTo returns the text after the step; nil when the step does not match the
// text.
func (s step) applyTo(text []byte) []byte {
	out := make([]byte, 0, len(text))
	from := 0
	for _, e := range s.Edits {
		if e.At < from || e.At+len(e.Old) > len(text) || string(text[e.At:e.At+len(e.Old)]) != e.Old {
			return nil
		}
		out = append(append(out, text[from:e.At]...), e.New...)
		from = e.At + len(e.Old)
	}
	return append(out, text[from:]...)
}

func (c *change) file() table.File {
	return table.File{Path: c.Path, Scope: c.Scope, Place: c.Place, Shape: c.Shape}
}

// history stores changes in a folder. It reads them once, because no other
// process writes there.
type history struct {
	folder  string
	now     func() time.Time
	sync    func(paths ...string) error
	wasMade func(c *change, before []byte) bool // reports whether an interrupted change was made
	sealer  Sealer                              // may be nil; then nothing can be encrypted

	mu   sync.Mutex
	read bool
	list []*change // oldest first; immutable once added
	last int       // the number of the newest change
}

// all returns the changes that were made, oldest first.
func (h *history) all() ([]*change, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.load()
	return slices.Clone(h.list), err
}

// latest returns the newest change of the Agent Discover entry in each file, by path. It returns
// none if the history cannot be read.
func (h *history) latest() map[string]*change {
	all, _ := h.all()
	last := make(map[string]*change)
	for _, c := range all {
		if slices.Contains(c.Entries, Name) {
			last[c.Path] = c
		}
	}
	return last
}

func (h *history) load() error {
	if h.read {
		return nil
	}
	entries, err := os.ReadDir(h.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.Failed, "could not read the history of changes")
	}
	for _, entry := range entries {
		if c := h.open(entry.Name()); c != nil {
			h.list = append(h.list, c)
		}
	}
	slices.SortFunc(h.list, func(a, b *change) int { return a.Number - b.Number })
	if n := len(h.list); n > 0 {
		h.last = h.list[n-1].Number
	}
	h.read = true
	return nil
}

// open reads a change. It returns nil if the change is incomplete or was never made. It completes
// or deletes a change that was interrupted.
func (h *history) open(id string) *change {
	folder := filepath.Join(h.folder, id)
	c := &change{}
	text, err := paths.ReadFile(filepath.Join(folder, "change.json"))
	if err != nil || json.Unmarshal(text, c) != nil || c.ID != id {
		return nil // interrupted before the editor's file was touched
	}
	if c.Forgotten {
		return c
	}
	text, err = paths.ReadFile(filepath.Join(folder, "steps.json"))
	if err == nil {
		err = json.Unmarshal(text, &c.steps)
	} else if _, sealed := os.Stat(filepath.Join(folder, "steps"+sealedSuffix)); sealed == nil {
		err = nil
	}
	if err != nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(folder, "done")); err == nil {
		return c
	}
	var before []byte
	if c.Writer {
		if before, err = h.backup(context.Background(), c); err != nil {
			return nil
		}
	}
	if !h.wasMade(c, before) {
		_ = os.RemoveAll(folder)
		return nil
	}
	_ = h.markDone(context.Background(), c, before)
	return c
}

// begin stores a change before it is made. It sets the number, time and id of c.
func (h *history) begin(ctx context.Context, c *change, before []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.load(); err != nil {
		return err
	}
	h.last++
	c.Number, c.At = h.last, h.now().UTC()
	c.ID = fmt.Sprintf("%s-%s-%d", c.At.Format("20060102T150405Z"), c.Editor, c.Number)
	err := h.store(ctx, c, before)
	if err == nil {
		return nil
	}
	_ = os.RemoveAll(filepath.Join(h.folder, c.ID))
	if fault.KindOf(err) == fault.Unavailable { // the message says that encryption is not possible, and what to do
		return err
	}
	return fault.Wrap(err, fault.Failed, "could not save a backup in the data folder: %s; %s was not changed",
		atomicfile.Reason(err), c.Path)
}

// store writes the folder of a change and syncs it to the disk.
func (h *history) store(ctx context.Context, c *change, before []byte) error {
	folder := filepath.Join(h.folder, c.ID)
	for _, dir := range []string{filepath.Dir(h.folder), folder} {
		if err := paths.MakeFolder(dir); err != nil {
			return err
		}
	}
	c.Sealed = true
	written, err := h.writeRecord(ctx, c, before)
	if err != nil {
		return err
	}
	if c.Before != "" {
		backup, err := h.writeBackup(ctx, c, before)
		if err != nil {
			return err
		}
		written = append(written, backup...)
	}
	return h.sync(append(written, folder, h.folder)...)
}

// writeRecord writes change.json and the steps, and returns their paths. before
// is the file before the change.
func (h *history) writeRecord(ctx context.Context, c *change, before []byte) ([]string, error) {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, err
	}
	record := filepath.Join(h.folder, c.ID, "change.json")
	if err := paths.WriteFile(record, text); err != nil {
		return nil, err
	}
	steps, err := h.writeSteps(ctx, c, before)
	return []string{record, steps}, err
}

// markDone creates the file that marks a change as made. If the editor's commands made the
// change, markDone first writes change.json and the steps again, because the hash in After and
// the steps are known only after the commands have ended.
func (h *history) markDone(ctx context.Context, c *change, before []byte) error {
	if c.Writer {
		written, err := h.writeRecord(ctx, c, before)
		if err := errors.Join(err, h.sync(written...)); err != nil {
			return err
		}
	}
	return paths.WriteFile(filepath.Join(h.folder, c.ID, "done"), nil)
}

// commit adds a completed change to the list. before is the content of the file before the change.
func (h *history) commit(ctx context.Context, c *change, before []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.markDone(ctx, c, before)
	if h.isSealed(c, "steps") {
		c.steps = nil
	}
	h.list = append(h.list, c)
	slices.SortStableFunc(h.list, func(a, b *change) int { return a.Number - b.Number })
	h.prune(c.Path)
	return err
}

// abort deletes a change that was not made.
func (h *history) abort(c *change) { _ = os.RemoveAll(filepath.Join(h.folder, c.ID)) }

// prune deletes the oldest changes of a file. It keeps the newest change that is
// not undone and the newest one of the Agent Discover entry.
func (h *history) prune(path string) {
	undone := undoneIn(h.list)
	var ofFile []*change
	newest, newestOfEntry := 0, 0
	for _, c := range h.list {
		if !pathname.Here.Equal(c.Path, path) {
			continue
		}
		if ofFile = append(ofFile, c); c.Action != Undo && !undone[c.ID] {
			newest = c.Number
		}
		if slices.Contains(c.Entries, Name) {
			newestOfEntry = c.Number
		}
	}
	for _, c := range ofFile[:max(len(ofFile)-maxChanges, 0)] {
		if c.Number != newest && c.Number != newestOfEntry && os.RemoveAll(filepath.Join(h.folder, c.ID)) == nil {
			h.list = slices.DeleteFunc(h.list, func(o *change) bool { return o == c })
		}
	}
}

// undoneIn returns the ids of the changes that a later one undid. An undo that
// was itself undone does not count.
func undoneIn(all []*change) map[string]bool {
	undone := make(map[string]bool)
	for _, c := range slices.Backward(all) {
		if c.Undoes != "" && !undone[c.ID] {
			undone[c.Undoes] = true
		}
	}
	return undone
}
