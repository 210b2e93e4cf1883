//go:build desktop && linux && production

// The tests with the build tag desktop run the built window on a separate desktop.
package app

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/instance"
)

func TestTheWindowStartsAHubAndShowsItsServers(t *testing.T) {
	d := newTestDesktop(t)
	d.install("agent-discover-tray", "#!/bin/sh\necho \"$*\" >\"$HOME/tray\"\n")
	w := d.open("-page", "/servers")
	info, client := d.hub()
	d.awaitWindow(Title)
	first, second := d.addServer(client), d.addServer(client)
	d.awaitText(first.Name, true)
	d.awaitText(second.Name, true)
	w.awaitTrace("page")

	if err := client.Do(t.Context(), http.MethodDelete, fmt.Sprintf("/api/servers/%d", first.ID), nil, nil); err != nil {
		t.Fatal(err)
	}
	d.awaitText(first.Name, false)
	d.awaitText(second.Name, true)
	select {
	case line := <-w.lines:
		if strings.HasPrefix(line, "page") {
			t.Error("the page was reloaded")
		}
	default:
	}

	d.await("start of the tray with -attach", func() bool {
		args, err := os.ReadFile(filepath.Join(d.Home(), "tray"))
		return err == nil && string(args) == "-attach\n"
	})
	w.terminate()
	if !info.Alive() {
		t.Error("the hub ended with the window")
	}
}

func TestTheWindowReconnectsAfterAHubCrash(t *testing.T) {
	d := newTestDesktop(t)
	d.open("-page", "/servers")
	info, client := d.hub()
	before := d.addServer(client).Name
	d.awaitText(before, true)

	if err := syscall.Kill(info.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	d.await("another hub", func() bool {
		now, err := instance.Read(d.folder)
		return err == nil && now.PID != info.PID
	})
	_, client = d.hub()
	after := d.addServer(client).Name
	d.awaitText(after, true)
	d.awaitText(before, true)
}

func TestTheWindowDoesNotStartAHubThatTheUserStopped(t *testing.T) {
	d := newTestDesktop(t)
	w := d.open("-page", "/servers")
	_, client := d.hub()
	d.awaitText(d.addServer(client).Name, true)
	if _, err := d.Output(t.Context(), filepath.Join(d.bin, "agent-discover"), "stop"); err != nil {
		t.Fatal(err)
	}
	const button = "Start the hub"
	d.awaitText(button, true)
	w.terminate()

	d.open("-page", "/servers")
	d.awaitText(button, true)
	if _, err := instance.Read(d.folder); !errors.Is(err, instance.ErrNone) || !instance.Stopped(d.folder) {
		t.Fatalf("a hub runs although the user has stopped it: %v", err)
	}
	d.await("the button to be pressed", func() bool { return d.Press(t.Context(), button) })
	_, client = d.hub()
	d.awaitText(d.addServer(client).Name, true)
	d.awaitText(button, false)
}

func TestTheWindowIsRaisedByASecondStart(t *testing.T) {
	for name, bus := range map[string]bool{"with a session bus": true, "without a session bus": false} {
		t.Run(name, func(t *testing.T) {
			d := newTestDesktop(t)
			env := d.env(d.Env())
			if !bus {
				env = d.env(d.EnvWithoutBus())
			}
			first := d.openWithEnv(env)
			window := d.awaitWindow(Title)
			first.awaitTrace("page")
			d.openWithEnv(env, "-test", "other-server").awaitTrace("page")
			d.awaitActive(d.awaitWindow("other-server · " + Title))

			second := d.openWithEnv(env, "-page", "/activity")
			if err := second.wait(); err != nil {
				t.Errorf("second start: %v", err)
			}
			d.awaitActive(window)
			d.awaitWindow(Title) // the second start has opened no other window
			first.awaitTrace("navigate /activity")

			d.xdotool("windowminimize", "--sync", window)
			if err := d.openWithEnv(env).wait(); err != nil {
				t.Errorf("third start: %v", err)
			}
			d.awaitActive(window)
		})
	}
}

func TestTheWindowHasOneInspectorForEachServer(t *testing.T) {
	d := newTestDesktop(t)
	one := d.open("-test", "one server")
	window := d.awaitWindow("one server · " + Title)
	d.open("-test", "another").awaitTrace("page")
	d.awaitActive(d.awaitWindow("another · " + Title))
	if err := d.open("-test", "one server").wait(); err != nil {
		t.Errorf("second start: %v", err)
	}
	d.awaitActive(window)
	one.terminate()
}

var geometry = regexp.MustCompile(`Position: (\S+) [^\n]*\n\s*Geometry: (\S+)`)

// geometry returns the position and size of a window as "X,Y WxH".
func (d *testDesktop) geometry(window string) string {
	d.t.Helper()
	return strings.Join(geometry.FindStringSubmatch(d.xdotool("getwindowgeometry", window))[1:], " ")
}

func TestTheWindowRestoresItsPlacement(t *testing.T) {
	d := newTestDesktop(t)
	w := d.open()
	window := d.awaitWindow(Title)
	w.awaitTrace("page")
	d.xdotool("windowsize", "--sync", window, "700", "500")
	d.xdotool("windowmove", "--sync", window, "333", "111")
	want := d.geometry(window)
	d.xdotool("windowfocus", "--sync", window, "key", "ctrl+w")
	if err := w.wait(); err != nil {
		t.Errorf("after Ctrl+W: %v", err)
	}

	w = d.open()
	window = d.awaitWindow(Title)
	d.await("the stored placement "+want, func() bool { return d.geometry(window) == want })
	w.awaitTrace("page")
	d.toggleMaximised(window)
	d.await("a maximised window", func() bool { return d.geometry(window) != want })
	full := d.geometry(window)
	w.terminate()

	w = d.open()
	window = d.awaitWindow(Title)
	d.await("the stored maximised state "+full, func() bool { return d.geometry(window) == full })
	w.awaitTrace("page")
	d.toggleMaximised(window)
	d.await("the size from before it was maximised", func() bool { return strings.HasSuffix(d.geometry(window), " 700x500") })
	d.xdotool("windowfocus", "--sync", window, "key", "ctrl+q")
	if err := w.wait(); err != nil {
		t.Errorf("after Ctrl+Q: %v", err)
	}
}

// toggleMaximised double-clicks the title bar.
func (d *testDesktop) toggleMaximised(window string) {
	d.t.Helper()
	d.xdotool("mousemove", "--window", window, "200", "-10", "click", "--repeat", "2", "--delay", "60", "1")
}

func TestTheWindowHasKeyboardShortcuts(t *testing.T) {
	d := newTestDesktop(t)
	w := d.open()
	window := d.awaitWindow(Title)
	w.awaitTrace("page")
	d.awaitActive(window)
	d.xdotool("key", "ctrl+6")
	w.awaitTrace("navigate /activity")
	d.xdotool("key", "ctrl+k")
	w.awaitTrace("navigate palette")
	d.xdotool("key", "ctrl+r")
	w.awaitTrace("navigate reload")
	d.xdotool("key", "ctrl+minus")
	d.await("the stored zoom factor", func() bool {
		return readPlacement(filepath.Join(string(d.folder), "window.json"), placement{}).Zoom == 0.9
	})
}
