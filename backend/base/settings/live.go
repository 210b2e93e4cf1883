package settings

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const (
	// lookPeriod is the time between two checks whether the file has changed. Polling is
	// cheap, and works for links and network drives too, which report no changes.
	lookPeriod = 200 * time.Millisecond
	// rest is how long a changed file must stay the same before it is read, because a
	// text editor may be writing it.
	rest = 100 * time.Millisecond
	// longRest replaces rest if the file is empty or missing, because many text editors
	// first truncate or remove a file when they save it.
	longRest = time.Second
)

// Live holds the settings of a file that may change at any time. After a change it reads
// the file and replaces all settings together; an invalid file changes nothing. Live is
// safe for concurrent use.
type Live struct {
	file string
	load func(file string) (Settings, error) // Load, except in tests
	bus  *events.Bus
	log  *slog.Logger

	reloading sync.Mutex // serializes reloads
	initial   Settings
	seen      fingerprint // of the file when it was first read
	apply     []applier
	state     atomic.Pointer[State]
}

// State is the settings at one moment. It is immutable.
type State struct {
	Settings Settings
	// Problems lists the problems of the current file if it is invalid; Settings are
	// then those of an earlier version of the file.
	Problems []Problem
	// Restart lists the settings whose new values the hub uses after its next start.
	Restart []string
}

// Reloaded is published after the settings have changed, or a changed file was rejected.
type Reloaded struct{}

type applier struct {
	keys []string
	do   func(Settings)
}

// Open loads the settings of a file, as Load does. Run then follows changes of the file.
func Open(file string, bus *events.Bus, log *slog.Logger) (*Live, error) {
	l := &Live{file: file, load: Load, bus: bus, log: log, seen: look(file)}
	var err error
	if l.initial, err = Load(file); err != nil {
		return nil, err
	}
	l.state.Store(&State{Settings: l.initial})
	return l, nil
}

// Apply registers the function do. Live calls it with the new settings whenever a setting changes whose key or group is
// in keys. Call Apply before Run and Reload.
func (l *Live) Apply(do func(Settings), keys ...string) {
	l.apply = append(l.apply, applier{keys, do})
}

// State returns the current state.
func (l *Live) State() *State { return l.state.Load() }

// Reload reads the file and returns which settings have changed. If the file is invalid, it
// returns the error of Load, and the settings stay as they are.
func (l *Live) Reload() (keys []string, err error) {
	l.reloading.Lock()
	defer l.reloading.Unlock()
	return l.use(l.load(l.file))
}

// Change calls edit, which changes the file, and then reloads the file. It returns the
// error of edit, or else the results of Reload. keys includes every setting that edit
// has changed.
func (l *Live) Change(edit func() error) (keys []string, err error) {
	l.reloading.Lock() // Run must not read the change first
	defer l.reloading.Unlock()
	if err := edit(); err != nil {
		return nil, err
	}
	return l.use(l.load(l.file))
}

// use replaces the settings by the result of load, and returns the results of Reload.
func (l *Live) use(next Settings, err error) (keys []string, _ error) {
	before := l.State()
	if err != nil {
		state := *before
		state.Problems = Problems(err)
		l.state.Store(&state)
		l.log.Warn("config.yaml is invalid; the earlier settings stay", "error", fault.MessageOf(err))
		events.Publish(l.bus, Reloaded{})
		return nil, err
	}
	keys = changed(&before.Settings, &next)
	restart := slices.DeleteFunc(changed(&l.initial, &next), func(key string) bool {
		return slices.ContainsFunc(Table, func(row Row) bool { return row.Key == key && row.Live })
	})
	l.state.Store(&State{Settings: next, Restart: restart})
	for _, one := range l.apply {
		if slices.ContainsFunc(keys, one.covers) {
			one.do(next)
		}
	}
	if len(keys) > 0 || len(before.Problems) > 0 {
		l.log.Info("config.yaml was read again", "changed", keys, "after restart", l.State().Restart)
		events.Publish(l.bus, Reloaded{})
	}
	return keys, nil
}

func (a applier) covers(key string) bool {
	return slices.ContainsFunc(a.keys, func(name string) bool { return key == name || strings.HasPrefix(key, name+".") })
}

// Run reloads the file whenever it has changed, until ctx ends. It returns nil.
func (l *Live) Run(ctx context.Context) error {
	seen := l.seen
	for wait(ctx, lookPeriod) {
		now := look(l.file)
		if now == seen {
			continue
		}
		seen = l.settle(ctx, now)
		for ctx.Err() == nil && !l.reloadSettled(seen) {
			seen = l.settle(ctx, look(l.file))
		}
	}
	return nil
}

// reloadSettled reloads the file whose fingerprint is seen. If a program begins to write the file before it is read
// completely, reloadSettled changes no settings and returns false: what was read may be a part of the file.
func (l *Live) reloadSettled(seen fingerprint) bool {
	l.reloading.Lock()
	defer l.reloading.Unlock()
	next, err := l.load(l.file)
	if look(l.file) != seen {
		return false
	}
	_, _ = l.use(next, err) // the state has the error
	return true
}

// settle waits until the file has stopped changing, and returns its fingerprint.
func (l *Live) settle(ctx context.Context, now fingerprint) fingerprint {
	for {
		pause := rest
		if now.size == 0 {
			pause = longRest
		}
		// Check for changes often, also during the long pause of an empty file: once the file has content, the short
		// pause is enough.
		for until := pause; until > 0; until -= rest {
			if !wait(ctx, rest) {
				return now
			}
			if next := look(l.file); next != now {
				now, pause = next, 0
				break
			}
		}
		if pause > 0 {
			return now
		}
	}
}

func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// fingerprint distinguishes versions of a file. It is zero for a missing file.
type fingerprint struct {
	changed int64
	size    int64
}

func look(file string) fingerprint {
	info, err := os.Stat(file)
	if err != nil {
		return fingerprint{}
	}
	return fingerprint{info.ModTime().UnixNano(), info.Size()}
}
