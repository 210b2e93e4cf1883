package servers_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pathname"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// isolated runs a hub with the always listed server "own", which has a separate process for each session of a client.
func isolated(t *testing.T, flags ...string) *hub.Hub {
	t.Helper()
	h, _ := hubtest.RunHub(t, hub.Options{})
	command := mcptest.Command(t, append(flags, "-offers")...)
	hubtest.Do(t, h, "POST", "/api/servers",
		map[string]any{"name": "own", "command": command[0], "args": command[1:], "isolation": "session"}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	waiting := hubtest.Join(t, h, "agent")
	defer waiting.Leave()
	waiting.AwaitList("resources/templates/list", "own+")
	return h
}

// serverView is the part of GET /api/servers/{id} that tests of isolation look at.
type serverView struct {
	Isolation string
	Sessions  int
	Running   bool
	LastError string `json:"last_error"`
}

func viewOf(t *testing.T, h *hub.Hub, id int) (v serverView) {
	t.Helper()
	hubtest.Do(t, h, "GET", fmt.Sprintf("/api/servers/%d", id), nil, &v)
	return v
}

var pidPattern = regexp.MustCompile(`\\"pid\\":([0-9]+)`)

// pidBehind returns the pid of the server process in an answer.
func pidBehind(t *testing.T, answer string) string {
	t.Helper()
	pid := pidPattern.FindStringSubmatch(answer)
	if pid == nil {
		t.Fatalf("no pid in %s", answer)
	}
	return pid[1]
}

func TestEachSessionHasAnIsolatedServerForItself(t *testing.T) {
	h := isolated(t)
	a, b, m := hubtest.Join(t, h, "a"), hubtest.Join(t, h, "b"), hubtest.Arrive(t, h)
	const members = `"name":"own__environment","arguments":{}`
	const call = "{" + members + "}"
	pids := map[string]bool{}
	for range 2 {
		pids[pidBehind(t, a.Exchange("tools/call", call))] = true
		pids[pidBehind(t, b.Exchange("tools/call", call))] = true
		pids[pidBehind(t, m.Modern("tools/call", members))] = true
	}
	if len(pids) != 3 {
		t.Errorf("3 clients have %d processes", len(pids))
	}
	if v := viewOf(t, h, 1); v.Isolation != "session" || v.Sessions != 3 || !v.Running {
		t.Errorf("the server is shown as %+v", v)
	}
	ended := pidBehind(t, b.Exchange("tools/call", call))
	b.Leave()
	var pid int
	_, _ = fmt.Sscan(ended, &pid)
	for id := (process.ID{PID: pid, Start: process.StartOf(pid)}); id.Alive(); {
	}
	for viewOf(t, h, 1).Sessions != 2 {
	}
	if again := pidBehind(t, a.Exchange("tools/call", call)); !pids[again] {
		t.Error("the process of another client has ended with b")
	}
	hubtest.Do(t, h, "POST", "/api/servers/1/stop", nil, nil)
	if v := viewOf(t, h, 1); v.Sessions != 0 || v.Running {
		t.Errorf("after a stop: %+v", v)
	}
	hubtest.Do(t, h, "PUT", "/api/servers/1", map[string]any{"isolation": "shared"}, nil)
	if one, other := a.Exchange("tools/call", call), m.Modern("tools/call", members); pidBehind(t, one) != pidBehind(t, other) {
		t.Error("a shared server has several processes")
	}
}

func TestAnUnknownIsolationIsRefused(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "s", "command": "x"}, nil)
	for _, path := range []string{"POST /api/servers", "PUT /api/servers/1"} {
		method, path, _ := strings.Cut(path, " ")
		err := hubtest.TryDo(t, h, method, path, map[string]any{"name": "t", "command": "x", "isolation": "own"})
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "isolation") {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// withRoots connects a client of the legacy era that has roots.
func withRoots(t *testing.T, h *hub.Hub) *hubtest.Agent {
	t.Helper()
	a := hubtest.ArriveBy(t, h, companion.Entry{Folder: t.TempDir()})
	a.Ask("initialize",
		`{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true},"elicitation":{}},"clientInfo":{"name":"rooted","version":"1"}}`)
	a.Write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

func TestAnIsolatedServerGetsTheRootsOfItsClient(t *testing.T) {
	h := isolated(t)
	a := withRoots(t, h)
	const members = `"name":"own__ask","arguments":{"method":"roots/list"}`
	const ask = "{" + members + "}"
	a.Write(`{"jsonrpc":"2.0","id":"q","method":"tools/call","params":` + ask + `}`)
	a.AnswerNext("roots/list", `{"roots":[{"uri":"file:///project"}]}`)
	if got := a.Read("the result"); !strings.Contains(got, `file:///project`) {
		t.Errorf("got %s", got)
	}
	a.Write(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	for !strings.Contains(a.Exchange("tools/call", `{"name":"own__seen","arguments":{}}`), "roots/list_changed") {
	}
	// If a client has no roots, the server gets the folder of the client as the only root.
	folder := t.TempDir()
	b := hubtest.ArriveBy(t, h, companion.Entry{Folder: folder})
	if got := b.Modern("tools/call", members); !strings.Contains(got, pathname.Here.URI(folder)) {
		t.Errorf("a client in %s: got %s", folder, got)
	}
	// A server that several clients share gets the roots of a client only during a call of that client.
	hubtest.Do(t, h, "PUT", "/api/servers/1", map[string]any{"isolation": "shared"}, nil)
	shared := withRoots(t, h)
	shared.Write(`{"jsonrpc":"2.0","id":"q","method":"tools/call","params":` + ask + `}`)
	shared.AnswerNext("roots/list", `{"roots":[{"uri":"file:///project"}]}`)
	if got := shared.Read("the result"); !strings.Contains(got, `file:///project`) {
		t.Errorf("a shared server: got %s", got)
	}
	if got := hubtest.Join(t, h, "without roots").Exchange("tools/call", ask); !strings.Contains(got, `{\"roots\":[]}`) {
		t.Errorf("a shared server, in a call of a client without roots: got %s", got)
	}
}

func TestSubscriptionsOfAnIsolatedServerAreItsClients(t *testing.T) {
	h := isolated(t)
	a, b := hubtest.Join(t, h, "a"), hubtest.Join(t, h, "b")
	for _, c := range []*hubtest.Agent{a, b} {
		if got := c.Exchange("resources/subscribe", `{"uri":"own+note://1"}`); got != `"result":{}` {
			t.Fatal(got)
		}
		c.Await("notifications/resources/updated") // the server sends one for each subscription
	}
	a.Exchange("tools/call", `{"name":"own__tell","arguments":{"method":"notifications/resources/updated","params":{"uri":"note://1"}}}`)
	a.Await("notifications/resources/updated")
	b.Exchange("tools/call", `{"name":"own__echo","arguments":{"text":"b gets nothing"}}`)
	for _, line := range b.Notices {
		if strings.Contains(line, "updated") {
			t.Errorf("b got %s", line)
		}
	}
	a.Exchange("logging/setLevel", `{"level":"error"}`)
	a.Exchange("tools/call", `{"name":"own__echo","arguments":{"text":"x"}}`)
	if got := b.Exchange("tools/call", `{"name":"own__seen","arguments":{}}`); strings.Contains(got, "setLevel") {
		t.Errorf("the server of b got the log level of a: %s", got)
	}
}

func TestALogMessageComesBeforeTheResultOfItsCall(t *testing.T) {
	h := isolated(t)
	a := hubtest.Join(t, h, "a")
	for i := range 50 {
		a.Notices = nil
		a.Exchange("tools/call",
			`{"name":"own__tell","arguments":{"method":"notifications/message","params":{"level":"error","data":"told"}}}`)
		if len(a.Notices) != 1 || !strings.Contains(a.Notices[0], "told") {
			t.Fatalf("call %d: before the result came %s", i, a.Notices)
		}
	}
	a.Exchange("ping", `{}`)
	if len(a.Notices) != 1 {
		t.Errorf("the message came again: %s", a.Notices)
	}
}

func TestALogMessageComesBeforeTheResultOfItsCallThoughOthersUseTheServer(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	command := mcptest.Command(t, "-offers")
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "shared", "command": command[0], "args": command[1:]}, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/activate", nil, nil)
	other, a := hubtest.Join(t, h, "other"), hubtest.Join(t, h, "a")
	other.Exchange("tools/call", `{"name":"shared__echo","arguments":{"text":"x"}}`)
	a.Exchange("logging/setLevel", `{"level":"info"}`)
	for i := range 50 {
		a.Notices = nil
		a.Exchange("tools/call",
			`{"name":"shared__tell","arguments":{"method":"notifications/message","params":{"level":"error","data":"told"}}}`)
		if !strings.Contains(strings.Join(a.Notices, "\n"), "told") {
			t.Fatalf("call %d: before the result came %s", i, a.Notices)
		}
	}
}

func TestWhatServersTakeIsLimited(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{
		Folder: hubtest.NewDataFolder(t, "limits:\n  processes: 2\n  server_memory_mb: 100\n  idle_stop: 1s\n"),
	})
	for i, name := range []string{"one", "two", "three"} {
		command := mcptest.Command(t, "-heavy")
		hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": name, "command": command[0], "args": command[1:]}, nil)
		hubtest.Do(t, h, "POST", fmt.Sprintf("/api/servers/%d/activate", i+1), nil, nil) // activating three stops the idle server one
	}
	a := hubtest.Join(t, h, "a")
	a.Write(`{"jsonrpc":"2.0","id":"h1","method":"tools/call","params":{"name":"one__hold","arguments":{"key":"k"},"_meta":{"progressToken":1}}}`)
	a.Await("notifications/progress")
	a.Write(`{"jsonrpc":"2.0","id":"h2","method":"tools/call","params":{"name":"two__hold","arguments":{"key":"k"},"_meta":{"progressToken":2}}}`)
	a.Await("notifications/progress")
	if got := a.Exchange("tools/call", `{"name":"three__echo","arguments":{"text":"x"}}`); !strings.Contains(got,
		"2 server processes run, which is the limit (limits.processes in config.yaml)") {
		t.Errorf("a third process: %s", got)
	}
	a.Exchange("tools/call", `{"name":"one__release","arguments":{"key":"k"}}`)
	a.Exchange("tools/call", `{"name":"two__keep","arguments":{"count":200000000}}`)
	if got := a.AwaitText(`"id":"h2"`); !strings.Contains(got, "more than limits.server_memory_mb in config.yaml allows (100 MB)") {
		t.Errorf("a server that takes too much memory: %s", got)
	}
	if v := viewOf(t, h, 2); !strings.Contains(v.LastError, "of memory") {
		t.Errorf("the server is shown with the error %q", v.LastError)
	}
	if got := a.Exchange("tools/call", `{"name":"three__echo","arguments":{"text":"x"}}`); !strings.Contains(got, `"text":"x"`) {
		t.Errorf("with room again: %s", got)
	}
}
