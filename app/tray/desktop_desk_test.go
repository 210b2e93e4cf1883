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

// deadline is how long a program may take; it is only ever waited for when
// something is broken.
const deadline = 60 * time.Second

// desk is a desktop session of a test.
type desk struct {
	t       *testing.T
	bus     *keyringtest.Session
	display string
	folder  paths.Folder
	home    string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, bus: keyringtest.Start(t), display: desktoptest.Display(t), home: t.TempDir()}
	d.folder = paths.Folder(filepath.Join(d.home, "data"))
	for _, name := range []string{"agent-discover", "agent-discover-tray"} {
		if _, err := os.Stat(binary(t, name)); err != nil {
			t.Fatalf("%v (make build tray makes it)", err)
		}
	}
	t.Cleanup(d.endHub)
	return d
}

func binary(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../bin", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// endHub ends a hub that the test left behind.
func (d *desk) endHub() {
	_ = instance.SetStopped(d.folder, true) // nobody is to start another
	info, err := instance.Read(d.folder)
	if err != nil {
		return
	}
	_ = syscall.Kill(info.PID, syscall.SIGTERM) // it may be ending
	d.until("the hub is gone", func() bool { return !info.Alive() })
}

// env is the environment of a program in the session.
func (d *desk) env() []string {
	return append(d.bus.Env(), "DISPLAY="+d.display, "HOME="+d.home, "PATH="+os.Getenv("PATH"), "LANG=C.UTF-8", "NO_AT_BRIDGE=1",
		"GDK_BACKEND=x11", "AGENT_DISCOVER_HOME="+string(d.folder), "AGENT_DISCOVER_PORT=0", "TMPDIR="+d.home)
}

// program is one that a test has started.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	out    lines
	errors lines
	ended  chan struct{}
}

// lines is what a program has written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (d *desk) start(name string, env []string, args ...string) *program {
	d.t.Helper()
	p := &program{t: d.t, cmd: exec.Command(name, args...), ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = env, &p.out, &p.errors
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the state says how
		close(p.ended)
	}()
	d.t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it may be gone
		<-p.ended
		if d.t.Failed() {
			d.t.Logf("%s said: %s%s", filepath.Base(name), p.out.String(), p.errors.String())
		}
	})
	return p
}

func (d *desk) tray(args ...string) *program {
	d.t.Helper()
	return d.start(binary(d.t, "agent-discover-tray"), d.env(), args...)
}

// code returns how the program ended.
func (p *program) code() int {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(deadline):
		p.t.Fatalf("%s goes on", p.cmd.Path)
		return 0
	}
}

// until waits for something that no event tells of.
func (d *desk) until(what string, reached func() bool) {
	d.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(deadline)
	for !reached() {
		select {
		case <-tick.C:
		case <-late:
			d.t.Fatalf("it never came to this: %s", what)
		}
	}
}

// hub waits for a hub other than the one before and returns it.
func (d *desk) hub(before int) (info instance.Info) {
	d.t.Helper()
	d.until("a hub runs", func() bool {
		var err error
		info, err = instance.Read(d.folder)
		return err == nil && info.PID != before
	})
	return info
}

func (d *desk) rest(method, path string, body, out any) {
	d.t.Helper()
	if err := instance.NewClient(d.hub(0)).Do(d.t.Context(), method, path, body, out); err != nil {
		d.t.Fatalf("%s %s: %v", method, path, err)
	}
}

// add registers a server that is real.
func (d *desk) add(names ...string) {
	d.t.Helper()
	script, err := filepath.Abs("../../build/servers/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		d.t.Skip("server-everything is not installed: build/setup.sh test installs it")
	}
	for _, name := range names {
		d.rest(http.MethodPost, "/api/servers", map[string]any{"name": name, "command": "node", "args": []string{script, "stdio"}}, nil)
	}
}

// active returns which servers REST shows as active.
func (d *desk) active() string {
	var servers []server
	d.rest(http.MethodGet, "/api/servers", nil, &servers)
	var names []string
	for _, s := range servers {
		if s.Active {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, " ")
}

// conversation is an editor's with its companion.
type conversation struct {
	t     *testing.T
	in    io.Writer
	lines *bufio.Scanner
}

func (d *desk) editor() *conversation {
	d.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, binary(d.t, "agent-discover"), "mcp")
	cmd.Env = d.env()
	in, err := cmd.StdinPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // killed
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return &conversation{d.t, in, lines}
}

// ask sends a request and returns the answer to it.
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
