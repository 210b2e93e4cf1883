//go:build desktop && linux

// The tests behind the tag desktop run the programs that were built, on a display
// and a session bus of their own.
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
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/app/desktest"
	"github.com/agent-discover/agent-discover/backend/instance"
	"github.com/agent-discover/agent-discover/backend/keytest"
	"github.com/agent-discover/agent-discover/backend/paths"
)

// deadline is how long a program may take; it is only ever waited for when
// something is broken.
const deadline = 60 * time.Second

// desk is a desktop session of a test.
type desk struct {
	t       *testing.T
	bus     *keytest.Session
	display string
	folder  paths.Folder
	home    string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, bus: keytest.Start(t), display: desktest.Display(t), home: t.TempDir()}
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

func TestTheTrayListsServersAndAClickActivatesOne(t *testing.T) {
	d := newDesk(t)
	panel := desktest.NewPanel(t, d.bus.Connect())
	d.tray()
	icon := panel.Await()
	if title := icon.Property("Title"); title != "Agent Discover" {
		t.Errorf("the icon's title is %q", title)
	}
	icon.AwaitItem("No servers yet")
	stamp := strconv.FormatInt(time.Now().UnixNano(), 36)
	one, two := "zeta_"+stamp, "Alpha-"+stamp
	d.add(one, two)
	icon.AwaitItem("0 of 2 servers running")
	if menu := desktest.Text(icon.Menu()); !strings.Contains(menu, "Servers\n  "+two+"\n  "+one+"\n") {
		t.Errorf("the menu:\n%s", menu)
	}

	icon.Click(icon.AwaitItem(one))
	icon.AwaitMenu("a check mark", func(menu []desktest.Item) *desktest.Item { return marked(menu, one, true) })
	d.until("REST shows it as active", func() bool { return d.active() == one })
	d.rest(http.MethodPost, "/api/servers/1/deactivate", nil, nil)
	icon.AwaitMenu("no check mark", func(menu []desktest.Item) *desktest.Item { return marked(menu, one, false) })
	if got := d.active(); got != "" {
		t.Errorf("active are %q", got)
	}
}

func marked(menu []desktest.Item, label string, want bool) *desktest.Item {
	found := desktest.Find(menu, label)
	if found == nil || found.Checked != want {
		return nil
	}
	return found
}

func TestTheTrayKeepsACheckMarkThatTheHubRefuses(t *testing.T) {
	d := newDesk(t)
	panel := desktest.NewPanel(t, d.bus.Connect())
	d.tray()
	icon := panel.Await()
	d.rest(http.MethodPost, "/api/servers", map[string]any{"name": "broken", "command": "/nonexistent"}, nil)
	d.rest(http.MethodPost, "/api/health", nil, nil)
	icon.Click(icon.AwaitItem("broken (failed)")) // nothing but the mark can change
	icon.AwaitMenu("what came of it", func(menu []desktest.Item) *desktest.Item {
		if len(menu) > 1 && strings.Contains(menu[1].Label, "Failed to activate") {
			return marked(menu, "broken (failed)", false)
		}
		return nil
	})
}

func TestQuitInTheTrayEndsTheHubForGoodWithAnEditorAttached(t *testing.T) {
	d := newDesk(t)
	panel := desktest.NewPanel(t, d.bus.Connect())
	tray := d.tray()
	icon := panel.Await()
	hub := d.hub(0)
	editor := d.editor()
	if reply := editor.ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"editor","version":"1"}}}`); reply["result"] == nil {
		t.Fatalf("initialize: %v", reply)
	}
	icon.AwaitItem("No servers yet")

	icon.Click(icon.AwaitItem("Quit"))
	if code := tray.code(); code != 0 {
		t.Errorf("the tray ended with %d", code)
	}
	d.until("the hub is gone", func() bool { return !hub.Alive() })
	// The editor wants something: that is what would start a hub.
	reply := editor.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"registry","arguments":{"action":"list"}}}`)
	if text, _ := json.Marshal(reply); !strings.Contains(string(text), "stopped by the user") {
		t.Errorf("the editor is told %s", text)
	}
	if info, err := instance.Read(d.folder); err == nil {
		t.Errorf("a hub runs again: %d", info.PID)
	}

	// Who starts the tray wants a hub.
	d.tray()
	panel.Await().AwaitItem("No servers yet")
	d.hub(hub.PID)
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

func TestTheTrayBringsAKilledHubBackButNoStoppedOne(t *testing.T) {
	d := newDesk(t)
	panel := desktest.NewPanel(t, d.bus.Connect())
	d.tray()
	icon := panel.Await()
	first := d.hub(0)
	icon.AwaitItem("No servers yet")
	if err := syscall.Kill(first.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	second := d.hub(first.PID)
	d.add("everything")
	icon.AwaitItem("everything")

	if code := d.start(binary(t, "agent-discover"), d.env(), "stop").code(); code != 0 {
		t.Fatalf("stop ended with %d", code)
	}
	icon.AwaitItem("Stopped")
	if second.Alive() {
		t.Error("the hub runs")
	}
	if menu := icon.Menu(); desktest.Find(menu, "everything") != nil || desktest.Find(menu, "Pause all").Enabled {
		t.Errorf("the menu of no hub:\n%s", desktest.Text(menu))
	}
	icon.Click(icon.AwaitItem("Start"))
	icon.AwaitItem("0 of 1 server running")
}

func TestATrayThatTheWindowStartedLeavesAStoppedHubAlone(t *testing.T) {
	d := newDesk(t)
	panel := desktest.NewPanel(t, d.bus.Connect())
	if err := d.folder.Create(); err != nil {
		t.Fatal(err)
	}
	if err := instance.SetStopped(d.folder, true); err != nil {
		t.Fatal(err)
	}
	d.tray("--attach")
	icon := panel.Await()
	icon.AwaitItem("Stopped")
	if info, err := instance.Read(d.folder); err == nil {
		t.Errorf("a hub runs: %d", info.PID)
	}
	// A second start, by a person, is heard by the first.
	second := d.tray()
	if code := second.code(); code != 0 || strings.Count(second.out.String(), "\n") != 1 || second.errors.String() != "" {
		t.Errorf("a second tray ended with %d and said %q, %q", code, second.out.String(), second.errors.String())
	}
	icon.AwaitItem("No servers yet")
}

func TestASignalEndsTheTrayAndLeavesTheHub(t *testing.T) {
	d := newDesk(t)
	panel := desktest.NewPanel(t, d.bus.Connect())
	tray := d.tray()
	panel.Await().AwaitItem("No servers yet")
	hub := d.hub(0)
	if err := tray.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := tray.code(); code != 0 || tray.errors.String() != "" {
		t.Errorf("it ended with %d and said %q", code, tray.errors.String())
	}
	if !hub.Alive() || instance.Stopped(d.folder) {
		t.Error("the hub is gone")
	}
	left, err := filepath.Glob(filepath.Join(d.home, "systray_*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestWithoutATrayTheProgramSaysSoInOneLine(t *testing.T) {
	d := newDesk(t)
	with := func(settings ...string) []string { return append(d.env(), settings...) }
	for name, row := range map[string]struct {
		env  []string
		want string
	}{
		"no display":      {with("DISPLAY="), "no display"},
		"a wrong display": {with("DISPLAY=:9999"), "cannot be opened"},
		"no session bus":  {with("DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+t.TempDir()), "no session bus"},
		"a dead bus":      {with("DBUS_SESSION_BUS_ADDRESS=unix:path=" + t.TempDir() + "/bus"), "does not answer"},
		"nobody to show":  {with(), "no program here shows tray icons"},
	} {
		t.Run(name, func(t *testing.T) {
			tray := d.start(binary(t, "agent-discover-tray"), row.env)
			code, said := tray.code(), tray.errors.String()
			if code != exitNoTray || strings.Count(said, "\n") != 1 || !strings.Contains(said, row.want) || tray.out.String() != "" {
				t.Errorf("it ended with %d and said %q, %q", code, said, tray.out.String())
			}
			if _, err := instance.Read(d.folder); err == nil {
				t.Error("it started a hub")
			}
		})
	}
}

func TestAfterALoginTheTrayWaitsForThePanel(t *testing.T) {
	d := newDesk(t)
	asked := d.watchBus()
	d.tray("--login")
	<-asked // it has looked for a panel in vain
	desktest.NewPanel(t, d.bus.Connect()).Await().AwaitItem("No servers yet")
}

// watchBus returns a channel that is closed when a program asks who shows icons.
func (d *desk) watchBus() <-chan struct{} {
	d.t.Helper()
	monitor := exec.Command("dbus-monitor", "--session", "type='method_call',member='NameHasOwner',arg0='org.kde.StatusNotifierWatcher'")
	monitor.Env = d.env()
	monitor.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := monitor.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := monitor.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		_ = monitor.Process.Kill() // it may be gone
		_ = monitor.Wait()
	})
	asked, listening := make(chan struct{}), make(chan struct{})
	go func() {
		first := true
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if first {
				close(listening) // it was told its own name
				first = false
			}
			if strings.Contains(lines.Text(), "member=NameHasOwner") {
				close(asked)
				return
			}
		}
	}()
	<-listening
	return asked
}
