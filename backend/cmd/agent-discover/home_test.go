//go:build linux

package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
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
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	if err := await(func() (bool, error) { return holds(), nil }); err != nil {
		t.Fatalf("it never came to this: %s", what)
	}
}

var errLate = errors.New("it took too long")

// await asks until the answer is yes or an error.
func await(holds func() (bool, error)) error {
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
type home struct {
	t       *testing.T
	dir     string
	folder  paths.Folder
	program string // which build its commands are
	env     []string
}

func newHome(t *testing.T) *home {
	t.Helper()
	dir := t.TempDir()
	h := &home{t: t, dir: dir, folder: paths.Folder(filepath.Join(dir, "data")), program: programs.current}
	h.env = []string{
		"HOME=" + dir, "SHELL=/bin/sh", "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"AGENT_DISCOVER_HOME=" + string(h.folder), "AGENT_DISCOVER_PORT=0",
	}
	if coverage != "" {
		h.env = append(h.env, "GOCOVERDIR="+coverage)
	}
	if raced {
		h.env = append(h.env, "GORACE=log_path="+programs.races)
	}
	t.Cleanup(h.leave)
	return h
}

// leave stops the hub and sees that nothing of this home lives on.
func (h *home) leave() {
	if h.t.Failed() {
		if log, err := os.ReadFile(h.folder.Log()); err == nil {
			h.t.Logf("hub.log:\n%s", log)
		}
	}
	end := time.Now().Add(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	asked := make(map[int]bool)
	for len(h.processes("")) > 0 && time.Now().Before(end) {
		// A companion that has just ended may have a hub on its way still.
		for _, pid := range h.processes(" serve") {
			if !asked[pid] {
				asked[pid] = true
				_ = syscall.Kill(pid, syscall.SIGTERM)
			}
		}
		<-tick.C
	}
	for _, pid := range h.processes("") {
		h.t.Errorf("still running at the end: %d %s", pid, commandLine(pid))
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// settings writes config.yaml.
func (h *home) settings(yaml string) {
	h.t.Helper()
	if err := h.folder.Create(); err != nil {
		h.t.Fatal(err)
	}
	h.write(h.folder.Config(), yaml)
}

func (h *home) write(file, text string) {
	h.t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// command is one of ours with this home's environment.
func (h *home) command(args ...string) *exec.Cmd {
	cmd := exec.Command(h.program, args...)
	cmd.Env, cmd.Dir = h.env, h.dir
	return cmd
}

// outcome is how a command ended.
type outcome struct {
	code           int
	stdout, stderr string
}

// run runs a command to its end.
func (h *home) run(args ...string) outcome {
	h.t.Helper()
	cmd := h.command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		h.t.Fatalf("run %v: %v", args, err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// must runs a command that has to succeed and returns its output.
func (h *home) must(args ...string) string {
	h.t.Helper()
	out := h.run(args...)
	if out.code != 0 {
		h.t.Fatalf("%v: exit %d\n%s%s", args, out.code, out.stdout, out.stderr)
	}
	return out.stdout
}

// add configures a server and lists its tools.
func (h *home) add(name string, command []string, flags ...string) {
	h.t.Helper()
	args := append(append([]string{"servers", "add", name}, flags...), "--")
	h.must(append(args, command...)...)
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

func (h *home) show(server string) serverView {
	h.t.Helper()
	var v serverView
	if err := json.Unmarshal([]byte(h.must("servers", "show", server, "--json")), &v); err != nil {
		h.t.Fatal(err)
	}
	return v
}

// hub is a hub that a test started itself.
type hub struct {
	instance.Info
	t      *testing.T
	cmd    *exec.Cmd
	stderr *transcript
	ended  chan struct{}
}

// serve starts a hub and returns when it is ready.
func (h *home) serve() *hub {
	h.t.Helper()
	s := h.startServing("serve")
	eventually(h.t, "the hub is ready", func() bool {
		select {
		case <-s.ended:
			h.t.Fatalf("the hub ended at its start with %d:\n%s", s.cmd.ProcessState.ExitCode(), s.stderr)
		default:
		}
		info, err := instance.Read(h.folder)
		s.Info = info
		return err == nil && info.PID == s.cmd.Process.Pid
	})
	return s
}

// startServing starts a hub and waits for nothing.
func (h *home) startServing(args ...string) *hub {
	h.t.Helper()
	s := &hub{t: h.t, cmd: h.command(args...), stderr: &transcript{}, ended: make(chan struct{})}
	s.cmd.Stderr = s.stderr
	if err := s.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait() // its exit code is read from the state
	}()
	return s
}

// exit waits for the hub's end and returns its exit code.
func (s *hub) exit() int {
	s.t.Helper()
	select {
	case <-s.ended:
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(deadline):
		s.t.Fatalf("the hub does not end:\n%s", s.stderr)
		return -1
	}
}

// kill ends the hub without a chance to clear up.
func (s *hub) kill() {
	s.t.Helper()
	signal(s.t, s.cmd.Process.Pid, syscall.SIGKILL)
	s.exit()
}

func signal(t *testing.T, pid int, what syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, what); err != nil {
		t.Fatalf("signal %d to %d: %v", what, pid, err)
	}
}

// runningHub waits for a hub, whoever started it.
func (h *home) runningHub() instance.Info {
	h.t.Helper()
	var info instance.Info
	eventually(h.t, "a hub is running", func() (ok bool) {
		var err error
		info, err = instance.Read(h.folder)
		return err == nil
	})
	return info
}

// transcript collects output of a process while a test reads it.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

var _ io.Writer = (*transcript)(nil)

func (c *transcript) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(p)
}

func (c *transcript) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// contains fails the test when a text lacks one of the parts.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}
