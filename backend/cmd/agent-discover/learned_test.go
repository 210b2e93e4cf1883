//go:build linux

package main_test

import (
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestWhatAgentsTeachSurvivesAKilledHubAndCanBeForgotten(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve()
	h.add("fake", mcptest.Command(t))
	c := h.attach()
	c.registry(`{"action":"find_tool","query":"give a text back"}`)
	c.tool("fake__echo", `{"text":"x"}`)
	c.registry(`{"action":"find_tool","query":"report steps of progress"}`)
	c.registry(`{"action":"proxy_call","call_as":"mcp__fake__steps","arguments":{"count":1}}`)
	eventually(t, "both are learned", func() bool { return strings.Count(h.must("learned"), "fake__") == 2 })
	// What came last may still be on its way into the store; the first is not.
	s.kill()

	h.runningHub() // the companion starts one
	contains(t, h.must("learned"), "ID  QUERY", "give a text back", "fake__echo", "0.50")
	h.must("learned", "forget", "1")
	if out := h.must("learned"); strings.Contains(out, "give a text back") {
		t.Errorf("it is not forgotten:\n%s", out)
	}
	c.registry(`{"action":"find_tool","query":"die with a text"}`)
	c.registry(`{"action":"proxy_call","call_as":"mcp__fake__echo","arguments":{"text":"x"}}`)
	eventually(t, "the companion's session teaches again", func() bool { return strings.Contains(h.must("learned"), "die with a text") })
	h.must("learned", "forget", "--all")
	contains(t, h.must("learned"), "Nothing was learned yet")
}
