package installer

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Kind is the kind of a job.
type Kind string

// The kinds of jobs.
const (
	Installation        Kind = "install"
	Preparation         Kind = "prepare" // a download that a plan needs before it can be shown
	ProgramInstallation Kind = "program"
	Comparison          Kind = "compare"  // of another version of a server with the installed one
	Update              Kind = "update"   // to another version
	Rollback            Kind = "rollback" // to a former version
)

// family returns a kind that is equal for all kinds of jobs that exclude each other on one server.
func (k Kind) family() Kind {
	if k == Comparison || k == Update || k == Rollback {
		return Installation
	}
	return k
}

// participle returns the words that describe a job of this kind in messages: the server is being installed, updated
// and so on.
func (k Kind) participle() string {
	switch k {
	case Comparison:
		return "compared with another version"
	case Update:
		return "updated"
	case Rollback:
		return "rolled back"
	}
	return "installed"
}

// Step is a part of a job.
type Step string

// The steps of an installation in their order.
const (
	Waiting       Step = "waiting"
	Prerequisites Step = "prerequisites"
	Download      Step = "download"
	Register      Step = "register" // the server is configured and its secrets are stored
	Start         Step = "start"    // the server starts for the first time and lists its tools
	Replay        Step = "replay"   // recorded calls are repeated with another version
	Switch        Step = "switch"   // the server gets the configuration of another version
	Done          Step = "done"
)

// State is the state of a job: it is running, or has ended in one of several ways.
type State string

// The states of a job. All but Running are final.
const (
	Running   State = "running"
	Succeeded State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Progress is a snapshot of a job. It is published when a step begins, at most ten times a second during a download,
// and at the end.
type Progress struct {
	ID        string    `json:"id"`
	Kind      Kind      `json:"kind"`
	Listing   string    `json:"listing,omitempty"`
	Server    string    `json:"server"` // name of the server, or of the program that is installed
	State     State     `json:"state"`
	Step      Step      `json:"step"` // the current step, or the one that failed
	Started   time.Time `json:"started"`
	Elapsed   int64     `json:"elapsed_ms"`      // time since the start of the job
	InStep    int64     `json:"step_elapsed_ms"` // time since the start of the step
	Bytes     int64     `json:"bytes,omitempty"` // downloaded so far, if known
	Total     int64     `json:"total,omitempty"` // size of the download, if known
	Tools     int       `json:"tools,omitempty"` // number of tools that the server has listed
	SignIn    bool      `json:"sign_in,omitempty"`
	Waiting   bool      `json:"waiting_for_approval,omitempty"` // the server is configured and waits for approval by a person
	Error     string    `json:"error,omitempty"`
	Code      string    `json:"code,omitempty"`      // code of the error
	Variable  string    `json:"variable,omitempty"`  // the environment variable without which the server does not start
	Questions bool      `json:"questions,omitempty"` // the plan has questions without an answer
}

// Output is published for each line that a program of a job prints.
type Output struct {
	ID   string    `json:"id"` // ID of the job
	Line string    `json:"line"`
	At   time.Time `json:"at"`
}

// Result is the outcome of a job.
type Result struct {
	Progress
	Plan   *plan.Plan      // nil if the job ended before the plan was made
	Server registry.Server // as it is configured; zero unless the installation succeeded
	Tools  []*catalog.Tool
}

var (
	errCancelled = fault.New(fault.Unavailable, "it was cancelled; nothing was left behind")
	errEnded     = fault.New(fault.Unavailable, "the hub ended meanwhile; nothing was left behind")
)

const (
	maxLines     = 1000
	maxLine      = 2000                   // characters
	betweenBytes = 100 * time.Millisecond // between two events that differ in bytes only
)

// job is a running or ended job of an Installer.
type job struct {
	bus    *events.Bus
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when result and err are set
	result Result
	err    error

	mu        sync.Mutex
	progress  Progress
	entered   time.Time // when the step began
	published time.Time
	lines     []string
}

func newJob(bus *events.Bus, p Progress) *job {
	now := time.Now()
	p.ID, p.State, p.Step, p.Started = rand.Text()[:12], Running, Waiting, now.UTC()
	return &job{bus: bus, done: make(chan struct{}), progress: p, entered: now}
}

func (j *job) snapshot() Progress {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.current()
}

// current is like snapshot, but the caller holds mu.
func (j *job) current() Progress {
	p := j.progress
	if p.State == Running {
		p.Elapsed, p.InStep = time.Since(p.Started).Milliseconds(), time.Since(j.entered).Milliseconds()
	}
	return p
}

// change changes the progress and publishes it.
func (j *job) change(edit func(p *Progress)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	edit(&j.progress)
	j.published = time.Now()
	events.Publish(j.bus, j.current())
}

func (j *job) enter(step Step) {
	j.change(func(p *Progress) {
		p.Step, p.Bytes, p.Total = step, 0, 0
		j.entered = time.Now()
	})
}

// bytes sets how many bytes of a download have arrived.
func (j *job) bytes(done, total int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	first := j.progress.Bytes == 0
	j.progress.Bytes, j.progress.Total = done, total
	if first || done == total || time.Since(j.published) >= betweenBytes {
		j.published = time.Now()
		events.Publish(j.bus, j.current())
	}
}

// line adds a line that a program has printed. The caller must have redacted secrets in it.
func (j *job) line(text string) {
	text = safetext.Visible(safetext.Clip(text, maxLine))
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lines = append(j.lines, text); len(j.lines) > maxLines {
		j.lines = slices.Delete(j.lines, 0, len(j.lines)-maxLines)
	}
	events.Publish(j.bus, Output{ID: j.progress.ID, Line: text, At: time.Now().UTC()})
}

// end records how the job ended. ctx is that of the job.
func (j *job) end(ctx context.Context, err error) {
	state := Succeeded
	switch {
	case err == nil:
	case ctx.Err() != nil:
		state, err = Cancelled, context.Cause(ctx)
	default:
		state = Failed
	}
	j.change(func(p *Progress) {
		p.Elapsed, p.InStep = time.Since(p.Started).Milliseconds(), time.Since(j.entered).Milliseconds()
		if p.State = state; err != nil {
			p.Error, p.Code, p.Variable = fault.MessageOf(err), fault.CodeOf(err), fault.VariableOf(err)
			p.Questions = state == Failed && j.result.Plan != nil && len(j.result.Plan.Unanswered()) > 0
		} else {
			p.Step = Done
		}
		j.result.Progress = *p
		if _, isFault := errors.AsType[*fault.Error](err); err != nil && !isFault {
			err = fault.Wrap(err, fault.Internal, "%s", fault.MessageOf(err))
		}
		j.err = err
	})
	close(j.done)
}
