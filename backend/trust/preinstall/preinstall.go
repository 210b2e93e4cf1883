// Package preinstall installs the packages that npx and uvx would download when a
// server starts, into a folder of the server, and finds the program that they would
// start. So the program can be started in a sandbox that has no network and in which
// the caches of packages cannot be changed. Package prefetch only fills the caches.
//
// The packages of npm are installed without their scripts. If they have some, the
// scripts run afterwards in the sandbox.
package preinstall

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
	"strings"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/prefetch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Installer installs packages. It is safe for concurrent use.
type Installer struct {
	log *slog.Logger

	mu    sync.Mutex
	locks map[string]*sync.Mutex // by folder; held while it is filled
}

// New returns an installer.
func New(log *slog.Logger) *Installer {
	return &Installer{log: log, locks: make(map[string]*sync.Mutex)}
}

// Confine restricts a program that contains code of packages.
type Confine func(upstream.Launch) (upstream.Launch, error)

// Resolve implements sandbox.Packages.
func (i *Installer) Resolve(ctx context.Context, folder string, server registry.Server, l upstream.Launch, confine func(upstream.Launch) (upstream.Launch, error)) (upstream.Launch, bool, error) {
	filled := server // the arguments of l contain secrets, which may be part of the command line
	filled.Command, filled.Args = l.Command, l.Args
	parts, ok := prefetch.PartsOf(filled)
	if !ok {
		return l, false, nil
	}
	j := job{Parts: parts, launch: l, confine: confine, redactor: redactorOf(l), folder: filepath.Join(folder, parts.Runner+"-"+hashOf(parts))}
	defer i.lock(j.folder)()
	install, find := j.installNPM, j.findNPM
	if parts.Runner == "uvx" {
		install, find = j.installPython, j.findPython
	}
	if !j.complete() {
		i.log.Info("installing the package of a server", "server", server.Name, "package", parts.Packages[0])
		if err := os.RemoveAll(j.folder); err != nil { // a rest of an interrupted installation
			return l, true, fault.Wrap(err, fault.Failed, "could not remove an incomplete installation of %s", parts.Packages[0])
		}
		if err := os.MkdirAll(j.folder, 0o700); err != nil {
			return l, true, fault.Wrap(err, fault.Failed, "could not create a folder to install %s", parts.Packages[0])
		}
		if err := install(ctx); err != nil {
			return l, true, err
		}
	}
	resolved, err := find()
	if err == nil {
		err = j.finish()
	}
	return resolved, true, err
}

// lock waits until no other call fills a folder. The caller calls unlock.
func (i *Installer) lock(folder string) (unlock func()) {
	i.mu.Lock()
	held := i.locks[folder]
	if held == nil {
		held = new(sync.Mutex)
		i.locks[folder] = held
	}
	i.mu.Unlock()
	held.Lock()
	return held.Unlock
}

// hashOf returns a name for what parts install.
func hashOf(p prefetch.Parts) string {
	text, _ := json.Marshal([]any{p.Runner, p.Packages, p.Options}) // cannot fail for texts
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// job is one installation.
type job struct {
	prefetch.Parts
	launch   upstream.Launch
	confine  Confine
	redactor redactor
	folder   string
}

// marker is the file that a complete installation has.
const marker = ".complete"

func (j job) complete() bool {
	_, err := os.Stat(filepath.Join(j.folder, marker))
	return err == nil
}

func (j job) finish() error {
	if j.complete() {
		return nil
	}
	if err := os.WriteFile(filepath.Join(j.folder, marker), nil, 0o600); err != nil {
		return fault.Wrap(err, fault.Failed, "could not complete the installation of %s", j.Packages[0])
	}
	return nil
}

// env returns the environment of a package manager: that of the server, whose
// variables may choose a package registry.
func (j job) env() process.Env {
	return j.launch.Environment()
}

// run runs a package manager. It runs no code of packages.
func (j job) run(ctx context.Context, env process.Env, program string, args ...string) error {
	path := env.LookPath(j.Beside(program))
	if path == "" {
		return fault.New(fault.Failed, "%q was not found on the login shell's PATH, so %s cannot be installed before the server starts", program, j.Packages[0])
	}
	output, err := prefetch.Run(ctx, env, func(string) {}, path, args...)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fault.Wrap(err, fault.Failed, "%s could not install %s: %s", program, j.Packages[0], j.redactor.Text(output))
}

// missing is the error for a package without the expected program.
func (j job) missing(program string) error {
	return fault.New(fault.Failed, "the package %s has no program %q", j.Packages[0], program)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// nameOf returns the name of a package without version and extras.
func nameOf(spec string) string {
	scope, rest := "", spec
	if strings.HasPrefix(spec, "@") {
		scope, rest, _ = strings.Cut(spec, "/")
		scope += "/"
	}
	if end := strings.IndexAny(rest, "@=[<>~!"); end >= 0 {
		rest = rest[:end]
	}
	return scope + rest
}
