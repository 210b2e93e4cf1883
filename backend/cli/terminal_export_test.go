//go:build linux

package cli_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// typed runs the program with a terminal on which a person answers the questions in turn.
func typed(t *testing.T, h *programtest.Home, args []string, answers ...[2]string) *terminal {
	t.Helper()
	term := newTerminal(t)
	cmd := h.Command(args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	term.run(cmd)
	for _, a := range answers {
		term.confirm(a[0], 1, a[1])
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, term.screen)
	}
	return term
}

func TestEverythingMovesToAnotherMachineWithItsSecrets(t *testing.T) {
	t.Parallel()
	from, to := programtest.NewHome(t), programtest.NewHome(t)
	for _, h := range []*programtest.Home{from, to} {
		h.Set("AGENT_DISCOVER_PASSPHRASE", "of this machine")
		h.Serve()
	}
	from.Must("servers", "add", "one", "--no-start", "--tag", "mine", "--", "true")
	from.SetSecret("one", "API_TOKEN", "correct-horse")
	file := filepath.Join(t.TempDir(), "everything.json")
	typed(t, from, []string{"export", "--secrets", file},
		[2]string{"Choose a passphrase for the secrets in the file: ", "open sesame"},
		[2]string{"Repeat the passphrase: ", "open sesame"},
		[2]string{"encrypted with this passphrase? [y/N] ", "y"})
	term := typed(t, to, []string{"import", file},
		[2]string{"Passphrase of the secrets in the file: ", "open sesame"}, [2]string{"Import this? [y/N] ", "y"})
	term.awaitText("server one would be added:")
	term.awaitText("server one added")
	programtest.Contains(t, to.Must("secrets", "list"), "API_TOKEN")
	programtest.Contains(t, to.Must("servers", "list", "--json"), "mine")
	if list := to.Must("servers", "list"); strings.Contains(list, "waiting") {
		t.Errorf("the server waits for approval: %s", list)
	}
}
