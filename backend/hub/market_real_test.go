//go:build unix

package hub_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// realServer is a server of the marketplace, and what a test does with it.
type realServer struct {
	id, version string // an older version; empty for the listing's own
	name        string
	answers     string // JSON
	tool, args  string
	want        []string // in the result of the tool
	publish     func()   // publishes a newer version, which is there already if it is nil
}

// live installs a server, calls it, updates it, rolls it back and removes it.
func (s *scenario) live(c realServer) {
	s.t.Helper()
	choice := s.json(map[string]any{"id": c.id, "version": c.version, "name": c.name, "answers": json.RawMessage(orElse(c.answers, "{}"))})
	updates := "/api/market/updates/" + c.name
	call := step{name: "call", method: "POST", path: "/api/servers/{0.id}/call", body: `{"tool":"` + c.tool + `","args":` + orElse(c.args, "{}") + `}`, status: 200, want: c.want}
	list := step{name: "list", method: "GET", path: "/api/market/updates", status: 200, keep: "servers.0.version"}
	s.job("/api/market/prepare", choice)
	s.play(step{name: "plan", method: "POST", path: "/api/market/plan", body: choice, status: 200, keep: "hash"})
	s.job("/api/market/install", `{"request":`+choice+`,"hash":"{hash}"}`)
	s.play(
		step{name: "servers", method: "GET", path: "/api/servers?query=" + c.name, status: 200, keep: "0.id"},
		step{name: "activate", method: "POST", path: "/api/servers/{0.id}/activate", status: 200},
		call, list,
	)
	installed := s.value("servers.0.version")
	if c.publish != nil {
		c.publish()
		s.job("/api/market/sync", "")
	}
	s.play(step{name: "check", method: "POST", path: "/api/market/updates/check", status: 200, want: []string{`"updatable":true`}})
	s.job(updates+"/compare", "{}")
	s.play(step{name: "comparison", method: "GET", path: updates, status: 200, keep: "hash", want: []string{`"from":"` + installed + `"`}})
	s.job(updates+"/apply", `{"hash":"{hash}"}`)
	s.play(call, list)
	if now := s.value("servers.0.version"); now == installed {
		s.t.Errorf("the version is still %s after the update", now)
	}
	s.job(updates+"/rollback", "")
	s.play(call, list)
	if now := s.value("servers.0.version"); now != installed {
		s.t.Errorf("the version is %s after the rollback, want %s", now, installed)
	}
	s.play(
		step{name: "remove", method: "DELETE", path: "/api/servers/{0.id}", status: 200},
		step{name: "list after the removal", method: "GET", path: "/api/market/updates", status: 200, want: []string{`{"servers":[]}`}},
		step{name: "servers after the removal", method: "GET", path: "/api/servers", status: 200, want: []string{`[]`}},
		step{name: "call after the removal", method: "POST", path: "/api/servers/{0.id}/call", body: call.body, status: 404},
	)
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// value returns the value that a step kept last.
func (s *scenario) value(path string) string {
	return strings.NewReplacer(s.kept...).Replace("{" + path + "}")
}

// downloads is how long a job may take that downloads packages.
const downloads = 5 * time.Minute

// job starts a job as a person and waits until it has ended well.
func (s *scenario) job(path, body string) {
	s.t.Helper()
	mark := s.events.mark()
	s.step(step{name: path, method: "POST", path: path, body: body, status: http.StatusAccepted, person: true, keep: "id"})
	id := s.value("id")
	if !strings.HasPrefix(path, "/api/market/prepare") && id == "null" { // it has no job
		s.events.await(s.t, path, mark, "market.mirror", `"refreshed"`)
		return
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), downloads)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		_, answer := s.send("GET", "/api/market/jobs/"+id, "")
		if strings.Contains(answer, `"state":"done"`) {
			return
		}
		if !strings.Contains(answer, `"state":"running"`) || ctx.Err() != nil {
			_, lines := s.send("GET", "/api/market/jobs/"+id+"/lines", "")
			s.t.Fatalf("%s: %s\n%s", path, answer, lines)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// uvHome makes a home folder whose login shell has the uv of the tests, and uses it as the person who runs the tests does.
func uvHome(t *testing.T) {
	t.Helper()
	folder := mcptest.UV(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	// The folder of a version manager has programs that need its home folder.
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

// network returns the variables of proxies, certificate authorities and package indexes.
func network() map[string]string {
	env := make(map[string]string)
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		switch upper := strings.ToUpper(name); {
		case upper == "HTTP_PROXY", upper == "HTTPS_PROXY", upper == "NO_PROXY", upper == "ALL_PROXY", strings.HasPrefix(upper, "SSL_CERT_"),
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

// loginHome makes a home folder with a login shell that has folders on its PATH, and variables.
func loginHome(t *testing.T, folders string, env map[string]string) {
	t.Helper()
	setHome(t)
	profile := "PATH='" + folders + ":/usr/bin:/bin'\nexport PATH\n"
	for name, value := range env {
		profile += "export " + name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'\n"
	}
	writeFile(t, filepath.Join(os.Getenv("HOME"), ".profile"), profile)
}

func TestARealPythonServerIsUpdatedAndRolledBack(t *testing.T) {
	uvHome(t)
	s := newScenario(t, hub.Options{Folder: newDataFolder(t, "warm_packages: false\nlimits: {start_timeout: 3m}\n")})
	s.live(realServer{
		id: "pypi:mcp-server-time", version: "2026.8.18", name: "time",
		tool: "convert_time", args: `{"source_timezone":"UTC","time":"12:00","target_timezone":"Asia/Tokyo"}`, want: []string{"21:00"},
	})
}
