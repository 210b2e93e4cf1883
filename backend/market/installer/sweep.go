package installer

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

const (
	// sweepAgain is the time until the next attempt to remove the files and images of a removed server. Its container
	// may still be stopping.
	sweepAgain = 2 * time.Second
	// maxSweeps limits these attempts. The next start of the hub tries again.
	maxSweeps = 30
	// maxChanges is the number of changes of servers that may wait while a sweep runs.
	maxChanges = 256
)

// sweepRemoved removes the bundles, programs and images of servers that are removed, until ctx ends. It owns the
// subscription changes, and calls stop to end it.
func (o *leftovers) sweepRemoved(ctx context.Context, changes <-chan registry.Changed, stop func()) {
	defer func() { stop() }()
	var due <-chan time.Time
	for sweeps := 0; ; {
		select {
		case <-ctx.Done():
			return
		case c, ok := <-changes:
			if !ok { // the subscription ended because too many changes were waiting
				changes, stop = events.Subscribe[registry.Changed](o.bus, maxChanges)
			}
			if !ok || c.Removed {
				sweeps, due = 0, time.After(0)
			}
		case <-due:
			due = nil
			level := slog.LevelInfo
			if sweeps++; sweeps > 1 {
				level = slog.LevelDebug
			}
			if !o.sweep(ctx, level) && sweeps < maxSweeps {
				due = time.After(sweepAgain)
			}
		}
	}
}

// sweep removes folders and images that no server needs any more. It reports whether all of them are gone. While a job
// is running, sweep removes nothing, because the job may need them. It logs failures with level.
func (o *leftovers) sweep(ctx context.Context, level slog.Level) (done bool) {
	notes, err := o.store.Leftovers(ctx)
	if err != nil {
		o.log.Warn("could not read what removed servers have left behind", "error", err)
		return true
	}
	done = true
	for _, l := range notes {
		switch {
		case !o.lasting(l) || o.needs(ctx, l):
		case o.busy():
			return false
		default:
			err := o.discard(ctx, l)
			if err == nil {
				err = o.store.DropLeftovers(ctx, []int64{l.ID})
			}
			if err != nil {
				o.log.Log(ctx, level, "could not remove yet what a removed server has left behind", "kind", l.Kind, "error", err)
				done = false
			}
		}
	}
	return done
}

// busy reports whether a job is running.
func (i *Installer) busy() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.ContainsFunc(i.jobs, func(j *job) bool { return j.snapshot().State == Running })
}

// lasting reports whether a leftover is a bundle, a program or an image. The note about it stays until no server needs
// it.
func (o *leftovers) lasting(l Leftover) bool {
	of := filepath.Dir(l.Path)
	return l.Kind == LeftImage || l.Kind == LeftFolder &&
		(of == filepath.Clean(o.machine.Bundles) || of == filepath.Clean(o.machine.Packages))
}

// needs reports whether a server, or a former version that it can return to, needs a folder or an image.
func (o *leftovers) needs(ctx context.Context, l Leftover) bool {
	for _, s := range o.registry.List() {
		if needs(s, l) {
			return true
		}
		if s.Source != plan.Source {
			continue
		}
		installs, err := o.store.Installs(ctx, s.ID)
		if err != nil {
			return true // keep it if the installs cannot be read
		}
		for _, one := range installs {
			var former registry.Server
			if one.Configured.Apply(&former); needs(former, l) {
				return true
			}
		}
	}
	return false
}

func needs(s registry.Server, l Leftover) bool {
	if l.Kind == LeftFolder {
		return mentions(s, l.Path)
	}
	if mentions(s, l.Image) {
		return true
	}
	// A server that was installed from an image with this tag may refer to the image by its digest.
	name := l.Image
	if colon := strings.LastIndexByte(name, ':'); colon > strings.LastIndexByte(name, '/') {
		name = name[:colon]
	}
	return !strings.Contains(l.Image, "@") && slices.ContainsFunc(s.Args, func(arg string) bool { return strings.HasPrefix(arg, name+"@") })
}
