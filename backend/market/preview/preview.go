// Package preview finds out what the start of a server would download, so that a person can read it before approving the
// server: the packages with their versions, when and by whom they were published, the scripts that run when they are
// installed, and packages that do not come from a package registry. It downloads descriptions only; no code of a package
// runs. Packages come from the registries of the user: nothing is looked up in a registry that a server names itself.
package preview

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/listing"
	"github.com/agent-discover/agent-discover/backend/market/packagemanager"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

const (
	patience = 90 * time.Second // how long package managers and registries may take for one preview
	// current is how long a preview is reused. A version that appears meanwhile is missing in it.
	current    = 10 * time.Minute
	parallel   = 2    // previews that are made at the same time
	maxKept    = 200  // previews
	maxText    = 200  // bytes of a text from a registry
	maxScripts = 8    // packages whose scripts are looked up
	maxListed  = 2000 // packages in a preview
)

// Registry answers questions about packages. It is implemented by npm.Source and pypi.Source.
type Registry interface {
	Origin(ctx context.Context, name, version string) (listing.Origin, error)
}

// Scripted is a Registry that knows the scripts of packages.
type Scripted interface {
	InstallScripts(ctx context.Context, name, version string) ([]string, error)
}

// Confined restricts package managers. It is implemented by sandbox.Sandbox.
type Confined interface {
	Manager(upstream.Launch, sandbox.ManagerAccess) (upstream.Launch, error)
	AllPorts() bool
}

// Options are the dependencies of a Previewer.
type Options struct {
	NPM, PyPI   Registry
	Environment func(context.Context) process.Env // of the user's programs
	Confined    Confined                          // restricts package managers; nil if nothing does
	Folder      string                            // for temporary files only
	Now         func() time.Time                  // nil means time.Now
	Log         *slog.Logger
}

// Previewer makes previews. It is safe for concurrent use.
type Previewer struct {
	options Options
	empty   func()        // removes the files that previews of a killed hub have left; only the first call does anything
	turns   chan struct{} // limits the previews that are made at the same time

	mu   sync.Mutex
	kept map[string]kept // by what was looked up
}

// kept is a preview that is reused for a while.
type kept struct {
	at      time.Time
	preview Preview
}

// New returns a Previewer.
func New(o Options) *Previewer {
	if o.Now == nil {
		o.Now = time.Now
	}
	empty := sync.OnceFunc(func() {
		if err := os.RemoveAll(o.Folder); err != nil {
			o.Log.Warn("could not remove the files of interrupted previews", "error", err)
		}
	})
	return &Previewer{options: o, empty: empty, turns: make(chan struct{}, parallel), kept: make(map[string]kept)}
}

// The values of Preview.Status.
const (
	Nothing = "nothing" // the server is started without a download by npx or uvx
	Found   = "found"   // the packages are known
	Unknown = "unknown" // Warnings say why the packages are not known
)

// Preview describes what the start of a server downloads. Its texts are safe to show.
type Preview struct {
	Status   string
	Facts    []string  // sentences about the packages
	Warnings []string  // sentences about what a person should consider, worst first
	Packages []Package // those that the command line names first, then the others by name
	Omitted  int       // packages that are left out of Packages, because there are too many
}

// Package is a package that would be downloaded.
type Package struct {
	Name      string
	Package   string // its name in the registry, if that is another one
	Version   string
	From      string // where it comes from, if that is not a package registry
	Scripts   bool   // it runs scripts when it is installed
	pinned    bool   // see packagemanager.Resolved
	contained bool
	Commands  []string
	Published time.Time // zero if it is not known
	named     bool      // the command line names it
	origin    listing.Origin
}

// Of returns what the start of a server would download. An error means that ctx has ended.
func (p *Previewer) Of(ctx context.Context, s registry.Server) (Preview, error) {
	line, skipped := packagemanager.Parse(s)
	switch option := line.Unknown(); {
	case option != "":
		return Preview{Status: Unknown, Warnings: []string{fmt.Sprintf(
			"The option %s is not known, so it cannot be told what is downloaded.", safetext.Visible(option))}}, nil
	case skipped != "":
		return Preview{Status: Nothing}, nil
	}
	if named := cmp.Or(line.OtherRegistry(s.Env), line.Local()); named != "" {
		return Preview{Status: Unknown, Warnings: []string{fmt.Sprintf("%s decides where the packages of this server come from. "+
			"Nothing is looked up there before you approve the server.", named)}}, nil
	}
	encoded, _ := json.Marshal([]any{line.Runner, line.Command, line.Packages, line.Options, s.Confined()}) // strings and a bool
	key := string(encoded)
	if found, ok := p.recall(key); ok {
		return found, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return Preview{}, fault.Wrap(ctx.Err(), fault.Timeout, "other downloads are being looked up; try again in a moment")
	}
	if found, ok := p.recall(key); ok { // of a caller that was first
		return found, nil
	}
	found, err := p.look(ctx, s, line)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return Preview{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		err = fault.Wrap(err, fault.Timeout, "the package registry did not answer within %s", patience)
		return unknown(s, line, err), nil
	case err != nil:
		return unknown(s, line, err), nil
	}
	p.keep(key, found)
	return found, nil
}

func (p *Previewer) recall(key string) (Preview, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k, ok := p.kept[key]
	return k.preview, ok && p.options.Now().Sub(k.at) < current
}

func (p *Previewer) keep(key string, found Preview) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.kept) >= maxKept {
		clear(p.kept)
	}
	p.kept[key] = kept{p.options.Now(), found}
}

// look resolves the packages of a command line and looks up the named ones in their registry.
func (p *Previewer) look(ctx context.Context, s registry.Server, line packagemanager.CommandLine) (Preview, error) {
	folder, remove, err := p.temporary()
	if err != nil {
		return Preview{}, fault.Wrap(err, fault.Unavailable, "could not create a temporary folder: %s", paths.Reason(err))
	}
	defer remove()
	redactor := redact.ForLaunch(launch.Launch{Env: s.Env, Args: s.Args})
	order := packagemanager.Order{
		CommandLine: line, Env: p.options.Environment(ctx), Own: s.Env, Folder: folder, Report: func(string) {}, Redact: redactor.Text,
	}
	if p.options.Confined != nil {
		order.Confine, order.AllPorts = p.options.Confined.Manager, p.options.Confined.AllPorts()
	}
	resolved, err := packagemanager.Resolve(ctx, order)
	if err != nil {
		return Preview{}, err
	}
	packages := p.complete(ctx, line, resolved)
	return describe(s, packages, p.options.Now()), nil
}

// temporary creates a folder. The caller must call remove.
func (p *Previewer) temporary() (folder string, remove func(), err error) {
	p.empty()
	if err := paths.MakeFolder(p.options.Folder); err != nil {
		return "", nil, err
	}
	root, err := os.OpenRoot(p.options.Folder)
	if err != nil {
		return "", nil, err
	}
	folder, err = os.MkdirTemp(p.options.Folder, "preview-*")
	if err != nil {
		_ = root.Close()
		return "", nil, err
	}
	return folder, func() {
		if err := paths.RemoveAll(root, filepath.Base(folder)); err != nil {
			p.options.Log.Warn("could not remove the files of a preview", "error", err)
		}
		_ = root.Close()
	}, nil
}

// complete adds what the registry knows about the packages that the command line names, and about scripts. What it does
// not know stays empty.
func (p *Previewer) complete(ctx context.Context, line packagemanager.CommandLine, resolved []packagemanager.Resolved) []Package {
	registry := p.options.PyPI
	if line.Runner == "npx" {
		registry = p.options.NPM
	}
	packages := make([]Package, len(resolved))
	var asked sync.WaitGroup
	scripts := 0
	for i, r := range resolved {
		packages[i] = Package{
			Name: clean(r.Name), Package: clean(r.Package), Version: clean(r.Version), From: clean(r.From), Scripts: r.Scripts,
			Published: r.Published, named: r.Named, pinned: r.Pinned, contained: r.Contained,
		}
		one, name := &packages[i], cmp.Or(r.Package, r.Name)
		if one.named && r.From == "" {
			asked.Go(func() { one.origin, _ = registry.Origin(ctx, name, r.Version) }) // the preview says what is not known
		}
		known, ok := registry.(Scripted)
		if ok && r.Scripts && r.From == "" && scripts < maxScripts {
			scripts++
			asked.Go(func() {
				commands, _ := known.InstallScripts(ctx, name, r.Version) // then the preview names the package alone
				for _, command := range commands {
					one.Commands = append(one.Commands, clean(command))
				}
			})
		}
	}
	asked.Wait()
	for i := range packages {
		if packages[i].Published.IsZero() {
			packages[i].Published = packages[i].origin.Published
		}
	}
	slices.SortStableFunc(packages, func(a, b Package) int {
		if a.named != b.named {
			return map[bool]int{true: -1, false: 1}[a.named]
		}
		return 0
	})
	return packages
}

// clean makes a text from a registry safe to show.
func clean(text string) string { return safetext.Clip(safetext.Label(text), maxText) }
