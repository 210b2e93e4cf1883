//go:build unix

package upstream_test

import (
	"strconv"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func TestAHelperInItsOwnSessionEndsWithItsServer(t *testing.T) {
	for name, end := range map[string]func(*bench, registry.Server){
		"stopped": func(b *bench, s registry.Server) { b.Stop(s.Name) },
		"crashed": func(b *bench, s registry.Server) {
			if _, err := b.call(s, "die", `{"text":"bye","code":3}`); err == nil {
				b.t.Error("the call of die succeeded")
			}
		},
		"hub ended": func(b *bench, _ registry.Server) { b.stop() },
		"paused": func(b *bench, _ registry.Server) {
			if err := b.Pause(); err != nil {
				b.t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := start(t, settings.Limits{})
			s := b.add("s")
			answer, err := b.call(s, "helper", `{}`)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(textOf(answer))
			if err != nil || process.StartOf(pid) == "" {
				t.Fatalf("the helper %s does not run: %v", answer, err)
			}
			b.await(upstream.StateChanged{Name: "s", Running: true})
			end(b, s)
			b.await(upstream.StateChanged{Name: "s"})
			if process.StartOf(pid) != "" {
				t.Error("the helper outlived its server")
			}
			if name != "stopped" && name != "crashed" {
				return
			}
			if _, err := b.call(s, "echo", `{"text":"again"}`); err != nil {
				t.Errorf("the next call failed: %v", err)
			}
		})
	}
}

// textOf returns the text of the first content block of a tool's result.
func textOf(answer []byte) string {
	for block := range jsonrpc.Items(jsonrpc.Get(answer, "content")) {
		return jsonrpc.GetString(block, "text")
	}
	return ""
}
