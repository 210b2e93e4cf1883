//go:build linux

package main_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// TestFailingServersDoNotAffectOthers concurrently calls servers that fail in different ways, and
// meanwhile a server that works.
func TestFailingServersDoNotAffectOthers(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Settings("limits: {start_timeout: 20s, call_timeout: 10s}\n")
	h.Serve()
	h.Add("good", mcptest.Command(t))
	h.Add("busy", mcptest.Command(t))
	h.Add("crash", mcptest.Command(t, "-crash", "no licence file"), "--no-start")
	h.Add("mute", mcptest.Command(t, "-mute"), "--no-start")
	h.Add("silent", []string{"tail", "-f", "/dev/null"}, "--no-start")
	h.Add("absent", []string{"no-such-program-anywhere"}, "--no-start")
	h.Add("folder", []string{"/"}, "--no-start")
	c, other := h.Attach(), h.Attach()
	good := c.PID("good")

	rows := []struct {
		name, tool, arguments string
		want                  []string // in the error
	}{
		{"crashes at its start", "crash__echo", `{}`, []string{`"crash"`, "ended before it answered (exit status 3)", "no licence file. "}},
		{"never answers initialize", "mute__echo", `{}`, []string{`"mute"`, "did not finish the MCP handshake within 20s", "login"}},
		{"reads and writes nothing", "silent__echo", `{}`, []string{`"silent"`, "handshake within 20s"}},
		{"is not installed", "absent__echo", `{}`, []string{`"absent"`, `"no-such-program-anywhere"`, "not found on PATH"}},
		{"is a folder", "folder__echo", `{}`, []string{`"folder"`}},
		{"never answers a call", "busy__hold", `{"key":"k"}`, []string{`"busy"`, `tool "hold"`, "within 10s", "call_timeout"}},
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = c.StartTool(row.tool, row.arguments)
	}
	if got := other.Tool("good__echo", `{"text":"meanwhile"}`); got != "meanwhile" {
		t.Errorf("meanwhile the working server returned %q", got)
	}
	for i, row := range rows {
		if r := c.ToolResult(ids[i]); !r.IsError {
			t.Errorf("the server that %s returned no error: %s", row.name, r.Text())
		} else {
			programtest.Contains(t, r.Text(), row.want...)
		}
	}
	if got := c.PID("good"); got != good {
		t.Errorf("the working server was restarted: process %d, then %d", good, got)
	}
	if got := c.Tool("busy__echo", `{"text":"busy goes on"}`); got != "busy goes on" {
		t.Errorf("the server with the hanging call returned %q", got)
	}
	programtest.Contains(t, c.Tool("busy__seen", `{}`), `"method":"notifications/cancelled"`, `"reason":"timed out"`)
	for _, name := range []string{"crash", "mute"} {
		if v := h.Server(name); v.Health != "unknown" || !strings.Contains(v.LastError, name) || v.Running {
			t.Errorf("%s: health %q, running %v, last error %q", name, v.Health, v.Running, v.LastError)
		}
	}
	programtest.Eventually(t, "the processes that did not start end", func() bool {
		return len(h.Processes("-mute"))+len(h.Processes("tail -f")) == 0
	})
}

func TestFailedStartIsReportedInTheOriginalWords(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("crasher", []string{"node", "-e", "process.exit(3)"}, "--no-start")
	const failed = `Failed to activate "crasher": child process for "node -e process.exit(3)" exited before the MCP handshake completed — ` +
		`verify the package/args are correct and the server actually starts. Original: MCP error -32000: Connection closed`
	c := h.Attach()
	for arguments, want := range map[string]string{
		`{"action":"proxy_call","server":"crasher","tool":"t"}`: `failed to activate "crasher": ` + failed,
		`{"action":"activate","name":"crasher"}`:                "Error [UNKNOWN_ERROR]: " + failed,
	} {
		if got := c.FailingTool("registry", arguments); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", arguments, got, want)
		}
	}
}

func TestServerThatFailsAgainIsRestartedLater(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("crash", mcptest.Command(t, "-crash", "no licence file"), "--no-start")
	c := h.Attach()
	programtest.Contains(t, c.FailingTool("crash__x", `{}`), "ended before")
	programtest.Contains(t, c.FailingTool("crash__x", `{}`), "ended before")
	var refused string // which attempt is refused depends on how long the attempts take
	programtest.Eventually(t, "a call is refused until later", func() bool {
		refused = c.FailingTool("crash__x", `{}`)
		return strings.Contains(refused, "times in a row")
	})
	programtest.Contains(t, refused, "no licence file", "agent-discover servers start crash")
	out := h.Run("servers", "start", "crash") // a person's request is not delayed
	programtest.Contains(t, out.Stderr, "ended before")
	if out.Code != 3 {
		t.Errorf("exit code %d", out.Code)
	}
}

func TestFloodOnStderrIsReadAndItsEndKept(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("loud", mcptest.Command(t, "-flood", "4000000"))
	h.Add("good", mcptest.Command(t))
	c, other := h.Attach(), h.Attach()
	id := c.StartTool("loud__flood", `{"count":8000000}`)
	if got := other.Tool("good__echo", `{"text":"meanwhile"}`); got != "meanwhile" {
		t.Errorf("meanwhile the working server returned %q", got)
	}
	if got := c.ToolResult(id).Text(); got != "done" {
		t.Errorf("the flooding call returned %q", got)
	}
	if text := c.FailingTool("loud__die", `{"text":"last words"}`); len(text) > 4000 || !strings.HasSuffix(text, "last words") {
		t.Errorf("the error has %d bytes and ends with %q", len(text), text[max(0, len(text)-40):])
	}
	if kept := h.Server("loud").Stderr; len(kept) < 60<<10 || len(kept) > 64<<10 {
		t.Errorf("%d bytes of stderr are kept, want about 64 KiB", len(kept))
	}
}

func TestResultOfTenMegabytesIsPassed(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	c, other := h.Attach(), h.Attach()
	id := c.StartTool("fake__big", `{"count":10000000}`)
	if got := other.Tool("fake__echo", `{"text":"meanwhile"}`); got != "meanwhile" {
		t.Errorf("a call in another session returned %q", got)
	}
	if got := c.ToolResult(id).Text(); got != strings.Repeat("x", 10000000) {
		t.Errorf("the result has %d bytes, want 10000000", len(got))
	}
}

func TestLinesOtherThanMessagesAreSkippedAndLogged(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	s := h.Serve()
	h.Add("chatty", mcptest.Command(t, "-junk", "-deaf"))
	c := h.Attach()
	for range 3 {
		if got := c.Tool("chatty__echo", `{"text":"through"}`); got != "through" {
			t.Errorf("echo returned %q", got)
		}
	}
	programtest.Contains(t, s.Stderr.String(), "not a JSON-RPC message", "server=chatty", "Welcome to the server!")
	programtest.Contains(t, h.Must("servers", "show", "chatty"),
		"agent-discover: standard output has a line that is not a JSON-RPC message: Welcome to the server!")
}

func TestServerThatIgnoresUnknownMethodsIsUsable(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("deaf", mcptest.Command(t, "-deaf"))
	if got := h.Attach().Tool("deaf__echo", `{"text":"heard"}`); got != "heard" {
		t.Errorf("echo returned %q", got)
	}
}

func TestIdleServerIsStoppedUnlessItIsKeptRunning(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Settings("limits: {idle_stop: 200ms}\n")
	first := h.Serve()
	h.Add("brief", mcptest.Command(t))
	h.Add("kept", mcptest.Command(t), "--keep-running")
	c := h.Attach()
	kept := c.PID("kept")
	for range 2 {
		pid := c.PID("brief")
		programtest.AwaitExit(t, pid)
		programtest.Eventually(t, "the server is reported as stopped", func() bool { return !h.Server("brief").Running })
	}
	if v := h.Server("brief"); v.Health != "unknown" || v.LastError != "" {
		t.Errorf("an idle stop is reported as a failure: %+v", v)
	}
	if v := h.Server("kept"); v.PID != kept {
		t.Errorf("the server kept running was restarted: process %d, then %d", kept, v.PID)
	}

	c.Close() // the companion would start another hub
	programtest.Signal(t, first.PID, syscall.SIGTERM)
	first.Exit()
	h.Serve()

	programtest.Eventually(t, "the server kept running starts with the hub", func() bool { return h.Server("kept").Running })
	if h.Server("brief").Running {
		t.Error("a restart started the other server too")
	}
}

func TestServerWithACallInFlightIsNotIdle(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Settings("limits: {idle_stop: 50ms}\n")
	h.Serve()
	h.Add("long", mcptest.Command(t))
	h.Add("brief", mcptest.Command(t))
	c := h.Attach()
	id := c.Hold("long", "k")
	// Wait until an idle server has been stopped twice.
	for range 2 {
		programtest.AwaitExit(t, c.PID("brief"))
	}
	c.Tool("long__release", `{"key":"k"}`)
	if r := c.ToolResult(id); r.IsError || r.Text() != "released k" {
		t.Errorf("the long call returned %+v", r)
	}
}

func TestCallIsNeverSentToAStoppingServer(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Settings("limits: {idle_stop: 5ms}\n")
	h.Serve()
	h.Add("brief", mcptest.Command(t))
	c := h.Attach()
	for range 30 {
		programtest.AwaitExit(t, c.PID("brief"))
	}
}

func TestServerThatNeverStartsIsNoLongerKeptRunning(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Settings("limits: {idle_stop: 50ms}\n") // a short idle_stop makes the hub check its servers often
	h.Serve()
	h.Add("crash", mcptest.Command(t, "-crash", "no licence file"), "--keep-running", "--no-start")
	programtest.Eventually(t, "keep_running is reset", func() bool { return !h.Server("crash").Keep })
	programtest.Contains(t, h.Server("crash").LastError, "no longer kept running", "no licence file")
}

func TestReplacedServerIsStartedOnTheNextCall(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Serve()
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	child := c.PID("fake")
	h.Must("servers", "remove", "fake", "--yes")
	programtest.AwaitExit(t, child)
	h.Add("fake", mcptest.Command(t), "--env", "NEW=1")
	if e := c.Environment("fake"); !slices.Contains(e.Env, "NEW=1") {
		t.Errorf("environment %v", e.Env)
	}
}
