//go:build unix

package market_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
)

// loginHome makes a home folder with a login shell that sets a PATH, which begins with folders, and the variables
// in env.
func loginHome(t *testing.T, folders string, env map[string]string) {
	t.Helper()
	hubtest.SetHome(t)
	profile := "PATH='" + folders + ":/usr/bin:/bin'\nexport PATH\n"
	for name, value := range env {
		profile += "export " + name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'\n"
	}
	hubtest.WriteFile(t, filepath.Join(os.Getenv("HOME"), ".profile"), profile)
}

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
			Name: "download", Method: "POST", Path: "/api/market/download", Body: choice, Status: 200,
			Want: []string{
				`"status":"found"`, "@modelcontextprotocol/server-memory 2026.8.31 was published on 2026-", "more packages are needed.",
			},
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
