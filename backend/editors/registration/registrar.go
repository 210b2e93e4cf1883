package registration

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/configedit"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// Registrar adds the Agent Discover entry to the files of editors. It is safe for concurrent use.
//
// It carries out one request at a time, and changes the files of a request concurrently. The lock
// of a file's folder keeps out hubs with other data folders. Editors do not take that lock; package
// atomicfile therefore waits until a file is at rest, and restores a version that an editor writes
// at the last moment.
type Registrar struct {
	options   Options
	files     *editorFiles
	own       *ownEntry
	history   *history
	saved     *savedState
	cache     *fileCache
	planner   *planner
	performer *performer
	survey    *survey
	writing   sync.Mutex // held while files are changed
	auto      atomic.Bool
	watchers  atomic.Int32
	unsealed  atomic.Int32  // see Unsealed
	wake      chan struct{} // capacity 1; ends the pause of Run
}

// New returns a Registrar. It reads and changes nothing before a method is
// called.
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
	r := &Registrar{options: o, wake: make(chan struct{}, 1), files: &editorFiles{}, cache: &fileCache{}}
	if o.IsOurs == nil {
		o.IsOurs = func(string) bool { return false }
	}
	r.own = &ownEntry{server: o.Entry, machine: o.Machine, folder: o.Folder, isOurs: o.IsOurs}
	r.history = &history{
		folder: filepath.Join(o.Folder, "changes"), now: o.Now, sync: r.files.syncAll, wasMade: r.files.wasMade, sealer: o.Sealer,
	}
	r.saved = &savedState{folder: o.Folder}
	r.planner = &planner{
		own: r.own, files: r.files, history: r.history, saved: r.saved, machine: o.Machine, running: o.Running, commands: o.Execute != nil,
	}
	r.performer = &performer{
		planner: r.planner, files: r.files, history: r.history, saved: r.saved, cache: r.cache, run: o.Execute, log: o.Log,
	}
	r.survey = &survey{
		own: r.own, planner: r.planner, history: r.history, saved: r.saved, cache: r.cache, machine: o.Machine, seenLast: o.LastSeen,
	}
	r.auto.Store(o.Auto)
	return r
}

// Entry returns the server that the Agent Discover entry starts.
func (r *Registrar) Entry() table.Server { return r.options.Entry }

// EntryText returns the entry as JSON in the format that most clients accept, for clients that are not in the table.
func (r *Registrar) EntryText() string {
	server := r.options.Entry
	server.Args = slices.Concat(server.Args, []string{surfaceFlag, NewSurface})
	return newSnippet(table.File{Place: configedit.Place{Format: configedit.JSON, Keys: []string{"mcpServers"}}, Shape: "plain"}, server)
}

// checkProgram returns an error if the entries of a request would start a program that is none of this product.
func (r *Registrar) checkProgram(q Request) error {
	switch {
	case q.Program == "" || pathname.Same(q.Program, r.options.Entry.Command):
		return nil
	case !filepath.IsAbs(q.Program):
		return fault.New(fault.Invalid, "%q is not the full path of a program", q.Program)
	case r.own.missing(q.Program) || !r.own.isOurs(q.Program):
		return fault.New(fault.Invalid, "%s is not the program agent-discover, so no entry may start it", q.Program)
	}
	return paths.CheckPlace(q.Program)
}

// Plan returns what Apply would do to each file, in order, and changes nothing.
// An unknown editor id is a fault.NotFound.
func (r *Registrar) Plan(ctx context.Context, q Request) ([]Plan, error) {
	if err := r.checkProgram(q); err != nil {
		return nil, err
	}
	targets, err := r.survey.targets(q)
	if err != nil {
		return nil, err
	}
	plans := make([]Plan, len(targets))
	for _, group := range byFile(targets) {
		read := newPreviewReader(r.files)
		for _, i := range group {
			p := r.planner.newPlan(ctx, targets[i], q, read.file)
			plans[i] = p.preview()
			read.add(&p)
		}
	}
	return plans, nil
}

// previewReader returns each file with the content that the plans previewed so far would give it.
type previewReader struct {
	disk  *editorFiles
	files map[string]atomicfile.File // by path
}

func newPreviewReader(disk *editorFiles) previewReader {
	return previewReader{disk, make(map[string]atomicfile.File)}
}

// file reads a file. It waits only if another program seems to be writing the file, because the
// plan of a preview is made again before it is carried out.
func (r previewReader) file(ctx context.Context, file table.File) (atomicfile.File, error) {
	if f, planned := r.files[file.Path]; planned {
		return f, nil
	}
	f, err := atomicfile.Read(file.Path)
	if err != nil || !f.Exists || len(f.Data) > 0 && checker(file)(f.Data) == nil {
		return f, err
	}
	return r.disk.readAtRest(ctx, file)
}

func (r previewReader) add(p *filePlan) {
	if p.effect == editFile || p.effect == deleteFile {
		r.files[p.file.Path] = p.after()
	}
}

// atOnce is how many files of a request are changed at the same time. Most of
// the time is spent waiting until they are at rest.
const atOnce = 16

// Apply carries out a request. A file that fails does not stop the others.
func (r *Registrar) Apply(ctx context.Context, q Request) ([]Outcome, error) {
	if err := r.checkProgram(q); err != nil {
		return nil, err
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	targets, err := r.survey.targets(q)
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(targets))
	var files errgroup.Group
	files.SetLimit(atOnce)
	for _, group := range byFile(targets) {
		files.Go(func() error {
			expect := q // Expect is cleared after this request itself has changed the file
			for _, i := range group {
				outcomes[i] = r.performer.planAndPerform(ctx, targets[i].file.Path, func() filePlan {
					return r.planner.newPlan(ctx, targets[i], expect, r.files.readAtRest)
				})
				if outcomes[i].Status == done {
					expect.Expect = nil
				}
			}
			return nil
		})
	}
	_ = files.Wait()
	r.publishChanged()
	return outcomes, ctx.Err()
}

// TakeOut removes entries of imported servers from one file of an editor. Undo
// restores them.
func (r *Registrar) TakeOut(ctx context.Context, editor string, file table.File, entries []string) (Outcome, error) {
	e, ok := table.ByID(editor)
	if !ok {
		return Outcome{}, unknownEditor(editor)
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	t := target{found: r.options.Machine.Find(e), file: file}
	outcome := r.performer.planAndPerform(ctx, file.Path, func() filePlan { return r.planner.newTakeOutPlan(ctx, t, entries) })
	r.publishChanged()
	return outcome, ctx.Err()
}

func (r *Registrar) publishChanged() {
	if r.options.Bus != nil {
		events.Publish(r.options.Bus, Changed{})
	}
}

func unknownEditor(id string) error {
	return fault.New(fault.NotFound, "unknown editor %q; run agent-discover editors list --all to see all editors", id)
}
