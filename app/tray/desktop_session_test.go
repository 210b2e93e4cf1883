//go:build desktop && linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/agent-discover/agent-discover/app/desktoptest"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/testing/keyringtest"
)

// deadline limits each wait for a program. Only a failing test waits that long.
const deadline = 3 * time.Minute

// session is a desktop session with a display, a session bus and a home folder for one test.
type session struct {
	t       *testing.T
	bus     *keyringtest.Session
	display string
	folder  paths.Folder
	home    string
}

func newSession(t *testing.T) *session {
	t.Helper()
	s := &session{t: t, bus: keyringtest.Start(t), display: desktoptest.Display(t), home: t.TempDir()}
	s.folder = paths.Folder(filepath.Join(s.home, "data"))
	for _, name := range []string{"agent-discover", "agent-discover-tray"} {
		if _, err := os.Stat(binary(t, name)); err != nil {
			t.Fatalf("%v (make build tray builds it)", err)
		}
	}
	t.Cleanup(s.endHub)
	return s
}

// binary returns the path of a program in the folder bin.
func binary(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../bin", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// endHub stops the hub that the test has left running.
func (s *session) endHub() {
	_ = instance.SetStopped(s.folder, true) // so that no other program starts the hub again
	info, err := instance.Read(s.folder)
	if err != nil {
		return
	}
	_ = syscall.Kill(info.PID, syscall.SIGTERM) // an error means that the hub is already ending
	s.until("the hub is gone", func() bool { return !info.Alive() })
}

// env returns the environment for a program in the session.
func (s *session) env() []string {
	return append(s.bus.Env(), "DISPLAY="+s.display, "HOME="+s.home, "PATH="+os.Getenv("PATH"), "LANG=C.UTF-8", "NO_AT_BRIDGE=1",
		"GDK_BACKEND=x11", "AGENT_DISCOVER_HOME="+string(s.folder), "AGENT_DISCOVER_PORT=0", "TMPDIR="+s.home)
}

// program is a process that a test has started.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout output
	stderr output
	ended  chan struct{}
}

// output collects what a program writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (s *session) start(name string, env []string, args ...string) *program {
	s.t.Helper()
	p := &program{t: s.t, cmd: exec.Command(name, args...), ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = env, &p.stdout, &p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the exit code is in ProcessState
		close(p.ended)
	}()
	s.t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // an error means that the program has already ended
		<-p.ended
		if s.t.Failed() {
			s.t.Logf("output of %s: %s%s", filepath.Base(name), p.stdout.String(), p.stderr.String())
		}
	})
	return p
}

func (s *session) tray(args ...string) *program {
	s.t.Helper()
	return s.start(binary(s.t, "agent-discover-tray"), s.env(), args...)
}

// code waits for the program to end and returns its exit code.
func (p *program) code() int {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(deadline):
		p.t.Fatalf("%s does not end", p.cmd.Path)
		return 0
	}
}

// until waits until reached returns true. It polls, because no event reports that.
func (s *session) until(what string, reached func() bool) {
	s.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(deadline)
	for !reached() {
		select {
		case <-tick.C:
		case <-late:
			s.t.Fatalf("timed out waiting until %s", what)
		}
	}
}

// hub waits for a running hub whose process id differs from before, and returns it.
func (s *session) hub(before int) (info instance.Info) {
	s.t.Helper()
	s.until("a hub runs", func() bool {
		var err error
		info, err = instance.Read(s.folder)
		return err == nil && info.PID != before
	})
	return info
}

// rest sends a request to the hub's REST API.
func (s *session) rest(method, path string, body, out any) {
	s.t.Helper()
	if err := instance.NewClient(s.hub(0)).Do(s.t.Context(), method, path, body, out); err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
}

// add registers real MCP servers with the given names.
func (s *session) add(names ...string) {
	s.t.Helper()
	script, err := filepath.Abs("../../build/servers/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		s.t.Skip("server-everything is not installed: build/setup.sh test installs it")
	}
	for _, name := range names {
		s.rest(http.MethodPost, "/api/servers",
			map[string]any{"name": name, "command": "node", "args": []string{script, "stdio"}, "start": false}, nil)
	}
}

// running returns the names of the running servers according to the REST API.
func (s *session) running() string {
	var servers []server
	s.rest(http.MethodGet, "/api/servers", nil, &servers)
	var names []string
	for _, v := range servers {
		if v.Running {
			names = append(names, v.Name)
		}
	}
	return strings.Join(names, " ")
}

// conversation is the connection of an editor to its companion.
type conversation struct {
	t     *testing.T
	in    io.Writer
	lines *bufio.Scanner
}

// editor starts a companion as an editor does.
func (s *session) editor() *conversation {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary(s.t, "agent-discover"), "mcp")
	cmd.Env = s.env()
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // reports that the program was killed
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return &conversation{s.t, in, lines}
}

// ask sends a JSON-RPC request and returns the answer.
func (c *conversation) ask(request string) map[string]any {
	c.t.Helper()
	var sent map[string]any
	if err := json.Unmarshal([]byte(request), &sent); err != nil {
		c.t.Fatal(err)
	}
	if _, err := io.WriteString(c.in, request+"\n"); err != nil {
		c.t.Fatal(err)
	}
	for c.lines.Scan() {
		var answer map[string]any
		if err := json.Unmarshal(c.lines.Bytes(), &answer); err != nil {
			c.t.Fatal(err)
		}
		if answer["id"] == sent["id"] {
			return answer
		}
	}
	c.t.Fatalf("the companion ended: %v", c.lines.Err())
	return nil
}
