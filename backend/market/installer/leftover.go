package installer

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/editors/bundle"
	"github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// Leftover is something that a job makes and that must not outlast the job if it fails. It is stored before it is made,
// so that it can be removed even if the hub is killed. The notes about bundles, programs and images stay until no server needs
// these any more.
type Leftover struct {
	ID     int64  `json:"-"`
	Kind   string `json:"kind"`
	Path   string `json:"path,omitempty"`   // of a folder
	Engine string `json:"engine,omitempty"` // program that has an image
	Image  string `json:"image,omitempty"`  // its reference
	Server string `json:"server,omitempty"` // or the one that has a secret or an install
	Secret string `json:"secret,omitempty"`
	// Install is the record of another version, which belongs to the server once its launch has this Hash. To is the id of a
	// former record instead.
	Install *Install `json:"install,omitempty"`
	To      int64    `json:"to,omitempty"`
	Hash    string   `json:"hash,omitempty"`
}

// The kinds of leftovers.
const (
	LeftFolder  = "folder"
	LeftImage   = "image"
	LeftServer  = "server"
	LeftSecret  = "secret"
	LeftInstall = "install"
)

// leftovers removes what jobs and removed servers have left behind. It is safe for concurrent
// use.
type leftovers struct {
	store        Store
	registry     *registry.Registry
	servers      Servers
	vault        *vault.Vault
	machine      plan.Machine
	programs     *programs
	busy         func() bool                                 // a job is running
	finishSwitch func(ctx context.Context, l Leftover) error // Installer.finishSwitch
	bus          *events.Bus
	log          *slog.Logger

	held      holds         // folders that running jobs need
	unpacking chan struct{} // held while the folder for bundles is changed
}

// mark stores a leftover before it is made. undo removes it if the job fails; if undo is nil,
// the function that removes it at the next start of the hub does.
func (o *leftovers) mark(ctx context.Context, steps *undo, l Leftover, undo func(ctx context.Context) error) error {
	id, err := o.store.SaveLeftover(ctx, l)
	if err != nil {
		return err
	}
	if undo == nil {
		undo = func(ctx context.Context) error { return o.discard(ctx, l) }
	}
	if !o.lasting(l) {
		steps.marked = append(steps.marked, id)
	}
	steps.add(func(ctx context.Context) error {
		if err := undo(ctx); err != nil {
			return err // the next start of the hub tries again
		}
		return o.store.DropLeftovers(ctx, []int64{id})
	})
	return nil
}

// keep makes what a job has made permanent.
func (o *leftovers) keep(ctx context.Context, steps *undo) {
	steps.release() // its servers need the folders from now on
	if len(steps.marked) == 0 {
		return
	}
	if err := o.store.DropLeftovers(context.WithoutCancel(ctx), steps.marked); err != nil {
		o.log.Warn("could not delete the notes about a finished installation", "error", err) // they do no harm: see discard
	}
	*steps = undo{}
}

// tidy removes what jobs of a killed hub have left behind.
func (o *leftovers) tidy(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, undoTimeout)
	defer cancel()
	all, err := o.store.Leftovers(ctx)
	if err != nil {
		o.log.Warn("could not read what interrupted installations have left behind", "error", err)
		return
	}
	for _, l := range all {
		if o.lasting(l) && o.needs(ctx, l) {
			continue
		}
		err := o.discard(ctx, l)
		if err == nil {
			err = o.store.DropLeftovers(ctx, []int64{l.ID})
		}
		if err != nil {
			o.log.Warn("could not remove what an interrupted installation has left behind",
				"kind", l.Kind, "server", l.Server, "error", err)
		}
	}
}

// discard removes a leftover, unless a server needs it.
func (o *leftovers) discard(ctx context.Context, l Leftover) error {
	switch l.Kind {
	case LeftFolder:
		return o.discardFolder(ctx, l)
	case LeftImage:
		if o.needs(ctx, l) {
			return nil
		}
		has, err := o.programs.hasImage(ctx, l.Engine, l.Image)
		if fault.KindOf(err) == fault.Unavailable { // the engine was uninstalled
			return nil
		}
		if err != nil || !has {
			return err
		}
		_, err = o.programs.run(ctx, func(string) {}, l.Engine, "image", "rm", l.Image)
		return err
	case LeftServer:
		return o.discardServer(ctx, l.Server)
	case LeftSecret:
		if s, err := o.registry.Get(l.Server); err == nil && mentions(s, launch.Reference(l.Secret)) {
			return nil
		}
		return o.vault.Delete(ctx, l.Server, l.Secret)
	case LeftInstall:
		return o.finishSwitch(ctx, l)
	}
	return nil
}

func (o *leftovers) discardFolder(ctx context.Context, l Leftover) error {
	leave, err := o.enterBundles(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if o.held.count(l.Path) > 0 || o.needs(ctx, l) { // by a job, or by a server that was installed meanwhile
		return nil
	}
	err = os.RemoveAll(l.Path)
	if filepath.Dir(l.Path) == filepath.Clean(o.machine.Bundles) {
		err = errors.Join(err, bundle.RemoveUnfinished(o.machine.Bundles))
	}
	return err
}

// enterBundles waits until no other job changes the folder for bundles.
func (o *leftovers) enterBundles(ctx context.Context) (leave func(), err error) {
	select {
	case o.unpacking <- struct{}{}:
		return func() { <-o.unpacking }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// discardServer removes a server that was not installed completely.
func (o *leftovers) discardServer(ctx context.Context, name string) error {
	s, err := o.registry.Get(name)
	if fault.KindOf(err) == fault.NotFound || err == nil && s.Source != plan.Source {
		return nil
	}
	if err != nil {
		return err
	}
	if installs, err := o.store.Installs(ctx, s.ID); err != nil || len(installs) > 0 {
		return err
	}
	return o.servers.Remove(ctx, name)
}

func mentions(s registry.Server, text string) bool {
	texts := append([]string{s.Command, s.URL}, s.Args...)
	texts = slices.AppendSeq(slices.AppendSeq(texts, maps.Values(s.Env)), maps.Values(s.Headers))
	return slices.ContainsFunc(texts, func(one string) bool { return strings.Contains(one, text) })
}
