package registration

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// Registrar puts our entry into editors. It is safe for concurrent use.
//
// Files are changed one at a time. A mutex is enough for that: the hub alone
// has a registrar, and there is one hub to a data folder. Editors take no lock
// of ours; against them a file is compared just before it is replaced.
type Registrar struct {
	options  Options
	disk     atomicfile.Disk
	ledger   *ledger
	notes    *notes
	looks    looks
	snippets sync.Map   // string to string
	writing  sync.Mutex // held while files are changed
	auto     atomic.Bool
	attended atomic.Int32
	wake     chan struct{} // for Run to look at once; holds one
}

// New returns a registrar. It changes nothing and reads nothing before it is
// asked or Run runs.
func New(o Options) *Registrar {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Running == nil {
		o.Running = process.Running
	}
	r := &Registrar{options: o, wake: make(chan struct{}, 1)}
	r.ledger = &ledger{folder: filepath.Join(o.Folder, "changes"), now: o.Now, sync: r.syncAll, settle: r.settle}
	r.notes = &notes{folder: o.Folder}
	r.auto.Store(o.Auto)
	return r
}

// Entry returns the server that the Agent Discover entry starts.
func (r *Registrar) Entry() table.Server { return r.options.Entry }

func (r *Registrar) syncAll(paths ...string) error { return r.disk.SyncAll(paths...) }

// Plan says what Apply would do to each file, in order, and changes nothing.
// An unknown id is a fault.NotFound.
func (r *Registrar) Plan(ctx context.Context, w Request) ([]Plan, error) {
	targets, err := r.targets(w)
	if err != nil {
		return nil, err
	}
	plans := make([]Plan, len(targets))
	for i, t := range targets {
		d := r.draft(ctx, t, w)
		plans[i] = d.plan()
	}
	return plans, nil
}

// Apply does it, one file after the other; one that fails does not keep the
// others from it.
func (r *Registrar) Apply(ctx context.Context, w Request) ([]Outcome, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	targets, err := r.targets(w)
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(targets))
	for i, t := range targets {
		outcomes[i] = r.insist(ctx, func() draft { return r.draft(ctx, t, w) })
	}
	r.tell()
	return outcomes, ctx.Err()
}

// TakeOut takes entries out of one file of an editor.
func (r *Registrar) TakeOut(ctx context.Context, editor string, file table.File, entries []string) (Outcome, error) {
	e, ok := table.ByID(editor)
	if !ok {
		return Outcome{}, unknown(editor)
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	t := target{found: r.options.Machine.Find(e), file: file}
	outcome := r.insist(ctx, func() draft { return r.draftTakeOut(ctx, t, entries) })
	r.tell()
	return outcome, ctx.Err()
}

// attempts is how often a change is begun when the file has become another one
// meanwhile.
const attempts = 3

// insist carries a draft out, and a fresh one when an editor was faster.
func (r *Registrar) insist(ctx context.Context, begin func() draft) Outcome {
	for n := 1; ; n++ {
		d := begin()
		outcome, err := r.perform(ctx, d)
		if d.problem != nil || fault.KindOf(err) != fault.Conflict || n == attempts {
			return outcome
		}
	}
}

// tell publishes that states may be others.
func (r *Registrar) tell() {
	if r.options.Bus != nil {
		events.Publish(r.options.Bus, Changed{})
	}
}

func unknown(id string) error {
	return fault.New(fault.NotFound, "no editor is known as %q; agent-discover editors list --all shows all", id)
}

// target is a file into which our entry may go.
type target struct {
	found   table.Found
	file    table.File
	problem error // why there is no file
}

// targets are the files that a wish is about.
func (r *Registrar) targets(w Request) ([]target, error) {
	machine := r.options.Machine.With(w.Environment)
	if w.All {
		return r.everywhere(machine, w), nil
	}
	var all []target
	for _, id := range w.Editors {
		e, ok := table.ByID(id)
		if !ok {
			return nil, unknown(id)
		}
		some, err := r.named(machine, e, w)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// named are the files of an editor that was asked for by its name.
func (r *Registrar) named(machine table.Machine, e *table.Editor, w Request) ([]target, error) {
	found := machine.Find(e)
	if w.Project != "" {
		return project(machine, found, w.Project)
	}
	files := found.Files
	if w.Action == Unregister {
		files = r.withRecorded(found, func(c *change) bool { return c.Scope == userScope })
	}
	all := make([]target, 0, len(files)+1)
	for _, file := range files {
		all = append(all, target{found: found, file: file})
	}
	if len(all) == 0 {
		problem := fault.New(fault.Unavailable, "where %s keeps its servers on this system is not known; paste the entry in its own settings", e.Name)
		all = append(all, target{found: found, file: table.File{Place: e.Place, Shape: e.Shape}, problem: problem})
	}
	return all, nil
}

func project(machine table.Machine, found table.Found, folder string) ([]target, error) {
	if info, err := os.Stat(folder); !filepath.IsAbs(folder) || err != nil || !info.IsDir() {
		return nil, fault.New(fault.Invalid, "%s is not the whole path of a folder", folder)
	}
	file, ok := machine.InProject(found.Editor, folder)
	if !ok {
		problem := fault.New(fault.Unavailable, "%s has no file for a project", found.Name)
		return []target{{found: found, problem: problem}}, nil
	}
	return []target{{found: found, file: file}}, nil
}

// everywhere are the files of all editors in which there is something to do, or
// to say.
func (r *Registrar) everywhere(machine table.Machine, w Request) []target {
	var all []target
	for _, e := range table.Table() {
		found := machine.Find(e)
		switch {
		case w.Project != "":
			if file, ok := machine.InProject(e, w.Project); ok && (found.Detected || w.Action == Unregister) {
				all = append(all, target{found: found, file: file})
			}
		case w.Action == Unregister:
			for _, file := range r.withRecorded(found, func(*change) bool { return true }) {
				all = append(all, target{found: found, file: file})
			}
		case found.Detected && found.Register != table.Never:
			for _, file := range found.Files {
				if file.Exists || found.Register == table.Always {
					all = append(all, target{found: found, file: file})
				}
			}
		}
	}
	if w.Action == Unregister {
		all = slices.DeleteFunc(all, func(t target) bool { return !r.holds(t) })
	}
	return all
}

// holds reports whether there is an entry of ours to take out, or a wish for
// one to take back.
func (r *Registrar) holds(t target) bool {
	state := r.fileStatus(t.found, t.file).State
	return state == Registered || state == Stale || state == Waiting || state == Dropped
}

// userScope is the scope of files that hold for all of a user's projects.
const userScope = "user"

// withRecorded are the files of an editor, and those that a change put our
// entry into: a variable may have named them, or they may be of a project.
func (r *Registrar) withRecorded(found table.Found, wanted func(*change) bool) []table.File {
	files := slices.Clone(found.Files)
	for _, c := range r.ledger.latest() {
		known := func(f table.File) bool { return f.Path == c.Path }
		if c.Editor == found.ID && c.Has && wanted(c) && !slices.ContainsFunc(files, known) {
			file := c.file()
			_, err := os.Stat(file.Path)
			file.Exists = err == nil
			files = append(files, file)
		}
	}
	slices.SortStableFunc(files[len(found.Files):], func(a, b table.File) int { return cmp.Compare(a.Path, b.Path) })
	return files
}
