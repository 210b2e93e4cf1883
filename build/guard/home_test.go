//go:build guard && linux

package guard

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// settings give a server the time to be downloaded at its first start.
const settings = "limits:\n  start_timeout: 5m\nsearch:\n  provider: none\n"

// name is the name of each server in its hub.
const name = "server"

// home is a home folder with a hub and one server, which has not been started.
type home struct {
	*programtest.Home
	server server
	id     int64
	person *instance.Client // sends what a person does in the dashboard
}

func newHome(t *testing.T, s server) *home {
	t.Helper()
	h := &home{server: s, Home: &programtest.Home{T: t, Dir: newFolder(t), Program: programtest.Current(t)}}
	h.Folder = paths.Folder(filepath.Join(h.Dir, "data"))
	path := strings.Join([]string{filepath.Dir(mcptest.Node(t)), mcptest.UV(t), os.Getenv("PATH")}, ":")
	h.Env = []string{
		"HOME=" + h.Dir, "SHELL=/bin/sh", "PATH=" + path, "LANG=C.UTF-8", "AGENT_DISCOVER_HOME=" + string(h.Folder),
		"AGENT_DISCOVER_PORT=0", "AGENT_DISCOVER_REGISTRY_URL=off", "AGENT_DISCOVER_KEYCHAIN=off",
	}
	for _, variable := range os.Environ() { // those that programs need to reach the package registries
		if name, value, _ := strings.Cut(variable, "="); process.NetworkVariable(name) {
			h.Set(name, value)
		}
	}
	h.Write(filepath.Join(h.Dir, ".profile"), "export PATH='"+path+"'\n") // the hub asks the login shell for its PATH
	if s.folder != "" {
		if err := os.Mkdir(filepath.Join(h.Dir, s.folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if s.git {
		if out, err := exec.Command("git", "init", "--quiet", filepath.Join(h.Dir, s.folder)).CombinedOutput(); err != nil {
			t.Fatalf("git init: %v: %s", err, out)
		}
	}
	h.Settings(settings)
	t.Cleanup(h.Close)
	person, end, err := instance.NewClient(h.Serve().Info).Person(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	h.person = person
	h.add()
	return h
}

// newFolder creates a folder in the cache folder of the user. It is not in the folder for temporary files, of which
// confined servers have their own, and its name has no capitals, which some servers change.
func newFolder(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err == nil {
		err = os.MkdirAll(cache, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(cache, "agent-discover-guard-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// add adds the server without starting it.
func (h *home) add() {
	h.T.Helper()
	args := append(slices.Clone(h.server.options), h.server.pack)
	if h.server.program != "" {
		args = append(slices.Clone(h.server.options), "--from", h.server.pack, h.server.program)
	}
	for _, arg := range h.server.args {
		args = append(args, h.path(arg))
	}
	env := make(map[string]string)
	for name, value := range h.server.env {
		env[name] = h.path(value)
	}
	body := map[string]any{"name": name, "command": h.server.run, "args": args, "env": env, "start": false, "warm": false}
	var added struct{ ID int64 }
	if err := h.person.Do(h.T.Context(), http.MethodPost, "/api/servers", body, &added); err != nil {
		h.T.Fatalf("add: %v", err)
	}
	h.id = added.ID
}

// path replaces ~ at the beginning of a text by the home folder.
func (h *home) path(text string) string {
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		return filepath.Join(h.Dir, rest)
	}
	return text
}

// do sends a request for the server.
func (h *home) do(method, path string, body, out any) error {
	return h.person.Do(h.T.Context(), method, fmt.Sprintf("/api/servers/%d%s", h.id, path), body, out)
}

// work is how a server works at one level.
type work struct {
	tools  int
	answer string        // to its call
	took   time.Duration // to start
}

// work starts the server twice and makes its call each time. It returns the work after the second start.
func (h *home) work() (w work, err error) {
	h.T.Helper()
	for range 2 {
		began := time.Now()
		if err := h.do(http.MethodPost, "/start", nil, nil); err != nil {
			return w, err
		}
		w.took = time.Since(began)
		if w.answer, err = h.makeCall(); err != nil {
			return w, err
		}
		if err := h.do(http.MethodPost, "/stop", nil, nil); err != nil {
			return w, err
		}
	}
	state := h.state()
	w.tools = state.Tools + state.Held
	return w, nil
}

func (h *home) makeCall() (answer string, err error) {
	h.T.Helper()
	c := h.server.call
	if c.tool == "" {
		return "", nil
	}
	file := filepath.Join(h.Dir, c.writes)
	if c.writes != "" {
		_ = os.Remove(file) // missing before the first call
	}
	arguments := strings.ReplaceAll(c.arguments, "~/", h.Dir+"/")
	out := h.Run("call", name+"__"+c.tool, "--args", arguments)
	if out.Code != 0 {
		return "", fmt.Errorf("call %s: exit code %d: %s%s", c.tool, out.Code, out.Stdout, out.Stderr)
	}
	if _, err := os.Stat(file); err != nil {
		return "", fmt.Errorf("call %s: it did not write ~/%s", c.tool, c.writes)
	}
	return strings.TrimSpace(out.Stdout), nil
}

// state is what the hub knows about a server.
type state struct {
	Tools   int `json:"tool_count"`
	Held    int `json:"items_held"` // tools that a person has to approve
	Sandbox struct {
		Enforced string
		Notes    []string
		Denied   []struct{ Access, Target, Grant string }
	}
}

func (h *home) state() (s state) {
	h.T.Helper()
	if err := h.do(http.MethodGet, "", nil, &s); err != nil {
		h.T.Fatal(err)
	}
	return s
}
