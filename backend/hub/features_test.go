package hub_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// offering runs a hub with two active servers that have resources, prompts,
// completions and logging.
func offering(t *testing.T) *hub.Hub {
	t.Helper()
	h, _ := runHub(t, hub.Options{})
	addOffering(t, h, "one", "two")
	return h
}

// addOffering adds active servers to a hub without servers, and waits until the hub
// has all of their lists, so that no later list_changed is about the start.
func addOffering(t *testing.T, h *hub.Hub, names ...string) {
	t.Helper()
	for i, name := range names {
		command := mcptest.Command(t, "-offers")
		do(t, h, "POST", "/api/servers", map[string]any{"name": name, "command": command[0], "args": command[1:]}, nil)
		do(t, h, "POST", fmt.Sprintf("/api/servers/%d/activate", i+1), nil, nil)
	}
	waiting := join(t, h, "agent")
	defer waiting.leave()
	for _, name := range names {
		waiting.awaitList("resources/templates/list", name+"+")
	}
}

// exchange sends a request and returns the answer, without its id.
func (a *agent) exchange(method, params string) string {
	a.t.Helper()
	a.id++
	a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, a.id, method, params))
	head := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,`, a.id)
	for {
		line := a.read("the answer to " + method)
		if rest, ok := strings.CutPrefix(line, head); ok {
			return strings.TrimSuffix(rest, "}\n")
		}
		a.notices = append(a.notices, strings.TrimSpace(line))
	}
}

// await returns the first notification of a method that has arrived or arrives, and
// forgets it.
func (a *agent) await(method string) string {
	a.t.Helper()
	return a.awaitText(`"method":"` + method + `"`)
}

// awaitText is await for any message with a text.
func (a *agent) awaitText(text string) string {
	a.t.Helper()
	for {
		for i, line := range a.notices {
			if strings.Contains(line, text) {
				a.notices = append(a.notices[:i:i], a.notices[i+1:]...)
				return line
			}
		}
		a.notices = append(a.notices, strings.TrimSpace(a.read(text)))
	}
}

// awaitList repeats a list request until the answer contains a text: the hub reads
// lists besides the tools after it has started a server.
func (a *agent) awaitList(method, text string) string {
	a.t.Helper()
	changed := strings.Replace(strings.Replace(method, "/templates", "", 1), "/list", "/list_changed", 1)
	for {
		if answer := a.exchange(method, `{}`); strings.Contains(answer, text) {
			return answer
		}
		a.await("notifications/" + changed)
	}
}

func TestResourcesPromptsAndCompletionsOfServersReachClients(t *testing.T) {
	a := join(t, offering(t), "agent")
	for _, row := range []struct{ method, want string }{
		{"prompts/list", `"result":{"prompts":[{"name":"one__greet","arguments":[{"name":"who","required":true}]},{"name":"two__greet","arguments":[{"name":"who","required":true}]}]}`},
		{"resources/list", `"result":{"resources":[{"uri":"one+note://1","name":"first"},{"uri":"one+note://2","name":"after second page"},{"uri":"two+note://1","name":"first"},{"uri":"two+note://2","name":"after second page"}]}`},
		{"resources/templates/list", `"result":{"resourceTemplates":[{"uriTemplate":"one+note://{n}","name":"notes"},{"uriTemplate":"two+note://{n}","name":"notes"}]}`},
	} {
		if got := a.awaitList(row.method, "two"); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", row.method, got, row.want)
		}
	}
	for _, row := range []struct{ method, params, want string }{
		{"prompts/get", `{"name":"one__greet","arguments":{"who":"Ada"}}`, `"result":{"messages":[{"role":"user","content":{"type":"text","text":"Greet Ada"}}]}`},
		{"prompts/get", `{"name":"one__none"}`, `"error":{"code":-32602,"message":"Prompt none not found"}`},
		{"prompts/get", `{"name":"greet"}`, `several servers have it; use one__greet or two__greet`},
		{"prompts/get", `{}`, `"error":{"code":-32602,"message":"Invalid params: the name of a prompt is missing"}`},
		{"resources/read", `{"uri":"two+note://1"}`, `"result":{"contents":[{"uri":"two+note://1","text":"a note","unknown":9007199254740993}]}`},
		{"resources/read", `{"uri":"two+note://7"}`, `"error":{"code":-32002,"message":"no such resource: note://7"}`},
		{"resources/read", `{"uri":"note://1"}`, `several servers have it; use`},
		{"resources/read", `{}`, `"error":{"code":-32602,"message":"Invalid params: the uri of a resource is missing"}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"one__greet"},"argument":{"name":"who","value":"A"}}`, `\"name\":\"greet\"}`},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"one+note://{n}"},"argument":{"name":"n","value":"1"}}`, `\"uri\":\"note://{n}\"`},
		{"logging/setLevel", `{"level":"loud"}`, `unknown log level`},
	} {
		if got := a.exchange(row.method, row.params); !strings.Contains(got, row.want) {
			t.Errorf("%s %s:\n got %s\nwant %s", row.method, row.params, got, row.want)
		}
	}
}

func TestUpdatesOfAResourceReachItsSubscribersOnly(t *testing.T) {
	h := offering(t)
	a, b := join(t, h, "agent"), join(t, h, "other")
	if got := a.exchange("resources/subscribe", `{"uri":"one+note://1"}`); got != `"result":{}` {
		t.Fatal(got)
	}
	if got, want := a.await("notifications/resources/updated"), `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"one+note://1"}}`; got != want {
		t.Errorf("got %s", got)
	}
	// The second subscription does not reach the server, which would announce an
	// update.
	if got := b.exchange("resources/subscribe", `{"uri":"one+note://1"}`); got != `"result":{}` {
		t.Fatal(got)
	}
	for _, one := range []*agent{a, b} {
		if got := one.exchange("resources/unsubscribe", `{"uri":"one+note://1"}`); got != `"result":{}` {
			t.Error(got)
		}
	}
	if got := b.exchange("resources/subscribe", `{"uri":"one+note://1"}`); got != `"result":{}` {
		t.Fatal(got)
	}
	b.await("notifications/resources/updated")
	do(t, h, "POST", "/api/servers/1/restart", nil, nil)
	b.await("notifications/resources/updated") // what happened in between is unknown
	a.exchange("ping", `{}`)
	for _, line := range append(a.notices, b.notices...) {
		if strings.Contains(line, "resources/updated") {
			t.Errorf("unexpected: %s", line)
		}
	}
}

func TestLogMessagesOfAServerReachTheClientThatAsked(t *testing.T) {
	h := offering(t)
	a, b := join(t, h, "agent"), join(t, h, "other")
	if got := a.exchange("logging/setLevel", `{"level":"info"}`); got != `"result":{}` {
		t.Fatal(got)
	}
	a.exchange("resources/read", `{"uri":"one+note://1"}`)
	if got, want := a.await("notifications/message"), `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"so be it"}}`; got != want {
		t.Errorf("got %s", got)
	}
	b.exchange("resources/read", `{"uri":"two+note://1"}`)
	b.exchange("ping", `{}`)
	for _, line := range b.notices {
		if strings.Contains(line, "notifications/message") {
			t.Errorf("another client got %s", line)
		}
	}
}

func TestListsOfStoppedServersAreKeptAndChangesAreAnnounced(t *testing.T) {
	h := offering(t)
	a := join(t, h, "agent")
	do(t, h, "POST", "/api/servers/2/stop", nil, nil)
	if got := a.exchange("prompts/list", `{}`); !strings.Contains(got, "two__greet") {
		t.Errorf("after the stop: %s", got)
	}
	a.notices = nil
	do(t, h, "POST", "/api/servers/2/deactivate", nil, nil)
	a.await("notifications/prompts/list_changed")
	a.await("notifications/resources/list_changed")
	if got := a.exchange("prompts/list", `{}`); strings.Contains(got, "two__greet") || !strings.Contains(got, "one__greet") {
		t.Errorf("after the deactivation: %s", got)
	}
	do(t, h, "DELETE", "/api/servers/1", nil, nil)
	a.await("notifications/prompts/list_changed")
	if got := a.exchange("prompts/list", `{}`); got != `"result":{"prompts":[]}` {
		t.Errorf("after the removal: %s", got)
	}
}

// A URI that a client has kept must never lead to another server.
func TestURIsOfARemovedServerLeadNowhere(t *testing.T) {
	folder := newDataFolder(t, "")
	first, ended := runHub(t, hub.Options{Folder: folder})
	command := mcptest.Command(t, "-offers")
	add := func(h *hub.Hub) {
		t.Helper()
		var added struct{ ID int }
		do(t, h, "POST", "/api/servers", map[string]any{"name": "notes", "command": command[0], "args": command[1:]}, &added)
		do(t, h, "POST", fmt.Sprintf("/api/servers/%d/activate", added.ID), nil, nil)
	}
	add(first)
	join(t, first, "agent").awaitList("resources/list", `"uri":"notes+note://1"`)
	first.Stop()
	awaitEnd(t, ended)

	again, _ := runHub(t, hub.Options{Folder: folder})
	a := join(t, again, "agent")
	a.awaitList("resources/list", `"uri":"notes+note://1"`)
	do(t, again, "DELETE", "/api/servers/1", nil, nil)
	add(again)
	a.awaitList("resources/list", `"uri":"notes-2+note://1"`)
	if got := a.exchange("resources/read", `{"uri":"notes+note://1"}`); !strings.Contains(got, "no server has it") {
		t.Errorf("the old URI: %s", got)
	}
}

// A client that follows a URI from a text knows nothing of the hub's form of it.
func TestAServersOwnURIStaysAsTheClientWroteIt(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	command := mcptest.Command(t, "-offers")
	do(t, h, "POST", "/api/servers", map[string]any{"name": "one", "command": command[0], "args": command[1:]}, nil)
	do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	a := join(t, h, "agent")
	a.awaitList("resources/list", "one+note://1")
	const own, shown = `{"uri":"note://1"}`, `{"uri":"one+note://1"}`
	updated := `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":%s}`
	for _, uri := range []string{own, shown} {
		if got, want := a.exchange("resources/read", uri), `"result":{"contents":[`+uri[:len(uri)-1]+`,"text":"a note","unknown":9007199254740993}]}`; got != want {
			t.Errorf("read:\n got %s\nwant %s", got, want)
		}
	}
	if got := a.exchange("resources/subscribe", own); got != `"result":{}` {
		t.Fatal(got)
	}
	if got := a.await("notifications/resources/updated"); got != fmt.Sprintf(updated, own) {
		t.Errorf("got %s", got)
	}
	a.exchange("resources/subscribe", shown)
	const tell = `{"name":"one__tell","arguments":{"method":"notifications/resources/updated","params":{"uri":"note://1"}}}`
	a.exchange("tools/call", tell)
	got := map[string]bool{a.await("notifications/resources/updated"): true, a.await("notifications/resources/updated"): true}
	if !got[fmt.Sprintf(updated, own)] || !got[fmt.Sprintf(updated, shown)] {
		t.Errorf("subscribed in both forms: %v", got)
	}
	a.exchange("resources/unsubscribe", own)
	a.exchange("tools/call", tell)
	if got := a.await("notifications/resources/updated"); got != fmt.Sprintf(updated, shown) {
		t.Errorf("after one of two subscriptions has ended: %s", got)
	}
	a.exchange("ping", `{}`)
	for _, line := range a.notices {
		if strings.Contains(line, "resources/updated") {
			t.Errorf("unexpected: %s", line)
		}
	}
}
