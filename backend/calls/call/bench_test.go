package call_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/store"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

// BenchmarkPermit measures how long it takes to decide whether a call may be made, with 1,000 tools, both without
// and with rules.
func BenchmarkPermit(b *testing.B) {
	db, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "discover.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	bus := new(events.Bus)
	servers, err := registry.Open(b.Context(), db.Servers, bus)
	if err != nil {
		b.Fatal(err)
	}
	listed := make(map[string][]json.RawMessage)
	for s := range 20 {
		name := fmt.Sprintf("server%d", s)
		if _, err := servers.Add(b.Context(), registry.Server{Name: name, Command: "run", Approved: true}); err != nil {
			b.Fatal(err)
		}
		for t := range 50 {
			listed[name] = append(listed[name], json.RawMessage(fmt.Sprintf(`{"name":"get_thing_%d"}`, t)))
		}
	}
	for what, section := range map[string]string{"plain": "", "rules": `discovery:
  tool_rules: [{pattern: ["*delete*", "!*draft*"], enabled: false}, {pattern: '/^(get|list)_/', enabled: true}]
  clients: [{client: cursor, deny: ["*admin*"]}]
  approval: {destructive: true}
`} {
		file := filepath.Join(b.TempDir(), "config.yaml")
		if err := os.WriteFile(file, []byte(section), 0o600); err != nil {
			b.Fatal(err)
		}
		config, err := settings.Load(file)
		if err != nil {
			b.Fatal(err)
		}
		var current rules.Current
		current.Set(rules.New(rules.Options{Discovery: config.Discovery}))
		p := call.New(call.Options{
			Registry: servers, Catalog: catalogtest.Open(b, bus, listed), Rules: &current, Bus: bus, Log: slog.New(slog.DiscardHandler),
		})
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				if err := p.Permit(b.Context(), call.Request{LimitedAs: "cursor", Server: "server7", Tool: "get_thing_33"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
