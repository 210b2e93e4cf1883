//go:build linux

package main_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// modernMeta is the member _meta of requests of protocol 2026-07-28.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"modern","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{}}}`

func TestCompanionsAnswerBeforeTheHubListens(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	first := h.Serve()
	h.Add("fake", mcptest.Command(t))
	h.Must("servers", "activate", "fake")
	last := h.Attach()
	opened, list := last.Messages()[0], last.Ask("tools/list", `{}`)
	discovered := last.Ask("server/discover", `{`+modernMeta+`}`)
	listed := last.Ask("tools/list", `{`+modernMeta+`}`)
	last.Close()
	h.Must("servers", "deactivate", "fake") // no companion is running that could store the new list
	first.Kill()
	lock, err := instance.Acquire(h.Folder) // no hub starts before the lock is released
	if err != nil {
		t.Fatal(err)
	}

	legacy, modern := h.Companion(), h.Companion()
	same := func(got, want programtest.Message) {
		t.Helper()
		if string(got.Result) != string(want.Result) || got.Result == nil {
			t.Errorf("got %s, want the result of %s", got.Line, want.Line)
		}
	}
	same(legacy.Open(`{}`), opened)
	same(legacy.Ask("tools/list", `{}`), list)
	same(modern.Ask("server/discover", `{`+modernMeta+`}`), discovered)
	listen := modern.Start("subscriptions/listen", `{"notifications":{"toolsListChanged":true},`+modernMeta+`}`)
	same(modern.Ask("tools/list", `{`+modernMeta+`}`), listed)
	call := legacy.StartTool("fake__echo", `{"text":"early"}`)
	if info, err := instance.Read(h.Folder); err == nil {
		t.Fatalf("a hub was running: %+v", info)
	}

	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	h.Must("start") // a companion may have started the hub already
	if got := legacy.ToolResult(call).Text(); got != "early" {
		t.Errorf("the call that waited for the hub returned %q", got)
	}
	legacy.AwaitCount(programtest.ToolListChanged, 1)
	if tools := legacy.Tools(); slices.Contains(tools, "fake__echo") {
		t.Errorf("after the start of the hub, the list is %v", tools)
	}
	modern.AwaitCount(programtest.ToolListChanged, 1)
	for _, m := range modern.Messages() {
		if m.Method == programtest.ToolListChanged &&
			!strings.Contains(string(m.Params), `"io.modelcontextprotocol/subscriptionId":`+listen) {
			t.Errorf("the client received %s", m.Line)
		}
	}
}

// The companions write the file of the last answers concurrently. It must always contain a complete answer.
func TestCompanionsShareTheLastAnswers(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	hub := h.Serve()
	h.Add("fake", mcptest.Command(t))
	clients := make([]*programtest.Client, 4)
	for i := range clients {
		clients[i] = h.Attach()
	}
	var lists []string
	for _, action := range []string{"activate", "deactivate", "activate"} {
		var last []string
		for range 10 {
			for _, c := range clients {
				last = append(last, c.Start("tools/list", `{}`))
			}
		}
		h.Must("servers", action, "fake")
		for i, id := range last {
			lists = append(lists, string(clients[i%len(clients)].Answer(id).Result))
		}
	}
	for _, c := range clients {
		c.Close()
	}
	hub.Kill()
	lock, err := instance.Acquire(h.Folder)
	if err != nil {
		t.Fatal(err)
	}
	late := h.Attach()
	if got := string(late.Ask("tools/list", `{}`).Result); !slices.Contains(lists, got) {
		t.Errorf("a companion without a hub lists %s, which none listed before", got)
	}
	late.Close()
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
}
