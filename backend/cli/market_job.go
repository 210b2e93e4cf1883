package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/market/installer"
)

// watcher follows jobs that the hub runs in the background, and shows their progress on standard
// error.
type watcher struct {
	p       *program
	hub     instance.Info
	client  *instance.Client
	verbose bool // also print the output of the programs that a job starts
}

func (c marketCommands) watcher(ctx context.Context) (watcher, error) {
	hub, err := c.p.hub(ctx)
	return watcher{p: c.p, hub: hub, client: instance.NewClient(hub)}, err
}

// follow begins a job, shows each of its steps, and returns its final state. When ctx is cancelled,
// follow cancels the job and waits until everything is undone.
func (w watcher) follow(ctx context.Context,
	begin func(context.Context, *instance.Client) (installer.Progress, error),
) (installer.Progress, error) {
	whole, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	events, err := w.subscribe(whole)
	if err != nil {
		return installer.Progress{}, err
	}
	job, err := begin(ctx, w.client)
	if err != nil {
		return job, err
	}
	view := &jobView{watcher: w, progressLine: progressLine{p: w.p}, path: "/api/market/jobs/" + url.PathEscape(job.ID)}
	defer view.clear()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	if job.Step == installer.Waiting {
		view.show(job)
	}
	for cancelled := ctx.Done(); job.State == installer.Running; {
		select {
		case <-events.changed:
			var lost bool
			if job, lost = view.passed(job, events); lost {
				err = w.client.Do(whole, http.MethodGet, view.path, nil, &job)
			}
		case <-second.C:
			if w.p.errTerminal { // the terminal shows the elapsed time
				err = w.client.Do(whole, http.MethodGet, view.path, nil, &job)
			}
		case <-cancelled:
			cancelled = nil
			view.note("Cancelling …")
			_ = w.client.Do(whole, http.MethodPost, view.path+"/cancel", nil, nil) // a job that has ended cannot be cancelled
		case <-events.ended:
			err = fault.New(fault.Unavailable, "the hub has stopped; see: agent-discover status")
		}
		if err == nil && w.verbose {
			err = view.printLines(whole)
		}
		if err != nil {
			return job, err
		}
		if job.State == installer.Running {
			view.show(job)
		}
	}
	return job, view.result(whole, job)
}

// marketEvents collects the events of the marketplace until take returns them.
type marketEvents struct {
	changed chan struct{} // receives a token after events have arrived
	ended   chan struct{} // closed when no more events can arrive

	mu   sync.Mutex
	jobs []installer.Progress // states of all jobs, in order, since the last call of take
	lost bool                 // the hub has dropped events
}

// take returns the states of all jobs since the last call, in order. lost reports that states are missing.
func (e *marketEvents) take() (jobs []installer.Progress, lost bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	jobs, lost = e.jobs, e.lost
	e.jobs, e.lost = nil, false
	return jobs, lost
}

// add adds the event in a message, and ignores the events of other parts of the hub.
func (e *marketEvents) add(data []byte) {
	var message struct {
		Type  string
		Delta bool
		Job   installer.Progress
	}
	if json.Unmarshal(data, &message) != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case message.Type == "market.job":
		e.jobs = append(e.jobs, message.Job)
	case message.Type == "state" && !message.Delta:
		e.lost = true // a client that missed events gets the whole state
	case !strings.HasPrefix(message.Type, "market."):
		return
	}
	select {
	case e.changed <- struct{}{}:
	default: // an earlier change has not been received yet
	}
}

// subscribe subscribes to the events of the marketplace until ctx ends. The result collects all events that happen
// after subscribe has returned.
func (w watcher) subscribe(ctx context.Context) (*marketEvents, error) {
	conn, _, err := websocket.Dial(ctx, "ws://"+w.hub.Address()+"/ws?tools=none&deltas=changed&questions=none", &websocket.DialOptions{
		HTTPClient: w.client.HTTP(), HTTPHeader: http.Header{"Authorization": {"Bearer " + w.hub.Token}},
	})
	if err == nil {
		conn.SetReadLimit(64 << 20)
		if _, _, err = conn.Read(ctx); err != nil { // the state; the hub sends no events before it
			_ = conn.CloseNow()
		}
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "could not subscribe to the hub's events; see: agent-discover doctor")
	}
	e := &marketEvents{changed: make(chan struct{}, 1), ended: make(chan struct{})}
	go func() {
		defer close(e.ended)
		defer func() { _ = conn.CloseNow() }()
		for {
			_, data, err := conn.Read(ctx)
			if err != nil {
				return
			}
			e.add(data)
		}
	}()
	return e, nil
}

// steps describes the steps of jobs for a person.
var steps = map[installer.Step]string{
	installer.Waiting: "Waiting", installer.Prerequisites: "Checking what it needs", installer.Download: "Downloading",
	installer.Register: "Configuring the server", installer.Start: "Starting the server to list its tools",
	installer.Replay: "Repeating recorded calls", installer.Switch: "Changing the version",
}

// jobView shows the progress of one job.
type jobView struct {
	watcher
	progressLine
	path    string
	printed int // number of printed lines of the output of its programs
}

// passed shows each step that a job has begun, and returns the state of the job. lost reports that events are missing.
func (v *jobView) passed(job installer.Progress, events *marketEvents) (last installer.Progress, lost bool) {
	passed, lost := events.take()
	for _, p := range passed {
		if p.ID != job.ID {
			continue
		}
		if job = p; job.State == installer.Running {
			v.show(job)
		}
	}
	return job, lost
}

func (v *jobView) show(job installer.Progress) {
	name := cmp.Or(steps[job.Step], string(job.Step)) + " …"
	text := name
	if job.Bytes > 0 {
		text += " " + sizeText(job.Bytes)
		if job.Total > 0 {
			text += fmt.Sprintf(" of %s (%d %%)", sizeText(job.Total), 100*job.Bytes/job.Total)
		}
	}
	v.progressLine.show(name, text+" "+(time.Duration(job.InStep)*time.Millisecond).Round(time.Second).String())
}

// printLines prints the output that the programs of the job have written since the last call.
func (v *jobView) printLines(ctx context.Context) error {
	lines, err := v.lines(ctx)
	if err != nil {
		return err
	}
	for _, line := range lines[min(v.printed, len(lines)):] {
		v.note("  " + safetext.Visible(line))
	}
	v.printed = len(lines)
	return nil
}

func (v *jobView) lines(ctx context.Context) ([]string, error) {
	var printed operations.MarketLines
	err := v.client.Do(ctx, http.MethodGet, v.path+"/lines", nil, &printed)
	return printed.Lines, err
}

// lastLines is how many lines of the programs' output are shown for a failed job.
const lastLines = 10

// result returns the error of a job that has ended, or nil if the job has succeeded. For a failed job,
// it first prints the last lines of the output of the job's programs.
func (v *jobView) result(ctx context.Context, job installer.Progress) error {
	v.clear()
	switch job.State {
	case installer.Succeeded:
		return nil
	case installer.Cancelled:
		return fault.New(fault.Failed, "%s: %s", job.Server, job.Error)
	}
	if lines, err := v.lines(ctx); err == nil && !v.verbose {
		for _, line := range lines[max(0, len(lines)-lastLines):] {
			if !strings.Contains(job.Error, line) {
				v.note("  " + safetext.Visible(line))
			}
		}
	}
	if job.Kind == installer.Installation {
		return fault.New(fault.Failed, "%s was not installed, and everything is undone: %s", job.Server, job.Error)
	}
	return fault.New(fault.Failed, "%s", job.Error)
}

// sizeText formats a number of bytes in B, kB or MB.
func sizeText(n int64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%d kB", n/1e3)
	}
	return fmt.Sprintf("%d B", n)
}
