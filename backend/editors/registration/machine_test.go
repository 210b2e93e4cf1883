package registration

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// rig is a simulated machine, whose files are in a temporary folder, with a
// Registrar.
type rig struct {
	*testing.T
	*Registrar
	root string
}

// reversed is a Sealer that reverses the bytes of data instead of encrypting them.
type reversed struct{}

func (reversed) Seal(_ context.Context, data []byte) ([]byte, error) {
	out := slices.Clone(data)
	slices.Reverse(out)
	return out, nil
}

func (r reversed) Unseal(ctx context.Context, sealed []byte) ([]byte, error) {
	return r.Seal(ctx, sealed)
}

var homes = map[string]string{"linux": "/home/me", "darwin": "/Users/me", "windows": `C:\Users\me`}

func newRig(t *testing.T, system string) *rig {
	t.Helper()
	root := t.TempDir()
	rg := &rig{T: t, root: root}
	machine := table.Machine{
		OS: system, Home: homes[system], Root: filepath.Join(root, "disk"),
		Variable: func(string) string { return "" },
		Stat:     os.Stat, Glob: filepath.Glob, Read: os.ReadFile,
		Command: func(string) (string, bool) { return "", false },
	}
	entry := table.Server{Transport: "stdio", Command: rg.program("bin"), Args: []string{"mcp"}}
	rg.Registrar = rg.with(Options{Machine: machine, Folder: filepath.Join(root, "data", "editors"), Entry: entry})
	return rg
}

// with returns a Registrar that does not sync files, because that takes milliseconds, and that does
// not look at processes.
func (rg *rig) with(o Options) *Registrar {
	if o.Bus == nil {
		o.Bus = &events.Bus{}
	}
	if o.Sealer == nil {
		o.Sealer = reversed{}
	}
	if o.Running == nil {
		o.Running = func(context.Context, []string) bool { return false }
	}
	r := New(o)
	r.files.disk.Sync = func(*os.File) error { return nil }
	r.files.disk.Rest = time.Millisecond // nothing else writes the files
	return r
}

// again replaces the Registrar by a new one with the same folder, as after a
// restart. change may modify its options.
func (rg *rig) again(change func(*Options)) {
	o := rg.options
	if change != nil {
		change(&o)
	}
	rg.Registrar = rg.with(o)
}

// program creates an executable called agent-discover in a folder.
func (rg *rig) program(folder string) string {
	path := filepath.Join(rg.root, folder, "agent-discover")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o700)); err != nil {
		rg.Fatal(err)
	}
	return path
}

func (rg *rig) found(id string) table.Found {
	rg.Helper()
	e, ok := table.ByID(id)
	if !ok {
		rg.Fatalf("unknown editor %s", id)
	}
	return rg.options.Machine.Find(e)
}

// path returns the path of an editor's first file.
func (rg *rig) path(id string) string {
	rg.Helper()
	files := rg.found(id).Files
	if len(files) == 0 {
		rg.Fatalf("%s has no file", id)
	}
	return files[0].Path
}

func (rg *rig) write(path, text string) string {
	rg.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		rg.Fatal(err)
	}
	return path
}

// file writes an editor's first file.
func (rg *rig) file(id, text string) string { return rg.write(rg.path(id), text) }

// read returns the content of a file; "absent" when it does not exist.
func (rg *rig) read(path string) string {
	rg.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "absent"
	}
	if err != nil {
		rg.Fatal(err)
	}
	return string(data)
}

// holds checks the content of a file.
func (rg *rig) holds(path, text string) {
	rg.Helper()
	if got := rg.read(path); got != text {
		rg.Errorf("%s contains\n%q\nwant\n%q", path, got, text)
	}
}

// do applies a request and checks the status of each outcome.
func (rg *rig) do(q Request, status string) []Outcome {
	rg.Helper()
	outcomes, err := rg.Apply(rg.Context(), q)
	if err != nil {
		rg.Fatal(err)
	}
	rg.checkStatus(outcomes, status)
	return outcomes
}

func (rg *rig) checkStatus(outcomes []Outcome, status string) {
	rg.Helper()
	if len(outcomes) == 0 {
		rg.Errorf("there are no outcomes")
	}
	for _, o := range outcomes {
		if o.Status != status || o.Problem == "" && (status == refused || status == failed) || o.Problem != "" && status == done {
			rg.Errorf("outcome for %s is %s with problem %q, want %s", o.Path, o.Status, o.Problem, status)
		}
	}
}

func (rg *rig) register(id, status string) string {
	rg.Helper()
	return rg.do(Request{Action: Register, Editors: []string{id}}, status)[0].Change
}

func (rg *rig) unregister(id, status string) string {
	rg.Helper()
	return rg.do(Request{Action: Unregister, Editors: []string{id}}, status)[0].Change
}

func (rg *rig) undo(status string, changes ...string) []Outcome {
	rg.Helper()
	outcomes, err := rg.Undo(rg.Context(), changes, nil)
	if err != nil {
		rg.Fatal(err)
	}
	rg.checkStatus(outcomes, status)
	return outcomes
}

func (rg *rig) status(id string) Status {
	rg.Helper()
	seen, err := rg.saved.editorsSeen()
	all, bad := rg.history.all()
	if err != nil || bad != nil {
		rg.Fatal(err, bad)
	}
	return rg.Registrar.survey.status(rg.Context(), rg.found(id), seen, lastChanges(all)[id])
}

// is checks the state of one editor and returns its status.
func (rg *rig) is(id string, want State) Status {
	rg.Helper()
	s := rg.status(id)
	if s.State != want {
		rg.Errorf("state of %s is %s, want %s: %+v", id, s.State, want, s.Files)
	}
	return s
}

func (rg *rig) record(id string) Record {
	rg.Helper()
	all, err := rg.History(rg.Context(), "")
	if err != nil {
		rg.Fatal(err)
	}
	for _, c := range all {
		if c.ID == id {
			return c
		}
	}
	rg.Fatalf("the history has no change %q", id)
	return Record{}
}

func (rg *rig) names(folder string) string {
	rg.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		rg.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// entries returns the names of the entries in a file, each followed by a space.
func (rg *rig) entries(path string, place configedit.Place) string {
	rg.Helper()
	list, err := configedit.Read([]byte(rg.read(path)), place)
	if err != nil {
		rg.Fatal(err)
	}
	names := ""
	for _, e := range list {
		names += e.Name + " "
	}
	return names
}
