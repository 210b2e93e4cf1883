//go:build linux

package hub_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/programtest"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestWhatAgentsTeachSurvivesAKilledHubAndCanBeForgotten(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	c.Registry(`{"action":"find_tool","query":"give a text back"}`)
	c.Tool("fake__echo", `{"text":"x"}`)
	c.Registry(`{"action":"find_tool","query":"report steps of progress"}`)
	c.Registry(`{"action":"proxy_call","call_as":"mcp__fake__steps","arguments":{"count":1}}`)
	programtest.Eventually(t, "both are learned", func() bool { return strings.Count(h.Must("learned"), "fake__") == 2 })
	// What came last may still be on its way into the store; the first is not.
	s.Kill()

	h.RunningHub() // the companion starts one
	programtest.Contains(t, h.Must("learned"), "ID  QUERY", "give a text back", "fake__echo", "0.50")
	h.Must("learned", "forget", "1")
	if out := h.Must("learned"); strings.Contains(out, "give a text back") {
		t.Errorf("it is not forgotten:\n%s", out)
	}
	c.Registry(`{"action":"find_tool","query":"die with a text"}`)
	c.Registry(`{"action":"proxy_call","call_as":"mcp__fake__echo","arguments":{"text":"x"}}`)
	programtest.Eventually(t, "the companion's session teaches again", func() bool { return strings.Contains(h.Must("learned"), "die with a text") })
	h.Must("learned", "forget", "--all")
	programtest.Contains(t, h.Must("learned"), "Nothing was learned yet")
}
