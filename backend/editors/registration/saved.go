package registration

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// savedState is the state that a Registrar stores besides the history: the editors seen, the files in which a person
// does not want the entry, and the pending changes. It is written to disk before it takes effect in memory.
type savedState struct {
	folder string

	mu      sync.Mutex
	read    bool
	seen    seen
	waiting waitingFile
}

// seen is the content of seen.json.
type seen struct {
	Editors map[string]sighting `json:"editors"` // by id; nil before the first scan
	Refused []string            `json:"refused"` // paths of files from which a person removed the entry
}

// sighting is the stored state of an editor that was detected.
type sighting struct {
	New  bool `json:"new,omitempty"`  // detected since a person last reviewed the editors
	Auto bool `json:"auto,omitempty"` // the editor is still to be registered automatically
}

// waitingFile is the content of waiting.json.
type waitingFile struct {
	Last    int             `json:"last"` // the number in the newest id
	Pending []pendingChange `json:"wishes"`
}

// pendingChange is a change that is made as soon as its editor has exited.
type pendingChange struct {
	ID      string     `json:"id"`
	Editor  string     `json:"editor"`
	File    table.File `json:"file"`
	Action  Action     `json:"action"`
	Entries []string   `json:"entries"`
	Change  string     `json:"change,omitempty"` // the id of the change that Undo reverts
	Replace bool       `json:"replace,omitempty"`
	Surface string     `json:"surface,omitempty"`
	By      string     `json:"by"`
	Program string     `json:"program,omitempty"`
	Problem string     `json:"problem,omitempty"` // why the last attempt failed
}

// pendingID is the prefix that distinguishes ids of pending changes from ids in the history.
const pendingID = "waiting-"

// replaces reports whether a pending change makes an older one obsolete.
func (c pendingChange) replaces(old pendingChange) bool {
	if !pathname.Here.Equal(c.File.Path, old.File.Path) {
		return false
	}
	if c.concernsEntry() && old.concernsEntry() {
		return true
	}
	return c.Action == old.Action && c.Change == old.Change && slices.Equal(c.Entries, old.Entries)
}

// concernsEntry reports whether a pending change is about the Agent Discover
// entry.
func (c pendingChange) concernsEntry() bool { return slices.Contains(c.Entries, Name) }

// load reads seen.json and waiting.json once. The caller holds mu.
func (s *savedState) load() error {
	if s.read {
		return nil
	}
	err := errors.Join(readJSON(filepath.Join(s.folder, "seen.json"), &s.seen),
		readJSON(filepath.Join(s.folder, "waiting.json"), &s.waiting))
	if err != nil {
		return fault.Wrap(err, fault.Failed, "could not read the saved state of editors; see the hub's log")
	}
	s.read = true
	return nil
}

// readJSON decodes a file into a value. If the file does not exist, the value does not change.
func readJSON(path string, into any) error {
	text, err := paths.ReadFile(path)
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

func (s *savedState) write(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := paths.MakeFolder(s.folder); err != nil {
		return err
	}
	return paths.WriteDurable(filepath.Join(s.folder, name), text)
}

// editorsSeen returns the content of seen.json. The caller must not change it.
func (s *savedState) editorsSeen() (seen, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.load()
	return s.seen, err
}

// updateSeen changes seen.json. update receives a copy of its content and reports whether it
// changed the copy.
func (s *savedState) updateSeen(update func(*seen) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return err
	}
	next := seen{Editors: maps.Clone(s.seen.Editors), Refused: slices.Clone(s.seen.Refused)}
	if !update(&next) {
		return nil
	}
	if err := s.write("seen.json", next); err != nil {
		return err
	}
	s.seen = next
	return nil
}

// setRefused stores whether a person does not want the entry in a file.
func (s *savedState) setRefused(path string, refused bool) error {
	return s.updateSeen(func(seen *seen) bool {
		same := func(p string) bool { return pathname.Here.Equal(p, path) }
		if slices.ContainsFunc(seen.Refused, same) == refused {
			return false
		}
		if refused {
			seen.Refused = append(seen.Refused, path)
		} else {
			seen.Refused = slices.DeleteFunc(seen.Refused, same)
		}
		return true
	})
}

// pending returns the pending changes, oldest first; none when they cannot be
// read.
func (s *savedState) pending() []pendingChange {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.load() != nil {
		return nil
	}
	return slices.Clone(s.waiting.Pending)
}

// setWaiting replaces waiting.json. The caller holds mu.
func (s *savedState) setWaiting(next waitingFile) error {
	if err := s.write("waiting.json", next); err != nil {
		return err
	}
	s.waiting = next
	return nil
}

// add stores a pending change in place of those that it makes obsolete, and
// returns its new id.
func (s *savedState) add(c pendingChange) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return "", err
	}
	next := waitingFile{Last: s.waiting.Last + 1}
	c.ID = pendingID + c.Editor + "-" + strconv.Itoa(next.Last)
	for _, old := range s.waiting.Pending {
		if !c.replaces(old) {
			next.Pending = append(next.Pending, old)
		}
	}
	next.Pending = append(next.Pending, c)
	return c.ID, s.setWaiting(next)
}

// drop deletes the pending changes that match.
func (s *savedState) drop(match func(pendingChange) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(s.waiting.Pending), match)
	if len(left) == len(s.waiting.Pending) {
		return nil
	}
	return s.setWaiting(waitingFile{Last: s.waiting.Last, Pending: left})
}

func (s *savedState) dropID(id string) error {
	return s.drop(func(c pendingChange) bool { return c.ID == id })
}

// setProblem stores why a pending change could not be made.
func (s *savedState) setProblem(id, problem string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := waitingFile{Last: s.waiting.Last, Pending: slices.Clone(s.waiting.Pending)}
	at := slices.IndexFunc(next.Pending, func(c pendingChange) bool { return c.ID == id })
	if at < 0 || next.Pending[at].Problem == problem {
		return nil
	}
	next.Pending[at].Problem = problem
	return s.setWaiting(next)
}

// pendingForEntry returns the pending change of the Agent Discover entry in a
// file.
func (s *savedState) pendingForEntry(path string) (pendingChange, bool) {
	for _, c := range s.pending() {
		if pathname.Here.Equal(c.File.Path, path) && c.concernsEntry() {
			return c, true
		}
	}
	return pendingChange{}, false
}
