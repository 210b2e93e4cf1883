package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// desktop returns the environment of a desktop with the given desktop files. It changes the working directory to their
// folder and sets XDG_DATA_DIRS to ".", because an absolute path on Windows contains a colon, which separates folders
// in XDG_DATA_DIRS.
func desktop(t *testing.T, files map[string]string) func(string) string {
	t.Helper()
	data := t.TempDir()
	for name, text := range files {
		path := filepath.Join(data, "applications", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(data)
	return func(name string) string { return map[string]string{"DISPLAY": ":0", "XDG_DATA_DIRS": "."}[name] }
}

// defaults returns a function like query that reports web as the default program for web addresses and html as that for
// HTML files.
func defaults(web, html string) func(string) string {
	return func(mime string) string {
		return map[string]string{"x-scheme-handler/http": web, "text/html": html}[mime]
	}
}

const file = "/home/a b/.agent-discover/run/x.html"

func TestTheDefaultBrowserIsFound(t *testing.T) {
	files := map[string]string{
		"firefox.desktop":         "[Desktop Entry]\nName=Firefox\nExec=/usr/lib/firefox/firefox %u\n[Desktop Action new]\nExec=wrong\n",
		"firefox_firefox.desktop": "[Desktop Entry]\nX-SnapInstanceName=firefox\nExec=env BAMF_DESKTOP_FILE_HINT=/x /snap/bin/firefox %u\n",
		"old_snap.desktop":        "[Desktop Entry]\nExec=/snap/bin/chromium.browser %U\n",
		"flatpak.desktop":         "[Desktop Entry]\nExec=/usr/bin/flatpak run --file-forwarding org.mozilla.firefox @@u %u @@\n",
		"kde4/konq.desktop":       "[Desktop Entry]\nExec=\"/opt/my browser/konq\" --icon %i --url=%u \"a \\\\\"b\\\\\"\" 100%%\n",
		"bare.desktop":            "[Desktop Entry]\nExec=bare\n",
	}
	env := desktop(t, files)
	address := "file:///home/a%20b/.agent-discover/run/x.html"
	opener := []string{"xdg-open", file}
	for name, c := range map[string]struct {
		web, html string
		want      [][]string
		snap      string
	}{
		"it also opens HTML files": {"firefox.desktop", "firefox.desktop", [][]string{opener}, ""},
		"an editor opens HTML files": {
			"firefox.desktop", "gedit.desktop", [][]string{{"/usr/lib/firefox/firefox", address}, opener}, "",
		},
		"a snap": {
			"firefox_firefox.desktop", "firefox_firefox.desktop", [][]string{
				{"env", "BAMF_DESKTOP_FILE_HINT=/x", "/snap/bin/firefox", address}, opener,
			}, "firefox",
		},
		"a snap of an old snapd": {
			"old_snap.desktop", "old_snap.desktop", [][]string{{"/snap/bin/chromium.browser", address}, opener}, "chromium",
		},
		"a flatpak": {
			"flatpak.desktop", "", [][]string{
				{"/usr/bin/flatpak", "run", "--file-forwarding", "org.mozilla.firefox", "@@u", address, "@@"}, opener,
			}, "",
		},
		"a file in a subfolder": {
			"kde4-konq.desktop", "", [][]string{{"/opt/my browser/konq", "--icon", "--url=" + address, `a "b"`, "100%"}, opener}, "",
		},
		"a command without a field code": {"bare.desktop", "", [][]string{{"bare", address}, opener}, ""},
		"unknown":                        {"", "", [][]string{opener}, ""},
		"its desktop file is missing":    {"none.desktop", "", [][]string{opener}, ""},
		"its name is a path":             {"../firefox.desktop", "", [][]string{opener}, ""},
	} {
		b, ok := find("linux", env, defaults(c.web, c.html))
		var got [][]string
		for _, command := range b.commands {
			got = append(got, arguments(command, file))
		}
		if !ok || b.Snap != c.snap || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q of snap %q, want %q", name, got, b.Snap, c.want)
		}
	}
}

func TestABrowserNeedsADisplayOnLinux(t *testing.T) {
	for name, row := range map[string]struct {
		system, variable, value string
		want                    string
	}{
		"windows":                       {"windows", "", "", "rundll32 url.dll,FileProtocolHandler /x"},
		"macOS":                         {"darwin", "", "", "open /x"},
		"linux under X":                 {"linux", "DISPLAY", ":0", "xdg-open /x"},
		"linux under Wayland":           {"linux", "WAYLAND_DISPLAY", "wayland-0", "xdg-open /x"},
		"linux with a chosen browser":   {"linux", "BROWSER", "w3m", "w3m file:///x"},
		"linux with several browsers":   {"linux", "BROWSER", ":a --new %s -x:b", "a --new file:///x -x; b file:///x"},
		"linux over ssh":                {"linux", "", "", ""},
		"linux with an empty selection": {"linux", "BROWSER", ":", ""},
	} {
		env := func(name string) string { return map[string]string{row.variable: row.value}[name] }
		b, ok := find(row.system, env, defaults("", ""))
		var got []string
		for _, command := range b.commands {
			got = append(got, strings.Join(arguments(command, "/x"), " "))
		}
		if strings.Join(got, "; ") != row.want || ok != (row.want != "") {
			t.Errorf("%s: got %q, %t, want %q", name, got, ok, row.want)
		}
	}
}

func TestTheNextCommandIsTriedIfOneFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the test runs shell scripts")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	for name, text := range map[string]string{"fails": "exit 3", "works": fmt.Sprintf("printf '%%s' \"$1\" > '%s'", out)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("BROWSER", strings.Join([]string{filepath.Join(dir, "none"), filepath.Join(dir, "fails"), filepath.Join(dir, "works")}, ":"))
	b, ok := Find()
	if runtime.GOOS != "linux" {
		t.Skip("BROWSER is a convention of Linux")
	}
	if !ok || !b.Open("/a/b.html") {
		t.Fatal("no browser was started")
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != "file:///a/b.html" {
		t.Errorf("the browser got %q, %v", got, err)
	}
	t.Setenv("BROWSER", filepath.Join(dir, "fails"))
	if b, _ := Find(); b.Open("/a/b.html") {
		t.Error("a failing browser was accepted")
	}
}
