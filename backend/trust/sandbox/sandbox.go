// Package sandbox restricts what the child processes of servers may do: which files
// they read and write, and which addresses they reach. It also reports which
// restrictions this system enforces, and which accesses a server was denied. Other
// packages decide which servers exist and who may change their restrictions.
//
//	off     the server may do what the user may do
//	guard   it reads the system, its own program and what is granted, and has a home folder of its own
//	strict  as guard, and it reaches no address unless granted
//
// Package confinement enforces this with the means of the system. Containers are restricted by options of their engine.
package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/confinement"
)

// Packages finds out which program a launcher such as npx finally starts.
type Packages interface {
	// Resolve installs in folder the package that l would download, unless it is
	// already there, and returns the launch of the installed program. found is false
	// if l does not start a launcher that Packages knows. The error is a fault.
	Resolve(ctx context.Context, folder string, server registry.Server, l upstream.Launch,
		use Use) (resolved upstream.Launch, found bool, err error)
	// Stop ends the running installations for a server, or for all servers if the name is empty, and waits for their end.
	Stop(server string)
}

// Use has the environment and the functions that Packages uses to run package managers and the scripts of packages.
type Use struct {
	Environment process.Env // of the programs of the user, for package managers
	// Manager returns the launch of a package manager that has the given access and no other.
	Manager  func(upstream.Launch, ManagerAccess) (upstream.Launch, error)
	AllPorts bool // see Sandbox.AllPorts
	// Scripts returns the confined launch of a program that runs code of packages. The program
	// may write to folder.
	Scripts func(l upstream.Launch, folder string) (upstream.Launch, error)
	Report  func(line string) // is called for each line that a package manager writes
}

// Options are the dependencies and settings of a Sandbox.
type Options struct {
	// Helper is the command that calls confinement.Exec. If it is empty, nothing can be
	// enforced on Linux.
	Helper []string
	Data   string   // data folder of this program, which is hidden from servers
	Folder string   // contains the own folder of each server; may be in Data
	Shared []string // folders in Data whose subfolders contain programs of servers
	Roots  []string // URIs that servers get as their MCP roots
	// Secrets returns further files and folders with credentials, such as the configuration of editors. It may be nil.
	Secrets  func() []string
	Packages Packages         // if nil, launchers are started as they are
	Output   Output           // standard error of servers
	Now      func() time.Time // if nil, time.Now
	Bus      *events.Bus
	Log      *slog.Logger
}

// Sandbox implements upstream.Confiner. It is safe for concurrent use.
type Sandbox struct {
	options Options
	machine confinement.Machine
	denials denials
	asIs    notes
	targets *targets
}

// Subfolders of a server's own folder.
const (
	ownTemporary = "tmp"
	ownHome      = "home"
)

// targetsFile is the file beside the own folders of servers that keeps the targets of grants. No server can have its name.
const targetsFile = "targets__.json"

// ofRoots takes the place of a server's name in targets for the MCP roots.
const ofRoots = ""

// New returns a sandbox. Denied accesses are noticed only while Run is running.
func New(o Options) *Sandbox {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Secrets == nil {
		o.Secrets = func() []string { return nil }
	}
	s := &Sandbox{options: o, machine: confinement.This(o.Helper)}
	s.denials.since = make(map[string]int64)
	s.targets = openTargets(filepath.Join(o.Folder, targetsFile), o.Log)
	s.targets.keep(ofRoots, s.rootPaths())
	return s
}

// Confine implements upstream.Confiner.
func (s *Sandbox) Confine(ctx context.Context, name string, server registry.Server, l upstream.Launch) (upstream.Launch, error) {
	if !server.Confined() {
		s.denials.forget(name)
		l.Started = confinement.LimitStarted
		return l, nil
	}
	if report := judge(server, s.machine); server.Sandbox == registry.Strict && report.Enforced != Enforced {
		return l, fault.New(fault.Denied,
			"its sandbox is strict, and this system cannot enforce that: %s. It was not started; a person can choose guard with: "+
				"agent-discover servers sandbox %s guard",
			strings.Join(report.Missing, "; "), server.Name)
	}
	if err := s.checkTargets(server, s.placeOf(l)); err != nil {
		return l, err
	}
	users := l.Env
	l.Env = chosen(l.Env, server.Sandbox)
	if runsEngine(l.Command) {
		return s.confineContainer(name, server, l)
	}
	if !s.machine.Confines() {
		return l, nil
	}
	own, err := s.ownFolder(name)
	if err != nil {
		return l, err
	}
	if l, err = s.resolve(ctx, own, name, server, l, users); err != nil {
		return l, err
	}
	p := s.policyOf(own, server, l)
	if server.Dir != "" && !p.Allows(real(l.Dir), false) {
		return l, fault.New(fault.Denied,
			"its working folder %s is outside of what its sandbox (%s) allows; a person can allow it with: agent-discover servers grant %s "+
				"--read %[1]s", l.Dir, server.Sandbox, server.Name)
	}
	s.denials.began(name, p, l.Env.Home())
	l.Advice = s.asked(name, server, p, l)
	return s.machine.Confine(p, l)
}

// Stop implements upstream.Confiner.
func (s *Sandbox) Stop(server string) {
	if s.options.Packages != nil {
		s.options.Packages.Stop(server)
	}
}

// ownFolder creates the own folder of a server.
func (s *Sandbox) ownFolder(name string) (string, error) {
	own := filepath.Join(s.options.Folder, name)
	err := os.MkdirAll(own, 0o700)
	for _, sub := range []string{ownTemporary, ownHome} {
		if err == nil {
			err = makeFolder(filepath.Join(own, sub))
		}
	}
	if err != nil {
		return own, fault.Wrap(err, fault.Failed, "could not create its folder %s: %s", own, paths.Reason(err))
	}
	return own, nil
}

// makeFolder creates a folder. It replaces a file or link that a server has made there.
func makeFolder(path string) error {
	if info, err := os.Lstat(path); err == nil && !info.IsDir() {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return os.Chmod(path, 0o700) // the server may have changed its mode
}

// resolve replaces npx and uvx by the program that they would start. users is the environment of
// the programs of the user.
func (s *Sandbox) resolve(ctx context.Context, own, name string, server registry.Server, l upstream.Launch,
	users process.Env,
) (upstream.Launch, error) {
	s.asIs.set(name, "")
	if s.options.Packages == nil || s.machine.OS == "windows" {
		return l, nil
	}
	installed, found, err := s.options.Packages.Resolve(ctx, own, server, l, s.use(own, server, users, func(string) {
		if l.Moved != nil {
			l.Moved()
		}
	}))
	switch {
	case err == nil && found:
		return installed, nil
	case err == nil:
		return l, nil
	case server.Sandbox == registry.Strict || ctx.Err() != nil:
		return l, err
	}
	s.options.Log.Warn("the package of a server could not be installed before its start", "server", name, "error", err)
	s.asIs.set(name, "it is started through its launcher: "+fault.MessageOf(err))
	return l, nil
}

// Forget deletes the own folder of a removed server.
func (s *Sandbox) Forget(_ context.Context, server string) error {
	s.denials.forget(server)
	s.asIs.set(server, "")
	s.targets.rename(server, "")
	if registry.CheckName(server) != nil {
		return nil
	}
	s.machine.Release(s.unlinked(filepath.Join(s.options.Folder, server)))
	if err := removeAll(s.options.Folder, server); err != nil {
		return fault.Wrap(err, fault.Failed, "could not delete the folder of server %q: %s", server, paths.Reason(err))
	}
	return nil
}

// removeAll deletes a folder in parent with everything in it; see paths.RemoveAll.
func removeAll(parent, name string) error {
	root, err := os.OpenRoot(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return paths.RemoveAll(root, name)
}

// Rename gives the own folder of a server the new name of the server. It may be called again for the same names.
func (s *Sandbox) Rename(server, to string) error {
	s.denials.forget(server)
	s.asIs.set(server, "")
	if registry.CheckName(server) != nil || registry.CheckName(to) != nil {
		return nil
	}
	s.targets.rename(server, to)
	now := filepath.Join(s.options.Folder, to)
	if _, err := os.Lstat(now); err == nil {
		return nil // moved already
	}
	s.machine.Release(s.unlinked(filepath.Join(s.options.Folder, server)))
	if err := os.Rename(filepath.Join(s.options.Folder, server), now); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.Failed, "could not rename the folder of server %q", server)
	}
	return nil
}

// policyOf returns the policy of a server that is started with l.
func (s *Sandbox) policyOf(own string, server registry.Server, l upstream.Launch) confinement.Policy {
	at, own := s.placeOf(l), s.unlinked(own)
	p := confinement.Policy{
		Network: networkOf(server.Sandbox, server.Grants), Home: real(at.home), Private: filepath.Join(own, ownHome),
		Hidden:    at.secrets(s.options.Secrets(), granted(at, server.Grants)),
		Temporary: filepath.Join(own, ownTemporary), Links: append(at.system(), at.home, l.Dir),
	}
	p.Write = s.rootFolders(at.expandAll(server.Grants.Write))
	s.grantAll(&p, at, server)
	p.Shared = len(p.Read)+len(p.Write) > 0
	writable := append(slices.Clone(p.Write), at.expandAll(server.Grants.Write)...)
	code := codeOf(l, at, s.options.Shared, s.options.Folder, writable)
	installed := reals(at.programs())
	p.Shared = p.Shared || slices.ContainsFunc(code.all, func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.IsDir() && !confinement.AnyWithin(installed, path)
	})
	for _, path := range code.own {
		p.Read, p.Named = append(p.Read, path), append(p.Named, path)
	}
	p.Read, p.Links = slices.Concat(p.Read, reals(at.system()), at.outside(), code.all), append(p.Links, code.links...)
	for _, path := range append(s.packageOf(own, l), p.Private, p.Temporary) {
		p.Write, p.Named = append(p.Write, path), append(p.Named, path)
	}
	return p
}

// rootPaths returns the paths of the MCP roots.
func (s *Sandbox) rootPaths() (named []string) {
	for _, root := range s.options.Roots {
		if u, err := url.Parse(root); err == nil && u.Scheme == "file" && u.Path != "" {
			named = append(named, filepath.Clean(u.Path))
		}
	}
	return named
}

// rootFolders returns the folders of the MCP roots. A root to which a link leads counts only if it led there before, and
// if the link is in no other root and in none of the folders granted: the server may have made it.
func (s *Sandbox) rootFolders(granted []string) (folders []string) {
	named := s.rootPaths()
	for _, path := range named {
		others := slices.DeleteFunc(slices.Concat(named, granted), func(folder string) bool { return folder == path })
		if target := real(path); steady(path, others) && s.targets.same(ofRoots, path, target) {
			folders = append(folders, target)
		}
	}
	return folders
}

// grantAll adds what a person has granted to a policy. A grant overrides what is hidden only if the person has named the
// hidden path: not if a symbolic link leads there, which the server may have made. A grant in a folder that the server
// may change counts only if no link leads out of it.
func (s *Sandbox) grantAll(p *confinement.Policy, at place, server registry.Server) {
	grants := server.Grants
	writable := append(slices.Clone(p.Write), at.expandAll(grants.Write)...)
	add := func(to *[]string, granted []string) {
		for _, path := range at.expandAll(granted) {
			others := slices.DeleteFunc(slices.Clone(writable), func(folder string) bool { return folder == path })
			target := real(path)
			secret := confinement.AnyWithin(p.Hidden, target) && !confinement.AnyWithin(at.hidden(nil), path) &&
				!confinement.AnyWithin(p.Hidden, path)
			if secret || !steady(path, others) || !s.targets.same(server.Name, path, target) {
				continue
			}
			*to, p.Named, p.Links = append(*to, target), append(p.Named, target), append(p.Links, path)
		}
	}
	add(&p.Read, grants.Read)
	add(&p.Write, grants.Write)
}

// packageOf returns the subfolder of a server's own folder in which the package is installed that l starts.
func (s *Sandbox) packageOf(own string, l upstream.Launch) []string {
	rest, err := filepath.Rel(own, real(l.Env.LookPath(l.Command)))
	if err != nil || !filepath.IsLocal(rest) {
		return nil
	}
	first, _, _ := strings.Cut(rest, string(filepath.Separator))
	if first == ownHome || first == ownTemporary {
		return nil
	}
	return []string{filepath.Join(own, first)}
}

// placeOf returns the folders of the user who runs a launch. It ignores the server's own variables.
func (s *Sandbox) placeOf(l upstream.Launch) place {
	return place{
		os: runtime.GOOS, home: l.Env.Home(), dir: l.Dir, data: s.options.Data, runtime: l.Env.Get("XDG_RUNTIME_DIR"), roots: onlyRoots(),
	}
}
