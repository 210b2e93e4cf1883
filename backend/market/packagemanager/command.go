package packagemanager

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// These are the reasons why there is nothing to download for a server. REST
// clients show them.
const (
	noPackage  = "no package name"
	notPackage = "not an npx/uvx server"
)

// CommandLine is a parsed command line of npx or uvx.
type CommandLine struct {
	Runner   string   // npx or uvx
	Command  string   // as configured, perhaps with a folder
	Packages []string // the server's own package first
	Options  []string // the options that decide where packages come from, each followed by its value
	Starts   bool     // the command line names a program to start; otherwise, Program and Args are empty
	Program  string   // name of the program in the package; empty if it is the name of the package
	Args     []string // of the program
}

// Parse parses the command line of a server. If npx or uvx would download nothing to start the server, skipped says
// why.
func Parse(s registry.Server) (c CommandLine, skipped string) {
	if s.Transport != "stdio" || len(s.Args) == 0 && s.Package.Name == "" {
		return c, noPackage
	}
	base := filepath.Base(s.Command)
	c.Runner, c.Command = strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base))), s.Command
	switch {
	case !program.Installed(s.Command):
		return c, notPackage
	case c.Runner == "npx":
		c.read(s.Args, npxOptions)
	case c.Runner == "uvx":
		c.read(s.Args, uvxOptions)
	default:
		return c, notPackage
	}
	if len(c.Packages) == 0 && s.Package.Name != "" {
		c.Packages = []string{s.Package.Name}
	}
	if len(c.Packages) == 0 || slices.ContainsFunc(c.Packages, func(p string) bool { return !published.MatchString(p) }) {
		return c, noPackage
	}
	return c, ""
}

// published matches the name of a package in a package registry, with an
// optional version. It does not match folders, URLs and options.
var published = regexp.MustCompile(`^(@[A-Za-z0-9_][A-Za-z0-9._~-]*/)?[A-Za-z0-9_][A-Za-z0-9._~-]*(\[[A-Za-z0-9,._-]+\])?((@|[=<>~!]=?)[A-Za-z0-9._~^*+,<>=!-]+)?$`)

// These are the kinds of runner options that take a value.
const (
	other  = iota // the value does not affect the download
	names         // the value names a package
	origin        // the value decides where packages come from
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

// read parses the arguments of npx or uvx, up to the name of the program that
// the runner would start. That name is also the package, unless an option names
// one.
func (c *CommandLine) read(args []string, options map[string]int) {
	for n := 0; n < len(args); n++ {
		arg := args[n]
		if arg == "--" || !strings.HasPrefix(arg, "-") {
			if arg == "--" {
				n++
			}
			if c.Starts = n < len(args); !c.Starts {
				return
			}
			c.Args = slices.Clone(args[n+1:])
			if len(c.Packages) > 0 {
				c.Program = args[n]
			} else {
				c.Packages = []string{args[n]}
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
			c.Packages = append(c.Packages, value)
		case takes && kind == origin:
			c.Options = append(c.Options, name, value)
		}
	}
}

// NameOf returns the name of a package in a command line, without extras and version.
func NameOf(pkg string) string {
	scope, rest := "", pkg
	if strings.HasPrefix(pkg, "@") {
		scope, rest, _ = strings.Cut(pkg, "/")
		scope += "/"
	}
	if end := strings.IndexAny(rest, "@=[<>~!"); end >= 0 {
		rest = rest[:end]
	}
	return scope + rest
}

// Beside returns the path of a program in the folder of the runner, such as
// /opt/node/bin/npm for /opt/node/bin/npx. If the runner has no folder, it returns the
// program's name, which is then looked up in PATH.
func (c CommandLine) Beside(program string) string {
	if dir, base := filepath.Split(c.Command); dir != "" && base != "" {
		return filepath.Join(dir, program+filepath.Ext(base))
	}
	return program
}

// Folder returns the folder of the runner, "" if it has none.
func (c CommandLine) Folder() string {
	if dir := filepath.Dir(c.Command); strings.ContainsRune(c.Command, filepath.Separator) {
		return dir
	}
	return ""
}

// Local returns the first option of the command line that makes a package manager use a local file or folder, or an
// address that is not a package registry, and "" if there is none. Code from there may be built or run.
func (c CommandLine) Local() string {
	for at := 0; at+1 < len(c.Options); at += 2 {
		switch name, value := c.Options[at], c.Options[at+1]; name {
		case "--with-requirements", "-c", "--constraints", "-f", "--find-links", "--config-file", "--userconfig":
			return name
		case "-p", "--python", "-w", "--with":
			if strings.ContainsAny(value, `/\:`) {
				return name
			}
		}
	}
	return ""
}
