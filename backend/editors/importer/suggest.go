package importer

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/lazyregexp"
	"github.com/agent-discover/agent-discover/backend/editors/table"
)

var (
	runner = lazyregexp.New(
		`(?i)^(npx|npm|bunx|pnpm|yarn|uvx|uv|pipx|node|bun|deno|python[\d.]*|docker|podman|cmd|bash|sh|env)(\.\w+)?$`,
	)
	version   = lazyregexp.New(`(.)(@[^/]*|==[^/]*|:[\w.-]+)$`)
	generic   = lazyregexp.New(`^(dist|build|src|index\.\w+|main\.\w+|server\.\w+)?$`)
	extension = lazyregexp.New(`(?i)\.(js|mjs|cjs|ts|py|exe|cmd|bat|sh)$`)
	affix     = lazyregexp.New(`^(mcp-server|server|mcp)-|-(mcp-server|mcp|server)$`)
	common    = []string{"www", "mcp", "api", "com", "org", "net", "io", "dev", "ai", "app"}
	verbs     = []string{"run", "exec", "dlx", "x", "tool", "start", "install", "/c", "/C"}
	withValue = []string{
		"--from", "--with", "--directory", "--python", "-p", "--package", "-e", "--env", "-v", "--volume", "--name", "--network", "--mount",
		"--env-file", "-w", "--workdir", "-u", "--user", "--platform", "--entrypoint", "--index-url", "--cache-dir", "-m",
	}
)

// suggestName returns a name made from a server's package, program or host; ""
// when none of these is usable.
func suggestName(s table.Server) string {
	if s.URL != "" {
		return hostName(s.URL)
	}
	parts := strings.FieldsFunc(s.Command, func(r rune) bool { return r == '/' || r == '\\' })
	if len(parts) == 0 {
		return ""
	}
	source := parts[len(parts)-1]
	if runner.MatchString(source) {
		if pack := packageIn(s.Args); pack != "" {
			source = pack
		}
	}
	parts = strings.FieldsFunc(version.ReplaceAllString(source, "$1"), func(r rune) bool { return r == '/' || r == '\\' })
	parts = slices.DeleteFunc(parts, generic.MatchString)
	if len(parts) == 0 {
		return extension.ReplaceAllString(source, "")
	}
	name := extension.ReplaceAllString(parts[len(parts)-1], "")
	if short := affix.ReplaceAllString(name, ""); short != "" {
		return short
	}
	return name
}

// packageIn returns the argument that names the package or script which a
// program such as npx or uvx runs.
func packageIn(args []string) string {
	skip := false
	for i, arg := range args {
		switch {
		case skip:
			skip = false
		case arg == "-m" && i+1 < len(args): // python -m module
			return args[i+1]
		case slices.Contains(withValue, arg):
			skip = true
		case strings.HasPrefix(arg, "-") || slices.Contains(verbs, arg):
		case runner.MatchString(arg):
		default:
			return arg
		}
	}
	return ""
}

func hostName(text string) string {
	parsed, err := url.Parse(text)
	if err != nil {
		return ""
	}
	host := parsed.Hostname()
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	parts := slices.DeleteFunc(strings.Split(host, "."), func(part string) bool { return slices.Contains(common, part) })
	if len(parts) == 0 {
		return host
	}
	return parts[len(parts)-1]
}
