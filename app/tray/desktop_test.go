//go:build desktop && linux

// The tests behind the tag desktop run the programs that were built, on a display
// and a session bus of their own.
package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/app/desktoptest"
	"github.com/agent-discover/agent-discover/backend/base/instance"
)

func TestTheTrayListsServersAndAClickActivatesOne(t *testing.T) {
	d := newDesk(t)
	panel := desktoptest.NewPanel(t, d.bus.Connect())
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
	if menu := desktoptest.Text(icon.Menu()); !strings.Contains(menu, "Servers\n  "+two+"\n  "+one+"\n") {
		t.Errorf("the menu:\n%s", menu)
	}

	icon.Click(icon.AwaitItem(one))
	icon.AwaitMenu("a check mark", func(menu []desktoptest.Item) *desktoptest.Item { return marked(menu, one, true) })
	d.until("REST shows it as active", func() bool { return d.active() == one })
	d.rest(http.MethodPost, "/api/servers/1/deactivate", nil, nil)
	icon.AwaitMenu("no check mark", func(menu []desktoptest.Item) *desktoptest.Item { return marked(menu, one, false) })
	if got := d.active(); got != "" {
		t.Errorf("active are %q", got)
	}
}

func marked(menu []desktoptest.Item, label string, want bool) *desktoptest.Item {
	found := desktoptest.Find(menu, label)
	if found == nil || found.Checked != want {
		return nil
	}
	return found
}

func TestTheTrayKeepsACheckMarkThatTheHubRefuses(t *testing.T) {
	d := newDesk(t)
	panel := desktoptest.NewPanel(t, d.bus.Connect())
	d.tray()
	icon := panel.Await()
	d.rest(http.MethodPost, "/api/servers", map[string]any{"name": "broken", "command": "/nonexistent"}, nil)
	d.rest(http.MethodPost, "/api/health", nil, nil)
	icon.Click(icon.AwaitItem("broken (failed)")) // nothing but the mark can change
	icon.AwaitMenu("what came of it", func(menu []desktoptest.Item) *desktoptest.Item {
		if len(menu) > 1 && strings.Contains(menu[1].Label, "Failed to activate") {
			return marked(menu, "broken (failed)", false)
		}
		return nil
	})
}

func TestQuitInTheTrayEndsTheHubForGoodWithAnEditorAttached(t *testing.T) {
	d := newDesk(t)
	panel := desktoptest.NewPanel(t, d.bus.Connect())
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

func TestTheTrayBringsAKilledHubBackButNoStoppedOne(t *testing.T) {
	d := newDesk(t)
	panel := desktoptest.NewPanel(t, d.bus.Connect())
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
	if menu := icon.Menu(); desktoptest.Find(menu, "everything") != nil || desktoptest.Find(menu, "Pause all").Enabled {
		t.Errorf("the menu of no hub:\n%s", desktoptest.Text(menu))
	}
	icon.Click(icon.AwaitItem("Start"))
	icon.AwaitItem("0 of 1 server running")
}

func TestATrayThatTheWindowStartedLeavesAStoppedHubAlone(t *testing.T) {
	d := newDesk(t)
	panel := desktoptest.NewPanel(t, d.bus.Connect())
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
	panel := desktoptest.NewPanel(t, d.bus.Connect())
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
	desktoptest.NewPanel(t, d.bus.Connect()).Await().AwaitItem("No servers yet")
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
