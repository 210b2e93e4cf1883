package main

import (
	"context"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// redraw is the least time between two changes of the menu: calls come and go
// faster than anybody reads.
const redraw = 250 * time.Millisecond

// face is what people see.
type face interface {
	show(menu)
	// copy puts a text where paste finds it.
	copy(text string) error
	// end takes the icon away; then the program ends.
	end()
}

// tray follows the hub, shows its state and does what is clicked. One goroutine
// owns the state; others send it changes.
type tray struct {
	folder  paths.Folder
	version string
	changes chan func(*state)
	clicks  chan string
	wake    chan struct{}
	ended   chan struct{} // closed when nobody takes changes and clicks any more
}

func newTray(folder paths.Folder, version string) *tray {
	return &tray{
		folder: folder, version: version,
		changes: make(chan func(*state), 64), clicks: make(chan string, 64),
		wake: make(chan struct{}, 1), ended: make(chan struct{}),
	}
}

// run shows the state on a face until ctx ends. It is called once.
func (t *tray) run(ctx context.Context, f face) {
	ctx, cancel := context.WithCancel(ctx)
	var parts sync.WaitGroup
	parts.Go(func() { t.keeper().run(ctx) })
	t.loop(ctx, f, &parts)
	close(t.ended)
	cancel()
	parts.Wait()
}

func (t *tray) keeper() keeper {
	return keeper{
		stopped: func() bool { return instance.Stopped(t.folder) },
		ensure:  func(ctx context.Context) (instance.Info, error) { return instance.Ensure(ctx, t.folder, "tray") },
		follow:  func(ctx context.Context, info instance.Info) error { return follow(ctx, info, t.hear) },
		report: func(now phase, problem string) {
			t.change(func(s *state) {
				if s.Phase != quitting {
					*s = s.lost(now, problem)
				}
			})
		},
		wake: t.wake,
	}
}

// hear takes a message of the hub.
func (t *tray) hear(message []byte) {
	t.change(func(s *state) {
		next, err := s.after(message)
		if err != nil || s.Phase == quitting {
			return
		}
		next.Phase, next.Problem = connected, ""
		*s = next
	})
}

// change changes the state soon.
func (t *tray) change(how func(*state)) {
	select {
	case t.changes <- how:
	case <-t.ended:
	}
}

// clicked takes a click; what it means is done soon.
func (t *tray) clicked(what string) {
	select {
	case t.clicks <- what:
	case <-t.ended:
	}
}

// note shows what came of a click; "" takes the last one away.
func (t *tray) note(text string) { t.change(func(s *state) { s.Note = text }) }

// loop shows the state after every change, several changes at once.
func (t *tray) loop(ctx context.Context, f face, acts *sync.WaitGroup) {
	now := state{Version: t.version}
	draw(f, now)
	var due <-chan time.Time
	for {
		select {
		case how := <-t.changes:
			how(&now)
			if due == nil {
				due = time.After(redraw)
			}
		case <-due:
			due = nil
			draw(f, now)
		case what := <-t.clicks:
			acts.Go(func() { t.act(ctx, f, what) })
		case <-ctx.Done():
			return
		}
	}
}

func draw(f face, s state) {
	// The window changes it too, and so do the system's settings.
	if entry, err := atLogin(); err == nil {
		s.AtLogin, _ = entry.On() // what cannot be read is shown as off
	}
	f.show(model(s))
}
