package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

func TestNotificationsArePublishedWithoutSecrets(t *testing.T) {
	b := start(t, settings.Limits{})
	notes, stop := events.Subscribe[upstream.Notified](b.bus, 100)
	defer stop()
	s := b.add("s")
	s, err := b.servers.Update(t.Context(), s.Name, func(v *registry.Server) { v.Env = map[string]string{"API_KEY": `hunter"2-secret`} })
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range [][3]string{ // method, params, published params
		{
			"notifications/message", `{"level":"info","data":{"n":9007199254740993,"x":[ 1.10 ]}}`,
			`{"level":"info","data":{"n":9007199254740993,"x":[ 1.10 ]}}`,
		},
		{"notifications/message", `{"data":"key is hunter\"2-secret!"}`, `{"data":"key is [redacted]!"}`},
		{"notifications/message", `{"password":123456789,"x":1}`, `{"password":"[redacted]","x":1}`},
		{"notifications/tools/list_changed", ``, `{}`},
		{"notifications/tomorrow", `{}`, `{}`},
		{"notifications/progress", `{"progressToken":"of no call","progress":1}`, `{"progressToken":"[redacted]","progress":1}`},
		{"notifications/message", `{"data":"` + strings.Repeat("x", 300<<10) + `"}`, `"307211 bytes, too long to show"`},
	} {
		arguments := `{"method":"` + row[0] + `"}`
		if row[1] != "" {
			arguments = `{"method":"` + row[0] + `","params":` + row[1] + `}`
		}
		began := time.Now()
		if _, err := b.call(s, "tell", arguments); err != nil {
			t.Fatal(err)
		}
		n := <-notes
		if n.Server != "s" || n.Method != row[0] || string(n.Params) != row[2] || n.At.Before(began) || n.At.After(time.Now()) {
			t.Errorf("got %+v %.200s, want %s", n.Method, n.Params, row[2])
		}
	}
	if _, err := b.call(s, "tell", `{"method":"notifications/cancelled","params":{"requestId":"x"}}`); err != nil {
		t.Fatal(err)
	}
	if _, err := b.call(s, "tell", `{"method":"notifications/last"}`); err != nil {
		t.Fatal(err)
	}
	if n := <-notes; n.Method != "notifications/last" {
		t.Errorf("got %s", n.Method)
	}
}

func TestAFloodOfNotificationsIsLimited(t *testing.T) {
	b := start(t, settings.Limits{})
	notes, stop := events.Subscribe[upstream.Notified](b.bus, 1000)
	defer stop()
	s := b.add("s")
	const flood, rate, waiting = 50000, 200, 256 // the limits in notices.go
	began := time.Now()
	// The answer follows the notifications on the same stream, so all of them
	// were read.
	if _, err := b.call(s, "tell", fmt.Sprintf(`{"method":"notifications/message","params":{"data":"x"},"count":%d}`, flood)); err != nil {
		t.Fatal(err)
	}
	b.Stop("s")
	n := 0
	for len(notes) > 0 {
		if _, ok := <-notes; !ok {
			t.Fatal("the subscription was dropped")
		}
		n++
	}
	if most := rate*(2+int(time.Since(began)/time.Second)) + waiting; n == 0 || n > most {
		t.Errorf("%d notifications were published, more than %d", n, most)
	}
}

func TestAQuestionWithoutASingleCallerGoesToTheWindow(t *testing.T) {
	window := answering(`{"action":"decline","n":9007199254740993}`)
	b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Window = window })
	s := b.add("s")
	const params = `{"message":"Sure?","requestedSchema":{"type":"object"},"n":9007199254740993}`
	ask := func(who upstream.Caller) string {
		t.Helper()
		result, err := b.Call(t.Context(), s, "", who,
			jsonrpc.Call{
				Method: "tools/call",
				Params: json.RawMessage(`{"name":"ask","arguments":{"method":"elicitation/create","params":` + params + `}}`),
			})
		if err != nil {
			t.Fatal(err)
		}
		return string(result.JSON)
	}
	// No call is in flight, so the question goes to the window.
	if got := ask(nil); !strings.Contains(got, `decline`) || !strings.Contains(got, "9007199254740993") {
		t.Errorf("got %s", got)
	}
	if q := <-window.asked; q.Server != "s" || q.Method != "elicitation/create" || string(q.Params) != params {
		t.Errorf("the question was %+v", q)
	}
	// Only one caller has used the session, so the question goes to this caller.
	b.Stop("s")
	one := answering(`{"action":"accept"}`)
	if got := ask(one); !strings.Contains(got, "accept") || len(one.asked) != 1 {
		t.Errorf("got %s", got)
	}
	// Two callers have calls in flight, so the question goes to the window.
	other := answering(`{}`)
	holding := make(chan struct{}, 1)
	held := make(chan error, 1)
	go func() {
		_, err := b.Call(t.Context(), s, "", other, jsonrpc.Call{
			Method: "tools/call", Params: json.RawMessage(`{"name":"hold","arguments":{"key":"k"},"_meta":{"progressToken":1}}`),
			Progress: func(json.RawMessage) { holding <- struct{}{} },
		})
		held <- err
	}()
	<-holding
	if got := ask(one); !strings.Contains(got, "decline") || len(window.asked) != 1 || len(other.asked) != 0 {
		t.Errorf("got %s", got)
	}
	if _, err := b.call(s, "release", `{"key":"k"}`); err != nil {
		t.Fatal(err)
	}
	if err := <-held; err != nil {
		t.Error(err)
	}
}

func TestAnOpenQuestionSuspendsTheTimeoutOfCalls(t *testing.T) {
	person := make(chan struct{})
	window := &caller{make(chan upstream.Question, 1), func(context.Context, upstream.Question) (json.RawMessage, error) {
		<-person
		return json.RawMessage(`{"action":"accept"}`), nil
	}}
	b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Window = window })
	asking, clock := b.add("asking"), b.add("clock")
	for _, s := range []registry.Server{asking, clock} {
		if err := b.Start(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	timeout := 100 * time.Millisecond
	call := func(s registry.Server, params string, timeout time.Duration) error {
		_, err := b.Call(t.Context(), s, "", nil, jsonrpc.Call{Method: "tools/call", Params: json.RawMessage(params), Idle: timeout})
		return err
	}
	done := make(chan error, 1)
	for asked := false; !asked; timeout *= 2 {
		timeout := timeout
		go func() {
			done <- call(asking, `{"name":"ask","arguments":{"method":"elicitation/create","params":{}}}`, timeout)
		}()
		select {
		case <-window.asked:
			asked = true
		case <-done: // a busy machine did not ask within the timeout
		}
	}
	timeout /= 2
	for range 3 {
		if err := call(clock, `{"name":"hold","arguments":{"key":"k"}}`, timeout); fault.KindOf(err) != fault.Timeout {
			t.Fatalf("got %v", err)
		}
	}
	close(person)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRootsAreListedWithNames(t *testing.T) {
	b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Roots = []string{"file:///a", "file:///b"} })
	result, err := b.call(b.add("s"), "ask", `{"method":"roots/list"}`)
	if want := `{"roots":[{"uri":"file:///a","name":"file:///a"},{"uri":"file:///b","name":"file:///b"}]}`; err != nil ||
		!strings.Contains(string(result), wireText(want)) {
		t.Errorf("got %s, %v", result, err)
	}
}

// wireText returns a text as a JSON string without quotes.
func wireText(text string) string {
	quoted := string(jsonrpc.Quote(text))
	return quoted[1 : len(quoted)-1]
}

// transient returns a server that is not in the registry.
func transient(t *testing.T, name string, flags ...string) registry.Server {
	command := mcptest.Command(t, flags...)
	return registry.Server{Name: name, Approved: true, Transport: "stdio", Command: command[0], Args: command[1:]}
}

func TestAServerOutsideTheRegistryIsNotStored(t *testing.T) {
	b := start(t, settings.Limits{IdleStop: time.Nanosecond})
	s := transient(t, "__transient__1", "-tool", "own=A tool of its own")
	if _, err := b.call(s, "echo", `{}`); err == nil {
		t.Error("a call started a server outside the registry")
	}
	if err := b.Start(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	d, ok := b.Describe(s.Name)
	if !ok || d.Name != "mcptest" || d.Version != "1.2.3" || d.ProtocolVersion != "2025-06-18" ||
		string(d.Capabilities) != `{"tools":{"listChanged":true}}` ||
		len(d.Tools) == 0 || !strings.Contains(string(d.Tools[0]), "A tool of its own") {
		t.Errorf("the description is %+v", d)
	}
	// Meanwhile the manager stops another, idle server several times.
	brief := b.add("brief")
	for range 3 {
		if err := b.Start(t.Context(), brief); err != nil {
			t.Fatal(err)
		}
		b.await(upstream.StateChanged{Name: "brief"})
	}
	if _, err := b.call(s, "grow", `{"name":"new","text":"grown"}`); err != nil {
		t.Fatal(err)
	}
	if tools, err := b.ListTools(t.Context(), s); err != nil || !strings.Contains(string(tools[1]), "grown") {
		t.Errorf("the tools of the server are %.200s, %v", tools, err)
	}
	if _, err := b.Check(t.Context(), s); err != nil {
		t.Error(err)
	}
	if known := b.tools.Snapshot().Of(s.Name); len(known) != 0 {
		t.Errorf("%d tools of the server are in the catalog", len(known))
	}
	b.Remove(s.Name)
	if _, ok := b.Describe(s.Name); ok || b.State(s.Name).Running {
		t.Error("the server still runs")
	}
	if _, err := b.call(s, "echo", `{}`); err == nil {
		t.Error("a call after Remove started the server again")
	}
	crashing := transient(t, "__transient__2", "-crash", "no paper")
	if err := b.Start(t.Context(), crashing); !strings.Contains(fault.MessageOf(err),
		`no paper. Failed to activate "__transient__2": "`) {
		t.Errorf("got %v", err)
	}
	if got := b.Stderr(crashing.Name); got != "no paper\n" {
		t.Errorf("the standard error of the server is %q", got)
	}
	b.Remove(crashing.Name)
	if got := b.Stderr(crashing.Name); got != "" {
		t.Errorf("standard error after Remove: %q", got)
	}
	crashing.Name = "brief" // the name of a configured server
	b.Remove("brief")
	if err := b.Start(t.Context(), crashing); err == nil {
		t.Error("the server started")
	}
	b.isHealth("after another one's failure", "brief", "unknown", 0, false)
}

// await waits for a change of a server's state.
func (b *bench) await(want upstream.StateChanged) {
	b.t.Helper()
	for {
		select {
		case got, ok := <-b.states:
			if got == want {
				return
			}
			if !ok {
				b.t.Fatal("too many changes")
			}
		case <-time.After(time.Minute):
			b.t.Fatalf("%+v was not published", want)
		}
	}
}

func TestAQuestionIsRefusedWithoutCallerAndWindow(t *testing.T) {
	b := start(t, settings.Limits{})
	result, err := b.call(b.add("s"), "ask", `{"method":"sampling/createMessage"}`)
	if err != nil || !strings.Contains(string(result), "cannot be answered") {
		t.Errorf("got %s, %v", result, err)
	}
	refusing := &caller{make(chan upstream.Question, 1), func(context.Context, upstream.Question) (json.RawMessage, error) {
		return nil, errors.New("not today")
	}}
	b.Stop("s")
	s, _ := b.servers.Get("s")
	raw, err := b.Call(t.Context(), s, "", refusing,
		jsonrpc.Call{Method: "tools/call", Params: json.RawMessage(`{"name":"ask","arguments":{"method":"sampling/createMessage"}}`)})
	if err != nil || !strings.Contains(string(raw.JSON), "not today") {
		t.Errorf("got %s, %v", raw.JSON, err)
	}
}
