// Package installer carries out plans: it checks that the program a server needs is installed, downloads the package,
// configures the server with its secrets, and starts it once to list its tools, which proves that it works. A failed
// or cancelled installation leaves no files, server or secrets behind, except for files that the user's own package
// manager keeps in its cache.
//
// Callers of Install ask a person for approval where that is needed. Package plan turns listings into plans.
package installer

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
	"github.com/agent-discover/agent-discover/backend/servers/intake"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// Options are the dependencies of an Installer.
type Options struct {
	// Machine describes the machine for plans, except for its programs. No other part of the hub may unpack bundles
	// into Machine.Bundles.
	Machine  plan.Machine
	Programs Programs
	// Environment returns the environment that servers run in.
	Environment func(context.Context) process.Env
	Releases    map[listing.Kind]Releases // by kind of package
	Files       Files
	Packages    Packages
	Registry    *registry.Registry
	Intake      Intake
	Servers     Servers
	Children    Children
	Vault       *vault.Vault
	Store       Store
	Bus         *events.Bus
	Log         *slog.Logger
}

// Programs finds out which programs work on this machine.
type Programs interface {
	Check(ctx context.Context) prerequisites.Report
	Forget() // makes the next Check probe all programs
}

// Releases looks up versions in a package registry.
type Releases interface {
	Release(ctx context.Context, name, version string) (listing.Release, error)
}

// Packages downloads the package that npx or uvx would download when a server first starts. skipped says why there is
// nothing to download.
type Packages interface {
	Download(ctx context.Context, s registry.Server, report func(line string)) (skipped string, err error)
}

// Intake adds servers and moves their credentials to the keychain.
type Intake interface {
	Add(ctx context.Context, a intake.Arrival) (intake.Outcome, error)
	// Policy returns the setting agents.install: allow, ask or deny.
	Policy() registry.Permission
	// Unstorable returns the reason why no secret can be stored now, and "" if secrets can be stored.
	Unstorable(ctx context.Context) string
	// Secure moves the credentials in the configuration of a server to the keychain.
	Secure(ctx context.Context, name string) (registry.Server, error)
}

// Servers starts and removes servers.
type Servers interface {
	// Refresh starts a server and returns its tools.
	Refresh(ctx context.Context, name string) ([]*catalog.Tool, error)
	// Remove removes a server with its secrets.
	Remove(ctx context.Context, name string) error
}

// Children keeps the output of the processes of servers.
type Children interface {
	// Stderr returns the last part of a server's standard error, redacted.
	Stderr(server string) string
}

// Installer installs servers. It is safe for concurrent use.
type Installer struct {
	options   Options
	queue     chan func(context.Context)
	running   chan struct{} // holds one element for each running job
	programs  *programs
	leftovers *leftovers
	shelf     shelf

	mu    sync.Mutex
	jobs  []*job // the oldest first
	ended bool   // Run has ended, so that no job can start
}

const (
	maxQueued   = 16
	maxRunning  = 4
	maxFinished = 50 // finished jobs that are kept
)

// New returns an installer. Its jobs run only while Run is running.
func New(o Options) *Installer {
	i := &Installer{
		options: o, queue: make(chan func(context.Context), maxQueued), running: make(chan struct{}, maxRunning),
		programs: &programs{environment: o.Environment},
	}
	i.leftovers = &leftovers{
		store: o.Store, registry: o.Registry, servers: o.Servers, vault: o.Vault, machine: o.Machine, programs: i.programs,
		busy: i.busy, finishSwitch: i.finishSwitch, bus: o.Bus, log: o.Log, unpacking: make(chan struct{}, 1),
	}
	return i
}

// Run removes the leftovers of a killed hub, then runs jobs until ctx ends, and returns when all have ended.
// Meanwhile it removes the files and images of servers that are removed.
func (i *Installer) Run(ctx context.Context) error {
	changes, stop := events.Subscribe[registry.Changed](i.options.Bus, maxChanges) // before tidy, so that no removal is missed
	i.leftovers.tidy(ctx)
	var jobs sync.WaitGroup
	jobs.Go(func() { i.leftovers.sweepRemoved(ctx, changes, stop) })
	for ctx.Err() == nil {
		select {
		case run := <-i.queue:
			jobs.Go(func() { run(ctx) })
		case <-ctx.Done():
		}
	}
	i.mu.Lock()
	i.ended = true
	i.mu.Unlock()
	for len(i.queue) > 0 {
		run := <-i.queue
		jobs.Go(func() { run(ctx) }) // ctx has ended, so the job only records that it was cancelled
	}
	jobs.Wait()
	return i.shelf.close()
}

// Order describes a server to install.
type Order struct {
	Request plan.Request
	// Hash is the hash of the approved plan. If the hash of the plan differs, nothing is installed. An empty Hash
	// approves any plan.
	Hash string
	// Unseen means that no person has seen the plan. Unless agents may install servers, no program of the package is run,
	// not even to install it: the server waits for approval.
	Unseen bool
	// ProposedBy is the client whose agent has chosen the server, or "".
	ProposedBy string
}

// Install starts the installation of a server in the background. The error is a fault.Busy if the server is being
// installed already.
func (i *Installer) Install(o Order) (Progress, error) {
	name := cmp.Or(o.Request.Name, plan.ServerName(o.Request.Listing))
	j := newJob(i.options.Bus, Progress{Kind: Installation, Listing: o.Request.Listing.ID(), Server: name})
	return i.start(j, func(ctx context.Context) error { return i.install(ctx, j, o) })
}

// Prepare starts the download that is needed before a plan can be shown: a bundle, whose manifest has the questions,
// or a container image, whose digest is pinned. Afterwards Plan returns the whole plan. Prepare runs no downloaded
// code.
func (i *Installer) Prepare(r plan.Request) (Progress, error) {
	j := newJob(i.options.Bus, Progress{Kind: Preparation, Listing: r.Listing.ID(), Server: cmp.Or(r.Name, plan.ServerName(r.Listing))})
	return i.start(j, func(ctx context.Context) error { return i.prepare(ctx, j, r) })
}

// InstallProgram starts the installation of a program that servers need, such as node, with the package manager of this
// machine.
func (i *Installer) InstallProgram(name string) (Progress, error) {
	j := newJob(i.options.Bus, Progress{Kind: ProgramInstallation, Server: name})
	return i.start(j, func(ctx context.Context) error { return i.installProgram(ctx, j, name) })
}

// start queues a job. It fails if a job that excludes it is running for the same server.
func (i *Installer) start(j *job, work func(context.Context) error) (Progress, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended {
		return Progress{}, errEnded
	}
	for _, other := range i.jobs {
		if p := other.snapshot(); p.State == Running && p.Kind.family() == j.progress.Kind.family() && p.Server == j.progress.Server {
			return Progress{}, fault.New(fault.Busy, "%s is being %s already; wait for the end of that, or cancel it",
				safetext.Visible(p.Server), p.Kind.participle())
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	j.cancel = cancel
	run := func(whole context.Context) {
		defer cancel(nil)
		defer context.AfterFunc(whole, func() { cancel(errEnded) })()
		select {
		case i.running <- struct{}{}:
			defer func() { <-i.running }()
		case <-ctx.Done():
		}
		err := ctx.Err()
		if err == nil {
			err = work(ctx)
		}
		j.end(ctx, err)
	}
	select {
	case i.queue <- run:
	default:
		cancel(nil)
		return Progress{}, fault.New(fault.Busy, "%d installations wait already; try again when some have ended", maxQueued)
	}
	i.jobs = append(i.jobs, j)
	i.forgetFinished()
	return j.snapshot(), nil
}

// forgetFinished drops the oldest finished jobs. The caller holds mu.
func (i *Installer) forgetFinished() {
	finished := 0
	for _, j := range i.jobs {
		if j.snapshot().State != Running {
			finished++
		}
	}
	i.jobs = slices.DeleteFunc(i.jobs, func(j *job) bool {
		if finished <= maxFinished || j.snapshot().State == Running {
			return false
		}
		finished--
		return true
	})
}

// Jobs returns the jobs that run and the last ones that have ended, the newest first.
func (i *Installer) Jobs() []Progress {
	i.mu.Lock()
	defer i.mu.Unlock()
	out := make([]Progress, 0, len(i.jobs))
	for _, j := range slices.Backward(i.jobs) {
		out = append(out, j.snapshot())
	}
	return out
}

// Cancel cancels a job. It returns at once; the job ends when everything is undone.
func (i *Installer) Cancel(id string) error {
	j, err := i.job(id)
	if err != nil {
		return err
	}
	if j.snapshot().State != Running {
		return fault.New(fault.Conflict, "this installation has ended already")
	}
	j.cancel(errCancelled)
	return nil
}

// Lines returns the last lines that the programs of a job have printed.
func (i *Installer) Lines(id string) ([]string, error) {
	j, err := i.job(id)
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines), nil
}

// Wait waits for the end of a job and returns its result and error. If ctx ends first, the error is that of ctx, and
// the job goes on. The result is valid even if there is an error.
func (i *Installer) Wait(ctx context.Context, id string) (Result, error) {
	j, err := i.job(id)
	if err != nil {
		return Result{}, err
	}
	select {
	case <-j.done:
		return j.result, j.err
	case <-ctx.Done():
		return Result{Progress: j.snapshot()}, ctx.Err()
	}
}

func (i *Installer) job(id string) (*job, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, j := range i.jobs {
		if j.progress.ID == id { // no lock is needed: the ID never changes
			return j, nil
		}
	}
	return nil, fault.New(fault.NotFound, "no installation has this id; it may have ended long ago")
}

// undoTimeout limits the time for undoing a failed installation.
const undoTimeout = time.Minute

// undo lists the functions that undo the steps of an installation.
type undo struct {
	steps  []func(ctx context.Context) error
	marked []int64  // ids of stored leftovers
	holds  []func() // each releases a folder, which other jobs must not remove until then
}

// release releases the folders that the job holds. Call it before the steps are undone, or once they are permanent.
func (u *undo) release() {
	for _, f := range u.holds {
		f()
	}
	u.holds = nil
}

func (u *undo) add(f func(ctx context.Context) error) { u.steps = append(u.steps, f) }

// run undoes all steps, the last one first, even if ctx has ended.
func (u *undo) run(ctx context.Context, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	u.release()
	for _, f := range slices.Backward(u.steps) {
		if err := f(ctx); err != nil {
			log.Warn("could not undo a part of a failed installation", "error", err)
		}
	}
	u.steps, u.marked = nil, nil
}
