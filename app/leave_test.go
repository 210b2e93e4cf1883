//go:build desktop && linux && production

package app

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// foreign names a folder with a page that no dashboard of ours would be: what the window must bear from one that
// somebody got something into.
const foreign = "AGENT_DISCOVER_TEST_PAGES"

func TestMain(m *testing.M) {
	if dir := os.Getenv(foreign); dir != "" {
		runtime.LockOSThread()
		if err := showForeign(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// showForeign is Run with a page of a test's own.
func showForeign(dir string) error {
	folder, err := paths.Default()
	if err != nil {
		return err
	}
	if err := folder.Create(); err != nil {
		return err
	}
	singleton, err := acquireSingleton(context.Background(), folder, "window", activation{})
	if err != nil {
		return err
	}
	d := newMainWindow(folder, request{test: "nothing"})
	d.pages = os.DirFS(dir)
	return d.run(context.Background(), request{test: "nothing"}, singleton)
}

// showPage opens a window on a page with a script.
func (s *stage) showPage(body, script string) (window string) {
	s.t.Helper()
	dir := s.t.TempDir()
	page := `<!doctype html><html><head><title>foreign</title><link rel="stylesheet" href="/page.css"></head><body>` + body + `<script src="/page.js"></script></body></html>`
	for name, content := range map[string]string{"index.html": page, "page.js": script, "page.css": "a { display: block; height: 600px; }"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	// Where the desktop would open a browser.
	s.put("xdg-open", "#!/bin/sh\nprintf '%s\\n' \"$1\" >>\"$HOME/opened\"\n")
	if err := os.RemoveAll(filepath.Join(s.Home(), "opened")); err != nil {
		s.t.Fatal(err)
	}
	own, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	s.play(own, s.env(s.Env(), foreign+"="+dir)).reached("page")
	return s.find("nothing · " + Title)
}

func (s *stage) opened() string {
	data, _ := os.ReadFile(filepath.Join(s.Home(), "opened")) // nothing yet
	return string(data)
}

func TestTheWindowOpensLinksOutside(t *testing.T) {
	desktop := newStage(t)
	for name, link := range map[string]string{
		"in place":                    `href="https://example.com/in-place?a=1&amp;b=(2)"`,
		"in a new window":             `href="https://example.com/in-place?a=1&amp;b=(2)" target="_blank"`,
		"unseen by the page's script": `href="https://example.com/in-place?a=1&amp;b=(2)" onclick="" data-deaf`,
	} {
		t.Run(name, func(t *testing.T) {
			s := desktop.with(t)
			window := s.showPage(`<a `+link+`>elsewhere</a><p>still here</p>`,
				`document.querySelector("[data-deaf]")?.addEventListener("click", (e) => e.stopImmediatePropagation(), true);`)
			s.do("mousemove", "--window", window, "40", "60", "click", "1")
			s.await("the browser was asked", func() bool { return s.opened() != "" })
			if got := s.opened(); got != "https://example.com/in-place?a=1&b=(2)\n" {
				t.Errorf("it was asked for %q", got)
			}
			s.shows("elsewhere", true)
		})
	}
}

func TestTheWindowStaysWhereItIs(t *testing.T) {
	desktop := newStage(t)
	for name, script := range map[string]string{
		"a script that leaves":     `location.href = "SERVER/left"`,
		"a script that submits":    `const f = document.createElement("form"); f.action = "SERVER/left"; document.body.append(f); f.submit()`,
		"a frame":                  `const f = document.createElement("iframe"); f.src = "SERVER/left"; document.body.append(f)`,
		"an image from elsewhere":  `new Image().src = "http://localhost:PORT/left"`,
		"a request to elsewhere":   `fetch("http://localhost:PORT/left").catch(() => {})`,
		"a script from elsewhere":  `const f = document.createElement("script"); f.src = "SERVER/left"; document.body.append(f)`,
		"a program of the desktop": `location.href = "zoommtg://left"`,
		"a file":                   `location.href = "file:///etc/passwd"`,
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
			t.Cleanup(server.Close)
			port := server.URL[strings.LastIndex(server.URL, ":")+1:]
			s := desktop.with(t)
			script = strings.NewReplacer("SERVER", server.URL, "PORT", port).Replace(script)
			s.showPage("<h1>still here</h1>", script+`; setTimeout(() => document.body.append("a second later"), 1000)`)
			s.shows("still here", true)
			s.shows("a second later", true)
			if asked.Load() > 0 || s.opened() != "" {
				t.Errorf("elsewhere was asked %d times, the browser for %q", asked.Load(), s.opened())
			}
		})
	}
}

func TestTheWindowRunsNoScriptThatIsNotEmbedded(t *testing.T) {
	s := newStage(t)
	s.showPage(`<h1 id="said">nothing</h1><script>document.getElementById("said").append(", inline")</script>`+
		`<img src="/none" onerror="document.getElementById('said').append(', handler')">`,
		`try { eval("document.getElementById('said').append(', eval')") } catch {}
		setTimeout(() => document.getElementById("said").append(" but its own, and "
			+ typeof window.go.app.Window.Connect), 500)`)
	s.shows("nothing but its own, and function", true)
}
