//go:build linux

package main_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// callUntil calls a tool again and again until done is closed, and one last time
// after that. It returns the number of calls, and the answers that are wrong.
func callUntil(c *programtest.Client, done <-chan struct{}) (calls int, wrong []string) {
	for last := false; !last; calls++ {
		select {
		case <-done:
			last = true
		default:
		}
		m := c.Ask("tools/call", fmt.Sprintf(`{"name":"fake__echo","arguments":{"text":"call %d"}}`, calls))
		if want := fmt.Sprintf(`"text":"call %d"`, calls); m.Error != nil || !strings.Contains(string(m.Result), want) {
			wrong = append(wrong, m.Line)
		}
	}
	return calls, wrong
}

func TestCallsOfOpenEditorsWaitWhileTheHubRestarts(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Must("start")
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	for i := range 5 {
		before, done := h.RunningHub(), make(chan struct{})
		var out programtest.Outcome
		go func() {
			defer close(done)
			out = h.Run("restart")
		}()
		calls, wrong := callUntil(c, done)
		if len(wrong) > 0 {
			t.Errorf("restart %d: %d of %d calls failed, the first with %s", i, len(wrong), calls, wrong[0])
		}
		if out.Code != 0 {
			t.Fatalf("restart %d: %s", i, out.Stderr)
		}
		if now := h.RunningHub(); now.PID == before.PID {
			t.Errorf("restart %d: the hub is still process %d", i, now.PID)
		}
	}
}

func TestCommandsWaitForTheNextHub(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Must("start")
	h.Add("fake", mcptest.Command(t))
	for i := range 5 { // a killed hub is announced until it is gone
		hub, err := os.FindProcess(h.RunningHub().PID)
		if err == nil {
			err = hub.Kill()
		}
		if err != nil {
			t.Fatal(err)
		}
		if out := h.Run("status"); !strings.Contains(out.Stdout, "No hub is running") {
			t.Errorf("status after kill %d: %+v", i, out)
		}
		if out := h.Run([][]string{{"servers", "list"}, {"call", "fake__echo", "text=one"}}[i%2]...); out.Code != 0 {
			t.Fatalf("after kill %d: %+v", i, out)
		}
	}
	for i := range 3 {
		restarted := make(chan struct{})
		go func() {
			defer close(restarted)
			h.Must("restart")
		}()
		for n, last := 0, false; !last; n++ {
			select {
			case <-restarted:
				last = true
			default:
			}
			if out := h.Run([][]string{{"servers", "list"}, {"call", "fake__echo", "text=one"}, {"find", "echo"}}[n%3]...); out.Code != 0 {
				t.Fatalf("during restart %d: %+v", i, out)
			}
		}
	}
}

// TestACallThatWaitsForItsServerSurvivesARestart restarts the hub while a call of an agent and one of the command line wait
// until a server has started, so that the hub has read both and sent neither.
func TestACallThatWaitsForItsServerSurvivesARestart(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Must("start")
	gate, starts := filepath.Join(h.Dir, "gate"), filepath.Join(h.Dir, "starts")
	script := fmt.Sprintf("echo x >> '%s'; until [ -e '%s' ]; do sleep 0.05; done; exec \"$@\"", starts, gate)
	h.Write(gate, "")
	h.Add("slow", append([]string{"sh", "-c", script, "sh"}, mcptest.Command(t)...))
	h.Must("servers", "stop", "slow")
	if err := errors.Join(os.Remove(gate), os.Remove(starts)); err != nil {
		t.Fatal(err)
	}
	started := func(n int) {
		t.Helper()
		programtest.Eventually(t, "the server is starting", func() bool {
			lines, _ := os.ReadFile(starts)
			return strings.Count(string(lines), "x") >= n
		})
	}
	c := h.Attach()
	call := c.StartTool("slow__echo", `{"text":"waited"}`)
	started(1)
	typed := make(chan programtest.Outcome)
	go func() { typed <- h.Run("call", "slow__echo", "text=typed") }()
	programtest.Eventually(t, "both calls wait", func() bool { return strings.Contains(h.Must("status"), "2 clients connected") })
	h.Must("restart")
	started(2)
	h.Write(gate, "")
	if result := c.ToolResult(call); result.IsError || result.Text() != "waited" {
		t.Errorf("the agent got %+v", result)
	}
	if out := <-typed; out.Code != 0 || !strings.Contains(out.Stdout, "typed") {
		t.Errorf("call printed %+v", out)
	}
}

func TestCallsWaitForAHubThatIsStartedAfterAStop(t *testing.T) {
	t.Parallel()
	h := programtest.NewHome(t)
	h.Must("start")
	h.Add("fake", mcptest.Command(t))
	c := h.Attach()
	for range 3 {
		h.Must("stop")
		for range 5 { // often enough that the companion makes long pauses between its attempts to connect
			programtest.Contains(t, c.FailingTool("fake__echo", `{"text":"x"}`), "stopped by the user")
		}
		h.Must("start")
		if got := c.Tool("fake__echo", `{"text":"back"}`); got != "back" {
			t.Errorf("echo after the start returned %q", got)
		}
	}
}
