//go:build linux

package cli_test

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestAPersonAddsAndRemovesRules(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Must("start")
	h.Add("fake", mcptest.Command(t))
	h.Settings("# mine\nport: 0\n")
	term := newTerminal(t)
	run := func(question, typed string, args ...string) int {
		t.Helper()
		cmd := h.Command(args...)
		term.runAsSession(cmd)
		term.confirm(question, 1, typed)
		_ = cmd.Wait()
		return cmd.ProcessState.ExitCode()
	}
	if code := run("Add this rule?", "y", "rules", "add", "echo", "--disable", "--tag", "loud"); code != 0 {
		t.Fatalf("add: exit code %d, %s", code, term.screen)
	}
	term.shows("fake.echo  becomes disabled, tags: loud")
	programtest.Contains(t, h.Must("rules"), "disable  loud  echo")
	if out := h.Run("call", "fake__echo", "text=x"); out.Code != 4 {
		t.Errorf("the disabled tool: %+v", out)
	}
	if code := run("Remove this rule?", "y", "rules", "remove", "0"); code != 0 {
		t.Fatalf("remove: exit code %d, %s", code, term.screen)
	}
	programtest.Contains(t, h.Must("rules"), "There are no rules")
	h.Must("call", "fake__echo", "text=x")
	if text, err := os.ReadFile(h.Folder.Config()); err != nil || !strings.HasPrefix(string(text), "# mine\n") {
		t.Errorf("the comment is lost: %s %v", text, err)
	}
}
