//go:build desktop && linux

// The tests with the build tag desktop run the built programs in a separate desktop session.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
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

func TestClickingAServerInTheTrayStartsAndStopsIt(t *testing.T) {
	s := newSession(t)
	panel := desktoptest.NewPanel(t, s.bus.Connect())
	s.tray()
	icon := panel.Await()
	if title := icon.Property("Title"); title != "Agent Discover" {
		t.Errorf("title of the icon: got %q, want Agent Discover", title)
	}
	icon.AwaitItem("No servers yet")
	stamp := strconv.FormatInt(time.Now().UnixNano(), 36)
	one, two := "zeta_"+stamp, "Alpha-"+stamp
	s.add(one, two)
	icon.AwaitItem("0 of 2 servers running")
	if menu := desktoptest.Text(icon.Menu()); !strings.Contains(menu, "Servers\n  "+two+"\n  "+one+"\n") {
		t.Errorf("the servers are not sorted by name:\n%s", menu)
	}

	icon.Click(icon.AwaitItem(one))
	icon.AwaitMenu("a check mark", func(menu []desktoptest.Item) *desktoptest.Item { return marked(menu, one, true) })
	icon.AwaitItem("1 of 2 servers running") // wait for the hub: a click sets the check mark even if no server starts
	s.until("the REST API shows that the server runs", func() bool { return s.running() == one })
	icon.Click(icon.AwaitItem(one))
	icon.AwaitItem("0 of 2 servers running")
	icon.AwaitMenu("no check mark", func(menu []desktoptest.Item) *desktoptest.Item { return marked(menu, one, false) })
	s.until("the REST API shows that no server runs", func() bool { return s.running() == "" })
}

// marked returns the item with a label, or nil if it is missing or its check mark is not as wanted.
func marked(menu []desktoptest.Item, label string, want bool) *desktoptest.Item {
	found := desktoptest.Find(menu, label)
	if found == nil || found.Checked != want {
		return nil
	}
	return found
}

func TestTheTrayResetsTheCheckMarkOfAServerThatFailsToStart(t *testing.T) {
	s := newSession(t)
	panel := desktoptest.NewPanel(t, s.bus.Connect())
	s.tray()
	icon := panel.Await()
	s.rest(http.MethodPost, "/api/servers", map[string]any{"name": "broken", "command": "/nonexistent"}, nil)
	s.rest(http.MethodPost, "/api/health", nil, nil)
	icon.Click(icon.AwaitItem("broken (failing)")) // the hub refuses, so only the click changes the check mark
	icon.AwaitMenu("the error and no check mark", func(menu []desktoptest.Item) *desktoptest.Item {
		if len(menu) > 1 && strings.Contains(menu[1].Label, "/nonexistent") {
			return marked(menu, "broken (failing)", false)
		}
		return nil
	})
}

func TestQuitInTheTrayStopsTheHubDespiteAnAttachedEditor(t *testing.T) {
	s := newSession(t)
	panel := desktoptest.NewPanel(t, s.bus.Connect())
	tray := s.tray()
	icon := panel.Await()
	hub := s.hub(0)
	editor := s.editor()
	if reply := editor.ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"editor","version":"1"}}}`); reply["result"] == nil {
		t.Fatalf("initialize: %v", reply)
	}
	icon.AwaitItem("No servers yet")

	icon.Click(icon.AwaitItem("Quit"))
	if code := tray.code(); code != 0 {
		t.Errorf("exit code of the tray: %d", code)
	}
	s.until("the hub is gone", func() bool { return !hub.Alive() })
	// Without the stop request, this request of an editor would start a hub.
	reply := editor.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"registry","arguments":{"action":"list"}}}`)
	if text, _ := json.Marshal(reply); !strings.Contains(string(text), "stopped by the user") {
		t.Errorf("the answer to the editor does not say that the user stopped the hub: %s", text)
	}
	if info, err := instance.Read(s.folder); err == nil {
		t.Errorf("a hub runs again, as process %d", info.PID)
	}

	s.tray("--start")
	panel.Await().AwaitItem("No servers yet")
	s.hub(hub.PID)
}

func TestTheTrayRestartsAKilledHubButNotAStoppedOne(t *testing.T) {
	s := newSession(t)
	panel := desktoptest.NewPanel(t, s.bus.Connect())
	s.tray()
	icon := panel.Await()
	first := s.hub(0)
	icon.AwaitItem("No servers yet")
	if err := syscall.Kill(first.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	second := s.hub(first.PID)
	s.add("everything")
	icon.AwaitItem("everything")

	if code := s.start(binary(t, "agent-discover"), s.env(), "stop").code(); code != 0 {
		t.Fatalf("exit code of agent-discover stop: %d", code)
	}
	icon.AwaitItem("Stopped")
	if second.Alive() {
		t.Error("the hub runs after agent-discover stop")
	}
	if menu := icon.Menu(); desktoptest.Find(menu, "everything") != nil || desktoptest.Find(menu, "Pause all servers").Enabled {
		t.Errorf("the menu without a hub lists servers or allows a pause:\n%s", desktoptest.Text(menu))
	}
	icon.Click(icon.AwaitItem("Start hub"))
	icon.AwaitItem("0 of 1 server running")
}

func TestTheTrayDoesNotStartAStoppedHubUnlessAsked(t *testing.T) {
	s := newSession(t)
	panel := desktoptest.NewPanel(t, s.bus.Connect())
	if err := s.folder.Create(); err != nil {
		t.Fatal(err)
	}
	if err := instance.SetStopped(s.folder, true); err != nil {
		t.Fatal(err)
	}
	s.tray()
	icon := panel.Await()
	icon.AwaitItem("Stopped")
	if info, err := instance.Read(s.folder); err == nil {
		t.Errorf("a hub runs, as process %d", info.PID)
	}
	// A second start with --start makes the first tray start a hub.
	second := s.tray("--start")
	if code := second.code(); code != 0 || strings.Count(second.stdout.String(), "\n") != 1 || second.stderr.String() != "" {
		t.Errorf("second tray: exit code %d, stdout %q, stderr %q", code, second.stdout.String(), second.stderr.String())
	}
	icon.AwaitItem("No servers yet")
}

func TestASignalEndsTheTrayButNotTheHub(t *testing.T) {
	s := newSession(t)
	panel := desktoptest.NewPanel(t, s.bus.Connect())
	tray := s.tray()
	panel.Await().AwaitItem("No servers yet")
	hub := s.hub(0)
	if err := tray.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := tray.code(); code != 0 || tray.stderr.String() != "" {
		t.Errorf("exit code %d, stderr %q", code, tray.stderr.String())
	}
	if !hub.Alive() || instance.Stopped(s.folder) {
		t.Error("the hub ended with the tray")
	}
	left, err := filepath.Glob(filepath.Join(s.home, "systray_*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files of the tray: %v, %v", left, err)
	}
}

func TestTheTrayReportsAnUnsupportedDesktopInOneLine(t *testing.T) {
	s := newSession(t)
	with := func(settings ...string) []string { return append(s.env(), settings...) }
	for name, row := range map[string]struct {
		env  []string
		want string
	}{
		"no display":      {with("DISPLAY="), "no display"},
		"a wrong display": {with("DISPLAY=:9999"), "could not open the display"},
		"no session bus":  {with("DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="+t.TempDir()), "no session bus"},
		"a dead bus":      {with("DBUS_SESSION_BUS_ADDRESS=unix:path=" + t.TempDir() + "/bus"), "does not answer"},
		"no panel":        {with(), "shows no tray icons"},
	} {
		t.Run(name, func(t *testing.T) {
			tray := s.start(binary(t, "agent-discover-tray"), row.env)
			code, stderr := tray.code(), tray.stderr.String()
			if code != exitNoTray || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.want) || tray.stdout.String() != "" {
				t.Errorf("exit code %d, stderr %q, stdout %q", code, stderr, tray.stdout.String())
			}
			if _, err := instance.Read(s.folder); err == nil {
				t.Error("the tray started a hub")
			}
		})
	}
}

func TestTheTrayWaitsForThePanelAtLogin(t *testing.T) {
	s := newSession(t)
	queried := s.watchBus()
	s.tray("--login")
	<-queried // wait until the tray has looked for a panel
	desktoptest.NewPanel(t, s.bus.Connect()).Await().AwaitItem("No servers yet")
}

// watchBus returns a channel that is closed when a program asks the session bus for a panel with tray icons.
func (s *session) watchBus() <-chan struct{} {
	s.t.Helper()
	monitor := exec.Command("dbus-monitor", "--session", "type='method_call',member='NameHasOwner',arg0='org.kde.StatusNotifierWatcher'")
	monitor.Env = s.env()
	monitor.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := monitor.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := monitor.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = monitor.Process.Kill() // an error means that the program has already ended
		_ = monitor.Wait()
	})
	queried, listening := make(chan struct{}), make(chan struct{})
	go func() {
		first := true
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if first {
				close(listening) // the first output is the signal NameAcquired
				first = false
			}
			if strings.Contains(lines.Text(), "member=NameHasOwner") {
				close(queried)
				return
			}
		}
	}()
	<-listening
	return queried
}

func TestClickingTheNotificationOfAQuestionInTheTrayOpensTheWindow(t *testing.T) {
	s := newSession(t)
	notifications := desktoptest.NewNotifications(t, s.bus.Connect())
	panel := desktoptest.NewPanel(t, s.bus.Connect())
	// The tray starts the window that is in its own folder.
	folder, opened := t.TempDir(), filepath.Join(t.TempDir(), "opened")
	for _, name := range []string{"agent-discover", "agent-discover-tray"} {
		data, err := os.ReadFile(binary(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	window := "#!/bin/sh\necho \"opened $*\" >'" + opened + "'\nsleep 5\n"
	if err := os.WriteFile(filepath.Join(folder, "agent-discover-desktop"), []byte(window), 0o700); err != nil {
		t.Fatal(err)
	}
	tray := s.start(filepath.Join(folder, "agent-discover-tray"), s.env())
	icon := panel.Await()
	s.add("asking")
	icon.AwaitItem("0 of 1 server running")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		call := map[string]any{"tool": "trigger-elicitation-request", "args": map[string]any{}}
		s.rest(http.MethodPost, "/api/servers/1/activate", nil, nil)
		_ = instance.NewClient(s.hub(0)).Do(ctx, http.MethodPost, "/api/servers/1/call", call, nil) // the test cancels it
	}()
	shown := notifications.Await()
	if shown.Summary != "“asking” asks you a question" {
		t.Errorf("the notification says %q", shown.Summary)
	}
	icon.AwaitItem("Answer 1 question…")
	shown.Click()
	s.until("the window opens", func() bool {
		data, err := os.ReadFile(opened)
		return err == nil && strings.HasPrefix(string(data), "opened")
	})

	// A tray that starts while the question waits also shows it.
	if err := tray.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	tray.code()
	s.start(filepath.Join(folder, "agent-discover-tray"), s.env())
	notifications.Await()
	cancel()
	<-ended
	notifications.AwaitClosed()
	icon = panel.Await()
	icon.AwaitItem("1 of 1 server running")
}
