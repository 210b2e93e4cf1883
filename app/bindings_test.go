package app

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

func bound(t *testing.T) *Window {
	return &Window{version: "v1.2.3", hub: &hub{folder: dataFolder(t)}}
}

func TestThePageLearnsWhatTheProgramIs(t *testing.T) {
	want := About{Name: "Agent Discover", Version: "v1.2.3"}
	if got := bound(t).About(); got != want {
		t.Errorf("About() = %+v, want %+v", got, want)
	}
}

func TestBindingsRefuseWhatThePageHasNoUseFor(t *testing.T) {
	w := bound(t)
	long := strings.Repeat("a", maxLength+1)
	save := func(name string) error {
		_, err := w.SaveFile(name, "")
		return err
	}
	choose := func(title, filter string) error {
		_, err := w.ChooseFile(title, filter)
		return err
	}
	for what, err := range map[string]error{
		"a script":             w.OpenURL("javascript:alert(1)"),
		"a file":               w.OpenURL("file:///etc/passwd"),
		"a program":            w.OpenURL("zoommtg://x"),
		"no address":           w.OpenURL("example.com"),
		"a folder by its path": w.OpenFolder("/etc"),
		"a folder of ours":     w.OpenFolder("run"),
		"a path":               save("../x"),
		"a folder":             save("a/b"),
		"this folder":          save("."),
		"no name":              save(""),
		"a long name":          save(long),
		"a line break":         save("a\nb"),
		"a filter of paths":    choose("x", "/etc/*"),
		"no title":             choose("", ""),
		"no server":            w.OpenTest(""),
		"a hostile server":     w.OpenTest("a\x00b"),
	} {
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAStoppedHubIsStartedOnlyWhenAsked(t *testing.T) {
	w := bound(t)
	if err := instance.SetStopped(w.hub.folder, true); err != nil {
		t.Fatal(err)
	}
	if to, err := w.Connect(); err != nil || to != (Connection{Stopped: true}) {
		t.Errorf("Connect = %+v, %v, want only Stopped", to, err)
	}
	t.Setenv("PATH", filepath.Join(t.TempDir(), "none")) // no hub is beside a test
	if _, err := w.Start(); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "agent-discover") {
		t.Errorf("Start: %v", err)
	}
}

func TestAHubThatCannotProveItselfGetsNoToken(t *testing.T) {
	w := bound(t)
	stranger, asked := strange(t)
	lock, err := instance.Acquire(w.hub.folder)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	if err := lock.Announce(stranger); err != nil {
		t.Fatal(err)
	}
	if to, err := w.Connect(); err == nil || to.Token != "" {
		t.Errorf("Connect: %+v, %v", to, err)
	}
	if text := asked(); strings.Contains(text, stranger.Token) || !strings.Contains(text, "/hello") {
		t.Errorf("it was sent %q", text)
	}
}

func TestStartAtLoginIsTheTrays(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("changes the login of whoever runs the tests")
	}
	w := bound(t)
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	t.Setenv("PATH", dir)
	if _, err := w.StartAtLogin(); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without a tray: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "agent-discover-tray"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if err := w.SetStartAtLogin(want); err != nil {
			t.Fatal(err)
		}
		if on, err := w.StartAtLogin(); err != nil || on != want {
			t.Errorf("StartAtLogin = %v, %v, want %v", on, err, want)
		}
	}
}

// strange listens where a hub was and returns how that hub is announced, and what it was sent.
func strange(t *testing.T) (instance.Info, func() string) {
	t.Helper()
	var mu sync.Mutex
	var sent strings.Builder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		dump, _ := httputil.DumpRequest(r, true) // of a request that was read
		sent.Write(dump)
		_, _ = w.Write([]byte(`{"nonce":"x","proof":"y","protocol":1}`)) // the test sees what comes of it
	}))
	t.Cleanup(server.Close)
	host, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	info := instance.Info{ID: process.Self(), Host: host, Port: number, Token: instance.NewSecret()}
	return info, func() string {
		mu.Lock()
		defer mu.Unlock()
		return sent.String()
	}
}
