package registration

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/editors/table"
)

func TestAnEntryMayReachTheProgramByALink(t *testing.T) {
	rg := newRig(t, "linux")
	server := rg.options.Entry
	folder := filepath.Join(rg.root, "other folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(rg.root, "program")
	spaced := filepath.Join(folder, "program")
	for _, path := range []string{link, spaced} {
		if err := os.Link(server.Command, path); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		command string
		same    bool
	}{{link, true}, {spaced, false}, {rg.program("another"), false}, {filepath.Join(rg.root, "missing"), false}} {
		if got := equivalent(table.Server{Transport: "stdio", Command: row.command, Args: server.Args}, server); got != row.same {
			t.Errorf("%s: %t", row.command, got)
		}
	}
}
