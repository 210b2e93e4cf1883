//go:build unix

package upstream_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/testing/freeze"
)

// timeOut makes a call that gets no answer in time.
func (b *bench) timeOut(s registry.Server, tool string) {
	b.t.Helper()
	_, err := b.Call(b.t.Context(), s, "", nil, jsonrpc.Call{
		Method: "tools/call", Params: json.RawMessage(`{"name":"` + tool + `","arguments":{"key":"k"}}`), Idle: 50 * time.Millisecond,
	})
	if fault.KindOf(err) != fault.Timeout {
		b.t.Errorf("got %v", err)
	}
}

// echoes calls a tool until a call succeeds. On a loaded machine the ping after a
// timeout may take long, and calls fail meanwhile.
func (b *bench) echoes(s registry.Server) {
	b.t.Helper()
	for {
		_, err := b.call(s, "echo", `{"text":"x"}`)
		if err == nil {
			return
		}
		if !strings.Contains(fault.MessageOf(err), "now a ping gets none") {
			b.t.Fatal(err)
		}
	}
}

func TestAServerThatHangsIsRestartedAfterATimeout(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	if err := b.Start(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	b.await(upstream.StateChanged{Name: "s", Running: true})
	hung := b.State("s").PID
	freeze.Process(t, hung)
	b.timeOut(s, "echo")
	b.await(upstream.StateChanged{Name: "s"})
	if last := b.health("s").LastError; !strings.Contains(last, `server "s" answered neither a call nor a ping`) {
		t.Errorf("the last error is %q", last)
	}
	if _, err := b.call(s, "echo", `{"text":"x"}`); err != nil || b.State("s").PID == hung {
		t.Errorf("after the restart: %v", err)
	}
}

func TestAServerThatAnswersAPingIsNotRestarted(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	if err := b.Start(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	before := b.State("s").PID
	b.timeOut(s, "hold")
	for range 5 {
		b.echoes(s)
	}
	if after := b.State("s").PID; before == 0 || after != before {
		t.Errorf("the process was %d and is %d", before, after)
	}
}

func TestCrashesAfterGoodCallsDoNotDelayTheNextStart(t *testing.T) {
	b := start(t, settings.Limits{})
	s := b.add("s")
	for range 4 {
		if _, err := b.call(s, "echo", `{"text":"x"}`); err != nil {
			t.Fatal(err)
		}
		b.await(upstream.StateChanged{Name: "s", Running: true})
		if _, err := b.call(s, "die", `{"text":"bye","code":3}`); err == nil {
			t.Error("the call of die succeeded")
		}
		b.await(upstream.StateChanged{Name: "s"})
	}
}
