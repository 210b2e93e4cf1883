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

// newBindings returns the bindings of a window with an empty data folder.
func newBindings(t *testing.T) *Window {
	return &Window{version: "v1.2.3", hub: &hub{folder: dataFolder(t)}}
}

func TestAboutReturnsNameAndVersion(t *testing.T) {
	want := About{Name: "Agent Discover", Version: "v1.2.3"}
	if got := newBindings(t).About(); got != want {
		t.Errorf("About() = %+v, want %+v", got, want)
	}
}

func TestAboutSaysThatTheHubIsOfAnotherVersion(t *testing.T) {
	w := newBindings(t)
	lock, err := instance.Acquire(w.hub.folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	if err := lock.Announce(instance.Info{ID: process.Self(), Version: "v1.2.2", Host: "127.0.0.1", Port: 1}); err != nil {
		t.Fatal(err)
	}
	if got := w.About().Difference; !strings.HasPrefix(got, "the hub is older (version v1.2.2) than this program (version v1.2.3)") {
		t.Errorf("got %q", got)
	}
}

func TestBindingsRejectInvalidArguments(t *testing.T) {
	w := newBindings(t)
	long := strings.Repeat("a", maxLength+1)
	save := func(name string) error {
		_, err := w.SaveFile(name, "")
		return err
	}
	choose := func(title, filter string) error {
		_, err := w.ChooseFile(title, filter)
		return err
	}
	chooseFolder := func(title string) error {
		_, err := w.ChooseFolder(title)
		return err
	}
	for name, err := range map[string]error{
		"a script address":                w.OpenURL("javascript:alert(1)"),
		"a file address":                  w.OpenURL("file:///etc/passwd"),
		"an address of another program":   w.OpenURL("zoommtg://x"),
		"an address without a scheme":     w.OpenURL("example.com"),
		"the path of a folder":            w.OpenFolder("/etc"),
		"an unknown folder":               w.OpenFolder("run"),
		"a file name with a path":         save("../x"),
		"a file name with a folder":       save("a/b"),
		"the current folder as file name": save("."),
		"an empty file name":              save(""),
		"a long file name":                save(long),
		"a file name with a line break":   save("a\nb"),
		"a filter with a path":            choose("x", "/etc/*"),
		"an empty dialog title":           choose("", ""),
		"an empty title for a folder":     chooseFolder(""),
		"an empty server name":            w.OpenTest(""),
		"a server name with a null byte":  w.OpenTest("a\x00b"),
	} {
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: got %v, want an error of kind Invalid", name, err)
		}
	}
}

func TestAStoppedHubIsStartedOnlyWhenAsked(t *testing.T) {
	w := newBindings(t)
	if err := instance.SetStopped(w.hub.folder, true); err != nil {
		t.Fatal(err)
	}
	if to, err := w.Connect(); err != nil || to != (Connection{Stopped: true}) {
		t.Errorf("Connect = %+v, %v, want only Stopped", to, err)
	}
	t.Setenv("PATH", filepath.Join(t.TempDir(), "none")) // no hub beside the test binary or on the PATH
	if _, err := w.Start(); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "agent-discover") {
		t.Errorf("Start: got %v, want an error of kind Unavailable that names agent-discover", err)
	}
}

func TestAProgramThatIsNotTheHubGetsNoToken(t *testing.T) {
	w := newBindings(t)
	impostor, received := startImpostor(t)
	lock, err := instance.Acquire(w.hub.folder)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	if err := lock.Announce(impostor); err != nil {
		t.Fatal(err)
	}
	if to, err := w.Connect(); err == nil || to.Token != "" {
		t.Errorf("Connect = %+v, %v, want an error and no token", to, err)
	}
	if text := received(); strings.Contains(text, impostor.Token) || !strings.Contains(text, "/hello") {
		t.Errorf("the program received %q, want a request for /hello without the token", text)
	}
}

func TestStartAtLoginConfiguresTheTray(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("would change the login of the user who runs the tests")
	}
	w := newBindings(t)
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	t.Setenv("PATH", dir)
	if _, err := w.StartAtLogin(); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without a tray: got %v, want an error of kind Unavailable", err)
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

// startImpostor starts a server that cannot prove that it is the hub, such as a program that listens on the port of a
// hub that has died. It returns an announcement that names the server as the hub, and a function that returns the
// requests that the server has received.
func startImpostor(t *testing.T) (instance.Info, func() string) {
	t.Helper()
	var mu sync.Mutex
	var received strings.Builder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		dump, _ := httputil.DumpRequest(r, true) // cannot fail for a request that was read
		received.Write(dump)
		_, _ = w.Write([]byte(`{"nonce":"x","proof":"y","protocol":1}`)) // a failure shows as a failed connection
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
		return received.String()
	}
}
