//go:build linux

package main_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestCallsOfAKilledHubAreRecorded(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	c.Hold("fake", "k")
	if got := c.Tool("fake__echo", `{"text":"x"}`); got != "x" {
		t.Fatalf("got %q", got)
	}
	s.Kill()

	h.RunningHub() // started by the companion
	var entries []string
	programtest.Eventually(t, "both calls are in the audit log", func() bool {
		entries = nil
		for line := range strings.Lines(h.Must("audit", "export")) {
			if strings.Contains(line, `"kind":"call"`) {
				entries = append(entries, line)
			}
		}
		return len(entries) == 2
	})
	programtest.Contains(t, entries[0], `"tool":"hold"`, `"outcome":"unknown"`)
	programtest.Contains(t, entries[1], `"tool":"echo"`, `"outcome":"ok"`, `"arguments_sha256"`)
	programtest.Contains(t, h.Must("audit", "verify"), "is intact", "1 request has an unknown outcome")
	programtest.Contains(t, h.Must("logs"), "unknown", "hold", "echo")
	programtest.Contains(t, h.Must("logs", "--export", "jsonl"), "[not recorded: the hub was killed")
}
