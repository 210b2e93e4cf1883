//go:build unix

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
	// Use the interpreter itself: a version manager's shim needs its own home folder.
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

func TestARealPythonServerIsUpdatedAndRolledBack(t *testing.T) {
	uvHome(t)
	s := hubtest.NewScenario(t, hub.Options{Folder: hubtest.NewDataFolder(t, "warm_packages: false\nlimits: {start_timeout: 3m}\n")})
	s.Live(hubtest.RealServer{
		ID: "pypi:mcp-server-time", Version: "2026.8.18", Name: "time",
		Tool: "convert_time", Args: `{"source_timezone":"UTC","time":"12:00","target_timezone":"Asia/Tokyo"}`, Want: []string{"21:00"},
	})
}
