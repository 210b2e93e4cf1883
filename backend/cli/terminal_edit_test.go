//go:build linux

package cli_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestAPersonChangesWhatAServerRuns(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Set("AGENT_DISCOVER_PASSPHRASE", "a long passphrase")
	h.Must("start")
	h.Add("fake", mcptest.Command(t))
	term := newTerminal(t)
	asked := 0
	edit := func(typed string, args ...string) int {
		t.Helper()
		cmd := h.Command(append([]string{"servers", "edit", "fake"}, args...)...)
		term.runAsSession(cmd)
		asked++
		term.confirm("Change server fake like this?", asked, typed)
		_ = cmd.Wait()
		return cmd.ProcessState.ExitCode()
	}
	if code := edit("n", "--env", "LEVEL=loud"); code != 4 {
		t.Errorf("no: exit code %d, %s", code, term.screen)
	}
	if shown := h.Must("servers", "show", "fake", "--json"); strings.Contains(shown, "LEVEL") {
		t.Errorf("the refused change was saved: %s", shown)
	}
	const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"
	if code := edit("y", "--env", "LEVEL=loud", "--env", "GITHUB_TOKEN="+token); code != 0 {
		t.Fatalf("yes: exit code %d, %s", code, term.screen)
	}
	term.shows("LEVEL=loud")
	shown := h.Must("servers", "show", "fake", "--json")
	programtest.Contains(t, shown, `"LEVEL": "loud"`)
	if strings.Contains(shown, `"state": "held"`) {
		t.Errorf("the change waits for a person: %s", shown)
	}
	if strings.Contains(shown, token) {
		t.Errorf("the token is in the configuration: %s", shown)
	}
	h.Must("call", "fake__echo", "text=x")

	// Another program changes the command while the person reads the question.
	cmd := h.Command("servers", "edit", "fake", "--env", "LEVEL=quiet")
	term.runAsSession(cmd)
	term.eventually("the third question", func() bool {
		return strings.Count(term.screen.String(), "Change server fake like this?") == 3
	})
	hub, foreign := instance.NewClient(h.RunningHub()), map[string]any{"command": "foreign"}
	if err := hub.Do(t.Context(), "PUT", "/api/servers/1", foreign, nil); err != nil {
		t.Fatal(err)
	}
	term.confirm("Change server fake like this?", 3, "y")
	_ = cmd.Wait()
	term.awaitText("has changed since it was shown")
	shown = h.Must("servers", "show", "fake", "--json")
	if strings.Contains(shown, "quiet") || !strings.Contains(shown, `"state": "held"`) {
		t.Errorf("the foreign change was approved: %s", shown)
	}

	h.Must("servers", "disable", "fake")
	for nth, typed := range []string{"n", "y"} {
		cmd := h.Command("servers", "enable", "fake")
		term.runAsSession(cmd)
		term.confirm("Enable server fake?", nth+1, typed)
		_ = cmd.Wait()
		if disabled := strings.Contains(h.Must("servers", "list"), "disabled"); disabled != (typed == "n") {
			t.Errorf("after %s, the server is disabled: %v; %s", typed, disabled, term.screen)
		}
	}
}
