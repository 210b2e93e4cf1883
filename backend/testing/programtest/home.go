//go:build linux

package programtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// deadline is how long anything that must happen may take; it is only ever
// waited for when something is broken.
const deadline = 40 * time.Second

// eventually waits until a condition holds.
func Eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	if err := Await(func() (bool, error) { return holds(), nil }); err != nil {
		t.Fatalf("it never came to this: %s", what)
	}
}

var errLate = errors.New("it took too long")

// await asks until the answer is yes or an error.
func Await(holds func() (bool, error)) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(deadline)
	for {
		if ok, err := holds(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-late:
			return errLate
		}
	}
}

// home is one user's machine: a home folder, a data folder in it, and all that
// runs for them. Whatever still runs when the test is over is a failure.
type Home struct {
	T       *testing.T
	Dir     string
	Folder  paths.Folder
	Program string // which build its commands are
	Env     []string
}

func NewHome(t *testing.T) *Home {
	t.Helper()
	dir := t.TempDir()
	h := &Home{T: t, Dir: dir, Folder: paths.Folder(filepath.Join(dir, "data")), Program: Current(t)}
	h.Env = []string{
		"HOME=" + dir, "SHELL=/bin/sh", "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"AGENT_DISCOVER_HOME=" + string(h.Folder), "AGENT_DISCOVER_PORT=0",
	}
	if Coverage != "" {
		h.Env = append(h.Env, "GOCOVERDIR="+Coverage)
	}
	if Race {
		h.Env = append(h.Env, "GORACE=log_path="+races(filepath.Dir(filepath.Dir(h.Program))))
	}
	t.Cleanup(h.Close)
	return h
}

// leave stops the hub and sees that nothing of this home lives on.
func (h *Home) Close() {
	if h.T.Failed() {
		if log, err := os.ReadFile(h.Folder.Log()); err == nil {
			h.T.Logf("hub.log:\n%s", log)
		}
	}
	end := time.Now().Add(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	asked := make(map[int]bool)
	for len(h.Processes("")) > 0 && time.Now().Before(end) {
		// A companion that has just ended may have a hub on its way still.
		for _, pid := range h.Processes(" serve") {
			if !asked[pid] {
				asked[pid] = true
				_ = syscall.Kill(pid, syscall.SIGTERM)
			}
		}
		<-tick.C
	}
	for _, pid := range h.Processes("") {
		h.T.Errorf("still running at the end: %d %s", pid, CommandLine(pid))
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// settings writes config.yaml.
func (h *Home) Settings(yaml string) {
	h.T.Helper()
	if err := h.Folder.Create(); err != nil {
		h.T.Fatal(err)
	}
	h.Write(h.Folder.Config(), yaml)
}

func (h *Home) Write(file, text string) {
	h.T.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		h.T.Fatal(err)
	}
}

// command is one of ours with this home's environment.
func (h *Home) Command(args ...string) *exec.Cmd {
	cmd := exec.Command(h.Program, args...)
	cmd.Env, cmd.Dir = h.Env, h.Dir
	return cmd
}

// outcome is how a command ended.
type Outcome struct {
	Code           int
	Stdout, Stderr string
}

// run runs a command to its end.
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

// must runs a command that has to succeed and returns its output.
func (h *Home) Must(args ...string) string {
	h.T.Helper()
	out := h.Run(args...)
	if out.Code != 0 {
		h.T.Fatalf("%v: exit %d\n%s%s", args, out.Code, out.Stdout, out.Stderr)
	}
	return out.Stdout
}

// add configures a server and lists its tools.
func (h *Home) Add(name string, command []string, flags ...string) {
	h.T.Helper()
	args := append(append([]string{"servers", "add", name}, flags...), "--")
	h.Must(append(args, command...)...)
}

// AwaitIndexed waits until every known tool is found by its meaning too. Before
// that, the same query may have other results a moment later.
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

// serverView is what `servers show --json` tells.
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

func (h *Home) Server(server string) serverView {
	h.T.Helper()
	var v serverView
	if err := json.Unmarshal([]byte(h.Must("servers", "show", server, "--json")), &v); err != nil {
		h.T.Fatal(err)
	}
	return v
}

// hub is a hub that a test started itself.
type Hub struct {
	instance.Info
	t      *testing.T
	Cmd    *exec.Cmd
	Stderr *Output
	ended  chan struct{}
}

// serve starts a hub and returns when it is ready.
func (h *Home) Serve() *Hub {
	h.T.Helper()
	s := h.startServing("serve")
	Eventually(h.T, "the hub is ready", func() bool {
		select {
		case <-s.ended:
			h.T.Fatalf("the hub ended at its start with %d:\n%s", s.Cmd.ProcessState.ExitCode(), s.Stderr)
		default:
		}
		info, err := instance.Read(h.Folder)
		s.Info = info
		return err == nil && info.PID == s.Cmd.Process.Pid
	})
	return s
}

// startServing starts a hub and waits for nothing.
func (h *Home) startServing(args ...string) *Hub {
	h.T.Helper()
	s := &Hub{t: h.T, Cmd: h.Command(args...), Stderr: &Output{}, ended: make(chan struct{})}
	s.Cmd.Stderr = s.Stderr
	if err := s.Cmd.Start(); err != nil {
		h.T.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		_ = s.Cmd.Wait() // its exit code is read from the state
	}()
	return s
}

// exit waits for the hub's end and returns its exit code.
func (s *Hub) Exit() int {
	s.t.Helper()
	select {
	case <-s.ended:
		return s.Cmd.ProcessState.ExitCode()
	case <-time.After(deadline):
		s.t.Fatalf("the hub does not end:\n%s", s.Stderr)
		return -1
	}
}

// kill ends the hub without a chance to clear up.
func (s *Hub) Kill() {
	s.t.Helper()
	Signal(s.t, s.Cmd.Process.Pid, syscall.SIGKILL)
	s.Exit()
}

func Signal(t *testing.T, pid int, what syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, what); err != nil {
		t.Fatalf("signal %d to %d: %v", what, pid, err)
	}
}

// runningHub waits for a hub, whoever started it.
func (h *Home) RunningHub() instance.Info {
	h.T.Helper()
	var info instance.Info
	Eventually(h.T, "a hub is running", func() (ok bool) {
		var err error
		info, err = instance.Read(h.Folder)
		return err == nil
	})
	return info
}

// transcript collects output of a process while a test reads it.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

var _ io.Writer = (*Output)(nil)

func (c *Output) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(p)
}

func (c *Output) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// contains fails the test when a text lacks one of the parts.
func Contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}
