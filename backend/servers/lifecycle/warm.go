package lifecycle

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// warmLimit is how long a download may take.
const warmLimit = 5 * time.Minute

// Why a server has nothing to download.
const (
	noPackage  = "no package name"
	notPackage = "not an npx/uvx server"
)

// fetch is what npx or uvx would download to start a server.
type fetch struct {
	runner   string   // npx or uvx
	packages []string // the first is the server's own
	options  []string // that decide where a package comes from
}

// Warm downloads what npx or uvx will run when the server starts, and runs
// nothing of it. It returns the package, or why there is none to download.
func (i *Installer) Warm(ctx context.Context, name string) (pkg, skipped string, err error) {
	s, err := i.Registry.Get(name)
	if err != nil {
		return "", "", err
	}
	f, skipped := fetchOf(s)
	if skipped != "" {
		return "", skipped, nil
	}
	if !s.Approved { // an agent would choose what is downloaded
		return "", "", fault.New(fault.Denied, "server %q waits for a person's approval (agent-discover servers approve %s)", name, name)
	}
	ctx, cancel := context.WithTimeout(ctx, warmLimit)
	defer cancel()
	return f.packages[0], "", i.download(ctx, s, f)
}

// WarmLater is Warm in the background; it returns at once. What comes when much
// is waiting is left to the server's first start.
func (i *Installer) WarmLater(s registry.Server) {
	if _, skipped := fetchOf(s); skipped != "" || !i.WarmPackages {
		return
	}
	select {
	case i.cold <- s.Name:
	default:
	}
}

// warmAll downloads for one server after the other until ctx ends.
func (i *Installer) warmAll(ctx context.Context) {
	for {
		select {
		case name := <-i.cold:
			if i.Upstream.State(name).Running || i.Upstream.Paused() { // its first start does it
				continue
			}
			if pkg, _, err := i.Warm(ctx, name); err != nil && ctx.Err() == nil {
				i.Log.Warn("package of a new server not downloaded", "server", name, "package", pkg, "error", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// fetchOf reads what a server's command would download, or why nothing.
func fetchOf(s registry.Server) (f fetch, skipped string) {
	if s.Transport != "stdio" || len(s.Args) == 0 && s.Package.Name == "" {
		return f, noPackage
	}
	base := filepath.Base(s.Command)
	f.runner = strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base)))
	switch f.runner {
	case "npx":
		f.read(s.Args, npxOptions)
	case "uvx":
		f.read(s.Args, uvxOptions)
	default:
		return f, notPackage
	}
	if len(f.packages) == 0 && s.Package.Name != "" {
		f.packages = []string{s.Package.Name}
	}
	if len(f.packages) == 0 || slices.ContainsFunc(f.packages, func(p string) bool { return !published.MatchString(p) }) {
		return f, noPackage
	}
	return f, ""
}

// published matches a package of a registry, with its version: not a folder,
// not an address, not an option.
var published = regexp.MustCompile(`^(@[A-Za-z0-9_][A-Za-z0-9._~-]*/)?[A-Za-z0-9_][A-Za-z0-9._~-]*(\[[A-Za-z0-9,._-]+\])?((@|==)[A-Za-z0-9._~^*+-]+)?$`)

// What an option that takes a value is to a download.
const (
	other  = iota // nothing; its value is no package
	names         // its value is a package
	origin        // it decides where packages come from
)

var npxOptions = map[string]int{
	"-p": names, "--package": names, "--registry": origin, "--userconfig": origin, "--cache": origin,
	"-c": other, "--call": other, "-w": other, "--workspace": other, "--prefix": other, "--loglevel": other,
}

var uvxOptions = map[string]int{
	"--from": names, "-p": origin, "--python": origin, "-w": origin, "--with": origin, "--index": origin, "--default-index": origin,
	"-i": origin, "--index-url": origin, "--extra-index-url": origin, "-f": origin, "--find-links": origin, "--index-strategy": origin,
	"--keyring-provider": origin, "--cache-dir": origin, "--prerelease": origin, "--resolution": origin, "--exclude-newer": origin,
	"--with-requirements": origin, "-c": origin, "--constraints": origin, "--config-file": origin,
	"--directory": other, "--project": other, "--env-file": other, "--color": other,
}

// read takes a runner's arguments apart up to the program that it would run,
// which is the package when no option names one.
func (f *fetch) read(args []string, options map[string]int) {
	for n := 0; n < len(args); n++ {
		arg := args[n]
		if arg == "--" || !strings.HasPrefix(arg, "-") {
			if arg == "--" {
				n++
			}
			if len(f.packages) == 0 && n < len(args) {
				f.packages = []string{args[n]}
			}
			return
		}
		name, value, inline := strings.Cut(arg, "=")
		kind, takes := options[name]
		if takes && !inline {
			if n++; n == len(args) {
				return
			}
			value = args[n]
		}
		switch {
		case takes && kind == names:
			f.packages = append(f.packages, value)
		case takes && kind == origin:
			f.options = append(f.options, name, value)
		}
	}
}

// download lets npm or uv fetch into the user's own cache. npm installs into a
// folder that is thrown away, without the packages' scripts: two that run npx
// for one package at a time would spoil each other's folder, and a start may
// come at any moment. uv locks its cache.
func (i *Installer) download(ctx context.Context, s registry.Server, f fetch) error {
	env := i.Upstream.Environment(ctx)
	for name, value := range s.Env {
		if !process.OwnVariable(name) && !strings.Contains(value, "${") {
			env = env.With(name, value) // its npm_config_… or UV_…
		}
	}
	program, args := "uvx", append(slices.Clone(f.options), "--from", f.packages[0], "python", "-c", "")
	if f.runner == "npx" {
		folder, err := os.MkdirTemp("", "agent-discover-warm-*")
		if err != nil {
			return fault.Wrap(err, fault.Unavailable, "no temporary folder can be made to download to; is the disk full?")
		}
		defer func() { _ = os.RemoveAll(folder) }()
		program = "npm"
		args = append([]string{
			"install", "--prefix", folder, "--ignore-scripts", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error",
		}, append(f.options, f.packages...)...)
	}
	path := env.LookPath(beside(s.Command, program))
	if path == "" {
		return fault.New(fault.Unavailable, "%q is not on the login shell's PATH: install it, or let the first start of the server download %s", program, f.packages[0])
	}
	said, err := run(ctx, env, path, args...)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fault.Wrap(err, fault.Timeout, "%s did not come within %s; is the package registry reachable?", f.packages[0], warmLimit)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return fault.Wrap(err, fault.Failed, "%s cannot download %s: %s", program, f.packages[0], secrets.ForServer(s.Env, s.Args).Text(said))
}

// beside names the program that belongs to a runner given with its path.
func beside(command, program string) string {
	if dir, base := filepath.Split(command); dir != "" && base != "" {
		return filepath.Join(dir, program+filepath.Ext(base))
	}
	return program
}
