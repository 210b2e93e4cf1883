package registration

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// notes is what is remembered beside changes: which editors were seen, where
// our entry is not wanted, and what waits until an editor has ended. It is on
// the disk before it counts.
type notes struct {
	folder string

	mu   sync.Mutex
	read bool
	seen seen
	wish waiting
}

// seen is kept in seen.json.
type seen struct {
	Editors map[string]sighting `json:"editors"` // by id; nil: nobody has looked yet
	Refused []string            `json:"refused"` // files out of which a person took our entry
}

type sighting struct {
	New  bool `json:"new,omitempty"`  // since a person last looked
	Auto bool `json:"auto,omitempty"` // it is to get our entry
}

// waiting is kept in waiting.json.
type waiting struct {
	Last   int    `json:"last"`
	Wishes []wish `json:"wishes"`
}

// wish is what is done to a file as soon as its editor has ended.
type wish struct {
	ID      string     `json:"id"`
	Editor  string     `json:"editor"`
	File    table.File `json:"file"`
	Action  Action     `json:"action"`
	Entries []string   `json:"entries"`
	Change  string     `json:"change,omitempty"` // that is undone
	Replace bool       `json:"replace,omitempty"`
	By      string     `json:"by"`
	Problem string     `json:"problem,omitempty"` // why it could not be done
}

func (d *draft) wish() wish {
	return wish{Editor: d.found.ID, File: d.file, Action: d.action, Entries: d.entries, Change: d.undoes, Replace: d.replace, By: d.by}
}

// same reports whether a wish stands in the place of another.
func (w wish) same(o wish) bool {
	if w.File.Path != o.File.Path {
		return false
	}
	if w.aboutOurs() && o.aboutOurs() {
		return true
	}
	return w.Action == o.Action && w.Change == o.Change && slices.Equal(w.Entries, o.Entries)
}

// aboutOurs reports whether a wish is about our own entry.
func (w wish) aboutOurs() bool { return slices.Contains(w.Entries, Name) }

func (n *notes) load() error {
	if n.read {
		return nil
	}
	err := errors.Join(readJSON(filepath.Join(n.folder, "seen.json"), &n.seen),
		readJSON(filepath.Join(n.folder, "waiting.json"), &n.wish))
	if err != nil {
		return fault.Wrap(err, fault.Failed, "what is remembered of editors cannot be read; see the hub's log")
	}
	n.read = true
	return nil
}

// readJSON leaves a value as it is where there is no file.
func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return nil
}

func (n *notes) write(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(n.folder, 0o700); err != nil {
		return err
	}
	return paths.WriteDurable(filepath.Join(n.folder, name), text)
}

// look shows what was seen. Nobody changes it.
func (n *notes) look() (seen, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	err := n.load()
	return n.seen, err
}

// sight changes what was seen; change works on a copy and reports whether it
// did anything.
func (n *notes) sight(change func(*seen) bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.load(); err != nil {
		return err
	}
	next := seen{Refused: slices.Clone(n.seen.Refused)}
	if n.seen.Editors != nil {
		next.Editors = make(map[string]sighting, len(n.seen.Editors))
		for id, s := range n.seen.Editors {
			next.Editors[id] = s
		}
	}
	if !change(&next) {
		return nil
	}
	if err := n.write("seen.json", next); err != nil {
		return err
	}
	n.seen = next
	return nil
}

// refuse notes that a person does not, or does again, want our entry in a file.
func (n *notes) refuse(path string, no bool) error {
	return n.sight(func(s *seen) bool {
		if slices.Contains(s.Refused, path) == no {
			return false
		}
		if no {
			s.Refused = append(s.Refused, path)
		} else {
			s.Refused = slices.DeleteFunc(s.Refused, func(p string) bool { return p == path })
		}
		return true
	})
}

// wishes are those that wait.
func (n *notes) wishes() []wish {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.load() != nil {
		return nil
	}
	return slices.Clone(n.wish.Wishes)
}

// rewrite changes the wishes that wait.
func (n *notes) rewrite(next waiting) error {
	if err := n.write("waiting.json", next); err != nil {
		return err
	}
	n.wish = next
	return nil
}

// wait keeps a wish, in place of one that it fulfils or speaks against, and
// gives it a name.
func (n *notes) wait(w wish) (id string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.load(); err != nil {
		return "", err
	}
	next := waiting{Last: n.wish.Last + 1}
	w.ID = waitingID + w.Editor + "-" + strconv.Itoa(next.Last)
	for _, o := range n.wish.Wishes {
		if !o.same(w) {
			next.Wishes = append(next.Wishes, o)
		}
	}
	next.Wishes = append(next.Wishes, w)
	return w.ID, n.rewrite(next)
}

// waitingID begins the names of wishes, which no change's does.
const waitingID = "waiting-"

// drop forgets the wishes that a test names, and reports whether there was one.
func (n *notes) drop(these func(wish) bool) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.load(); err != nil {
		return false, err
	}
	left := slices.DeleteFunc(slices.Clone(n.wish.Wishes), these)
	if len(left) == len(n.wish.Wishes) {
		return false, nil
	}
	return true, n.rewrite(waiting{Last: n.wish.Last, Wishes: left})
}

// withdraw forgets what waits for our entry in a file, once something was done
// about it.
func (n *notes) withdraw(path string) error {
	_, err := n.drop(func(w wish) bool { return w.File.Path == path && w.aboutOurs() })
	return err
}

// blame notes why a wish could not be carried out.
func (n *notes) blame(id, problem string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	next := waiting{Last: n.wish.Last, Wishes: slices.Clone(n.wish.Wishes)}
	at := slices.IndexFunc(next.Wishes, func(w wish) bool { return w.ID == id })
	if at < 0 || next.Wishes[at].Problem == problem {
		return nil
	}
	next.Wishes[at].Problem = problem
	return n.rewrite(next)
}

// waitsFor returns the wish about our entry in a file.
func (n *notes) waitsFor(path string) (wish, bool) {
	for _, w := range n.wishes() {
		if w.File.Path == path && w.aboutOurs() {
			return w, true
		}
	}
	return wish{}, false
}

// opposes reports whether an action takes a wish back that waits.
func (n *notes) opposes(path string, action Action) bool {
	w, ok := n.waitsFor(path)
	return ok && w.Action != action
}
