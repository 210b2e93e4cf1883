package registration

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// Registrar adds the Agent Discover entry to the files of editors. It is safe
// for concurrent use.
//
// Files are changed one at a time. A mutex is enough, because only the hub has a
// Registrar and each data folder has one hub. Editors do not take that lock;
// against them, a file is compared just before it is replaced.
type Registrar struct {
	options  Options
	disk     atomicfile.Disk
	history  *history
	saved    *savedState
	cache    fileCache
	snippets sync.Map   // string to string
	writing  sync.Mutex // held while files are changed
	auto     atomic.Bool
	watchers atomic.Int32
	wake     chan struct{} // capacity 1; ends the pause of Run
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
	r := &Registrar{options: o, wake: make(chan struct{}, 1)}
	r.history = &history{folder: filepath.Join(o.Folder, "changes"), now: o.Now, sync: r.syncAll, wasMade: r.wasMade}
	r.saved = &savedState{folder: o.Folder}
	r.auto.Store(o.Auto)
	return r
}

// Entry returns the server that the Agent Discover entry starts.
func (r *Registrar) Entry() table.Server { return r.options.Entry }

func (r *Registrar) syncAll(paths ...string) error { return r.disk.SyncAll(paths...) }

// Plan returns what Apply would do to each file, in order, and changes nothing.
// An unknown editor id is a fault.NotFound.
func (r *Registrar) Plan(ctx context.Context, q Request) ([]Plan, error) {
	targets, err := r.targets(q)
	if err != nil {
		return nil, err
	}
	plans := make([]Plan, len(targets))
	for i, t := range targets {
		p := r.newPlan(ctx, t, q)
		plans[i] = p.preview()
	}
	return plans, nil
}

// Apply carries out a request, one file after the other. A file that fails does
// not stop the others.
func (r *Registrar) Apply(ctx context.Context, q Request) ([]Outcome, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	targets, err := r.targets(q)
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(targets))
	for i, t := range targets {
		outcomes[i] = r.planAndPerform(ctx, func() filePlan { return r.newPlan(ctx, t, q) })
	}
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
	outcome := r.planAndPerform(ctx, func() filePlan { return r.newTakeOutPlan(ctx, t, entries) })
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
