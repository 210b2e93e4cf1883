package surfaces_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestResourcesPromptsAndCompletionsOfServersReachClients(t *testing.T) {
	a := hubtest.Join(t, hubtest.Offering(t), "agent")
	for _, row := range []struct{ method, want string }{
		{
			"prompts/list",
			`"result":{"prompts":[{"name":"one__greet","arguments":[{"name":"who","required":true}]},{"name":"two__greet","arguments":[{"name":"who","required":true}]}]}`,
		},
		{
			"resources/list",
			`"result":{"resources":[{"uri":"one+note://1","name":"first"},{"uri":"one+note://2","name":"after second page"},{"uri":"two+note://1","name":"first"},{"uri":"two+note://2","name":"after second page"}]}`,
		},
		{
			"resources/templates/list",
			`"result":{"resourceTemplates":[{"uriTemplate":"one+note://{n}","name":"notes"},{"uriTemplate":"two+note://{n}","name":"notes"}]}`,
		},
	} {
		if got := a.AwaitList(row.method, "two"); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", row.method, got, row.want)
		}
	}
	for _, row := range []struct{ method, params, want string }{
		{
			"prompts/get", `{"name":"one__greet","arguments":{"who":"Ada"}}`,
			`"result":{"messages":[{"role":"user","content":{"type":"text","text":"Greet Ada"}}]}`,
		},
		{"prompts/get", `{"name":"one__none"}`, `"error":{"code":-32602,"message":"Prompt none not found"}`},
		{"prompts/get", `{"name":"greet"}`, `several servers have it; use one__greet or two__greet`},
		{"prompts/get", `{}`, `"error":{"code":-32602,"message":"Invalid params: the name of a prompt is missing"}`},
		{
			"resources/read", `{"uri":"two+note://1"}`,
			`"result":{"contents":[{"uri":"two+note://1","text":"a note","unknown":9007199254740993}]}`,
		},
		{"resources/read", `{"uri":"two+note://7"}`, `"error":{"code":-32002,"message":"no such resource: note://7"}`},
		{"resources/read", `{"uri":"note://1"}`, `several servers have it; use`},
		{"resources/read", `{}`, `"error":{"code":-32602,"message":"Invalid params: the uri of a resource is missing"}`},
		{
			"completion/complete", `{"ref":{"type":"ref/prompt","name":"one__greet"},"argument":{"name":"who","value":"A"}}`,
			`\"name\":\"greet\"}`,
		},
		{
			"completion/complete", `{"ref":{"type":"ref/resource","uri":"one+note://{n}"},"argument":{"name":"n","value":"1"}}`,
			`\"uri\":\"note://{n}\"`,
		},
		{"logging/setLevel", `{"level":"loud"}`, `unknown log level`},
	} {
		if got := a.Exchange(row.method, row.params); !strings.Contains(got, row.want) {
			t.Errorf("%s %s:\n got %s\nwant %s", row.method, row.params, got, row.want)
		}
	}
}

func TestUpdatesOfAResourceReachItsSubscribersOnly(t *testing.T) {
	h := hubtest.Offering(t)
	a, b := hubtest.Join(t, h, "agent"), hubtest.Join(t, h, "other")
	if got := a.Exchange("resources/subscribe", `{"uri":"one+note://1"}`); got != `"result":{}` {
		t.Fatal(got)
	}
	if got, want := a.Await("notifications/resources/updated"),
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"one+note://1"}}`; got != want {
		t.Errorf("got %s", got)
	}
	// The hub does not send the second subscription to the server, which would answer with an update.
	if got := b.Exchange("resources/subscribe", `{"uri":"one+note://1"}`); got != `"result":{}` {
		t.Fatal(got)
	}
	for _, one := range []*hubtest.Agent{a, b} {
		if got := one.Exchange("resources/unsubscribe", `{"uri":"one+note://1"}`); got != `"result":{}` {
			t.Error(got)
		}
	}
	if got := b.Exchange("resources/subscribe", `{"uri":"one+note://1"}`); got != `"result":{}` {
		t.Fatal(got)
	}
	b.Await("notifications/resources/updated")
	hubtest.Do(t, h, "POST", "/api/servers/1/restart", nil, nil)
	b.Await("notifications/resources/updated") // the resource may have changed during the restart
	a.Exchange("ping", `{}`)
	for _, line := range append(a.Notices, b.Notices...) {
		if strings.Contains(line, "resources/updated") {
			t.Errorf("unexpected: %s", line)
		}
	}
}

func TestLogMessagesOfAServerReachTheClientThatAsked(t *testing.T) {
	h := hubtest.Offering(t)
	a, b := hubtest.Join(t, h, "agent"), hubtest.Join(t, h, "other")
	if got := a.Exchange("logging/setLevel", `{"level":"info"}`); got != `"result":{}` {
		t.Fatal(got)
	}
	a.Exchange("resources/read", `{"uri":"one+note://1"}`)
	if got, want := a.Await("notifications/message"),
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"so be it"}}`; got != want {
		t.Errorf("got %s", got)
	}
	b.Exchange("resources/read", `{"uri":"two+note://1"}`)
	b.Exchange("ping", `{}`)
	for _, line := range b.Notices {
		if strings.Contains(line, "notifications/message") {
			t.Errorf("another client got %s", line)
		}
	}
}

func TestListsOfStoppedServersAreKeptAndChangesAreAnnounced(t *testing.T) {
	h := hubtest.Offering(t)
	a := hubtest.Join(t, h, "agent")
	hubtest.Do(t, h, "POST", "/api/servers/2/stop", nil, nil)
	if got := a.Exchange("prompts/list", `{}`); !strings.Contains(got, "two__greet") {
		t.Errorf("after the stop: %s", got)
	}
	a.Notices = nil
	hubtest.Do(t, h, "POST", "/api/servers/2/deactivate", nil, nil)
	a.Await("notifications/prompts/list_changed")
	a.Await("notifications/resources/list_changed")
	if got := a.Exchange("prompts/list", `{}`); strings.Contains(got, "two__greet") || !strings.Contains(got, "one__greet") {
		t.Errorf("after the deactivation: %s", got)
	}
	hubtest.Do(t, h, "DELETE", "/api/servers/1", nil, nil)
	a.Await("notifications/prompts/list_changed")
	if got := a.Exchange("prompts/list", `{}`); got != `"result":{"prompts":[]}` {
		t.Errorf("after the removal: %s", got)
	}
}

func TestToolsAreFoundAfterARestartBeforeTheirServerStarts(t *testing.T) {
	folder := hubtest.NewDataFolder(t, "")
	first, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
	command := mcptest.Command(t, "-only", "-tool", "look_lighthouse=Look at the lighthouse")
	hubtest.Do(t, first, "POST", "/api/servers", map[string]any{"name": "coast", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, first, "POST", "/api/servers/1/refresh", nil, nil)
	first.Stop()
	hubtest.AwaitEnd(t, ended)

	again, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
	a := hubtest.Introduced(t, again, hubtest.Meta, "{}")
	for tool, arguments := range map[string]string{
		"search_tools": `{"query":"look at the lighthouse"}`, "find_tool": `{"query":"look at the lighthouse"}`,
		"list_tools": `{"server":"coast"}`, "get_tool_details": `{"server":"coast","tool":"look_lighthouse"}`,
	} {
		if got := a.Exchange("tools/call", "{"+hubtest.Calling(tool, arguments)+"}"); !strings.Contains(got, "look_lighthouse") {
			t.Errorf("%s after a restart: %s", tool, got)
		}
	}
	var server struct{ Running bool }
	if hubtest.Do(t, again, "GET", "/api/servers/1", nil, &server); server.Running {
		t.Error("the search has started the server")
	}
}

// The hub must never send a URI that a client has kept to another server.
func TestURIsOfARemovedServerLeadNowhere(t *testing.T) {
	folder := hubtest.NewDataFolder(t, "")
	first, ended := hubtest.RunHub(t, hub.Options{Folder: folder})
	command := mcptest.Command(t, "-offers")
	add := func(h *hub.Hub) {
		t.Helper()
		var added struct{ ID int }
		hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "notes", "command": command[0], "args": command[1:]}, &added)
		hubtest.Do(t, h, "POST", fmt.Sprintf("/api/servers/%d/activate", added.ID), nil, nil)
	}
	add(first)
	hubtest.Join(t, first, "agent").AwaitList("resources/list", `"uri":"notes+note://1"`)
	first.Stop()
	hubtest.AwaitEnd(t, ended)

	again, _ := hubtest.RunHub(t, hub.Options{Folder: folder})
	a := hubtest.Join(t, again, "agent")
	a.AwaitList("resources/list", `"uri":"notes+note://1"`)
	hubtest.Do(t, again, "DELETE", "/api/servers/1", nil, nil)
	add(again)
	a.AwaitList("resources/list", `"uri":"notes-2+note://1"`)
	if got := a.Exchange("resources/read", `{"uri":"notes+note://1"}`); !strings.Contains(got, "no server has it") {
		t.Errorf("the old URI: %s", got)
	}
}

// A client may find a URI in a text of the server, where it lacks the prefix that the hub adds to the URIs in lists.
func TestAServersOwnURIStaysAsTheClientWroteIt(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	command := mcptest.Command(t, "-offers")
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	a := hubtest.Join(t, h, "agent")
	a.AwaitList("resources/list", "one+note://1")
	const own, shown = `{"uri":"note://1"}`, `{"uri":"one+note://1"}`
	updated := `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":%s}`
	for _, uri := range []string{own, shown} {
		if got, want := a.Exchange("resources/read", uri), `"result":{"contents":[`+uri[:len(uri)-1]+
			`,"text":"a note","unknown":9007199254740993}]}`; got != want {
			t.Errorf("read:\n got %s\nwant %s", got, want)
		}
	}
	if got := a.Exchange("resources/subscribe", own); got != `"result":{}` {
		t.Fatal(got)
	}
	if got := a.Await("notifications/resources/updated"); got != fmt.Sprintf(updated, own) {
		t.Errorf("got %s", got)
	}
	a.Exchange("resources/subscribe", shown)
	const tell = `{"name":"one__tell","arguments":{"method":"notifications/resources/updated","params":{"uri":"note://1"}}}`
	a.Exchange("tools/call", tell)
	got := map[string]bool{a.Await("notifications/resources/updated"): true, a.Await("notifications/resources/updated"): true}
	if !got[fmt.Sprintf(updated, own)] || !got[fmt.Sprintf(updated, shown)] {
		t.Errorf("subscribed in both forms: %v", got)
	}
	a.Exchange("resources/unsubscribe", own)
	a.Exchange("tools/call", tell)
	if got := a.Await("notifications/resources/updated"); got != fmt.Sprintf(updated, shown) {
		t.Errorf("after one of two subscriptions has ended: %s", got)
	}
	a.Exchange("ping", `{}`)
	for _, line := range a.Notices {
		if strings.Contains(line, "resources/updated") {
			t.Errorf("unexpected: %s", line)
		}
	}
}
