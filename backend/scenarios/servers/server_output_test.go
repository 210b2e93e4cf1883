package servers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// output is a WebSocket message of the type output.
type output struct {
	Server string `json:"serverName"`
	Left   int64  `json:"left_out"`
	Lines  []struct {
		N        int64
		At, Text string
	}
}

// outputOf decodes a message of the type output.
func outputOf(t *testing.T, m hubtest.Message) output {
	t.Helper()
	var o output
	if err := json.Unmarshal([]byte(m.Raw), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOutputOfAServerIsShown(t *testing.T) {
	s := hubtest.NewScenario(t, hub.Options{})
	s.Play(
		hubtest.Step{Name: "add server", Method: "POST", Path: "/api/servers", Body: s.Server("talks"), Status: 201},
		hubtest.Step{Name: "no output", Method: "GET", Path: "/api/servers/1/output", Status: 200, Want: []string{`{"lines":[]}`}},
		hubtest.Step{
			Name: "set a credential", Method: "PUT", Path: "/api/servers/1", Body: `{"env":{"API_KEY":"correct-horse"}}`, Person: true,
			Status: 200,
		},
		hubtest.Step{Name: "activate", Method: "POST", Path: "/api/servers/1/activate", Status: 200},
		hubtest.Step{
			Name: "call that writes and exits", Method: "POST", Path: "/api/servers/1/call",
			Body: `{"tool":"die","args":{"text":"one\ntwo\nMODE: correct-horse\u001b[31m<b>"}}`, Status: 500,
		},
		hubtest.Step{
			Name: "all output", Method: "GET", Path: "/api/servers/1/output", Status: 200,
			Want: []string{`"text":"one"}`, `"text":"two"}`, `MODE: [redacted]`, `Z","text":`}, Never: []string{"correct-horse", "\x1b"},
		},
		hubtest.Step{
			Name: "last two lines", Method: "GET", Path: "/api/servers/1/output?lines=2", Status: 200, Want: []string{`"two"`, "MODE"},
			Never: []string{`"one"`},
		},
		hubtest.Step{Name: "zero lines", Method: "GET", Path: "/api/servers/1/output?lines=0", Status: 422},
		hubtest.Step{Name: "too many lines", Method: "GET", Path: "/api/servers/1/output?lines=501", Status: 422},
		hubtest.Step{Name: "lines is not a number", Method: "GET", Path: "/api/servers/1/output?lines=x", Status: 422},
		hubtest.Step{
			Name: "unknown server", Method: "GET", Path: "/api/servers/9/output", Status: 404,
			Want: []string{`{"error":"Not found","code":`},
		},
		hubtest.Step{
			Name: "open transient server", Method: "POST", Path: "/api/transient", Person: true,
			Body: s.Server("x", "-flood", "10"), Status: 201,
			Keep: "handle",
		},
		hubtest.Step{
			Name: "output of the transient server", Method: "GET", Path: "/api/transient/{handle}/output", Status: 200,
			Want: []string{`"lines":[`},
		},
		hubtest.Step{Name: "unknown handle", Method: "GET", Path: "/api/transient/x/output", Status: 404},
	)
}

func TestSocketFollowsTheOutputOfAServer(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	hubtest.AddFake(t, h)
	exitWith := func(text string) { // makes the server write text and exit
		t.Helper()
		hubtest.Do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
		body := map[string]any{"tool": "die", "args": map[string]string{"text": text}}
		if err := hubtest.TryDo(t, h, "POST", "/api/servers/1/call", body); err == nil {
			t.Fatal("the server did not exit")
		}
	}
	exitWith("before")
	s := hubtest.Connect(t, h, "/ws?deltas=changed&tools=none")
	s.Next()
	s.Write(`{"type":"follow","server":"fake"}`)
	s.Write(`{"type":"follow","server":"fake"}`) // has no effect
	s.Write(`{"type":"follow"}`)
	isOutput := func(m hubtest.Message) bool { return m.Type == "output" }
	if m := s.Until("the answer to an invalid message",
		func(m hubtest.Message) bool { return m.Type == "error" }); m.Message != "follow needs the name of a server" {
		t.Errorf("follow without a name is answered with %s", m.Raw)
	}
	exitWith("first\nsecond")
	got := outputOf(t, s.Until("both lines", isOutput))
	if got.Server != "fake" || got.Left != 0 || len(got.Lines) != 2 || got.Lines[0].Text != "first" || got.Lines[1].Text != "second" ||
		len(got.Lines[0].At) != len("2026-01-02T03:04:05.006Z") {
		t.Errorf("the followed output is %+v", got)
	}
	var kept struct {
		Lines []struct {
			N    int64
			Text string
		}
	}
	hubtest.Do(t, h, "GET", "/api/servers/1/output", nil, &kept)
	if len(kept.Lines) != 3 || kept.Lines[0].Text != "before" || kept.Lines[2].N != got.Lines[1].N {
		t.Errorf("the hub keeps the lines %+v", kept)
	}

	// A message contains only a limited number of lines. If more lines were written, it contains the last ones
	// and the number of lines that it leaves out.
	body := map[string]any{"tool": "flood", "args": map[string]int{"count": 5 << 20}}
	hubtest.Do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	hubtest.Do(t, h, "POST", "/api/servers/1/call", body, nil)
	lines, last := int64(0), got.Lines[1].N
	for total := int64((5<<20)/1021) + 1; lines < total; {
		o := outputOf(t, s.Until("the flood", isOutput))
		if len(o.Lines) > 200 || o.Lines[0].N != last+o.Left+1 {
			t.Fatalf("a message has %d lines from number %d; the last number was %d, %d were left out",
				len(o.Lines), o.Lines[0].N, last, o.Left)
		}
		lines, last = lines+o.Left+int64(len(o.Lines)), o.Lines[len(o.Lines)-1].N
		if total-lines == 1 { // the last line of the flood is incomplete
			break
		}
	}

	s.Write(`{"type":"unfollow","server":"fake"}`)
	for i := range 17 {
		s.Write(fmt.Sprintf(`{"type":"follow","server":"s%d"}`, i))
	}
	if m := s.Until("the answer to one server too many",
		func(m hubtest.Message) bool { return m.Type == "error" }); !strings.Contains(m.Message, "16 servers are followed already") {
		t.Errorf("the 17th server is answered with %s", m.Raw)
	}
	s.Write(`{"type":"follow","server":"s3"}`) // the socket already follows it
	exitWith("not followed")
	s.Write(`{"type":"last"}`)
	s.Until("the answer to the last message", func(m hubtest.Message) bool {
		if isOutput(m) && strings.Contains(m.Raw, "not followed") {
			t.Errorf("the socket received output of a server that it no longer follows: %s", m.Raw)
		}
		if m.Type == "error" && m.Message != "Unknown message type: last" {
			t.Errorf("following a server again is answered with %s", m.Raw)
		}
		return m.Type == "error"
	})
}

func TestServerMayBeFollowedBeforeItIsAdded(t *testing.T) {
	h, _ := hubtest.RunHub(t, hub.Options{})
	s := hubtest.Connect(t, h, "/ws")
	s.Write(`{"type":"follow","server":"late"}`)
	s.Write(`{"type":"follow"}`)
	s.Until("the answer to an invalid message", func(m hubtest.Message) bool { return m.Type == "error" })
	command := mcptest.Command(t, "-crash", "no such file")
	hubtest.Do(t, h, "POST", "/api/servers", map[string]any{"name": "late", "command": command[0], "args": command[1:]}, nil)
	if err := hubtest.TryDo(t, h, "POST", "/api/servers/1/refresh", nil); err == nil {
		t.Fatal("the server started")
	}
	m := s.Until("the output of the server that did not start", func(m hubtest.Message) bool { return m.Type == "output" })
	if o := outputOf(t, m); o.Left != 0 || o.Lines[0].Text != "no such file" {
		t.Errorf("the output is %s", m.Raw)
	}
}
