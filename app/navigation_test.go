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

// pagesVariable names an environment variable with a folder of pages. It turns the test binary into a window that shows
// them instead of the dashboard, to test a page with injected content.
const pagesVariable = "AGENT_DISCOVER_TEST_PAGES"

func TestMain(m *testing.M) {
	if dir := os.Getenv(pagesVariable); dir != "" {
		runtime.LockOSThread()
		if err := runWithPages(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runWithPages is like Run, but shows the pages of a folder.
func runWithPages(dir string) error {
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
	d := newMainWindow(folder, request{test: "test page"})
	d.pages = os.DirFS(dir)
	return d.run(context.Background(), request{test: "test page"}, singleton)
}

// showPage opens a window with a page that has the given body and script, and returns the window's X11 id.
func (d *testDesktop) showPage(body, script string) (window string) {
	d.t.Helper()
	dir := d.t.TempDir()
	page := `<!doctype html><html><head><title>test page</title><link rel="stylesheet" href="/page.css"></head><body>` + body +
		`<script src="/page.js"></script></body></html>`
	for name, content := range map[string]string{
		"index.html": page, "page.js": script, "page.css": "a { display: block; height: 600px; }",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			d.t.Fatal(err)
		}
	}
	// Replace xdg-open, which opens the browser, with a script that stores the addresses that it receives.
	d.install("xdg-open", "#!/bin/sh\nprintf '%s\\n' \"$1\" >>\"$HOME/opened\"\n")
	if err := os.RemoveAll(filepath.Join(d.Home(), "opened")); err != nil {
		d.t.Fatal(err)
	}
	own, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	d.start(own, d.env(d.Env(), pagesVariable+"="+dir)).awaitTrace("page")
	return d.awaitWindow("test page · " + Title)
}

// openedURLs returns the addresses that were passed to the browser, one per line.
func (d *testDesktop) openedURLs() string {
	data, _ := os.ReadFile(filepath.Join(d.Home(), "opened")) // missing until an address was opened
	return string(data)
}

func TestTheWindowOpensExternalLinksInTheBrowser(t *testing.T) {
	desktop := newTestDesktop(t)
	for name, link := range map[string]string{
		"in the same window":    `href="https://example.com/in-place?a=1&amp;b=(2)"`,
		"in a new window":       `href="https://example.com/in-place?a=1&amp;b=(2)" target="_blank"`,
		"hidden from window.js": `href="https://example.com/in-place?a=1&amp;b=(2)" onclick="" data-stop`,
	} {
		t.Run(name, func(t *testing.T) {
			d := desktop.with(t)
			window := d.showPage(`<a `+link+`>elsewhere</a><p>still here</p>`,
				`document.querySelector("[data-stop]")?.addEventListener("click", (e) => e.stopImmediatePropagation(), true);`)
			d.xdotool("mousemove", "--window", window, "40", "60", "click", "1")
			d.await("an address passed to the browser", func() bool { return d.openedURLs() != "" })
			if got := d.openedURLs(); got != "https://example.com/in-place?a=1&b=(2)\n" {
				t.Errorf("address passed to the browser: %q", got)
			}
			d.awaitText("elsewhere", true)
		})
	}
}

func TestTheWindowDoesNotNavigateElsewhere(t *testing.T) {
	desktop := newTestDesktop(t)
	for name, script := range map[string]string{
		"a script that navigates":      `location.href = "SERVER/left"`,
		"a script that submits a form": `const f = document.createElement("form"); f.action = "SERVER/left"; document.body.append(f); f.submit()`,
		"a frame":                      `const f = document.createElement("iframe"); f.src = "SERVER/left"; document.body.append(f)`,
		"an external image":            `new Image().src = "http://localhost:PORT/left"`,
		"an external request":          `fetch("http://localhost:PORT/left").catch(() => {})`,
		"an external script":           `const f = document.createElement("script"); f.src = "SERVER/left"; document.body.append(f)`,
		"a scheme of another program":  `location.href = "zoommtg://left"`,
		"a local file":                 `location.href = "file:///etc/passwd"`,
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
			t.Cleanup(server.Close)
			port := server.URL[strings.LastIndex(server.URL, ":")+1:]
			d := desktop.with(t)
			script = strings.NewReplacer("SERVER", server.URL, "PORT", port).Replace(script)
			d.showPage("<h1>still here</h1>", script+`; setTimeout(() => document.body.append("a second later"), 1000)`)
			d.awaitText("still here", true)
			d.awaitText("a second later", true)
			if requests.Load() > 0 || d.openedURLs() != "" {
				t.Errorf("the server got %d requests, the browser the addresses %q, want none", requests.Load(), d.openedURLs())
			}
		})
	}
}

func TestTheWindowRunsOnlyEmbeddedScripts(t *testing.T) {
	d := newTestDesktop(t)
	d.showPage(`<h1 id="scripts">page</h1><script>document.getElementById("scripts").append(", inline")</script>`+
		`<img src="/none" onerror="document.getElementById('scripts').append(', handler')">`,
		`try { eval("document.getElementById('scripts').append(', eval')") } catch {}
		setTimeout(() => document.getElementById("scripts").append(", own file, bindings: "
			+ typeof window.go.app.Window.Connect), 500)`)
	d.awaitText("page, own file, bindings: function", true)
}
