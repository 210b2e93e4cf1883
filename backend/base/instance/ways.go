package instance

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/program"
)

// detached returns a way that starts the hub as a process of this user without a
// service manager.
func detached(start process.DetachedStart) way {
	return way{start.Name, func(_ context.Context, l launch) (attempt, error) {
		cmd, err := program.Command(context.Background(), append(process.Clean(), l.env...), l.args[0], l.args[1:]...)
		if err != nil {
			return attempt{}, err
		}
		cmd.Dir = string(l.folder)
		out := openOutput(l.folder)
		defer out.close() // the hub has handles of its own
		if out.file != nil {
			cmd.Stdout, cmd.Stderr = out.file, out.file
		}
		if err := start.Start(cmd); err != nil {
			return attempt{}, err
		}
		ended := make(chan error, 1)
		go func() { ended <- endOf(cmd.Wait(), out.words) }() // ends with the hub, and prevents a zombie
		return attempt{ended: ended}, nil
	}}
}

// hasCredentials reports whether the environment contains credentials. Service
// managers take the environment from command lines or files, which other users may
// be able to read.
func (l launch) hasCredentials() bool {
	return cmp.Or(l.env.Get("AGENT_DISCOVER_PASSPHRASE"), l.env.Get("AGENT_DISCOVER_OPENAI_API_KEY"), l.env.Get(setupVariables)) != ""
}

// managed returns a list of one way, which starts the hub with a command of the
// service manager, or nil if command is nil.
func managed(name string, command []string) []way {
	if command == nil {
		return nil
	}
	return []way{{name, func(ctx context.Context, l launch) (attempt, error) {
		cmd, err := program.Command(ctx, append(os.Environ(), l.env...), command[0], command[1:]...)
		if err != nil {
			return attempt{}, err
		}
		text, err := cmd.CombinedOutput()
		if err != nil {
			err = endOf(err, func() string { return lastWords(text) })
		}
		return attempt{}, err
	}}}
}

func labelOf(folder paths.Folder, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{string(folder)}, parts...), "\x00")))
	return "agent-discover-" + hex.EncodeToString(sum[:4])
}
