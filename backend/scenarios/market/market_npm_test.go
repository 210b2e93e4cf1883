//go:build unix

package market_test

import (
	"path/filepath"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// npmHome makes a home folder whose login shell uses npm with the settings of the person who runs the tests.
func npmHome(t *testing.T) {
	t.Helper()
	npm, env := hubtest.UserNPM(t)
	loginHome(t, filepath.Dir(npm), env)
}

func TestARealPackageIsInstalledFromTheUsersRegistry(t *testing.T) {
	npmHome(t)
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "warm_packages: false\nlimits: {start_timeout: 3m}\n")})
	const choice = `{"id":"npm:@modelcontextprotocol/server-memory","version":"2026.8.31"}`
	s.Play(
		hubtest.Step{
			Name: "details", Method: "GET", Path: "/api/market/details?id=npm:@modelcontextprotocol/server-memory",
			Status: 200, Want: []string{`"server":true`},
		},
		hubtest.Step{
			Name: "plan", Method: "POST", Path: "/api/market/plan", Body: choice, Status: 200, Keep: "hash",
			Want: []string{`"npx","-y","@modelcontextprotocol/server-memory@2026.8.31"`},
		},
		hubtest.Step{
			Name: "install", Method: "POST", Path: "/api/market/install", Body: `{"request":` + choice + `,"hash":"{hash}"}`, Status: 202,
			Person: true,
			Events: []string{`market.output npm http fetch GET 200`, `market.job "state":"done"`},
		},
		hubtest.Step{
			Name: "servers", Method: "GET", Path: "/api/servers", Status: 200, Want: []string{`"package_version":"2026.8.31"`},
			Keep: "0.id",
		},
		hubtest.Step{Name: "activate", Method: "POST", Path: "/api/servers/{0.id}/activate", Status: 200},
		hubtest.Step{
			Name: "call", Method: "POST", Path: "/api/servers/{0.id}/call", Body: `{"tool":"read_graph","args":{}}`, Status: 200,
			Want: []string{"entities"},
		},
		hubtest.Step{Name: "remove", Method: "DELETE", Path: "/api/servers/{0.id}", Status: 200},
	)
}

func TestARealPackageIsUpdatedAndRolledBack(t *testing.T) {
	npmHome(t)
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "warm_packages: false\nlimits: {start_timeout: 3m}\n")})
	const choice = `{"id":"npm:@modelcontextprotocol/server-memory","version":"2025.4.25"}`
	call := hubtest.Step{
		Name: "call", Method: "POST", Path: "/api/servers/{0.id}/call", Body: `{"tool":"read_graph","args":{}}`, Status: 200,
		Want: []string{"entities"},
	}
	s.Play(
		hubtest.Step{Name: "plan", Method: "POST", Path: "/api/market/plan", Body: choice, Status: 200, Keep: "hash"},
		hubtest.Step{
			Name: "install", Method: "POST", Path: "/api/market/install", Body: `{"request":` + choice + `,"hash":"{hash}"}`,
			Status: 202, Person: true,
			Events: []string{`market.job "state":"done"`},
		},
		hubtest.Step{Name: "servers", Method: "GET", Path: "/api/servers", Status: 200, Keep: "0.id"},
		hubtest.Step{Name: "activate", Method: "POST", Path: "/api/servers/{0.id}/activate", Status: 200},
		call,
		hubtest.Step{
			Name: "check", Method: "POST", Path: "/api/market/updates/check", Status: 200,
			Want: []string{`"version":"2025.4.25"`, `"updatable":true`},
		},
		hubtest.Step{
			Name: "compare", Method: "POST", Path: "/api/market/updates/server-memory/compare", Body: "{}", Status: 202, Person: true,
			Events: []string{`market.job "state":"done"`},
		},
		hubtest.Step{
			Name: "comparison", Method: "GET", Path: "/api/market/updates/server-memory", Status: 200, Keep: "hash",
			Want: []string{`"from":"2025.4.25"`, `"changed":[{"tool":`},
		},
		hubtest.Step{
			Name: "apply", Method: "POST", Path: "/api/market/updates/server-memory/apply", Body: `{"hash":"{hash}"}`, Status: 202,
			Person: true,
			Events: []string{`market.job "state":"done"`, `tools "change":"updated","previousHash":"`},
		},
		call,
		hubtest.Step{
			Name: "list", Method: "GET", Path: "/api/market/updates", Status: 200, Want: []string{`"updatable":false,"former":"2025.4.25"`},
		},
		hubtest.Step{
			Name: "roll back", Method: "POST", Path: "/api/market/updates/server-memory/rollback", Status: 202, Person: true,
			Events: []string{`market.job "state":"done"`, `tools "change":"updated"`},
		},
		call,
		hubtest.Step{
			Name: "history", Method: "GET", Path: "/api/discovery/history?server=server-memory&tool=read_graph",
			Status: 200, Want: []string{`"change":"updated"`, `"change":"added"`},
		},
		hubtest.Step{
			Name: "list after the rollback", Method: "GET", Path: "/api/market/updates", Status: 200,
			Want: []string{`"version":"2025.4.25"`},
		},
		hubtest.Step{Name: "remove", Method: "DELETE", Path: "/api/servers/{0.id}", Status: 200},
	)
}
