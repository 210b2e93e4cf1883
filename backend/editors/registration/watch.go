package registration

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// The pauses between two scans of all files.
const (
	shortPause = 2 * time.Second  // while a caller of PollOften has not called stop
	longPause  = 20 * time.Second // otherwise
)

// automatic is the value of Record.By for changes that no person requested.
const automatic = "automatic"

// AutoRegisters reports whether editors that are detected later are registered
// automatically.
func (r *Registrar) AutoRegisters() bool { return r.auto.Load() }

// SetAuto sets whether editors that are detected later are registered
// automatically.
func (r *Registrar) SetAuto(on bool) {
	r.auto.Store(on)
	r.scanNow()
}

// PollOften makes Run scan the files every two seconds until stop is called.
// Several calls may overlap; stop may be called more than once.
func (r *Registrar) PollOften() (stop func()) {
	r.watchers.Add(1)
	r.scanNow()
	return sync.OnceFunc(func() { r.watchers.Add(-1) })
}

// scanNow ends the pause of Run.
func (r *Registrar) scanNow() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Run watches the files of editors until ctx ends. It publishes Changed, makes
// pending changes, and registers new editors when that is enabled.
//
// Run polls the time and size of each file instead of subscribing to file system
// events. Editors use many folders that come and go, network file systems send
// no events, and on macOS watching the home folder needs the user's permission.
// Sixty files take a few milliseconds.
func (r *Registrar) Run(ctx context.Context) error {
	var last []Status
	r.sealOld(ctx)
	for ctx.Err() == nil {
		last = r.scan(ctx, last)
		pause := longPause
		if r.watchers.Load() > 0 {
			pause = shortPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// scan does the work of Run once and returns the current status. last is the
// status after the previous scan, or nil before the first one.
func (r *Registrar) scan(ctx context.Context, last []Status) []Status {
	if last == nil { // clients may have read the status already
		last, _ = r.Status(ctx, false, nil) // an error is reported below
	}
	if err := r.recordNewEditors(); err != nil {
		r.options.Log.Warn("could not save the new editors", "err", err)
	}
	r.makePendingChanges(ctx)
	r.registerNewEditors(ctx)
	if r.Unsealed() > 0 {
		r.sealOld(ctx)
	}
	now, err := r.Status(ctx, false, nil)
	if err != nil {
		if ctx.Err() == nil {
			r.options.Log.Warn("could not read the status of editors", "err", err)
		}
		return last
	}
	if !reflect.DeepEqual(now, last) {
		r.publishChanged()
	}
	return now
}

// recordNewEditors stores the editors that are detected for the first time. The editors that the
// very first scan detects do not count as new. An editor is marked for automatic registration only
// if that is enabled when the editor is detected.
func (r *Registrar) recordNewEditors() error {
	found := r.survey.detected()
	return r.saved.updateSeen(func(s *seen) bool {
		first := s.Editors == nil
		if first {
			s.Editors = map[string]sighting{}
		}
		changed := first
		for _, f := range found {
			if _, known := s.Editors[f.ID]; !known {
				s.Editors[f.ID] = sighting{New: !first, Auto: r.auto.Load()}
				changed = true
			}
		}
		return changed
	})
}

// registerNewEditors registers the editors that recordNewEditors marked for automatic registration.
func (r *Registrar) registerNewEditors(ctx context.Context) {
	if !r.auto.Load() {
		return
	}
	known, err := r.saved.editorsSeen()
	if err != nil {
		return
	}
	var finished []string
	for _, e := range table.Table() {
		if known.Editors[e.ID].Auto && r.registerNew(ctx, r.options.Machine.Find(e), known) {
			finished = append(finished, e.ID)
		}
	}
	err = r.saved.updateSeen(func(s *seen) bool {
		for _, id := range finished {
			s.Editors[id] = sighting{New: s.Editors[id].New}
		}
		return len(finished) > 0
	})
	if err != nil {
		r.options.Log.Warn("could not save that new editors were registered", "err", err)
	}
}

// registerNew registers one editor. It returns true if nothing is left to do: the editor is
// registered, or a person or an administrator decides about it. If the editor's file cannot be
// changed yet, registerNew is called again at the next scan.
func (r *Registrar) registerNew(ctx context.Context, found table.Found, seen seen) bool {
	finished := found.Detected && len(found.Files) > 0
	for _, file := range found.Files {
		state := r.survey.fileStatus(found, file).State
		switch {
		case found.Register == table.Never || len(found.Managed) > 0 || slices.Contains(seen.Refused, file.Path):
		case found.Register == table.IfExisting && !file.Exists:
			finished = false
		case state == Unreadable:
			finished = false
		case state == Absent:
			finished = r.registerFile(ctx, target{found: found, file: file}) && finished
		}
	}
	return finished
}

// registerFile registers automatically in one file, and reports success.
func (r *Registrar) registerFile(ctx context.Context, t target) bool {
	r.writing.Lock()
	defer r.writing.Unlock()
	out := r.performer.planAndPerform(ctx, t.file.Path, func() filePlan {
		return r.planner.newPlan(ctx, t, Request{Action: Register, By: automatic}, r.files.readAtRest)
	})
	return out.Status == done || out.Status == nothing || out.Status == waiting
}

// makePendingChanges makes the pending changes of editors that have exited.
func (r *Registrar) makePendingChanges(ctx context.Context) {
	for _, c := range r.saved.pending() {
		e, ok := table.ByID(c.Editor)
		if !ok {
			_ = r.saved.dropID(c.ID)
			continue
		}
		if found := r.options.Machine.Find(e); !r.planner.mustExit(ctx, found) {
			r.writing.Lock()
			r.makePending(ctx, target{found: found, file: c.File}, c)
			r.writing.Unlock()
			r.publishChanged()
		}
	}
}

// makePending makes one pending change. It keeps the change, with the reason,
// when it fails.
func (r *Registrar) makePending(ctx context.Context, t target, c pendingChange) {
	out := r.performer.planAndPerform(ctx, t.file.Path, func() filePlan {
		switch c.Action {
		case TakeOut:
			return r.planner.newTakeOutPlan(ctx, t, c.Entries)
		case Undo:
			return r.planner.newPendingUndoPlan(ctx, t, c)
		}
		q := Request{Action: c.Action, Replace: c.Replace, Surface: c.Surface, By: c.By, Program: c.Program}
		return r.planner.newPlan(ctx, t, q, r.files.readAtRest)
	})
	var err error
	switch out.Status {
	case waiting: // the editor was started again at the same moment
	case done, nothing:
		err = r.saved.dropID(c.ID)
	default:
		err = r.saved.setProblem(c.ID, out.Problem)
	}
	if err != nil {
		r.options.Log.Warn("could not save the state of a pending change", "err", err)
	}
}

// newPendingUndoPlan decides how to carry out a pending change that undoes an earlier change.
func (pl *planner) newPendingUndoPlan(ctx context.Context, t target, c pendingChange) filePlan {
	refusal := filePlan{found: t.found, file: t.file, action: Undo}
	changes, _, err := pl.find([]string{c.Change})
	if err != nil || len(changes) == 0 {
		refusal.refuse(fault.New(fault.NotFound, "the change to undo is no longer in the history"))
		return refusal
	}
	return pl.newUndoPlan(ctx, changes[0], pl.files.readAtRest, nil)
}
