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

// Leftover is something that a job makes, such as a folder or a secret, and that must be removed if the job fails. The
// note about a leftover is stored before the leftover is made, so that the next hub can remove it if this one is
// killed. The notes about bundles, programs and images stay until no server needs these any more.
type Leftover struct {
	ID     int64  `json:"-"`
	Kind   string `json:"kind"`
	Path   string `json:"path,omitempty"`   // of a folder
	Engine string `json:"engine,omitempty"` // program of the container engine that has the image
	Image  string `json:"image,omitempty"`  // reference of the image
	Server string `json:"server,omitempty"` // name of the server, also for the kinds secret and install
	Secret string `json:"secret,omitempty"`
	// Install is the record of the version to which a job changes the server. It is stored once the server's launch has
	// the hash Hash. If the job returns to a former version, To is the id of that version's record instead.
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

// leftovers removes the files, images, servers and secrets that failed jobs and removed servers have left behind. It
// is safe for concurrent use.
type leftovers struct {
	store        Store
	registry     *registry.Registry
	servers      Servers
	vault        *vault.Vault
	machine      plan.Machine
	programs     *programs
	busy         func() bool                                 // reports whether a job is running
	finishSwitch func(ctx context.Context, l Leftover) error // Installer.finishSwitch
	bus          *events.Bus
	log          *slog.Logger

	held      holds         // folders that running jobs need
	unpacking chan struct{} // holds an element while a job changes the folder for bundles
}

// mark stores a note about a leftover before the job makes it. If the job fails, undo removes the leftover; a nil
// undo means discard, which tidy also uses when the hub starts.
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
			return err // the note stays, so the next start of the hub tries again
		}
		return o.store.DropLeftovers(ctx, []int64{id})
	})
	return nil
}

// keep makes the changes of a job permanent: it releases the folders and deletes the notes about leftovers.
func (o *leftovers) keep(ctx context.Context, steps *undo) {
	steps.release() // the folders belong to servers and no longer to the job
	if len(steps.marked) == 0 {
		return
	}
	if err := o.store.DropLeftovers(context.WithoutCancel(ctx), steps.marked); err != nil {
		// This is harmless, because discard keeps the files, images and secrets that a server needs.
		o.log.Warn("could not delete the notes about a finished installation", "error", err)
	}
	*steps = undo{}
}

// tidy removes the leftovers of a killed hub. Run calls it once.
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
	if o.held.count(l.Path) > 0 || o.needs(ctx, l) { // a job holds it, or a server that was installed meanwhile needs it
		return nil
	}
	err = os.RemoveAll(l.Path)
	if filepath.Dir(l.Path) == filepath.Clean(o.machine.Bundles) {
		err = errors.Join(err, bundle.RemoveUnfinished(o.machine.Bundles))
	}
	return err
}

// enterBundles waits until no other job changes the folder for bundles. The caller must call leave.
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
