package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/version"
	"github.com/agent-discover/agent-discover/backend/hub"
)

// fakeView collects the menus and the copied text.
type fakeView struct {
	menus chan menu
	mu    sync.Mutex
	text  string // on the clipboard
}

func (v *fakeView) show(m menu) { v.menus <- m }

func (v *fakeView) copy(text string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.text = text
	return nil
}

func (v *fakeView) end() {}

// await returns the first menu whose rendering contains a text.
func (v *fakeView) await(t *testing.T, text string) menu {
	t.Helper()
	var last menu
	for {
		select {
		case last = <-v.menus:
			if strings.Contains(render(last.Items, ""), text) {
				return last
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("no menu contains %q; the last menu:\n%s", text, render(last.Items, ""))
		}
	}
}

// runHub runs a real hub with one server in this process. end stops the hub, at the latest when the test ends.
func runHub(t *testing.T) (folder paths.Folder, client *instance.Client, end func()) {
	t.Helper()
	t.Setenv("AGENT_DISCOVER_PORT", "0")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	folder = paths.Folder(t.TempDir())
	h, err := hub.Open(t.Context(), hub.Options{Folder: folder, Version: "1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- errors.Join(h.Run(context.Background()), h.Close()) }()
	end = sync.OnceFunc(func() {
		h.Stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	if _, err := instance.Await(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	client = instance.NewClient(h.Info())
	if err := client.Do(t.Context(), http.MethodPost, "/api/servers", map[string]any{
		"name": "one", "command": "/nonexistent", "start": false,
	}, nil); err != nil {
		t.Fatal(err)
	}
	return folder, client, end
}

// runTray runs a tray for a data folder until the test ends.
func runTray(t *testing.T, folder paths.Folder) (*tray, *fakeView) {
	t.Helper()
	tr, v := newTray(folder, "v1.2.3"), &fakeView{menus: make(chan menu, 1000)}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { tr.run(ctx, v); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return tr, v
}

func TestTheMenuFollowsTheHub(t *testing.T) {
	folder, client, end := runHub(t)
	_, v := runTray(t, folder)
	v.await(t, "0 of 1 server running")
	if err := client.Do(t.Context(), http.MethodPost, "/api/servers",
		map[string]any{"name": "two", "command": "x", "start": false}, nil); err != nil {
		t.Fatal(err)
	}
	v.await(t, "Servers\n  one\n  two\n")
	if err := instance.SetStopped(folder, true); err != nil {
		t.Fatal(err)
	}
	end()
	v.await(t, "Stopped")
}

func TestTheMenuShowsWhyACommandFailed(t *testing.T) {
	folder, _, _ := runHub(t)
	tr, v := runTray(t, folder)
	v.await(t, "0 of 1 server running")
	for command, want := range map[string]string{
		"run 1":      `one`,
		"halt 4711":  "Not found",
		"run x/../1": "ot found",
		commandCheck: "Health check: 1 of 1 server failed: one",
	} {
		tr.clicked(command)
		v.await(t, want)
	}
}

func TestTheConfigurationIsCopied(t *testing.T) {
	folder, _, _ := runHub(t)
	t.Setenv("AGENT_DISCOVER_HOME", string(folder))
	tr, v := runTray(t, folder)
	t.Setenv("PATH", t.TempDir())
	tr.clicked(commandCopy)
	v.await(t, "agent-discover is missing")
	t.Setenv("PATH", script(t, "agent-discover", "exit 0"))
	tr.clicked(commandCopy)
	v.await(t, "MCP configuration copied")
	v.mu.Lock()
	defer v.mu.Unlock()
	if !strings.Contains(v.text, `/agent-discover"`) || !strings.Contains(v.text, string(folder)) {
		t.Errorf("the copied text lacks the program or the data folder: %s", v.text)
	}
}

func TestANoteIsShownForAMinute(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		tr, v := newTray("", "v1"), &fakeView{menus: make(chan menu, 1000)}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			var running sync.WaitGroup
			tr.loop(ctx, v, &running)
			close(tr.ended)
			running.Wait()
		}()
		began := time.Now()
		tr.clicked(commandCopy)
		v.await(t, "agent-discover is missing")
		for {
			if m := v.await(t, ""); m.Items[1].Hidden {
				break
			}
		}
		if shown := time.Since(began); shown < noteDuration || shown > noteDuration+2*redrawDelay {
			t.Errorf("the note was shown for %v, want %v", shown, noteDuration)
		}
	})
}

func TestStartAtLoginIsToggled(t *testing.T) {
	folder, _, _ := runHub(t)
	tr, v := runTray(t, folder)
	tr.clicked(commandLogin)
	v.await(t, "[x] Start at login")
	entry, err := loginEntry()
	if err != nil {
		t.Fatal(err)
	}
	if on, err := entry.On(); !on || err != nil {
		t.Errorf("On() = %v, %v, want true", on, err)
	}
	tr.clicked(commandNoLogin)
	v.await(t, "\nStart at login")
}

func TestTheBrowserOpensIfTheWindowDoesNot(t *testing.T) {
	dir := t.TempDir()
	for name, row := range map[string]struct {
		window, hub string
		want        string // part of the error; "" for success
	}{
		"the window opens":            {"exit 0", "exit 1", ""},
		"the window fails at once":    {"exit 1", "test \"$1\" = open", ""},
		"window and browser fail":     {"exit 1", "exit 3", "could not open the window or a browser"},
		"the window is not installed": {"", "test \"$1\" = open", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := dir
			if row.window != "" {
				path += ":" + script(t, "agent-discover-desktop", row.window)
			}
			t.Setenv("PATH", path+":"+script(t, "agent-discover", row.hub))
			err := open(t.Context(), "/approvals")
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(fault.MessageOf(err), row.want)) {
				t.Errorf("open: got %v, want an error with %q", err, row.want)
			}
		})
	}
}

func TestFollowingAStoppedHubFails(t *testing.T) {
	folder, _, end := runHub(t)
	info, err := instance.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	end()
	messages := 0
	if err := follow(t.Context(), info, func([]byte) { messages++ }); fault.KindOf(err) != fault.Unavailable || messages > 0 {
		t.Errorf("follow: got %v and %d messages, want an error of kind Unavailable and no message", err, messages)
	}
}

func TestArgumentsDetermineOutputAndExitCode(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_HOME", t.TempDir())
	for _, row := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"--version", exitOK, "agent-discover-tray " + version.Current() + "\n", ""},
		{"--help", exitOK, "", "-login"},
		{"--nonsense", exitArguments, "", "nonsense"},
		{"argument", exitArguments, "", "unexpected argument"},
	} {
		var stdout, stderr strings.Builder
		code := run(strings.Fields(row.args), &stdout, &stderr)
		if code != row.code || stdout.String() != row.stdout || !strings.Contains(stderr.String(), row.stderr) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", row.args, code, stdout.String(), stderr.String())
		}
	}
}
