// Package packagemanager finds out which packages npm and uv have to install for a command line of npx or uvx, and
// runs npm and uv. It decides which program runs, in which environment, with which part of the user's configuration,
// with which package registries, and with access to which files and ports.
package packagemanager

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/market/subprocess"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// Order describes the packages that npm or uv installs, and the folder for them.
type Order struct {
	CommandLine
	Env     process.Env       // environment of the user's programs
	Own     map[string]string // variables of the server, of which the package manager gets only addresses of package registries
	Folder  string            // folder to install into, empty or missing
	Shared  bool              // also fill the user's caches, from which npx and uvx start packages
	Confine Confine           // nil if the system cannot restrict programs
	// AllPorts is set if Confine cannot restrict the ports. Then npm installs no dependency from an address, which may be
	// one of this computer.
	AllPorts bool
	Report   func(line string) // called for each line that the package manager writes
	Redact   func(string) string
}

// Confine changes the launch of a package manager so that it has only the given access, as far as the system can
// enforce this.
type Confine func(upstream.Launch, sandbox.ManagerAccess) (upstream.Launch, error)

// own is the subfolder for files that a package manager needs only during the installation.
const own = ".installing"

// noBuild matches the error of uv for a package that is published as source only.
var noBuild = regexp.MustCompile(`(?i)building[^\n]*\bdisabled\b|no usable wheels|--no-build`)

// Install installs the packages of an order. npm fills node_modules in the folder, uv fills tools and bin. Neither
// runs code of packages, with one exception: Python packages that are published as source only are built, confined by
// Confine, unless Shared is set. No package comes from a git repository. The error is a fault, or the cause of ctx.
func Install(ctx context.Context, o Order) error {
	if option := o.Local(); option != "" && o.Shared {
		return fault.New(fault.Unavailable,
			"%s is not downloaded before its first start, because its option %s names something that is no package of a registry",
			o.Packages[0], option)
	}
	if err := o.prepare(); err != nil {
		return fault.Wrap(err, fault.Failed, "could not prepare a folder to install %s: %s", o.Packages[0], paths.Reason(err))
	}
	var err error
	if o.Runner == "npx" {
		err = o.npm(ctx)
	} else {
		err = o.uv(ctx)
	}
	if err == nil && !o.Shared {
		// Remove the files that only the installation needs. Those that cannot be removed only take up space.
		if root, err := os.OpenRoot(filepath.Dir(o.Folder)); err == nil {
			_ = root.RemoveAll(filepath.Join(filepath.Base(o.Folder), own))
			_ = root.Close()
		}
	}
	return err
}

// prepare creates the folder with the files that a package manager needs. It does not follow links that a server may
// have made in the parent folder.
func (o Order) prepare() error {
	root, err := os.OpenRoot(filepath.Dir(o.Folder))
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	base := filepath.Base(o.Folder)
	for _, folder := range []string{"tmp", "cache", "bin"} {
		if err := root.MkdirAll(filepath.Join(base, own, folder), 0o700); err != nil {
			return err
		}
	}
	// With a package.json, npm does not search the parent folders for a project.
	if err := root.WriteFile(filepath.Join(base, "package.json"), []byte("{}\n"), 0o600); err != nil || runtime.GOOS == "windows" {
		return err // on Windows, setting the path of git to a missing file has the same effect
	}
	return root.WriteFile(filepath.Join(base, own, "bin", "git"), []byte(refusedGit), 0o700)
}

// refusedGit is the program that npm and uv run as git. The real git would run programs that are named in the
// configuration of a repository.
const refusedGit = "#!/bin/sh\n" +
	"echo 'dependencies from git repositories are not installed, because git can run code of a package' >&2\nexit 1\n"

func (o Order) cache() string    { return filepath.Join(o.Folder, own, "cache") }
func (o Order) refusing() string { return filepath.Join(o.Folder, own, "bin") }

// installs returns the arguments with which npm installs packages without their scripts, and without those that have
// to be fetched with git or from a folder.
func (o Order) installs() []string {
	args := []string{
		"install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--no-workspaces",
		"--install-strategy=hoisted", "--git=" + filepath.Join(o.refusing(), "git"), "--allow-git=none", "--allow-file=none",
		"--allow-directory=none", "--logs-max=0",
	}
	if o.AllPorts {
		args = append(args, "--allow-remote=none")
	}
	return args
}

func (o Order) npm(ctx context.Context) error {
	args := append(o.installs(), "--no-save", "--no-package-lock", "--loglevel=http")
	access := o.access(o.configOfNPM())
	if o.Shared {
		access.Write = append(access.Write, o.sharedNPM())
	} else {
		args = append(args, "--cache="+o.cache())
	}
	output, err := o.run(ctx, "npm", o.environment(), access, slices.Concat(args, o.options(), o.Packages))
	return o.failed(ctx, "npm", output, err)
}

// environmentOfUV returns the environment of uv, with the Pythons that uv has installed for the user.
func (o Order) environmentOfUV() process.Env {
	path := o.path()
	for _, folder := range slices.Backward(paths.Glob(o.sharedPythons(), "*/bin")) {
		path += string(filepath.ListSeparator) + folder
	}
	return o.environment().With("PATH", path)
}

func (o Order) uv(ctx context.Context) error {
	args := append([]string{"tool", "install", "--no-progress"}, o.options()...)
	for _, more := range o.Packages[1:] {
		args = append(args, "--with", more)
	}
	args = append(args, o.Packages[0])
	env := o.environmentOfUV().With("UV_TOOL_DIR", filepath.Join(o.Folder, "tools")).With("UV_TOOL_BIN_DIR", filepath.Join(o.Folder, "bin"))
	access := o.access(o.configOfUV())
	if o.Shared {
		access.Write = append(access.Write, o.sharedUV(), o.sharedPythons())
	} else {
		env = env.With("UV_CACHE_DIR", o.cache()).With("UV_PYTHON_INSTALL_DIR", filepath.Join(o.Folder, "python"))
	}
	option := o.Local()
	if option == "" {
		withNetrc := access
		withNetrc.Config = append(slices.Clone(access.Config), o.below("NETRC", ".netrc"))
		output, err := o.run(ctx, "uv", env.With("UV_NO_BUILD", "1"), withNetrc, args)
		if err == nil || ctx.Err() != nil || o.Shared || !noBuild.MatchString(output) {
			return o.failed(ctx, "uv", output, err)
		}
	}
	// From here on, code of packages may run.
	if where := o.credentials(access); where != "" {
		return fault.New(fault.Failed, "uv could not install %s: code that builds a package could read the credentials in %s; "+
			"keep them in ~/.netrc, which such code does not see", o.Packages[0], where)
	}
	output, err := o.run(ctx, "uv", env, access, args)
	return o.failed(ctx, "uv", output, err)
}

// run runs a package manager, confined by Confine, and returns the last part of its output.
func (o Order) run(ctx context.Context, program string, env process.Env, a sandbox.ManagerAccess, args []string) (string, error) {
	path := env.LookPath(o.Beside(program))
	if path == "" {
		return "", fault.New(fault.Unavailable,
			"%q was not found on the login shell's PATH, so %s cannot be installed before the server starts",
			program, o.Packages[0])
	}
	l := upstream.Launch{Command: path, Args: args, Env: env, Dir: o.Folder}
	if o.Confine != nil {
		for _, folder := range a.Write {
			_ = os.MkdirAll(folder, 0o700) // a missing folder would count as not writable
		}
		var err error
		if l, err = o.Confine(l, a); err != nil {
			return "", err
		}
	}
	output, err := subprocess.RunLaunch(ctx, l, func(line string) { o.Report(o.Redact(line)) })
	return o.Redact(output), err
}

// failed returns the error to report after a package manager has ended with err, and nil if err is nil.
func (o Order) failed(ctx context.Context, program, output string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case output == "":
		return fault.Wrap(err, fault.KindOf(err), "%s", fault.MessageOf(err))
	}
	return fault.Wrap(err, fault.Failed, "%s could not install %s: %s", program, o.Packages[0], output)
}
