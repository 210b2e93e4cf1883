package prerequisites

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// probes are the programs whose probe is not NAME --version.
var probes = map[string]struct {
	names []string // on the PATH, the first one that exists; empty: the name of the program
	run   string   // the program that is run; empty: the one that was found
	args  []string
	why   string // why a failure means that the program does not work
}{
	Python: {names: []string{"python3", "python"}, args: []string{"--version"}},
	Docker: {args: []string{"version", "--format", "{{.Server.Version}}"}, why: "its engine does not answer"},
	Podman: {args: []string{"info", "--format", "{{.Version.Version}} rootless={{.Host.Security.Rootless}}"}, why: "it cannot run containers"},
	DNX:    {run: Dotnet, args: []string{"--version"}}, // dnx has no version of its own
}

var versionNumber = regexp.MustCompile(`\d+(?:\.\d+)+(?:[-+][0-9A-Za-z.-]+)?`)

func (c *Checker) probe(ctx context.Context, env process.Env, name string) Program {
	p, how := Program{Name: name}, probes[name]
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

// quote returns the last line of a program's output, for the end of a sentence.
func quote(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	last := safetext.Clip(safetext.Visible(strings.TrimSpace(lines[len(lines)-1])), 200)
	if last == "" {
		return ""
	}
	return ": " + strings.TrimRight(last, ".?!")
}

const maxOutput = 4 << 10 // bytes of a program's output that are kept

// run runs a program and returns what it writes. When ctx ends, the program is killed with its child processes.
func run(ctx context.Context, env process.Env, name string, args ...string) (string, error) {
	cmd, err := program.Command(ctx, env, name, args...)
	if err != nil {
		return "", err
	}
	var output limited
	cmd.Dir, cmd.Stdout, cmd.Stderr = env.Home(), &output, &output
	cmd.WaitDelay = time.Second // a grandchild may keep the output open
	process.Isolate(cmd)
	cmd.Cancel = func() error { process.Kill(cmd.Process.Pid); return nil }
	err = cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return strings.ToValidUTF8(output.String(), ""), err
}

// limited is a buffer that drops what exceeds maxOutput.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	l.Buffer.Write(p[:min(len(p), maxOutput-l.Len())])
	return len(p), nil
}
