package main

import (
	"context"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// redrawDelay is the minimum time between two updates of the menu. Calls start and end faster than users can read.
const redrawDelay = 250 * time.Millisecond

// view is the user interface of the tray.
type view interface {
	show(menu)
	// copy puts a text on the clipboard.
	copy(text string) error
	// end removes the icon, which ends the program.
	end()
}

// tray follows the hub, shows its state, and executes the commands of clicked items. One goroutine owns the state;
// other goroutines send it changes.
type tray struct {
	folder   paths.Folder
	version  string
	changes  chan func(*state)
	commands chan string   // of clicked items
	wake     chan struct{} // makes the supervisor check for a hub at once
	notify   notifier      // nil if the desktop cannot show notifications
	ended    chan struct{} // closed when loop receives no more changes and commands
}

func newTray(folder paths.Folder, version string) *tray {
	return &tray{
		folder: folder, version: version,
		changes: make(chan func(*state), 64), commands: make(chan string, 64),
		wake: make(chan struct{}, 1), ended: make(chan struct{}),
	}
}

// run shows the state in a view until ctx ends. It may be called once.
func (t *tray) run(ctx context.Context, v view) {
	ctx, cancel := context.WithCancel(ctx)
	var parts sync.WaitGroup
	parts.Go(func() { t.supervisor().run(ctx) })
	t.loop(ctx, v, &parts)
	close(t.ended)
	cancel()
	parts.Wait()
}

func (t *tray) supervisor() supervisor {
	return supervisor{
		stopped: func() bool { return instance.Stopped(t.folder) },
		ensure:  func(ctx context.Context) (instance.Info, error) { return instance.Ensure(ctx, t.folder, "tray") },
		follow:  func(ctx context.Context, info instance.Info) error { return follow(ctx, info, t.receive) },
		report: func(p phase, problem string) {
			t.change(func(s *state) {
				if s.Phase != quitting {
					*s = s.disconnected(p, problem)
				}
			})
		},
		wake: t.wake,
	}
}

// receive applies a message of the hub to the state. It ignores a malformed message.
func (t *tray) receive(message []byte) {
	t.change(func(s *state) {
		next, err := s.updated(message)
		if err != nil || s.Phase == quitting {
			return
		}
		next.Phase, next.Problem = connected, ""
		*s = next
	})
}

// change queues a change of the state.
func (t *tray) change(apply func(*state)) {
	select {
	case t.changes <- apply:
	case <-t.ended:
	}
}

// clicked queues the command of a clicked item.
func (t *tray) clicked(command string) {
	select {
	case t.commands <- command:
	case <-t.ended:
	}
}

// setNote shows a note in the menu; "" removes it.
func (t *tray) setNote(text string) { t.change(func(s *state) { s.Note = text }) }

// loop applies changes, redraws the menu at most once per redrawDelay, and executes each command in a goroutine that
// running tracks.
func (t *tray) loop(ctx context.Context, v view, running *sync.WaitGroup) {
	current := state{Version: t.version}
	draw(v, current)
	var due <-chan time.Time
	var waiting announcer
	announcements := make(chan func(notifier), 16)
	defer close(announcements)
	running.Go(func() {
		for announce := range announcements {
			announce(t.notify)
		}
	})
	for {
		select {
		case apply := <-t.changes:
			apply(&current)
			t.announce(ctx, announcements, waiting.next, current)
			if due == nil {
				due = time.After(redrawDelay)
			}
		case <-due:
			due = nil
			draw(v, current)
		case command := <-t.commands:
			running.Go(func() { t.execute(ctx, v, command) })
		case <-ctx.Done():
			return
		}
	}
}

// announce queues the notifications for a state. If the queue is full, it drops them, because the menu shows the same
// information.
func (t *tray) announce(ctx context.Context, queue chan<- func(notifier), next func(state) ([]notice, []string), s state) {
	if t.notify == nil {
		return
	}
	show, hide := next(s)
	if len(show)+len(hide) == 0 {
		return
	}
	select {
	case queue <- func(n notifier) {
		for _, key := range hide {
			n.hide(ctx, key)
		}
		for _, one := range show {
			n.show(ctx, one)
		}
	}:
	default:
	}
}

func draw(v view, s state) {
	// Read the setting each time, because the window and the system's settings change it too.
	if entry, err := loginEntry(); err == nil {
		s.AtLogin, _ = entry.On() // an unreadable setting is shown as off
	}
	v.show(menuOf(s))
}
