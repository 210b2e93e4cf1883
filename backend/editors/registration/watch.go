package registration

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/atomicfile"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

// How often files are looked at: while a person looks on, and else.
const (
	often  = 2 * time.Second
	seldom = 20 * time.Second
)

// automatic is who makes a change that nobody asked for at this moment.
const automatic = "automatic"

// AutoRegisters reports whether editors that are found from now on get our
// entry.
func (r *Registrar) AutoRegisters() bool { return r.auto.Load() }

// SetAuto says whether editors that are found from now on get our entry.
func (r *Registrar) SetAuto(on bool) {
	r.auto.Store(on)
	r.rouse()
}

// PollOften has files looked at every few seconds, not only now and then, until
// leave is called.
func (r *Registrar) PollOften() (leave func()) {
	r.attended.Add(1)
	r.rouse()
	left := make(chan struct{}, 1)
	left <- struct{}{}
	return func() {
		select {
		case <-left:
			r.attended.Add(-1)
		default: // left already
		}
	}
}

func (r *Registrar) rouse() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *Registrar) pause() time.Duration {
	if r.attended.Load() > 0 {
		return often
	}
	return seldom
}

// Run watches the files of editors until ctx ends: it publishes Changed, carries
// out what waits, and registers new editors where that is wished.
//
// It asks for the time and size of each file again and again instead of having
// the system tell. Editors live in many folders, which come and go; a home on a
// network tells nothing; and on macOS who watches the home folder has to ask
// the user for it. Sixty files take a few milliseconds.
func (r *Registrar) Run(ctx context.Context) error {
	var last []Status
	for ctx.Err() == nil {
		last = r.scan(ctx, last)
		timer := time.NewTimer(r.pause())
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// scan looks at everything once, and returns how it is.
func (r *Registrar) scan(ctx context.Context, last []Status) []Status {
	if err := r.sight(); err != nil {
		r.options.Log.Warn("editors cannot be remembered", "err", err)
	}
	r.fulfil(ctx)
	r.welcome(ctx)
	now, err := r.Status(ctx, false, nil)
	if err != nil {
		if ctx.Err() == nil {
			r.options.Log.Warn("editors cannot be looked at", "err", err)
		}
		return last
	}
	if last != nil && !reflect.DeepEqual(now, last) {
		r.tell()
	}
	return now
}

// sight remembers the editors that are there for the first time. Those of the
// very first look are not new, and get our entry only where that was wished
// before.
func (r *Registrar) sight() error {
	found := r.detected()
	return r.notes.sight(func(s *seen) bool {
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

// welcome puts our entry into new editors.
func (r *Registrar) welcome(ctx context.Context) {
	if !r.auto.Load() {
		return
	}
	known, err := r.notes.look()
	if err != nil {
		return
	}
	settled := make(map[string]bool)
	for _, e := range table.Table() {
		if known.Editors[e.ID].Auto && r.welcomed(ctx, r.options.Machine.Find(e), known) {
			settled[e.ID] = true
		}
	}
	err = r.notes.sight(func(s *seen) bool {
		for id := range settled {
			s.Editors[id] = sighting{New: s.Editors[id].New}
		}
		return len(settled) > 0
	})
	if err != nil {
		r.options.Log.Warn("editors cannot be remembered", "err", err)
	}
}

// welcomed reports whether an editor needs no look any more: it has our entry
// now, or a person has decided. One whose file cannot be changed yet stays.
func (r *Registrar) welcomed(ctx context.Context, found table.Found, seen seen) bool {
	settled := found.Detected && len(found.Files) > 0
	for _, file := range found.Files {
		state := r.fileStatus(found, file).State
		switch {
		case found.Register == table.Never || len(found.Managed) > 0 || slices.Contains(seen.Refused, file.Path):
		case found.Register == table.IfExisting && !file.Exists:
			settled = false
		case state == Unreadable:
			settled = false
		case state == Absent:
			settled = r.greet(ctx, target{found: found, file: file}) && settled
		}
	}
	return settled
}

func (r *Registrar) greet(ctx context.Context, t target) bool {
	r.writing.Lock()
	defer r.writing.Unlock()
	out := r.insist(ctx, func() draft { return r.draft(ctx, t, Request{Action: Register, By: automatic}) })
	return out.Status == done || out.Status == nothing || out.Status == waits
}

// fulfil carries out what waits for an editor that has ended.
func (r *Registrar) fulfil(ctx context.Context) {
	for _, w := range r.notes.wishes() {
		e, ok := table.ByID(w.Editor)
		if !ok {
			_, _ = r.notes.drop(func(o wish) bool { return o.ID == w.ID })
			continue
		}
		if found := r.options.Machine.Find(e); !r.runs(ctx, found) {
			r.writing.Lock()
			r.carryOut(ctx, target{found: found, file: w.File}, w)
			r.writing.Unlock()
			r.tell()
		}
	}
}

func (r *Registrar) carryOut(ctx context.Context, t target, w wish) {
	out := r.insist(ctx, func() draft {
		switch w.Action {
		case TakeOut:
			return r.draftTakeOut(ctx, t, w.Entries)
		case Undo:
			return r.draftWaitingUndo(ctx, t, w)
		}
		return r.draft(ctx, t, Request{Action: w.Action, Replace: w.Replace, By: w.By})
	})
	var err error
	switch out.Status {
	case waits: // it was started again at this moment
	case done, nothing:
		_, err = r.notes.drop(func(o wish) bool { return o.ID == w.ID })
	default:
		err = r.notes.blame(w.ID, out.Problem)
	}
	if err != nil {
		r.options.Log.Warn("what waits cannot be remembered", "err", err)
	}
}

func (r *Registrar) draftWaitingUndo(ctx context.Context, t target, w wish) draft {
	failed := draft{found: t.found, file: t.file, action: Undo}
	list, _, err := r.chosen([]string{w.Change})
	if err != nil || len(list) == 0 {
		failed.problem = fault.New(fault.NotFound, "the change is not known any more")
		return failed
	}
	was, err := atomicfile.Look(list[0].Path)
	if err != nil {
		failed.problem = err
		return failed
	}
	return r.draftUndo(ctx, list[0], was, nil)
}
