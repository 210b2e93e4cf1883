package prefetch

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// These are the reasons why there is nothing to download for a server. REST
// clients show them.
const (
	noPackage  = "no package name"
	notPackage = "not an npx/uvx server"
)

// download is what npx or uvx would download to start a server.
type download struct {
	runner   string   // npx or uvx
	packages []string // the server's own package first
	options  []string // those options of the runner that decide where packages come from
	program  int      // index of the program's name in the arguments; -1 if they do not contain it
	named    bool     // an option names the package, so that the program has another name
}

// downloadOf returns what a server's command line makes the runner download. If
// there is nothing to download, skipped is the reason.
func downloadOf(s registry.Server) (d download, skipped string) {
	if s.Transport != "stdio" || len(s.Args) == 0 && s.Package.Name == "" {
		return d, noPackage
	}
	d.program = -1
	base := filepath.Base(s.Command)
	d.runner = strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base)))
	switch d.runner {
	case "npx":
		d.read(s.Args, npxOptions)
	case "uvx":
		d.read(s.Args, uvxOptions)
	default:
		return d, notPackage
	}
	if len(d.packages) == 0 && s.Package.Name != "" {
		d.packages = []string{s.Package.Name}
	}
	if len(d.packages) == 0 || slices.ContainsFunc(d.packages, func(p string) bool { return !published.MatchString(p) }) {
		return d, noPackage
	}
	return d, ""
}

// published matches the name of a package in a package registry, with an
// optional version. It does not match folders, URLs and options.
var published = regexp.MustCompile(`^(@[A-Za-z0-9_][A-Za-z0-9._~-]*/)?[A-Za-z0-9_][A-Za-z0-9._~-]*(\[[A-Za-z0-9,._-]+\])?((@|[=<>~!]=?)[A-Za-z0-9._~^*+,<>=!-]+)?$`)

// These are the kinds of runner options that take a value.
const (
	other  = iota // the value has no influence on the download
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
func (d *download) read(args []string, options map[string]int) {
	for n := 0; n < len(args); n++ {
		arg := args[n]
		if arg == "--" || !strings.HasPrefix(arg, "-") {
			if arg == "--" {
				n++
			}
			d.program, d.named = n, len(d.packages) > 0
			if len(d.packages) == 0 && n < len(args) {
				d.packages = []string{args[n]}
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
			d.packages = append(d.packages, value)
		case takes && kind == origin:
			d.options = append(d.options, name, value)
		}
	}
}
