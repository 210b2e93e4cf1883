//go:build desktop && linux && production

// The tests behind the tag desktop run the window that was built, on a desktop of their own.
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

func TestTheWindowBringsUpAHubAndShowsItsServers(t *testing.T) {
	s := newStage(t)
	s.put("agent-discover-tray", "#!/bin/sh\necho \"$*\" >\"$HOME/tray\"\n")
	w := s.open("-page", "/servers")
	info, client := s.hub()
	s.find(Title)
	first, second := s.add(client), s.add(client)
	s.shows(first.Name, true)
	s.shows(second.Name, true)
	w.reached("page")

	if err := client.Do(t.Context(), http.MethodDelete, fmt.Sprintf("/api/servers/%d", first.ID), nil, nil); err != nil {
		t.Fatal(err)
	}
	s.shows(first.Name, false)
	s.shows(second.Name, true)
	select {
	case line := <-w.lines:
		if strings.HasPrefix(line, "page") {
			t.Error("the page was loaded again")
		}
	default:
	}

	s.await("the tray was started", func() bool {
		args, err := os.ReadFile(filepath.Join(s.Home(), "tray"))
		return err == nil && string(args) == "-attach\n"
	})
	w.terminate()
	if !info.Alive() {
		t.Error("the hub went with the window")
	}
}

func TestTheWindowComesBackWithItsHub(t *testing.T) {
	s := newStage(t)
	s.open("-page", "/servers")
	info, client := s.hub()
	before := s.add(client).Name
	s.shows(before, true)

	if err := syscall.Kill(info.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.await("another hub runs", func() bool {
		now, err := instance.Read(s.folder)
		return err == nil && now.PID != info.PID
	})
	_, client = s.hub()
	after := s.add(client).Name
	s.shows(after, true)
	s.shows(before, true)
}

func TestTheWindowStartsNoHubThatTheUserHasStopped(t *testing.T) {
	s := newStage(t)
	w := s.open("-page", "/servers")
	_, client := s.hub()
	s.shows(s.add(client).Name, true)
	if _, err := s.Output(t.Context(), filepath.Join(s.bin, "agent-discover"), "stop"); err != nil {
		t.Fatal(err)
	}
	const button = "Start the hub"
	s.shows(button, true)
	w.terminate()

	s.open("-page", "/servers")
	s.shows(button, true)
	if _, err := instance.Read(s.folder); !errors.Is(err, instance.ErrNone) || !instance.Stopped(s.folder) {
		t.Fatalf("a hub runs against the user's wish: %v", err)
	}
	s.await("the button was pressed", func() bool { return s.Press(t.Context(), button) })
	_, client = s.hub()
	s.shows(s.add(client).Name, true)
	s.shows(button, false)
}

func TestTheWindowIsRaisedByASecondStart(t *testing.T) {
	for name, bus := range map[string]bool{"with a session bus": true, "without one": false} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			env := s.env(s.Env())
			if !bus {
				env = s.env(s.EnvWithoutBus())
			}
			first := s.openIn(env)
			window := s.find(Title)
			first.reached("page")
			s.openIn(env, "-test", "somebody").reached("page")
			s.active(s.find("somebody · " + Title))

			second := s.openIn(env, "-page", "/activity")
			if err := second.end(); err != nil {
				t.Errorf("the second start: %v", err)
			}
			s.active(window)
			s.find(Title) // the only one
			first.reached("navigate /activity")

			s.do("windowminimize", "--sync", window)
			if err := s.openIn(env).end(); err != nil {
				t.Errorf("the third start: %v", err)
			}
			s.active(window)
		})
	}
}

func TestTheWindowHasATesterForEachServer(t *testing.T) {
	s := newStage(t)
	one := s.open("-test", "one server")
	window := s.find("one server · " + Title)
	s.open("-test", "another").reached("page")
	s.active(s.find("another · " + Title))
	if err := s.open("-test", "one server").end(); err != nil {
		t.Errorf("the second start: %v", err)
	}
	s.active(window)
	one.terminate()
}

var geometry = regexp.MustCompile(`Position: (\S+) [^\n]*\n\s*Geometry: (\S+)`)

// geometry is where a window is and how large, as "X,Y WxH".
func (s *stage) geometry(window string) string {
	s.t.Helper()
	return strings.Join(geometry.FindStringSubmatch(s.do("getwindowgeometry", window))[1:], " ")
}

func TestTheWindowRemembersItsPlace(t *testing.T) {
	s := newStage(t)
	w := s.open()
	window := s.find(Title)
	w.reached("page")
	s.do("windowsize", "--sync", window, "700", "500")
	s.do("windowmove", "--sync", window, "333", "111")
	want := s.geometry(window)
	s.do("windowfocus", "--sync", window, "key", "ctrl+w")
	if err := w.end(); err != nil {
		t.Errorf("after Ctrl+W: %v", err)
	}

	w = s.open()
	window = s.find(Title)
	s.await("the window is where it was, "+want, func() bool { return s.geometry(window) == want })
	w.reached("page")
	s.toggleMaximised(window)
	s.await("it fills the screen", func() bool { return s.geometry(window) != want })
	full := s.geometry(window)
	w.terminate()

	w = s.open()
	window = s.find(Title)
	s.await("the window fills the screen, "+full, func() bool { return s.geometry(window) == full })
	w.reached("page")
	s.toggleMaximised(window)
	s.await("it has its size again", func() bool { return strings.HasSuffix(s.geometry(window), " 700x500") })
	s.do("windowfocus", "--sync", window, "key", "ctrl+q")
	if err := w.end(); err != nil {
		t.Errorf("after Ctrl+Q: %v", err)
	}
}

// toggleMaximised clicks twice on the title bar.
func (s *stage) toggleMaximised(window string) {
	s.t.Helper()
	s.do("mousemove", "--window", window, "200", "-10", "click", "--repeat", "2", "--delay", "60", "1")
}

func TestTheWindowHasShortcuts(t *testing.T) {
	s := newStage(t)
	w := s.open()
	window := s.find(Title)
	w.reached("page")
	s.active(window)
	s.do("key", "ctrl+6")
	w.reached("navigate /activity")
	s.do("key", "ctrl+k")
	w.reached("navigate palette")
	s.do("key", "ctrl+r")
	w.reached("navigate reload")
	s.do("key", "ctrl+minus")
	s.await("the zoom is remembered", func() bool {
		return readPlacement(filepath.Join(string(s.folder), "window.json"), placement{}).Zoom == 0.9
	})
}
