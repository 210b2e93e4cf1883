// Package downloads decides when the package of a server is downloaded, and into which folder. A Downloader downloads
// it before the first start of the server, so that this start is quick. An Installer installs the packages of servers
// in a sandbox, each into the folder of its server. Package packagemanager runs npm and uv.
package downloads

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/packagemanager"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

const (
	// downloadTimeout limits one download. The start of a server stops waiting earlier, but the download that it has
	// begun goes on.
	downloadTimeout = 15 * time.Minute
	// maxQueued is how many servers may wait for a background download. If the
	// queue is full, the first start of the server downloads the package.
	maxQueued = 64
)

// Confined restricts package managers and servers.
type Confined interface {
	// Install installs the package of a server into the server's own folder. It does nothing, and installed is false,
	// if the server is started from the user's caches instead.
	Install(ctx context.Context, server registry.Server, env process.Env, report func(line string)) (installed bool, err error)
	Manager(upstream.Launch, sandbox.ManagerAccess) (upstream.Launch, error)
	AllPorts() bool // see sandbox.Sandbox.AllPorts
}

// Options are the dependencies and settings of a Downloader.
type Options struct {
	Registry *registry.Registry
	Running  *upstream.Manager
	// Environment returns the environment that servers run in.
	Environment func(context.Context) process.Env
	// Refuse returns an error if the current configuration of a server does not allow the download of its program. If
	// Refuse is nil, all downloads are allowed.
	Refuse func(registry.Server) error
	// Confined restricts package managers. It may be nil.
	Confined   Confined
	Background bool // whether Later queues downloads
	// Folder is the folder for the files of running downloads. It is created if it is missing, and emptied before the
	// first download.
	Folder string
	Bus    *events.Bus
	Log    *slog.Logger
}

// Progressed is published for each line that npm or uv writes during a download.
type Progressed struct {
	Server string
	Line   string // redacted
	At     time.Time
}

// Downloader downloads packages. It runs none of their code. It is safe for concurrent use.
type Downloader struct {
	options Options
	empty   func() // removes the files that downloads of a killed hub have left; only the first call does anything

	queue chan string // names of servers
}

// New returns a downloader. Queued downloads are made only while Run is
// running.
func New(o Options) *Downloader {
	empty := sync.OnceFunc(func() {
		if err := os.RemoveAll(o.Folder); err != nil {
			o.Log.Warn("could not remove the files of interrupted downloads", "error", err)
		}
	})
	return &Downloader{options: o, empty: empty, queue: make(chan string, maxQueued)}
}

// Fetch downloads the package that npx or uvx would download when the server
// starts. It returns the name of the package, or in skipped the reason why
// there is nothing to download. If the server is not approved, the error is a
// fault.Denied.
func (p *Downloader) Fetch(ctx context.Context, name string) (pkg, skipped string, err error) {
	s, err := p.options.Registry.Get(name)
	if err != nil {
		return "", "", err
	}
	c, skipped := p.needed(s)
	if skipped != "" {
		return "", skipped, nil
	}
	if err := s.Usable(); err != nil { // otherwise an agent could choose what is downloaded by proposing a server
		return "", "", err
	}
	if p.options.Refuse != nil {
		if err := p.options.Refuse(s); err != nil {
			return "", "", err
		}
	}
	return c.Packages[0], "", p.download(ctx, s, c, func(line string) {
		events.Publish(p.options.Bus, Progressed{Server: name, Line: line, At: time.Now()})
	})
}

// Download is Fetch for a server that a person has approved and that is not
// configured yet. It calls report for each line that npm or uv writes.
func (p *Downloader) Download(ctx context.Context, s registry.Server, report func(line string)) (skipped string, err error) {
	c, skipped := p.needed(s)
	if skipped != "" {
		return skipped, nil
	}
	return "", p.download(ctx, s, c, report)
}

// needed returns the command line whose package must be downloaded before the first start of a server. If nothing has
// to be downloaded, skipped says why.
func (p *Downloader) needed(s registry.Server) (c packagemanager.CommandLine, skipped string) {
	c, skipped = packagemanager.Parse(s)
	if skipped == "" && !s.Confined() {
		if option := c.Local(); option != "" {
			skipped = "the option " + option + " names something that is no package of a registry"
		}
	}
	return c, skipped
}

// Later queues a server for a download in the background, if the settings
// allow that, and returns at once.
func (p *Downloader) Later(s registry.Server) {
	if _, skipped := packagemanager.Parse(s); skipped != "" || !p.options.Background {
		return
	}
	select {
	case p.queue <- s.Name:
	default:
	}
}

// Run downloads the packages of queued servers, one at a time, until ctx ends.
func (p *Downloader) Run(ctx context.Context) error {
	p.empty()
	for {
		select {
		case name := <-p.queue:
			if p.options.Running.State(name).Running || p.options.Running.Paused() {
				continue // a running server has its package; a paused hub must not start programs
			}
			if pkg, _, err := p.Fetch(ctx, name); err != nil && ctx.Err() == nil {
				p.options.Log.Warn("could not download the package of a new server", "server", name, "package", pkg, "error", err)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// download installs the package of a server: in the server's own folder if it is confined, and
// otherwise in a temporary folder, so that the package gets into the user's own caches. It does not
// run npx itself, because the server may be started meanwhile, and two npx processes for the same
// package corrupt each other's folder.
func (p *Downloader) download(ctx context.Context, s registry.Server, c packagemanager.CommandLine, report func(line string)) error {
	ctx, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	redactor := redact.ForLaunch(launch.Launch{Env: s.Env, Args: s.Args})
	redacted := func(line string) { report(redactor.Text(line)) }
	if p.options.Confined != nil {
		if installed, err := p.options.Confined.Install(ctx, s, p.options.Environment(ctx), redacted); installed || err != nil {
			return late(ctx, c, err)
		}
	}
	folder, err := p.temporary()
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "could not create a temporary folder for the download: %s", paths.Reason(err))
	}
	defer func() { _ = os.RemoveAll(folder) }()
	o := packagemanager.Order{
		CommandLine: c, Env: p.options.Environment(ctx), Own: s.Env,
		Folder: folder, Shared: true, Report: redacted, Redact: redactor.Text,
	}
	if p.options.Confined != nil {
		o.Confine, o.AllPorts = p.options.Confined.Manager, p.options.Confined.AllPorts()
	}
	return late(ctx, c, packagemanager.Install(ctx, o))
}

// late returns a fault.Timeout if a download failed because the deadline of ctx passed, and err otherwise.
func late(ctx context.Context, c packagemanager.CommandLine, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.Wrap(err, fault.Timeout, "the download of %s did not finish within %s; check that the package registry is reachable",
			c.Packages[0], downloadTimeout)
	}
	return err
}

func (p *Downloader) temporary() (string, error) {
	p.empty()
	if err := paths.MakeFolder(p.options.Folder); err != nil {
		return "", err
	}
	return os.MkdirTemp(p.options.Folder, "npm-*")
}
