package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// failing implements Packages: no package can be installed.
type failing struct{ err error }

func (f failing) Resolve(_ context.Context, _ string, _ registry.Server, l upstream.Launch, _ Use) (upstream.Launch, bool, error) {
	return l, true, f.err
}

func (failing) Stop(string) {}

func TestALauncherIsStartedAsItIsOnlyIfTheScriptsOfItsPackageFail(t *testing.T) {
	refused := errors.New("there is no such package")
	for _, row := range []struct {
		level   string
		err     error
		started bool
	}{
		{registry.Guard, refused, false},
		{registry.Guard, fmt.Errorf("node-gyp: %w", ErrScripts), true},
		{registry.Strict, refused, false},
		{registry.Strict, fmt.Errorf("node-gyp: %w", ErrScripts), false},
	} {
		s := New(Options{Folder: t.TempDir(), Packages: failing{row.err}, Log: slog.New(slog.DiscardHandler)})
		s.machine.OS = "linux"
		server := registry.Server{Name: "one", Transport: "stdio", Sandbox: row.level, Command: "npx", Args: []string{"pkg"}}
		_, err := s.resolve(t.Context(), t.TempDir(), "one", server, upstream.Launch{Command: "npx"}, nil)
		if (err == nil) != row.started || err != nil && !errors.Is(err, row.err) {
			t.Errorf("%s, %v: got %v", row.level, row.err, err)
		}
	}
}
