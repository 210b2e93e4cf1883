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
	unknown  string   // an option of which read does not know whether it has a value, so that the rest is not read
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
	if c.unknown != "" {
		return c, "the option " + c.unknown + " is not known"
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

// These are the kinds of runner options. All except for flag take a value.
const (
	flag   = iota
	other  // the value does not affect the download
	names  // the value names a package
	origin // the value decides where packages come from
)

var npxOptions = kinds(map[int]string{
	names: "-p --package", origin: "--registry --reg --userconfig --globalconfig --cache --tag --before --min-release-age",
	other: `-n --node-arg --npm -c --call -w --workspace -C --prefix --loglevel --script-shell --shell --node-options --omit --include --scope --location
		--ca --cafile --proxy --https-proxy --noproxy --otp --logs-dir --logs-max --install-strategy --maxsockets
		--fetch-retries --fetch-timeout --fetch-retry-factor --fetch-retry-mintimeout --fetch-retry-maxtimeout`,
	flag: `-y --yes -q --quiet -s --silent -d -dd -ddd --verbose -f --force -g --global -ws --workspaces --include-workspace-root -iwr
		--ignore-existing --always-spawn --shell-auto-fallback --offline --prefer-offline --prefer-online --ignore-scripts
		--foreground-scripts --legacy-peer-deps --strict-peer-deps --install-links --engine-strict --audit --fund --progress --color
		--update-notifier --strict-ssl --timing --json --unicode --production --package-lock --bin-links -v --version -h --help`,
})

var uvxOptions = kinds(map[int]string{
	names: "--from",
	origin: `-p --python -w --with --with-editable --with-requirements -c --constraints -b --build-constraints --overrides --index
		--default-index -i --index-url --extra-index-url -f --find-links --index-strategy --keyring-provider --cache-dir --prerelease
		--prerelease-package --resolution --fork-strategy --exclude-newer --exclude-newer-package --config-file --python-platform
		--torch-backend`,
	other: `--directory --project --env-file --color --python-preference --python-fetch --link-mode --allow-insecure-host
		--trusted-host -P --upgrade-package --upgrade-group --reinstall-package --refresh-package --no-sources-package -C
		--config-setting --config-settings --config-settings-package --no-build-isolation-package --no-build-package
		--no-binary-package --preview-features --generate-shell-completion`,
	flag: `--isolated --no-env-file --lfs --no-index -U --upgrade --no-sources --reinstall --compile-bytecode --compile --no-compile
		--no-build-isolation --build-isolation --no-build --build --no-binary --binary --require-build-hashes --no-require-build-hashes
		-n --no-cache --no-cache-dir --cache --refresh --no-refresh --managed-python --no-managed-python --no-python-downloads
		--allow-python-downloads -q -qq --quiet -v -vv -vvv --verbose --no-color --system-certs --no-system-certs --native-tls
		--no-native-tls --offline --no-offline --no-progress --preview --no-preview --no-config --show-settings --show-resolution
		--force-reinstall --no-reinstall --no-upgrade -h --help -V --version`,
})

// kinds returns the kinds of options by their names.
func kinds(of map[int]string) map[string]int {
	all := make(map[string]int)
	for kind, options := range of {
		for name := range strings.FieldsSeq(options) {
			all[name] = kind
		}
	}
	return all
}

// read parses the arguments of npx or uvx, up to the name of the program that
// the runner would start. That name is also the package, unless an option names
// one. It stops at an unknown option, except for one that npx must read as a flag.
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
		kind, known := options[name]
		if !known && !inline && (c.Runner == "uvx" || !strings.HasPrefix(name, "--no-")) {
			c.unknown = name // the next argument may be its value, and not the package
			return
		}
		if kind != flag && !inline {
			if n++; n == len(args) {
				return
			}
			value = args[n]
		}
		switch kind {
		case names:
			c.Packages = append(c.Packages, value)
		case origin:
			c.Options = append(c.Options, name, value)
		}
	}
}

// Unknown returns an option because of which it is not known what the runner downloads, and "" if there is none.
func (c CommandLine) Unknown() string { return c.unknown }

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
		case "--with-editable", "--with-requirements", "-c", "--constraints", "-b", "--build-constraints", "--overrides",
			"-f", "--find-links", "--config-file", "--userconfig", "--globalconfig":
			return name
		case "--index", "--default-index", "-i", "--index-url", "--extra-index-url", "--registry", "--reg":
			if !addresses.MatchString(value) {
				return name
			}
		case "-p", "--python", "-w", "--with":
			if strings.ContainsAny(value, `/\:`) {
				return name
			}
		}
	}
	return ""
}
