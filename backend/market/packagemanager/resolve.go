package packagemanager

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/pypi"
)

// Resolved is a package that an installation would download. Its texts come from a package registry.
type Resolved struct {
	Name      string    // under which the packages that need it look for it
	Package   string    // its name in the registry, if that is another one
	Version   string    // empty if it is not from a registry and does not tell
	From      string    // where it comes from, if that is not a package registry
	Scripts   bool      // it has scripts that npm runs when it is installed
	Pinned    bool      // it contains a list of its dependencies (npm-shrinkwrap.json), which may name other packages than it says
	Contained bool      // it is contained in another package and does not come from a registry
	Published time.Time // zero if the registry does not tell
	Named     bool      // the command line names it
}

// ErrSourceOnly means that a Python package is published without a wheel, so that its code has to run for its
// installation.
var ErrSourceOnly = errors.New("a package is published as source only")

// ErrRemote means that a dependency comes from an address, from which Resolve downloads nothing.
var ErrRemote = errors.New("a dependency comes from an address")

// maxLock is the maximum size in bytes of a lock file that is read.
const maxLock = 32 << 20

// Resolve returns the packages that Install would download, in the order of their names. It downloads descriptions of
// packages, of npm also packages that contain their dependencies, and runs no code of them. Shared must not be set. The error
// is a fault, or the cause of ctx. It wraps ErrSourceOnly if Install would have to build a Python package, and ErrRemote if a
// dependency comes from an address; npm before version 11 downloads such a dependency.
func Resolve(ctx context.Context, o Order) ([]Resolved, error) {
	if option := o.Local(); option != "" {
		return nil, fault.New(fault.Unavailable, "the option %s names something that is no package of a registry", option)
	}
	err := o.prepare()
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "could not prepare a folder: %s", paths.Reason(err))
	}
	resolve := o.resolveUV
	if o.Runner == "npx" {
		resolve = o.resolveNPM
	}
	found, err := resolve(ctx)
	slices.SortFunc(found, func(a, b Resolved) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Version, b.Version))
	})
	return slices.Compact(found), err
}

func (o Order) resolveNPM(ctx context.Context) ([]Resolved, error) {
	args := append(o.installs(), "--package-lock-only", "--package-lock", "--save", "--lockfile-version=3", "--loglevel=error",
		"--omit-lockfile-registry-resolved", "--allow-remote=none", "--cache="+o.cache())
	output, err := o.run(ctx, "npm", o.environment(), o.access(o.configOfNPM()), slices.Concat(args, o.options(), o.Packages))
	if err != nil && strings.Contains(output, "EALLOWREMOTE") {
		err = errors.Join(err, ErrRemote)
	}
	if err != nil {
		return nil, o.unresolved(ctx, output, err)
	}
	var lock struct {
		Packages map[string]struct {
			Name, Version, Resolved string
			Link                    bool
			Scripts                 bool `json:"hasInstallScript"`
			Pinned                  bool `json:"hasShrinkwrap"`
			Contained               bool `json:"inBundle"`
		}
	}
	data, err := paths.ReadRegular(filepath.Join(o.Folder, "package-lock.json"), maxLock)
	if err == nil {
		err = json.Unmarshal(data, &lock)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "could not read what npm would install")
	}
	var out []Resolved
	for at, p := range lock.Packages {
		// The keys are folders, such as node_modules/a/node_modules/b. The folder of the installation has the key "".
		if _, name, ok := cutLast(at, "node_modules/"); ok {
			from := p.Resolved // npm omits it for packages of registries
			if p.Link {
				from = cmp.Or(from, "a folder")
			}
			named := at == "node_modules/"+name && slices.ContainsFunc(o.Packages, func(pkg string) bool { return NameOf(pkg) == name })
			out = append(out, Resolved{
				Name: name, Package: p.Name, Version: p.Version, From: from, Scripts: p.Scripts, Named: named, Pinned: p.Pinned,
				Contained: p.Contained,
			})
		}
	}
	return out, nil
}

// cutLast cuts s around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}

// versionOfUVX matches a package with a version in the form of uvx, which has no meaning in a list of requirements.
var versionOfUVX = regexp.MustCompile(`^([^@]+)@([^@]+)$`)

// requirement returns a package of a command line of uvx as a requirement.
func requirement(pkg string) string {
	m := versionOfUVX.FindStringSubmatch(pkg)
	switch {
	case m == nil:
		return pkg
	case m[2] == "latest":
		return m[1]
	}
	return m[1] + "==" + m[2]
}

func (o Order) resolveUV(ctx context.Context) ([]Resolved, error) {
	const list, lock = "requirements.in", "pylock.toml" // pip's names for such files
	wanted := slices.Clone(o.Packages)
	// This command of uv ignores UV_NO_BUILD.
	args := []string{
		"pip", "compile", "--no-build", "--quiet", "--no-progress", "--no-header", "--format", "pylock.toml", "--output-file", lock,
	}
	options := o.options()
	for at := 0; at+1 < len(options); at += 2 {
		if name, value := options[at], options[at+1]; name == "-w" || name == "--with" {
			wanted = append(wanted, strings.Split(value, ",")...)
		} else {
			args = append(args, name, value)
		}
	}
	for i, pkg := range wanted {
		if !published.MatchString(pkg) { // a line of the list could also be an option
			return nil, fault.New(fault.Unavailable, "%q is not only the name and version of a package", safetext.Clip(pkg, 200))
		}
		wanted[i] = requirement(pkg)
	}
	root, err := os.OpenRoot(o.Folder)
	if err == nil {
		err = root.WriteFile(list, []byte(strings.Join(wanted, "\n")+"\n"), 0o600)
		_ = root.Close()
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "could not prepare a folder: %s", paths.Reason(err))
	}
	access := o.access(o.configOfUV())
	access.Config = append(access.Config, o.below("NETRC", ".netrc"))
	env := o.environmentOfUV().With("UV_CACHE_DIR", o.cache()).
		With("UV_PYTHON_INSTALL_DIR", filepath.Join(o.Folder, "python"))
	output, err := o.run(ctx, "uv", env, access, append(args, list))
	if err != nil && noBuild.MatchString(output) {
		err = errors.Join(err, ErrSourceOnly)
	}
	if err != nil {
		return nil, o.unresolved(ctx, output, err)
	}
	return o.readLock(lock)
}

// readLock reads a lock file of Python packages (PEP 751).
func (o Order) readLock(name string) ([]Resolved, error) {
	type source struct{ URL, Path string }
	type file struct {
		Uploaded any `toml:"upload-time"` // RFC 3339 with an offset; readers get a time.Time, or a local time without one
	}
	var lock struct {
		Packages []struct {
			Name, Version           string
			VCS, Archive, Directory source
			Wheels                  []file
		}
	}
	data, err := paths.ReadRegular(filepath.Join(o.Folder, name), maxLock)
	if err == nil {
		err = toml.Unmarshal(data, &lock)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Failed, "could not read what uv would install")
	}
	var out []Resolved
	for _, p := range lock.Packages {
		named := func(pkg string) bool { return pypi.Normalize(NameOf(pkg)) == pypi.Normalize(p.Name) }
		r := Resolved{Name: p.Name, Version: p.Version, Named: slices.ContainsFunc(o.Packages, named)}
		for _, from := range []source{p.VCS, p.Archive, p.Directory} {
			r.From = cmp.Or(r.From, from.URL, from.Path)
		}
		for _, wheel := range p.Wheels {
			if at, ok := wheel.Uploaded.(time.Time); ok && (r.Published.IsZero() || at.Before(r.Published)) {
				r.Published = at
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// noise matches the lines in the errors of npm that say nothing to a person.
var noise = regexp.MustCompile(`^(?:code \S+|A complete log of this run can be found.*|\d{3}|)$`)

// unresolved returns the error to report after a package manager could not find out what it would install.
func (o Order) unresolved(ctx context.Context, output string, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case output == "":
		return err
	}
	var lines []string
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(strings.TrimPrefix(line, "npm error")); !noise.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return fault.Wrap(err, fault.Failed, "%s", strings.Join(lines, "; "))
}

// OtherRegistry returns the option or variable with which the configuration of a server names a package registry, which
// is then used in place of the user's own, and "" if there is none.
func (c CommandLine) OtherRegistry(variables map[string]string) string {
	for at := 0; at+1 < len(c.Options); at += 2 {
		switch c.Options[at] {
		case "--registry", "--reg", "--index", "--default-index", "-i", "--index-url", "--extra-index-url":
			return c.Options[at]
		}
	}
	for name := range variables {
		if registries.MatchString(name) {
			return name
		}
	}
	return ""
}
