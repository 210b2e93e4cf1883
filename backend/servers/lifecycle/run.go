package lifecycle

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
)

// lastWords is how much of what a failed program wrote is told, in bytes.
const lastWords = 1000

// tail is a writer that keeps the last of what is written.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	if over := len(*t) - lastWords; over > 0 {
		*t = (*t)[over:]
	}
	return len(p), nil
}

// run runs a program of this user to its end; when ctx ends, it ends with all
// that it started. It returns the last of what it wrote, with secrets covered.
func run(ctx context.Context, env process.Env, program string, args ...string) (string, error) {
	var said tail
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = env, env.Home(), &said, &said
	cmd.WaitDelay = time.Second // a grandchild may hold the output open
	process.Isolate(cmd)
	cmd.Cancel = func() error { process.Kill(cmd.Process.Pid); return nil }
	if err := cmd.Start(); err != nil {
		return "", err
	}
	id := process.ID{PID: cmd.Process.Pid, Start: process.StartOf(cmd.Process.Pid)}
	_ = process.Adopt(cmd) // else it only ends with less than all it started
	err := cmd.Wait()
	process.Reap(id)
	return secrets.NewRedactor(nil).Text(strings.TrimSpace(strings.ToValidUTF8(string(said), ""))), err
}
