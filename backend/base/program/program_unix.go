//go:build unix

package program

import (
	"context"
	"os/exec"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

func command(ctx context.Context, env process.Env, path string, args []string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = env
	return cmd, nil
}
