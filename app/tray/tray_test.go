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
	"github.com/agent-discover/agent-discover/backend/hub"
)

// paper is a face on which a test reads.
type paper struct {
	menus chan menu
	mu    sync.Mutex
	text  string // on the clipboard
	full  bool
}

func (p *paper) show(m menu) { p.menus <- m }

func (p *paper) copy(text string) error {
	if p.full {
		return fault.New(fault.Failed, "the clipboard is full")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
	return nil
}

func (p *paper) end() {}

// await returns the first menu that shows a text.
func (p *paper) await(t *testing.T, text string) menu {
	t.Helper()
	var last menu
	for {
		select {
		case last = <-p.menus:
			if strings.Contains(drawnMenu(last.Items, ""), text) {
				return last
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("no menu showed %q; the last was\n%s", text, drawnMenu(last.Items, ""))
		}
	}
}

// runHub runs a real hub in this process until the test ends it.
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
	if err := client.Do(t.Context(), http.MethodPost, "/api/servers", map[string]any{"name": "one", "command": "/nonexistent", "warm": false}, nil); err != nil {
		t.Fatal(err)
	}
	return folder, client, end
}

// runTray shows the menu of a folder's hub on paper until the test ends.
func runTray(t *testing.T, folder paths.Folder) (*tray, *paper) {
	t.Helper()
	tr, p := newTray(folder, "v1.2.3"), &paper{menus: make(chan menu, 1000)}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { tr.run(ctx, p); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return tr, p
}

func TestTheMenuFollowsTheHub(t *testing.T) {
	folder, client, end := runHub(t)
	_, p := runTray(t, folder)
	p.await(t, "(0 of 1 server running)")
	if err := client.Do(t.Context(), http.MethodPost, "/api/servers", map[string]any{"name": "two", "command": "x", "warm": false}, nil); err != nil {
		t.Fatal(err)
	}
	p.await(t, "Servers\n  one\n  two\n")
	if err := instance.SetStopped(folder, true); err != nil {
		t.Fatal(err)
	}
	end()
	p.await(t, "(Stopped)")
}

func TestAClickThatFailsSaysWhy(t *testing.T) {
	folder, _, _ := runHub(t)
	tr, p := runTray(t, folder)
	p.await(t, "(0 of 1 server running)")
	for click, want := range map[string]string{
		"activate 1":      `Failed to activate "one"`,
		"deactivate 4711": "Not found",
		"activate x/../1": "ot found",
		clickCheck:        "Health: 1 of 1 failed: one",
	} {
		tr.clicked(click)
		p.await(t, want)
	}
}

func TestTheConfigurationIsCopied(t *testing.T) {
	folder, _, _ := runHub(t)
	t.Setenv("AGENT_DISCOVER_HOME", string(folder))
	tr, p := runTray(t, folder)
	t.Setenv("PATH", t.TempDir())
	tr.clicked(clickCopy)
	p.await(t, "agent-discover is missing")
	t.Setenv("PATH", script(t, "agent-discover", "exit 0"))
	tr.clicked(clickCopy)
	p.await(t, "MCP configuration copied")
	p.mu.Lock()
	defer p.mu.Unlock()
	if !strings.Contains(p.text, `/agent-discover"`) || !strings.Contains(p.text, string(folder)) {
		t.Errorf("copied %s", p.text)
	}
}

func TestWhatCameOfAClickIsShownForAMinute(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		tr, p := newTray("", "v1"), &paper{menus: make(chan menu, 1000)}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			var acts sync.WaitGroup
			tr.loop(ctx, p, &acts)
			close(tr.ended)
			acts.Wait()
		}()
		began := time.Now()
		tr.clicked(clickCopy)
		p.await(t, "agent-discover is missing")
		for {
			if m := p.await(t, ""); m.Items[1].Hidden {
				break
			}
		}
		if shown := time.Since(began); shown < noteStays || shown > noteStays+2*redraw {
			t.Errorf("it was shown for %v", shown)
		}
	})
}

func TestStartAtLoginIsSwitched(t *testing.T) {
	folder, _, _ := runHub(t)
	tr, p := runTray(t, folder)
	tr.clicked(clickLogin)
	p.await(t, "[x] Start at login")
	entry, err := atLogin()
	if err != nil {
		t.Fatal(err)
	}
	if on, err := entry.On(); !on || err != nil {
		t.Errorf("on: %v, %v", on, err)
	}
	tr.clicked(clickNoLogin)
	p.await(t, "\nStart at login")
}

func TestWithoutAWindowTheBrowserOpens(t *testing.T) {
	dir := t.TempDir()
	for name, row := range map[string]struct {
		window, hub string
		want        string // in the error; "" for none
	}{
		"the window opens":               {"exit 0", "exit 1", ""},
		"the window fails at once":       {"exit 1", "test \"$1\" = open", ""},
		"neither window nor browser":     {"exit 1", "exit 3", "no window and no browser"},
		"no window, and the hub has one": {"", "test \"$1\" = open", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := dir
			if row.window != "" {
				path += ":" + script(t, "agent-discover-desktop", row.window)
			}
			t.Setenv("PATH", path+":"+script(t, "agent-discover", row.hub))
			err := open(t.Context(), "/approvals")
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(fault.MessageOf(err), row.want)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAHubThatIsNotThereIsAnError(t *testing.T) {
	folder, _, end := runHub(t)
	info, err := instance.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	end()
	heard := 0
	if err := follow(t.Context(), info, func([]byte) { heard++ }); fault.KindOf(err) != fault.Unavailable || heard > 0 {
		t.Errorf("%v, heard %d", err, heard)
	}
}

func TestArguments(t *testing.T) {
	t.Setenv("AGENT_DISCOVER_HOME", t.TempDir())
	for _, row := range []struct {
		args          string
		code          int
		out, problems string
	}{
		{"--version", exitOK, "agent-discover-tray dev\n", ""},
		{"--help", exitOK, "", "-login"},
		{"--nonsense", exitArguments, "", "nonsense"},
		{"argument", exitArguments, "", "takes no arguments"},
	} {
		var out, problems strings.Builder
		code := start(strings.Fields(row.args), &out, &problems)
		if code != row.code || out.String() != row.out || !strings.Contains(problems.String(), row.problems) {
			t.Errorf("%s: %d, %q, %q", row.args, code, out.String(), problems.String())
		}
	}
}
