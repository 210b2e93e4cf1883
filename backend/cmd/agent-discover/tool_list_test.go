//go:build linux

package main_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

func TestFoundToolIsAddedToOneSessionOnly(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	h.AwaitIndexed()
	a, b := h.Attach(), h.Attach()
	before := b.Tools()

	if got := a.Find("give back the text"); got != "mcp__fake__echo" {
		t.Fatalf("find_tool returned %q", got)
	}

	a.AwaitCount(programtest.ToolListChanged, 1)
	if tools := a.Tools(); !slices.Contains(tools, "fake__echo") {
		t.Errorf("the session that found the tool lists %v", tools)
	}
	a.Find("give back the text") // adds nothing and sends no notification
	b.Ask("ping", `{}`)
	if after := b.Tools(); !slices.Equal(after, before) {
		t.Errorf("the other session lists %v, before %v", after, before)
	}
	if n := a.Count(programtest.ToolListChanged); n != 1 {
		t.Errorf("the session that found the tool got %d notifications, want 1", n)
	}
	if n := b.Count(programtest.ToolListChanged); n != 0 {
		t.Errorf("the other session got %d notifications, want 0", n)
	}
	// Adding a server whose tools are unknown must not cause a notification. Activating
	// the other server causes one; a wrong notification would arrive before that one.
	h.Must("servers", "add", "unseen", "--no-start", "--", "true")
	h.Must("servers", "activate", "fake")
	b.AwaitCount(programtest.ToolListChanged, 1)
	b.Tools()
	if n := b.Count(programtest.ToolListChanged); n != 1 {
		t.Errorf("the other session got %d notifications, want 1", n)
	}
}

func TestNewToolOfAnAlwaysListedServerReachesEverySession(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Settings("trust: {changes: clean}\n")
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	a, b := h.Attach(), h.Attach()
	a.Tools() // a companion answers the handshake itself; now the hub knows both
	b.Tools()
	h.Must("servers", "activate", "fake")
	b.AwaitCount(programtest.ToolListChanged, 1)
	a.AwaitCount(programtest.ToolListChanged, 1)
	b.Tools()
	a.Tool("fake__grow", `{"name":"fresh","text":"Counts sheep"}`)
	b.AwaitCount(programtest.ToolListChanged, 2)
	if tools := b.Tools(); !slices.Contains(tools, "fake__fresh") {
		t.Errorf("the other session lists %v", tools)
	}
	if got := a.Find("counts sheep"); got != "mcp__fake__fresh" {
		t.Errorf("find_tool returned %q", got)
	}
}

func TestToolWithoutASchemaTypeIsListedWithAllItsFields(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t, "-only", "-definition", unusualTool, "-definition", `{"name":"bare"}`, "-definition",
		`{"name":"null","inputSchema":null}`))
	h.Must("servers", "activate", "fake")
	want := strings.Replace(unusualTool, `"name":"odd"`, `"name":"fake__odd"`, 1)
	want = strings.Replace(want, `"x-order":9007199254740993}`, `"x-order":9007199254740993,"type":"object"}`, 1)
	programtest.Contains(t, h.Attach().Ask("tools/list", `{}`).Line, want,
		`{"name":"fake__bare","inputSchema":{"type":"object"}}`, `{"name":"fake__null","inputSchema":{"type":"object"}}`)
}

func TestEndlessToolListIsBounded(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	for _, pages := range []struct {
		how   string
		tools int
	}{{"same", 2}, {"new", 2000}} {
		h.Add(pages.how, mcptest.Command(t, "-pages", pages.how))
		if v := h.Server(pages.how); v.ToolCount != pages.tools {
			t.Errorf("%s cursor: %d tools, want %d", pages.how, v.ToolCount, pages.tools)
		}
	}
	if got := h.Attach().Tool("same__echo", `{"text":"usable"}`); got != "usable" {
		t.Errorf("echo returned %q", got)
	}
}

func TestToolsAreCalledByTheirListedNames(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("names", mcptest.Command(t, "-only", "-result", `{"content":[{"type":"text","text":"called"}]}`,
		"-tool", "_private=Begins with an underscore", "-tool", "a__b=Contains the separator", "-tool", "mcp__x=Begins like a call_as"))
	h.Must("servers", "activate", "names")
	c := h.Attach()
	for _, name := range c.Tools() {
		if name == "registry" {
			continue
		}
		if got := c.Tool(name, `{}`); got != "called" {
			t.Errorf("%s: %s", name, got)
		}
		if got := c.Tool("mcp__"+name, `{}`); got != "called" {
			t.Errorf("call_as of %s: %s", name, got)
		}
	}
}
