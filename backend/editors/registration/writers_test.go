package registration

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// writer simulates a program that keeps a counter in the file of an editor. It reads the file,
// checks that the file contains the count that it wrote last, and writes the next count in two
// parts.
type writer struct {
	path  string
	place configedit.Place
	last  int  // the count that it wrote last
	whole bool // write by a rename instead of in place
}

func (w *writer) count() error {
	text, err := w.read()
	if err != nil {
		return err
	}
	w.last++
	server := w.server()
	next, err := configedit.Put(text, w.place, "counter", server)
	if err != nil {
		return err
	}
	if w.whole {
		return errors.Join(os.WriteFile(w.path+".tmp", next.Text, 0o600), paths.Replace(w.path+".tmp", w.path))
	}
	var file *os.File
	err = paths.Retry(func() (err error) { // on Windows a file may be closed to writers while it is replaced
		file, err = os.OpenFile(w.path, os.O_WRONLY|os.O_TRUNC, 0)
		return err
	})
	if err != nil {
		return err
	}
	half := len(next.Text) / 2
	_, err = file.Write(next.Text[:half])
	_, err2 := file.Write(next.Text[half:])
	return errors.Join(err, err2, file.Close())
}

// server returns the entry that the last write put into the file.
func (w *writer) server() configedit.Object {
	return configedit.Object{
		{Key: "name", Value: "counter"}, {Key: "command", Value: "count"}, {Key: "args", Value: []string{strconv.Itoa(w.last)}},
	}
}

// read returns the content of the file and checks that it contains the last count. If the writer
// renames files, read tries again for up to a minute, because an exchange at the same moment may
// move the file of the writer aside until it is undone.
func (w *writer) read() ([]byte, error) {
	for end := time.Now().Add(time.Minute); ; runtime.Gosched() {
		text, err := paths.ReadFile(w.path)
		if err != nil {
			return nil, err
		}
		same, err := configedit.Put(text, w.place, "counter", w.server())
		switch {
		case err == nil && len(same.Edits) == 0:
			return text, nil
		case !w.whole || time.Now().After(end):
			return nil, fmt.Errorf("the last write, %d, is lost: %v in %q", w.last, err, text)
		}
	}
}

// run counts a hundred times a second until stop is closed. It pauses after each burst, so that the
// file is at rest from time to time.
func (w *writer) run(stop <-chan struct{}) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return nil
		case <-tick.C:
		}
		if n%8 > 3 {
			continue
		}
		if err := w.count(); err != nil {
			return err
		}
	}
}

func TestNothingIsLostBesideAProgramThatKeepsWriting(t *testing.T) {
	for _, id := range []string{"cursor", "codex", "goose"} { // JSON, TOML and YAML
		for _, whole := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, by a rename %v", id, whole), func(t *testing.T) {
				t.Parallel()
				rg := newRig(t, "linux")
				rg.files.disk.Rest = 2 * time.Millisecond
				w := &writer{path: rg.path(id), place: rg.found(id).Files[0].Place, whole: whole}
				rg.file(id, "")
				seed, err := configedit.Put(nil, w.place, "counter",
					configedit.Object{
						{Key: "name", Value: "counter"}, {Key: "command", Value: "count"}, {Key: "args", Value: []string{"0"}},
					})
				if err != nil {
					t.Fatal(err)
				}
				rg.file(id, string(seed.Text))
				stop, ended := make(chan struct{}), make(chan error, 1)
				go func() { ended <- w.run(stop) }()
				times := 500
				if whole {
					times = 100
				}
				if runtime.GOOS == "windows" {
					times /= 20 // each replacement is slow, because it waits until no program has the file open
				}
				counts := rg.registerAndUndo(id, times)
				close(stop)
				if err := <-ended; err != nil {
					t.Fatal(err)
				}
				w.whole = false
				if err := w.count(); err != nil { // after the last change, too
					t.Error(err)
				}
				if counts[done] == 0 {
					t.Errorf("no change was made: %v", counts)
				}
				t.Logf("%d writes, outcomes %v", w.last, counts)
			})
		}
	}
}

// registerAndUndo registers and undoes n times, and returns how often each status occurred. A change may be refused
// because the file is being written.
func (rg *rig) registerAndUndo(id string, n int) map[string]int {
	rg.Helper()
	counts := make(map[string]int)
	change, action := "", Register
	for range n {
		var outcomes []Outcome
		var err error
		if change == "" {
			outcomes, err = rg.Apply(rg.Context(), Request{Action: action, Editors: []string{id}})
		} else {
			outcomes, err = rg.Undo(rg.Context(), []string{change}, nil)
		}
		if err != nil || len(outcomes) != 1 {
			rg.Fatal(outcomes, err)
		}
		out := outcomes[0]
		counts[out.Status]++
		switch {
		case out.Status == refused && !strings.Contains(out.Problem, "another program") || out.Status == failed:
			rg.Fatalf("outcome is %+v", out)
		case out.Status == refused:
		case change != "":
			change = ""
		case action == Register && out.Status == nothing: // the writer has written the entry again
			action = Unregister
		default:
			change, action = out.Change, Register
		}
	}
	return counts
}

func TestAFileIsRegisteredAfterItsWriterHasWrittenIt(t *testing.T) {
	rg := newRig(t, "linux")
	path := rg.file("cursor", `{"mcpServers": {"theirs": {"command": "x"}}}`)
	rg.files.disk.Rest = 50 * time.Millisecond
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0) // the Registrar sees an empty file
	if err != nil {
		t.Fatal(err)
	}
	ctx := watchedContext{t.Context(), sync.OnceFunc(func() {
		_, _ = file.WriteString(`{"mcpServers": {"theirs": {"command": "x"}}}`)
		_ = file.Close()
	})}
	out, err := rg.Apply(ctx, Request{Action: Register, Editors: []string{"cursor"}})
	if err != nil || out[0].Status != done {
		t.Fatal(out, err)
	}
	if got := rg.read(path); !strings.Contains(got, "theirs") || !strings.Contains(got, Name) {
		t.Errorf("the file is %s", got)
	}
}

// watchedContext calls waiting whenever Done is called, which Apply does between two reads of a
// file.
type watchedContext struct {
	context.Context
	waiting func()
}

func (c watchedContext) Done() <-chan struct{} {
	c.waiting()
	return c.Context.Done()
}

func TestTwoHubsChangeTheSameFilesWithoutRefusals(t *testing.T) {
	rg := newRig(t, "linux")
	for _, e := range table.Table() {
		if found := rg.found(e.ID); found.Register != table.Never && len(found.Files) > 0 {
			rg.file(e.ID, contents(found.Files[0].Place)["servers"])
		}
	}
	rg.files.disk.Rest = 20 * time.Millisecond
	o := rg.options
	o.Folder = filepath.Join(rg.root, "other", "editors")
	o.Entry.Env = map[string]string{"AGENT_DISCOVER_HOME": filepath.Join(rg.root, "other")}
	other := rg.with(o)
	other.files.disk.Rest = rg.files.disk.Rest
	var all sync.WaitGroup
	for _, r := range []*Registrar{rg.Registrar, other, rg.Registrar, other} { // two concurrent requests to each hub
		all.Go(func() {
			for range 2 {
				out, err := r.Apply(t.Context(), Request{Action: Register, All: true})
				rg.noRefusals(out, err)
				out, err = r.UndoAll(t.Context())
				rg.noRefusals(out, err)
			}
		})
	}
	all.Wait()
	for _, e := range table.Table() {
		if found := rg.found(e.ID); found.Register != table.Never && len(found.Files) > 0 {
			if names := rg.entries(found.Files[0].Path, found.Files[0].Place); !strings.Contains(names, "one ") ||
				!strings.Contains(names, "two ") {
				t.Errorf("%s has the entries %s", found.Files[0].Path, names)
			}
		}
	}
}

func (rg *rig) noRefusals(outcomes []Outcome, err error) {
	if err != nil {
		rg.Error(err)
	}
	for _, o := range outcomes {
		if o.Status == refused || o.Status == failed {
			rg.Errorf("outcome is %+v", o)
		}
	}
}
