package downloads

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/market/packagemanager"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// Installer implements sandbox.Packages. Into the folder of a server, it installs the
// packages that npx or uvx would download at the start of the server, and finds the program
// that npx or uvx would run. This program can then run in a sandbox that has no network and
// cannot change the caches of packages.
//
// The package managers run in sandboxes of their own. npm installs packages without their
// installation scripts; these run afterwards in the sandbox of the server. An Installer is
// safe for concurrent use.
type Installer struct {
	log    *slog.Logger
	ctx    context.Context // context of all installations, which may outlive the contexts of their callers
	cancel context.CancelFunc
	all    sync.WaitGroup

	now func() time.Time

	mu       sync.Mutex
	running  map[string]*installation // by folder
	failures failures
}

// installation is a running installation.
type installation struct {
	server  string
	cancel  context.CancelCauseFunc
	waiting int            // number of callers that wait for it
	reports []func(string) // of all callers, for each line that the package manager writes
	done    chan struct{}  // closed when err is set
	err     error
}

// NewInstaller returns an installer. Its installations end when Run ends.
func NewInstaller(log *slog.Logger) *Installer {
	i := &Installer{log: log, now: time.Now, running: make(map[string]*installation), failures: make(failures)}
	i.ctx, i.cancel = context.WithCancel(context.Background())
	return i
}

// Run waits until ctx ends, then cancels all installations and waits for them to finish.
func (i *Installer) Run(ctx context.Context) error {
	<-ctx.Done()
	i.mu.Lock()
	i.cancel() // under mu, so that join starts no installation after Wait has begun
	i.mu.Unlock()
	i.all.Wait()
	return nil
}

// errStopped is the error of an installation whose server was stopped.
var errStopped = fault.New(fault.Unavailable, "the server was stopped while its package was installed")

// Stop implements sandbox.Packages.
func (i *Installer) Stop(server string) {
	i.mu.Lock()
	var stopping []*installation
	for _, one := range i.running {
		if server == "" || one.server == server {
			one.cancel(errStopped)
			stopping = append(stopping, one)
		}
	}
	i.mu.Unlock()
	for _, one := range stopping {
		<-one.done
	}
}

// Resolve implements sandbox.Packages.
func (i *Installer) Resolve(
	ctx context.Context, folder string, server registry.Server, l upstream.Launch, use sandbox.Use,
) (upstream.Launch, bool, error) {
	filled := server // the arguments of l have their secrets filled in
	filled.Command, filled.Args = l.Command, l.Args
	line, skipped := packagemanager.Parse(filled)
	if skipped != "" || !line.Starts || line.Local() != "" { // files that its arguments name must be granted to the server
		return l, false, nil
	}
	installed, _ := json.Marshal([]any{line.Runner, line.Packages, line.Options}) // encoding strings cannot fail
	hash := sha256.Sum256(installed)
	j := job{
		CommandLine: line, launch: l, use: use, level: server.Sandbox, redactor: redact.ForLaunch(launch.Launch{Env: l.Own, Args: l.Args}),
		folder: filepath.Join(folder, line.Runner+"-"+hex.EncodeToString(hash[:8])),
	}
	j.launchKey = keyOf(server, l)
	for !j.complete() {
		if err := i.failed(j); err != nil {
			return l, true, err
		}
		one := i.join(server.Name, j)
		if err := i.wait(ctx, one, j); err != nil && (!errors.Is(err, context.Canceled) || ctx.Err() != nil || i.ctx.Err() != nil) {
			return l, true, err
		}
	}
	resolved, err := j.find()
	if err != nil { // the server may have damaged the installation, so that it is made again at the next start
		_ = os.Remove(filepath.Join(j.folder, marker))
	}
	return resolved, true, err
}

// join returns the running installation that fills the folder of a job. If there is none, join starts it.
func (i *Installer) join(server string, j job) *installation {
	i.mu.Lock()
	defer i.mu.Unlock()
	if one := i.running[j.folder]; one != nil {
		one.waiting++
		one.reports = append(one.reports, j.use.Report)
		return one
	}
	cancellable, cancel := context.WithCancelCause(i.ctx)
	ctx, expire := context.WithTimeout(cancellable, downloadTimeout)
	one := &installation{
		server: server, cancel: cancel, waiting: 1, reports: []func(string){j.use.Report}, done: make(chan struct{}),
	}
	if one.err = ctx.Err(); one.err != nil {
		expire()
		cancel(nil)
		close(one.done)
		return one
	}
	i.running[j.folder] = one
	j.use.Report = func(line string) {
		i.mu.Lock()
		reports := slices.Clone(one.reports)
		i.mu.Unlock()
		for _, report := range reports {
			report(line)
		}
	}
	i.log.Info("installing the package of a server", "server", server, "package", j.Packages[0])
	i.all.Go(func() {
		defer cancel(nil)
		defer expire()
		one.err = j.install(ctx)
		i.mu.Lock()
		delete(i.running, j.folder)
		if errors.As(one.err, new(scriptError)) && ctx.Err() == nil {
			i.failures[j.folder] = failure{server: server, launchKey: j.launchKey, at: i.now(), err: one.err}
		}
		i.mu.Unlock()
		close(one.done)
	})
	return one
}

// wait waits for an installation. If ctx is cancelled, wait cancels the installation unless other callers wait for
// it. If the deadline of ctx passes, the installation goes on.
func (i *Installer) wait(ctx context.Context, one *installation, j job) error {
	select {
	case <-one.done:
		return one.err
	case <-ctx.Done():
	}
	i.mu.Lock()
	one.waiting--
	alone := one.waiting == 0
	i.mu.Unlock()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.Wrap(ctx.Err(), fault.Timeout, "the installation of %s takes longer than a server may take to start; "+
			"it goes on in the background, so try again later", j.Packages[0])
	}
	if alone {
		one.cancel(nil)
		<-one.done // once wait returns, the caller may remove the folder
	}
	return ctx.Err()
}

type job struct {
	packagemanager.CommandLine
	launch   upstream.Launch
	use      sandbox.Use
	level    string // level of the sandbox
	redactor *redact.Redactor
	folder   string
	// launchKey changes with everything in the configuration of the server on which the scripts may depend.
	launchKey [sha256.Size]byte
}

// install installs the package into the folder of the job, after it has removed an incomplete installation there.
func (j job) install(ctx context.Context) error {
	root, err := os.OpenRoot(filepath.Dir(j.folder)) // do not follow links that the server may have made in its folder
	if err == nil {
		defer func() { _ = root.Close() }()
		err = paths.RemoveAll(root, filepath.Base(j.folder))
	}
	if err != nil {
		return fault.Wrap(err, fault.Failed, "could not remove an incomplete installation of %s", j.Packages[0])
	}
	err = packagemanager.Install(ctx, packagemanager.Order{
		CommandLine: j.CommandLine, Env: j.use.Environment, Own: j.launch.Own, Folder: j.folder,
		Confine: j.use.Manager, AllPorts: j.use.AllPorts, Report: j.use.Report, Redact: j.redactor.Text,
	})
	if err == nil && j.Runner == "npx" {
		err = j.runScripts(ctx)
	}
	if err == nil {
		_, err = j.find()
	}
	switch {
	case err == nil:
		if err = j.mark(root); err != nil {
			err = fault.Wrap(err, fault.Failed, "could not complete the installation of %s", j.Packages[0])
		}
	case errors.Is(context.Cause(ctx), errStopped):
		err = errStopped
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fault.Wrap(err, fault.Timeout,
			"the installation of %s did not finish within %s; check that the package registry is reachable",
			j.Packages[0], downloadTimeout)
	}
	return err
}

// find returns the launch of the installed program.
func (j job) find() (upstream.Launch, error) {
	if j.Runner == "uvx" {
		return j.findPython()
	}
	return j.findNPM()
}

// marker is the name of a file that exists in every complete installation.
const marker = ".complete"

// mark creates the marker. Scripts of the package may have created something with its name, such as a pipe.
func (j job) mark(root *os.Root) error {
	name := filepath.Join(filepath.Base(j.folder), marker)
	_ = root.RemoveAll(name)
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = file.Close()
	}
	return err
}

func (j job) complete() bool {
	_, err := os.Stat(filepath.Join(j.folder, marker))
	return err == nil
}

// inside resolves a link to a program. It fails if the program is outside the folder of the installation.
func (j job) inside(link string) (string, error) {
	program, err := filepath.EvalSymlinks(link)
	if err != nil {
		return "", fault.Wrap(err, fault.Failed, "could not find the program of %s", j.Packages[0])
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(j.folder))
	if err != nil {
		return "", fault.Wrap(err, fault.Failed, "could not find the installation of %s", j.Packages[0])
	}
	if rest, err := filepath.Rel(filepath.Join(folder, filepath.Base(j.folder)), program); err != nil || !filepath.IsLocal(rest) {
		return "", fault.New(fault.Failed, "the program of package %s is a link to %s, outside its installation folder; "+
			"choose another version, or report this to the publisher", j.Packages[0], program)
	}
	return program, nil
}

// missing is the error for a package without the expected program.
func (j job) missing(program string) error {
	return fault.New(fault.Failed, "the package %s has no program %q", j.Packages[0], program)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
