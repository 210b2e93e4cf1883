package prerequisites

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// probes has the programs that are not probed with NAME --version.
var probes = map[string]struct {
	names []string // names to look up on the PATH, in this order; by default the name of the program
	run   string   // program to run; by default the one that was found
	args  []string
	why   string // describes a failure of the probe
}{
	Python: {names: []string{"python3", "python"}, args: []string{"--version"}},
	Docker: {args: []string{"version", "--format", "{{.Server.Version}}"}, why: "its engine does not answer"},
	Podman: {
		args: []string{"info", "--format", "{{.Version.Version}} rootless={{.Host.Security.Rootless}}"}, why: "it cannot run containers",
	},
	DNX: {run: Dotnet, args: []string{"--version"}}, // dnx has no version of its own, so ask dotnet
}

var versionNumber = regexp.MustCompile(`\d+(?:\.\d+)+(?:[-+][0-9A-Za-z.-]+)?`)

func (c *Checker) probe(ctx context.Context, env process.Env, name string) Program {
	product, _ := program.ProductOf(name)
	p, how := Program{Name: name, Product: product.Name}, probes[name]
	for _, candidate := range append(how.names, name) {
		p.Path = cmp.Or(p.Path, c.options.Find(env, candidate))
	}
	if p.Path == "" {
		p.Install = c.options.Machine.install(name, func(program string) string { return c.options.Find(env, program) })
		return p
	}
	path, args := p.Path, how.args
	if how.run != "" {
		if path = c.options.Find(env, how.run); path == "" {
			p.Problem = name + " is installed, but " + how.run + ", which it needs, was not found on the PATH of the login shell."
			return p
		}
	}
	if args == nil {
		args = []string{"--version"}
	}
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	output, err := c.options.Run(limited, env, path, args...)
	switch p.Version = versionNumber.FindString(output); {
	case ctx.Err() != nil:
		p.Problem = "The check of " + name + " was cancelled."
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		p.Problem = name + " did not answer within " + c.timeout.String() + "."
	case err != nil:
		p.Problem = name + " is installed, but " + cmp.Or(how.why, "it does not run") + quote(output) + "."
	default:
		p.Works, p.Rootless = true, strings.Contains(output, "rootless=true")
	}
	return p
}

// quote returns the last line of a program's output as the end of a sentence.
func quote(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	last := safetext.Clip(safetext.Visible(strings.TrimSpace(lines[len(lines)-1])), 200)
	if last == "" {
		return ""
	}
	return ": " + strings.TrimRight(last, ".?!")
}
