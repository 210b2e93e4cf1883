package cli

import (
	"testing"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
)

func TestListsShowReferencesAndRedactCredentials(t *testing.T) {
	command := "run"
	s := operations.Server{Command: &command, Env: map[string]string{
		"A_TOKEN": "${secret:A_TOKEN}", "B_TOKEN": "hunter2hunter2", "C_TOKEN": "${secret:C}hunter2hunter2",
		"D_TOKEN": "${secret:ghp_0123456789012345678901234567890123456789}",
	}}
	want := map[string]string{
		"A_TOKEN": "${secret:A_TOKEN}", "B_TOKEN": "[redacted]", "C_TOKEN": "[redacted]", "D_TOKEN": "${secret:[redacted]}",
	}
	for _, s.Approved = range []bool{true, false} { // false: the server waits for approval
		lists(t, s, want)
	}
}

func lists(t *testing.T, s operations.Server, want map[string]string) {
	t.Helper()
	line := ""
	for _, name := range []string{"A_TOKEN", "B_TOKEN", "C_TOKEN", "D_TOKEN"} {
		if got := redactServers([]operations.Server{s})[0].Env[name]; got != want[name] {
			t.Errorf("%s is %s, want %s", name, got, want[name])
		}
		line += name + "=" + want[name] + " "
	}
	if got := target(s); got != line+"run" {
		t.Errorf("the list shows %s, want %s", got, line+"run")
	}
}
