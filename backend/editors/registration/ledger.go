package registration

import (
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
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// kept is how many changes of one file are kept.
const kept = 50

// change is a record with all that it takes to undo it. It has a folder:
//
//	change.json  this, without a secret in it
//	before       the file as it was, to the byte; none when it was not there
//	steps.json   what was cut out and put in
//	done         says that the file was changed; see settle
//
// All but done are on the disk before the file is touched.
type change struct {
	Record
	Number  int              `json:"number"` // counts on over all changes
	Scope   string           `json:"scope"`
	Shape   string           `json:"shape"`
	Place   configedit.Place `json:"place"`
	Before  string           `json:"before"` // hash; "" when the file was not there
	After   string           `json:"after"`  // hash; "" when it is not there now
	Mode    fs.FileMode      `json:"mode"`   // of the file
	Folders []string         `json:"folders,omitempty"`
	Had     bool             `json:"had"`              // whether our entry was there
	Has     bool             `json:"has"`              // whether it is
	Writer  bool             `json:"writer,omitempty"` // a program of the editor made it: After is known afterwards alone
	Loose   bool             `json:"loose,omitempty"`  // the file was changed beside the steps: they do not lead from before to after

	steps []step
}

// step is a change of one entry. A change has one, or more when it takes out
// many entries.
type step struct {
	Name string           `json:"name"`
	Was  bool             `json:"was"` // whether the entry was there
	Is   bool             `json:"is"`  // and is
	Cuts []configedit.Cut `json:"cuts"`
	Made int              `json:"made"`
}

func (c *change) file() table.File {
	return table.File{Path: c.Path, Scope: c.Scope, Place: c.Place, Shape: c.Shape}
}

// ledger keeps changes in a folder of its own. It reads them once: nobody else
// writes there.
type ledger struct {
	folder string
	now    func() time.Time
	sync   func(paths ...string) error
	settle func(c *change, before []byte) (happened bool) // for one that was cut short

	mu   sync.Mutex
	read bool
	list []*change // the first first; nobody changes one
	last int
}

// all returns the changes that happened, the first first.
func (l *ledger) all() ([]*change, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.load()
	return slices.Clone(l.list), err
}

// latest returns the last change of our entry in each file; none when they
// cannot be read.
func (l *ledger) latest() map[string]*change {
	all, _ := l.all()
	last := make(map[string]*change)
	for _, c := range all {
		if slices.Contains(c.Entries, Name) {
			last[c.Path] = c
		}
	}
	return last
}

func (l *ledger) load() error {
	if l.read {
		return nil
	}
	entries, err := os.ReadDir(l.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.Failed, "the list of changes cannot be read")
	}
	for _, entry := range entries {
		if c := l.open(entry.Name()); c != nil {
			l.list = append(l.list, c)
		}
	}
	slices.SortFunc(l.list, func(a, b *change) int { return a.Number - b.Number })
	if n := len(l.list); n > 0 {
		l.last = l.list[n-1].Number
	}
	l.read = true
	return nil
}

// open reads a change. One that was cut short is settled first, and one that
// never happened goes.
func (l *ledger) open(id string) *change {
	folder := filepath.Join(l.folder, id)
	c := &change{}
	text, err := os.ReadFile(filepath.Join(folder, "change.json"))
	if err != nil || json.Unmarshal(text, c) != nil || c.ID != id {
		return nil // written halfway: the file was not touched
	}
	if text, err := os.ReadFile(filepath.Join(folder, "steps.json")); err != nil || json.Unmarshal(text, &c.steps) != nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(folder, "done")); err == nil {
		return c
	}
	before, err := l.before(c)
	if err != nil {
		return nil
	}
	if !l.settle(c, before) {
		_ = os.RemoveAll(folder)
		return nil
	}
	_ = l.finish(c)
	return c
}

// before returns the file as it was; nil when it was not there.
func (l *ledger) before(c *change) ([]byte, error) {
	if c.Before == "" {
		return nil, nil
	}
	data, err := os.ReadFile(filepath.Join(l.folder, c.ID, "before"))
	if err == nil && atomicfile.HashOf(data) != c.Before {
		err = errors.New("the copy is damaged")
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "the copy of %s from before the change cannot be read", c.Path)
	}
	return data, nil
}

// begin writes a change down before it is made, and gives it its name.
func (l *ledger) begin(c *change, before []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.load(); err != nil {
		return err
	}
	l.last++
	c.Number, c.At = l.last, l.now().UTC()
	c.ID = fmt.Sprintf("%s-%s-%d", c.At.Format("20060102T150405Z"), c.Editor, c.Number)
	folder := filepath.Join(l.folder, c.ID)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fault.Wrap(err, fault.Failed, "the change cannot be written down first, so it is not made")
	}
	paths, err := l.write(c, folder)
	if err == nil && c.Before != "" {
		paths = append(paths, filepath.Join(folder, "before"))
		err = os.WriteFile(filepath.Join(folder, "before"), before, 0o600)
	}
	if err == nil {
		err = l.sync(append(paths, folder, l.folder)...)
	}
	if err != nil {
		_ = os.RemoveAll(folder)
		return fault.Wrap(err, fault.Failed, "the change cannot be written down first, so it is not made")
	}
	return nil
}

// write puts a change into its files, and names them.
func (l *ledger) write(c *change, folder string) ([]string, error) {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, err
	}
	steps, err := json.Marshal(c.steps)
	if err != nil {
		return nil, err
	}
	files := []string{filepath.Join(folder, "change.json"), filepath.Join(folder, "steps.json")}
	return files, errors.Join(os.WriteFile(files[0], text, 0o600), os.WriteFile(files[1], steps, 0o600))
}

// finish writes down what became known of a change by making it, and that it
// was made.
func (l *ledger) finish(c *change) error {
	folder := filepath.Join(l.folder, c.ID)
	if c.Writer {
		paths, err := l.write(c, folder)
		if err := errors.Join(err, l.sync(paths...)); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "done"), nil, 0o600)
}

// commit keeps a change that was made.
func (l *ledger) commit(c *change) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, c)
	l.prune(c.Path)
	return l.finish(c)
}

// abort forgets a change that was not made.
func (l *ledger) abort(c *change) { _ = os.RemoveAll(filepath.Join(l.folder, c.ID)) }

// prune forgets the oldest changes of a file. The newest that stands stays, and
// what was last done about our entry.
func (l *ledger) prune(path string) {
	undone := undone(l.list)
	var of []*change
	stands, ours := 0, 0
	for _, c := range l.list {
		if c.Path != path {
			continue
		}
		if of = append(of, c); c.Action != Undo && !undone[c.ID] {
			stands = c.Number
		}
		if slices.Contains(c.Entries, Name) {
			ours = c.Number
		}
	}
	for _, c := range of[:max(len(of)-kept, 0)] {
		if c.Number != stands && c.Number != ours && os.RemoveAll(filepath.Join(l.folder, c.ID)) == nil {
			l.list = slices.DeleteFunc(l.list, func(o *change) bool { return o == c })
		}
	}
}

// undone says which changes a later one took back: one that was itself taken
// back does not count.
func undone(all []*change) map[string]bool {
	out := make(map[string]bool)
	for _, c := range slices.Backward(all) {
		if c.Undoes != "" && !out[c.ID] {
			out[c.Undoes] = true
		}
	}
	return out
}
