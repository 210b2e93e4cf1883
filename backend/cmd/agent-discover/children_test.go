//go:build linux

package main_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// TestServerThatFailsHarmsNobodyElse lets one server of each bad kind fail
// while a call to a good one is in flight.
func TestServerThatFailsHarmsNobodyElse(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.settings("limits: {start_timeout: 2s, call_timeout: 700ms}\n")
	h.serve()
	h.add("good", mcptest.Command(t))
	h.add("busy", mcptest.Command(t))
	h.add("crash", mcptest.Command(t, "-crash", "no licence file"), "--no-start")
	h.add("mute", mcptest.Command(t, "-mute"), "--no-start")
	h.add("silent", []string{"tail", "-f", "/dev/null"}, "--no-start")
	h.add("absent", []string{"no-such-program-anywhere"}, "--no-start")
	h.add("folder", []string{"/"}, "--no-start")
	c, other := h.attach(), h.attach()
	good := c.pid("good")

	rows := []struct {
		name, tool, arguments string
		says                  []string
	}{
		{"crashes at its start", "crash__echo", `{}`, []string{`"crash"`, "exited before the MCP handshake", "no licence file"}},
		{"never answers initialize", "mute__echo", `{}`, []string{`"mute"`, "did not finish the MCP handshake within 2s", "login"}},
		{"reads and says nothing", "silent__echo", `{}`, []string{`"silent"`, "handshake within 2s"}},
		{"is not installed", "absent__echo", `{}`, []string{`"absent"`, `"no-such-program-anywhere"`, "not found on PATH"}},
		{"is a folder", "folder__echo", `{}`, []string{`"folder"`}},
		{"never answers a call", "busy__hold", `{"key":"k"}`, []string{`"busy"`, `tool "hold"`, "within 700ms", "call_timeout"}},
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = c.beginTool(row.tool, row.arguments)
	}
	if got := other.tool("good__echo", `{"text":"meanwhile"}`); got != "meanwhile" {
		t.Errorf("meanwhile the good server gave %q", got)
	}
	for i, row := range rows {
		if r := c.endTool(ids[i]); !r.IsError {
			t.Errorf("the server that %s: %s", row.name, r.text())
		} else {
			contains(t, r.text(), row.says...)
		}
	}
	if got := c.pid("good"); got != good {
		t.Errorf("the good server is process %d, was %d", got, good)
	}
	if got := c.tool("busy__echo", `{"text":"busy goes on"}`); got != "busy goes on" {
		t.Errorf("the server with the hanging call gave %q", got)
	}
	contains(t, c.tool("busy__seen", `{}`), `"method":"notifications/cancelled"`, `"reason":"timed out"`)
	for _, name := range []string{"crash", "mute"} {
		if v := h.show(name); v.Health != "unknown" || !strings.Contains(v.LastError, name) || v.Running {
			t.Errorf("%s: health %q, running %v, last error %q", name, v.Health, v.Running, v.LastError)
		}
	}
	eventually(t, "servers that did not start are gone", func() bool {
		return len(h.processes("-mute"))+len(h.processes("tail -f")) == 0
	})
}

func TestFailedStartIsToldInTheWordsThatClientsKnow(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("crasher", []string{"node", "-e", "process.exit(3)"}, "--no-start")
	const failed = `Failed to activate "crasher": child process for "node -e process.exit(3)" exited before the MCP handshake completed — ` +
		`verify the package/args are correct and the server actually starts. Original: MCP error -32000: Connection closed`
	c := h.attach()
	for arguments, want := range map[string]string{
		`{"action":"proxy_call","server":"crasher","tool":"t"}`: `failed to activate "crasher": ` + failed,
		`{"action":"activate","name":"crasher"}`:                "Error [UNKNOWN_ERROR]: " + failed,
	} {
		if got := c.failing("registry", arguments); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", arguments, got, want)
		}
	}
}

func TestServerThatFailsAgainWaitsLongerAndLonger(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("crash", mcptest.Command(t, "-crash", "no licence file"), "--no-start")
	c := h.attach()
	contains(t, c.failing("crash__x", `{}`), "exited before")
	contains(t, c.failing("crash__x", `{}`), "exited before")
	contains(t, c.failing("crash__x", `{}`), "failed 2 times in a row", "no licence file", "agent-discover servers activate crash")
	out := h.run("servers", "activate", "crash") // a person does not wait
	contains(t, out.stderr, "exited before")
	if out.code != 3 {
		t.Errorf("exit code %d", out.code)
	}
}

func TestFloodOnStderrIsTakenAndItsEndIsKept(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("loud", mcptest.Command(t, "-flood", "4000000"))
	h.add("good", mcptest.Command(t))
	c, other := h.attach(), h.attach()
	id := c.beginTool("loud__flood", `{"count":8000000}`)
	if got := other.tool("good__echo", `{"text":"meanwhile"}`); got != "meanwhile" {
		t.Errorf("meanwhile the good server gave %q", got)
	}
	if got := c.endTool(id).text(); got != "done" {
		t.Errorf("the flooding call gave %q", got)
	}
	if text := c.failing("loud__die", `{"text":"last words"}`); len(text) > 4000 || !strings.HasSuffix(text, "last words") {
		t.Errorf("the error has %d bytes and ends with %q", len(text), text[max(0, len(text)-40):])
	}
	if kept := h.show("loud").Stderr; len(kept) < 60<<10 || len(kept) > 64<<10 {
		t.Errorf("%d bytes of stderr are kept", len(kept))
	}
}

func TestAnswerOfTenMegabytesPasses(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	c, other := h.attach(), h.attach()
	id := c.beginTool("fake__big", `{"count":10000000}`)
	if got := other.tool("fake__echo", `{"text":"meanwhile"}`); got != "meanwhile" {
		t.Errorf("another session got %q", got)
	}
	if got := c.endTool(id).text(); got != strings.Repeat("x", 10000000) {
		t.Errorf("%d bytes came", len(got))
	}
}

func TestLinesThatAreNoMessagesAreSkippedAndLogged(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	s := h.serve()
	h.add("chatty", mcptest.Command(t, "-junk", "-deaf"))
	c := h.attach()
	for range 3 {
		if got := c.tool("chatty__echo", `{"text":"through"}`); got != "through" {
			t.Errorf("echo gave %q", got)
		}
	}
	contains(t, s.stderr.String(), "no JSON-RPC message", "server=chatty", "Welcome to the server!")
}

func TestServerThatIgnoresUnknownMethodsIsUsable(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("deaf", mcptest.Command(t, "-deaf"))
	if got := h.attach().tool("deaf__echo", `{"text":"heard"}`); got != "heard" {
		t.Errorf("echo gave %q", got)
	}
}

func TestIdleServerStopsAndOneThatIsKeptRunsOn(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.settings("limits: {idle_stop: 200ms}\n")
	first := h.serve()
	h.add("brief", mcptest.Command(t))
	h.add("kept", mcptest.Command(t), "--keep-running")
	c := h.attach()
	kept := c.pid("kept")
	for range 2 {
		pid := c.pid("brief")
		gone(t, pid)
		eventually(t, "the server counts as stopped", func() bool { return !h.show("brief").Running })
	}
	if v := h.show("brief"); v.Health != "unknown" || v.LastError != "" {
		t.Errorf("a stop for idleness counts as a failure: %+v", v)
	}
	if v := h.show("kept"); v.PID != kept {
		t.Errorf("the kept server is process %d, was %d", v.PID, kept)
	}

	c.close() // it would start a hub of its own
	signal(t, first.PID, syscall.SIGTERM)
	first.exit()
	h.serve()

	eventually(t, "the kept server starts with the hub", func() bool { return h.show("kept").Running })
	if h.show("brief").Running {
		t.Error("a restart started the other server too")
	}
}

func TestServerWithACallInFlightIsNotIdle(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.settings("limits: {idle_stop: 50ms}\n")
	h.serve()
	h.add("long", mcptest.Command(t))
	h.add("brief", mcptest.Command(t))
	c := h.attach()
	id := c.hold("long", "k")
	// The other server stops for idleness twice; this one had the same time.
	for range 2 {
		gone(t, c.pid("brief"))
	}
	c.tool("long__release", `{"key":"k"}`)
	if r := c.endTool(id); r.IsError || r.text() != "released k" {
		t.Errorf("the long call gave %+v", r)
	}
}

func TestCallIsNeverSentToAServerThatJustStopsForIdleness(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.settings("limits: {idle_stop: 5ms}\n")
	h.serve()
	h.add("brief", mcptest.Command(t))
	c := h.attach()
	for range 30 {
		gone(t, c.pid("brief"))
	}
}

func TestKeptServerThatNeverStartsLosesTheWish(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.settings("limits: {idle_stop: 50ms}\n") // looks after servers often
	h.serve()
	h.add("crash", mcptest.Command(t, "-crash", "no licence file"), "--keep-running", "--no-start")
	eventually(t, "the wish is given up", func() bool { return !h.show("crash").Keep })
	contains(t, h.show("crash").LastError, "no longer kept running", "no licence file")
}

func TestChangedServerIsStartedAnewOnTheNextCall(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	h.add("fake", mcptest.Command(t))
	c := h.attach()
	child := c.pid("fake")
	h.must("servers", "remove", "fake")
	gone(t, child)
	h.add("fake", mcptest.Command(t), "--env", "NEW=1")
	if e := c.environment("fake"); !slices.Contains(e.Env, "NEW=1") {
		t.Errorf("environment %v", e.Env)
	}
}
