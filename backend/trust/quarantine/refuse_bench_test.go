package quarantine_test

import (
	"encoding/json"
	"fmt"
	"testing"
)

// BenchmarkDecision measures what the check for held items costs each call: the decision
// about a tool of a server with 100 tools, of which one is held.
func BenchmarkDecision(b *testing.B) {
	keeper := newBench(b)
	keeper.add("one", "")
	tools := []json.RawMessage{tool("held", "evil")}
	for i := range 99 {
		tools = append(tools, tool(fmt.Sprintf("tool%d", i), "Looks"))
	}
	if _, err := keeper.keeper.Admit(b.Context(), "one", "tool", tools); err != nil {
		b.Fatal(err)
	}
	server := keeper.server("one")
	for _, name := range []string{"held", "tool7"} {
		params := json.RawMessage(`{"name":"` + name + `","arguments":{"text":"x"}}`)
		b.Run("RefuseTool/"+name, func(b *testing.B) {
			for b.Loop() {
				_ = keeper.keeper.RefuseTool(server, name) // only its duration matters
			}
		})
		b.Run("Refuse/"+name, func(b *testing.B) {
			for b.Loop() {
				_ = keeper.keeper.Refuse(server, "tools/call", params) // only its duration matters
			}
		})
	}
	b.Run("RefuseStart", func(b *testing.B) {
		for b.Loop() {
			_ = keeper.keeper.RefuseStart(server) // only its duration matters
		}
	})
}
