//go:build market && linux

package market_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// uvHome makes a home folder whose login shell has the uv of the tests, with the uv settings of the person who runs
// the tests.
func uvHome(t *testing.T) {
	t.Helper()
	folder := mcptest.UV(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	// Use the Python interpreter itself, because the shim of a version manager needs its original home folder.
	if real, err := exec.Command(python, "-c", "import sys; print(sys.executable)").Output(); err == nil {
		python = strings.TrimSpace(string(real))
	}
	env := network()
	config, err := os.UserConfigDir()
	if err != nil {
		t.Skip(err)
	}
	for variable, file := range map[string]string{"PIP_CONFIG_FILE": "pip/pip.conf", "UV_CONFIG_FILE": "uv/uv.toml"} {
		if file = filepath.Join(config, filepath.FromSlash(file)); env[variable] == "" && exists(file) {
			env[variable] = file
		}
	}
	env["UV_CACHE_DIR"], env["UV_PYTHON_DOWNLOADS"] = t.TempDir(), "never"
	probe := exec.CommandContext(t.Context(), filepath.Join(folder, "uvx"), "--from", "idna==3.10", "python", "-c", "")
	probe.Env = append(os.Environ(), "UV_HTTP_TIMEOUT=20")
	for name, value := range env {
		probe.Env = append(probe.Env, name+"="+value)
	}
	if out, err := probe.CombinedOutput(); err != nil {
		t.Logf("%s", out)
		t.Skip("the package index cannot be reached")
	}
	loginHome(t, folder+":"+filepath.Dir(python), env)
}

// network returns the variables of this process for proxies, certificate authorities and package indexes.
func network() map[string]string {
	env := make(map[string]string)
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		switch upper := strings.ToUpper(name); {
		case upper == "HTTP_PROXY", upper == "HTTPS_PROXY", upper == "NO_PROXY", upper == "ALL_PROXY",
			strings.HasPrefix(upper, "SSL_CERT_"),
			strings.HasPrefix(upper, "PIP_"), strings.HasPrefix(upper, "UV_"):
			env[name] = value
		}
	}
	return env
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func TestARealPythonServerIsUpdatedAndRolledBack(t *testing.T) {
	uvHome(t)
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "warm_packages: false\nlimits: {start_timeout: 3m}\n")})
	s.Live(hubtest.RealServer{
		ID: "pypi:mcp-server-time", Version: "2026.8.18", Name: "time",
		Tool: "convert_time", Args: `{"source_timezone":"UTC","time":"12:00","target_timezone":"Asia/Tokyo"}`, Want: []string{"21:00"},
	})
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
