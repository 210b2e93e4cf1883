//go:build linux

package programtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// Home is a home folder with a data folder, and the processes that were started with it.
// The test fails if one of these processes still runs when the test ends.
type Home struct {
	T       *testing.T
	Dir     string       // the home folder
	Folder  paths.Folder // the data folder
	Program string       // path of the build that commands run
	Env     []string     // environment of commands
}

// NewHome creates a home in a temporary folder and closes it when the test ends.
func NewHome(t *testing.T) *Home {
	t.Helper()
	dir := t.TempDir()
	h := &Home{T: t, Dir: dir, Folder: paths.Folder(filepath.Join(dir, "data")), Program: Current(t)}
	h.Env = []string{
		"HOME=" + dir, "SHELL=/bin/sh", "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"AGENT_DISCOVER_HOME=" + string(h.Folder), "AGENT_DISCOVER_PORT=0",
		"AGENT_DISCOVER_REGISTRY_URL=off", // tests do not reach the internet
	}
	if Coverage != "" {
		h.Env = append(h.Env, "GOCOVERDIR="+Coverage)
	}
	if Race {
		dir, err := folder()
		if err != nil {
			t.Fatal(err)
		}
		h.Env = append(h.Env, "GORACE=log_path="+races(dir))
	}
	t.Cleanup(h.Close)
	return h
}

// Close stops the hubs of this home and fails the test if a process is left.
func (h *Home) Close() {
	if h.T.Failed() {
		if log, err := os.ReadFile(h.Folder.Log()); err == nil {
			h.T.Logf("hub.log:\n%s", log)
		}
	}
	end := time.Now().Add(deadline)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	signalled := make(map[int]bool)
	for len(h.Processes("")) > 0 && time.Now().Before(end) {
		// Look for hubs each time: a companion that has just ended may have started one.
		for _, pid := range h.Processes(" serve") {
			if !signalled[pid] {
				signalled[pid] = true
				_ = syscall.Kill(pid, syscall.SIGTERM)
			}
		}
		<-tick.C
	}
	for _, pid := range h.Processes("") {
		h.T.Errorf("process %d is left at the end of the test: %s", pid, CommandLine(pid))
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// Settings writes config.yaml.
func (h *Home) Settings(yaml string) {
	h.T.Helper()
	if err := h.Folder.Create(); err != nil {
		h.T.Fatal(err)
	}
	if strings.Contains(yaml, "registry_url") { // the test has its own registry
		h.Env = slices.DeleteFunc(h.Env, func(kv string) bool { return strings.HasPrefix(kv, "AGENT_DISCOVER_REGISTRY_URL=") })
	}
	h.Write(h.Folder.Config(), yaml)
}

// Write writes a file.
func (h *Home) Write(file, text string) {
	h.T.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		h.T.Fatal(err)
	}
}

// Set sets a variable in the environment of later commands.
func (h *Home) Set(name, value string) {
	h.Without(name)
	h.Env = append(h.Env, name+"="+value)
}

// Without removes a variable from the environment of later commands.
func (h *Home) Without(name string) {
	var env []string
	for _, kv := range h.Env {
		if !strings.HasPrefix(kv, name+"=") {
			env = append(env, kv)
		}
	}
	h.Env = env
}

// Command returns a command of Program with the environment of this home.
func (h *Home) Command(args ...string) *exec.Cmd {
	cmd := exec.Command(h.Program, args...)
	cmd.Env, cmd.Dir = h.Env, h.Dir
	return cmd
}

// Outcome is the exit code and the output of a command.
type Outcome struct {
	Code           int
	Stdout, Stderr string
}

// Run runs a command and waits for its end.
func (h *Home) Run(args ...string) Outcome {
	h.T.Helper()
	cmd := h.Command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		h.T.Fatalf("run %v: %v", args, err)
	}
	return Outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// Must runs a command that must succeed and returns its standard output.
func (h *Home) Must(args ...string) string {
	h.T.Helper()
	out := h.Run(args...)
	if out.Code != 0 {
		h.T.Fatalf("%v: exit %d\n%s%s", args, out.Code, out.Stdout, out.Stderr)
	}
	return out.Stdout
}

// MustJSON runs a command that must succeed and decodes its output.
func (h *Home) MustJSON(answer any, args ...string) {
	h.T.Helper()
	if text := h.Must(args...); json.Unmarshal([]byte(text), answer) != nil {
		h.T.Fatalf("%v printed invalid JSON:\n%s", args, text)
	}
}

// RunWithInput runs a command with a text on its standard input.
func (h *Home) RunWithInput(text string, args ...string) Outcome {
	h.T.Helper()
	cmd := h.Command(args...)
	cmd.Stdin = strings.NewReader(text)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit code is read from ProcessState
	return Outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// Add adds a server with the command servers add. The command also lists the tools of
// the server, unless flags say otherwise.
func (h *Home) Add(name string, command []string, flags ...string) {
	h.T.Helper()
	args := append(append([]string{"servers", "add", name}, flags...), "--")
	h.Must(append(args, command...)...)
}

// SetSecret stores a secret of a server with the command secrets set.
func (h *Home) SetSecret(server, name, value string) {
	h.T.Helper()
	if out := h.RunWithInput(value, "secrets", "set", server, name); out.Code != 0 {
		h.T.Fatalf("secrets set: exit %d\n%s%s", out.Code, out.Stdout, out.Stderr)
	}
}

// AwaitIndexed waits until the semantic index contains all tools. Until then a query may have different results
// each time.
func (h *Home) AwaitIndexed() {
	h.T.Helper()
	client := instance.NewClient(h.RunningHub())
	Eventually(h.T, "all tools are indexed", func() bool {
		var status struct {
			Tools, Ready int
			Working      bool
		}
		err := client.Do(h.T.Context(), http.MethodGet, "/api/search/status", nil, &status)
		return err == nil && !status.Working && status.Ready == status.Tools
	})
}

// serverView is the output of servers show --json.
type serverView struct {
	PID       int    `json:"pid"`
	Running   bool   `json:"running"`
	Active    bool   `json:"active"`
	ToolCount int    `json:"tool_count"`
	Stderr    string `json:"stderr"`
	LastError string `json:"last_error"`
	Health    string `json:"health_status"`
	Keep      bool   `json:"keep_running"`
	Tools     []struct {
		Name        string          `json:"name"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
}

// Server returns the state of a server.
func (h *Home) Server(server string) serverView {
	h.T.Helper()
	var v serverView
	if err := json.Unmarshal([]byte(h.Must("servers", "show", server, "--json")), &v); err != nil {
		h.T.Fatal(err)
	}
	return v
}
