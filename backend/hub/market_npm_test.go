//go:build unix

package hub_test

import (
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
)

// npmHome makes a home folder whose login shell uses npm as the person who runs the tests does.
func npmHome(t *testing.T) {
	t.Helper()
	npm, env := userNPM(t)
	loginHome(t, filepath.Dir(npm), env)
}

func TestARealPackageIsInstalledFromTheUsersRegistry(t *testing.T) {
	npmHome(t)
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "warm_packages: false\nlimits: {start_timeout: 3m}\n")})
	const choice = `{"id":"npm:@modelcontextprotocol/server-memory","version":"2026.8.31"}`
	s.play(
		step{name: "details", method: "GET", path: "/api/market/details?id=npm:@modelcontextprotocol/server-memory", status: 200, want: []string{`"server":true`}},
		step{
			name: "plan", method: "POST", path: "/api/market/plan", body: choice, status: 200, keep: "hash",
			want: []string{`"npx","-y","@modelcontextprotocol/server-memory@2026.8.31"`},
		},
		step{
			name: "install", method: "POST", path: "/api/market/install", body: `{"request":` + choice + `,"hash":"{hash}"}`, status: 202, person: true,
			events: []string{`market.output npm http fetch GET 200`, `market.job "state":"done"`},
		},
		step{name: "servers", method: "GET", path: "/api/servers", status: 200, want: []string{`"package_version":"2026.8.31"`}, keep: "0.id"},
		step{name: "activate", method: "POST", path: "/api/servers/{0.id}/activate", status: 200},
		step{name: "call", method: "POST", path: "/api/servers/{0.id}/call", body: `{"tool":"read_graph","args":{}}`, status: 200, want: []string{"entities"}},
		step{name: "remove", method: "DELETE", path: "/api/servers/{0.id}", status: 200},
	)
}

func TestARealPackageIsUpdatedAndRolledBack(t *testing.T) {
	npmHome(t)
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "warm_packages: false\nlimits: {start_timeout: 3m}\n")})
	const choice = `{"id":"npm:@modelcontextprotocol/server-memory","version":"2025.4.25"}`
	call := step{name: "call", method: "POST", path: "/api/servers/{0.id}/call", body: `{"tool":"read_graph","args":{}}`, status: 200, want: []string{"entities"}}
	s.play(
		step{name: "plan", method: "POST", path: "/api/market/plan", body: choice, status: 200, keep: "hash"},
		step{
			name: "install", method: "POST", path: "/api/market/install", body: `{"request":` + choice + `,"hash":"{hash}"}`, status: 202, person: true,
			events: []string{`market.job "state":"done"`},
		},
		step{name: "servers", method: "GET", path: "/api/servers", status: 200, keep: "0.id"},
		step{name: "activate", method: "POST", path: "/api/servers/{0.id}/activate", status: 200},
		call,
		step{name: "check", method: "POST", path: "/api/market/updates/check", status: 200, want: []string{`"version":"2025.4.25"`, `"updatable":true`}},
		step{
			name: "compare", method: "POST", path: "/api/market/updates/server-memory/compare", body: "{}", status: 202, person: true,
			events: []string{`market.job "state":"done"`},
		},
		step{name: "comparison", method: "GET", path: "/api/market/updates/server-memory", status: 200, keep: "hash", want: []string{`"from":"2025.4.25"`, `"changed":[{"tool":`}},
		step{
			name: "apply", method: "POST", path: "/api/market/updates/server-memory/apply", body: `{"hash":"{hash}"}`, status: 202, person: true,
			events: []string{`market.job "state":"done"`, `tools "change":"updated","previousHash":"`},
		},
		call,
		step{name: "list", method: "GET", path: "/api/market/updates", status: 200, want: []string{`"updatable":false,"former":"2025.4.25"`}},
		step{name: "roll back", method: "POST", path: "/api/market/updates/server-memory/rollback", status: 202, person: true, events: []string{`market.job "state":"done"`, `tools "change":"updated"`}},
		call,
		step{name: "history", method: "GET", path: "/api/discovery/history?server=server-memory&tool=read_graph", status: 200, want: []string{`"change":"updated"`, `"change":"added"`}},
		step{name: "list after the rollback", method: "GET", path: "/api/market/updates", status: 200, want: []string{`"version":"2025.4.25"`}},
		step{name: "remove", method: "DELETE", path: "/api/servers/{0.id}", status: 200},
	)
}
