package hub_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
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
func outputOf(t *testing.T, m message) output {
	t.Helper()
	var o output
	if err := json.Unmarshal([]byte(m.raw), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOutputOfAServerIsShown(t *testing.T) {
	s := newScenario(t, hub.Options{})
	s.play(
		step{name: "add server", method: "POST", path: "/api/servers", body: s.server("talks"), status: 201},
		step{name: "no output", method: "GET", path: "/api/servers/1/output", status: 200, want: []string{`{"lines":[]}`}},
		step{name: "set a credential", method: "PUT", path: "/api/servers/1", body: `{"env":{"API_KEY":"correct-horse"}}`, status: 200},
		step{name: "activate", method: "POST", path: "/api/servers/1/activate", status: 200},
		step{name: "call that writes and exits", method: "POST", path: "/api/servers/1/call", body: `{"tool":"die","args":{"text":"one\ntwo\nMODE: correct-horse\u001b[31m<b>"}}`, status: 500},
		step{name: "all output", method: "GET", path: "/api/servers/1/output", status: 200, want: []string{`"text":"one"}`, `"text":"two"}`, `MODE: [redacted]`, `Z","text":`}, never: []string{"correct-horse", "\x1b"}},
		step{name: "last two lines", method: "GET", path: "/api/servers/1/output?lines=2", status: 200, want: []string{`"two"`, "MODE"}, never: []string{`"one"`}},
		step{name: "zero lines", method: "GET", path: "/api/servers/1/output?lines=0", status: 422},
		step{name: "too many lines", method: "GET", path: "/api/servers/1/output?lines=501", status: 422},
		step{name: "lines is not a number", method: "GET", path: "/api/servers/1/output?lines=x", status: 422},
		step{name: "unknown server", method: "GET", path: "/api/servers/9/output", status: 404, want: []string{`{"error":"Not found","code":`}},
		step{name: "open transient server", method: "POST", path: "/api/transient", body: s.server("x", "-flood", "10"), status: 201, keep: "handle"},
		step{name: "output of the transient server", method: "GET", path: "/api/transient/{handle}/output", status: 200, want: []string{`"lines":[`}},
		step{name: "unknown handle", method: "GET", path: "/api/transient/x/output", status: 404},
	)
}

func TestSocketFollowsTheOutputOfAServer(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	addFake(t, h)
	exitWith := func(text string) { // makes the server write text and exit
		t.Helper()
		do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
		body := map[string]any{"tool": "die", "args": map[string]string{"text": text}}
		if err := tryDo(t, h, "POST", "/api/servers/1/call", body); err == nil {
			t.Fatal("the server did not exit")
		}
	}
	exitWith("before")
	s := connect(t, h, "/ws?deltas=changed&tools=none")
	s.next()
	s.write(`{"type":"follow","server":"fake"}`)
	s.write(`{"type":"follow","server":"fake"}`) // has no effect
	s.write(`{"type":"follow"}`)
	isOutput := func(m message) bool { return m.Type == "output" }
	if m := s.until("the answer to an invalid message", func(m message) bool { return m.Type == "error" }); m.Message != "follow needs the name of a server" {
		t.Errorf("follow without a name is answered with %s", m.raw)
	}
	exitWith("first\nsecond")
	got := outputOf(t, s.until("both lines", isOutput))
	if got.Server != "fake" || got.Left != 0 || len(got.Lines) != 2 || got.Lines[0].Text != "first" || got.Lines[1].Text != "second" || len(got.Lines[0].At) != len("2026-01-02T03:04:05.006Z") {
		t.Errorf("the followed output is %+v", got)
	}
	var kept struct {
		Lines []struct {
			N    int64
			Text string
		}
	}
	do(t, h, "GET", "/api/servers/1/output", nil, &kept)
	if len(kept.Lines) != 3 || kept.Lines[0].Text != "before" || kept.Lines[2].N != got.Lines[1].N {
		t.Errorf("the hub keeps the lines %+v", kept)
	}

	// Of more lines than one message may have, the last are sent, with the number of
	// those left out.
	body := map[string]any{"tool": "flood", "args": map[string]int{"count": 5 << 20}}
	do(t, h, "POST", "/api/servers/1/refresh", nil, nil)
	do(t, h, "POST", "/api/servers/1/call", body, nil)
	lines, last := int64(0), got.Lines[1].N
	for total := int64((5<<20)/1021) + 1; lines < total; {
		o := outputOf(t, s.until("the flood", isOutput))
		if len(o.Lines) > 200 || o.Lines[0].N != last+o.Left+1 {
			t.Fatalf("a message has %d lines from number %d; the last number was %d, %d were left out", len(o.Lines), o.Lines[0].N, last, o.Left)
		}
		lines, last = lines+o.Left+int64(len(o.Lines)), o.Lines[len(o.Lines)-1].N
		if total-lines == 1 { // the last line of the flood is incomplete
			break
		}
	}

	s.write(`{"type":"unfollow","server":"fake"}`)
	for i := range 17 {
		s.write(fmt.Sprintf(`{"type":"follow","server":"s%d"}`, i))
	}
	if m := s.until("the answer to one server too many", func(m message) bool { return m.Type == "error" }); !strings.Contains(m.Message, "16 servers are followed already") {
		t.Errorf("the 17th server is answered with %s", m.raw)
	}
	s.write(`{"type":"follow","server":"s3"}`) // is followed already
	exitWith("not followed")
	s.write(`{"type":"last"}`)
	s.until("the answer to the last message", func(m message) bool {
		if isOutput(m) && strings.Contains(m.raw, "not followed") {
			t.Errorf("the socket received output of a server that it no longer follows: %s", m.raw)
		}
		if m.Type == "error" && m.Message != "Unknown message type: last" {
			t.Errorf("following a server again is answered with %s", m.raw)
		}
		return m.Type == "error"
	})
}

func TestServerMayBeFollowedBeforeItIsAdded(t *testing.T) {
	h, _ := runHub(t, hub.Options{})
	s := connect(t, h, "/ws")
	s.write(`{"type":"follow","server":"late"}`)
	s.write(`{"type":"follow"}`)
	s.until("the answer to an invalid message", func(m message) bool { return m.Type == "error" })
	command := mcptest.Command(t, "-crash", "no such file")
	do(t, h, "POST", "/api/servers", map[string]any{"name": "late", "command": command[0], "args": command[1:]}, nil)
	if err := tryDo(t, h, "POST", "/api/servers/1/refresh", nil); err == nil {
		t.Fatal("the server started")
	}
	m := s.until("the output of the server that did not start", func(m message) bool { return m.Type == "output" })
	if o := outputOf(t, m); o.Left != 0 || o.Lines[0].Text != "no such file" {
		t.Errorf("the output is %s", m.raw)
	}
}
