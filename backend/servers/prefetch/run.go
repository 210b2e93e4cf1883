package prefetch

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// maxOutput is how much of a program's output is kept, in bytes.
const maxOutput = 1000

// tail is a writer that keeps the last maxOutput bytes.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	if over := len(*t) - maxOutput; over > 0 {
		*t = (*t)[over:]
	}
	return len(p), nil
}

// run runs a program and returns the end of its output with secrets redacted.
// When ctx ends, the program is killed with all its child processes.
func run(ctx context.Context, env process.Env, program string, args ...string) (string, error) {
	var output tail
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = env, env.Home(), &output, &output
	cmd.WaitDelay = time.Second // a grandchild may keep the output open
	process.Isolate(cmd)
	cmd.Cancel = func() error { process.Kill(cmd.Process.Pid); return nil }
	if err := cmd.Start(); err != nil {
		return "", err
	}
	id := process.ID{PID: cmd.Process.Pid, Start: process.StartOf(cmd.Process.Pid)}
	_ = process.Adopt(cmd) // if Adopt fails, Kill ends the program but not its child processes
	err := cmd.Wait()
	process.Reap(id)
	return secrets.NewRedactor(nil).Text(strings.TrimSpace(strings.ToValidUTF8(string(output), ""))), err
}
