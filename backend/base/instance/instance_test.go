package instance

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/process"
)

func folder(t *testing.T) paths.Folder {
	t.Helper()
	f := paths.Folder(t.TempDir())
	if err := f.Create(); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestOnlyOneHubLocksAFolder(t *testing.T) {
	f := folder(t)
	lock, err := Acquire(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(f); fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), "just starting") {
		t.Errorf("before the announcement: %v", err)
	}
	info := Info{ID: process.Self(), Version: "1.2.3", Host: "127.0.0.1", Port: 7, Token: "secret", Started: time.Now()}
	if err := lock.Announce(info); err != nil {
		t.Fatal(err)
	}
	_, err = Acquire(f)
	for _, want := range []string{"process " + strconv.Itoa(os.Getpid()), "1.2.3", "http://127.0.0.1:7", string(f)} {
		if !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%q does not contain %q", fault.MessageOf(err), want)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Error("the message contains the token")
	}
	if stat, _ := os.Stat(f.Run("hub.json")); runtime.GOOS != "windows" && stat.Mode().Perm() != 0o600 { // Windows has no such modes
		t.Errorf("hub.json is readable by other users: %v", stat.Mode())
	}
	if got, err := Read(f); err != nil || got.Token != "secret" {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(f); err != ErrNone {
		t.Errorf("after the release: %v", err)
	}
	again, err := Acquire(f)
	if err != nil {
		t.Fatal(err)
	}
	_ = again.Release()
}

func TestTheFileOfADeadHubIsIgnored(t *testing.T) {
	f := folder(t)
	for name, id := range map[string]process.ID{
		"another start": {PID: os.Getpid(), Start: "other"}, "no start": {PID: os.Getpid()}, "no process": {PID: 1 << 30, Start: "x"},
	} {
		data, _ := json.Marshal(Info{ID: id, Host: "127.0.0.1", Port: 1})
		if err := os.WriteFile(f.Run("hub.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(f); err != ErrNone {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(f.Run("hub.json"), []byte("{half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(f); err != ErrNone {
		t.Errorf("an incomplete file: %v", err)
	}
}

func TestTheStopRequestIsSaved(t *testing.T) {
	f := folder(t)
	for _, stopped := range []bool{true, true, false, false} {
		if err := SetStopped(f, stopped); err != nil {
			t.Fatal(err)
		}
		if Stopped(f) != stopped {
			t.Errorf("Stopped is %v, want %v", !stopped, stopped)
		}
	}
}

func TestAProofDependsOnAllItsInputs(t *testing.T) {
	base := Proof("token", "hub", "127.0.0.1:1", "a", "b")
	for name, other := range map[string]string{
		"token": Proof("other", "hub", "127.0.0.1:1", "a", "b"), "role": Proof("token", "companion", "127.0.0.1:1", "a", "b"),
		"address": Proof("token", "hub", "127.0.0.1:2", "a", "b"), "nonces": Proof("token", "hub", "127.0.0.1:1", "b", "a"),
	} {
		if SameProof(base, other) {
			t.Errorf("another %s gives the same proof", name)
		}
	}
	if !SameProof(base, Proof("token", "hub", "127.0.0.1:1", "a", "b")) {
		t.Error("equal inputs give different proofs")
	}
}

// hub starts a server that answers like a hub with a token, and sends the path and
// Authorization header of each request to seen.
func hub(t *testing.T, token string, seen chan<- string) Info {
	t.Helper()
	var info Info
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.URL.Path + " " + r.Header.Get("Authorization")
		switch r.URL.Path {
		case "/hello":
			_ = json.NewEncoder(w).Encode(Hello{Nonce: "n", Proof: Proof(token, "hub", info.Address(), r.URL.Query().Get("nonce"), "n")})
		case "/fail":
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"error":"exists already"}`)
		default:
			body, _ := io.ReadAll(r.Body)
			_ = json.NewEncoder(w).Encode(map[string]string{"got": string(body)})
		}
	}))
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, _ := strconv.Atoi(address.Port())
	info = Info{Host: address.Hostname(), Port: port, Token: "right"}
	return info
}

func TestAProvenHubGetsTheToken(t *testing.T) {
	seen := make(chan string, 10)
	client := NewClient(hub(t, "right", seen))
	var out struct{ Got string }
	if err := client.Do(t.Context(), http.MethodPost, "/x", map[string]int{"a": 1}, &out); err != nil || out.Got != `{"a":1}` {
		t.Errorf("got %q, %v", out.Got, err)
	}
	if first, second := <-seen, <-seen; first != "/hello " || second != "/x Bearer right" {
		t.Errorf("sent %q, then %q", first, second)
	}
	err := client.Do(t.Context(), http.MethodGet, "/fail", nil, nil)
	if fault.KindOf(err) != fault.Conflict || fault.MessageOf(err) != "exists already" {
		t.Errorf("got %v", err)
	}
}

func TestAnotherProcessGetsNoToken(t *testing.T) {
	seen := make(chan string, 10)
	client := NewClient(hub(t, "guessed", seen))
	err := client.Do(t.Context(), http.MethodGet, "/api/status", nil, nil)
	if err == nil {
		t.Fatal("the request succeeded without a valid proof")
	}
	close(seen)
	for request := range seen {
		if request != "/hello " {
			t.Errorf("the other process received %q", request)
		}
	}
}

func TestAClosedPortIsUnavailable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	err = NewClient(Info{Host: "127.0.0.1", Port: port}).Do(t.Context(), http.MethodGet, "/", nil, nil)
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestServiceCommandsContainEnvironmentAndArguments(t *testing.T) {
	env, args := process.Env{"AGENT_DISCOVER_HOME=/a b", "AGENT_DISCOVER_X=<&%>"}, []string{"/opt/x y/agent-discover", "serve"}
	systemd := strings.Join(systemdCommand("label", "/a b", env, args), "|")
	if want := "systemd-run|--user|--quiet|--collect|--unit=label|--working-directory=/a " +
		"b|--setenv=AGENT_DISCOVER_HOME|--setenv=AGENT_DISCOVER_X|--|/opt/x y/agent-discover|serve"; systemd != want {
		t.Errorf("got %s", systemd)
	}
	launchd := string(launchdJob("label", "/a b", env, args))
	for _, want := range []string{
		"<string>/opt/x y/agent-discover</string>", "<key>AGENT_DISCOVER_X</key><string>&lt;&amp;%&gt;</string>",
		"<key>RunAtLoad</key><true/>", "<key>ProcessType</key><string>Interactive</string>",
		"<key>ThrottleInterval</key><integer>1</integer>",
	} {
		if !strings.Contains(launchd, want) {
			t.Errorf("the job lacks %s:\n%s", want, launchd)
		}
	}
}

func TestServiceManagersGetNoCredentials(t *testing.T) {
	manager := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", manager)
	if err := os.MkdirAll(filepath.Join(manager, "systemd", "private"), 0o700); err != nil {
		t.Fatal(err)
	}
	l := launch{folder: folder(t), env: process.Env{"AGENT_DISCOVER_PORT=0"}, args: []string{"agent-discover", "serve"}}
	detached := len(process.DetachedStarts())
	if len(l.ways()) != detached+1 {
		t.Errorf("no service manager among %v", l.ways())
	}
	for _, name := range []string{"AGENT_DISCOVER_PASSPHRASE", "AGENT_DISCOVER_OPENAI_API_KEY", "AGENT_DISCOVER_SETUP_VARIABLES"} {
		l.env = process.Env{name + "=correct-horse"}
		if len(l.ways()) != detached {
			t.Errorf("a service manager gets %s", name)
		}
	}
}

func TestAddressesWithAPasswordAreKeptFromLaunchd(t *testing.T) {
	for value, want := range map[string]bool{
		"": false, "off": false, "/Users/ada@home": false, "http://127.0.0.1:11434": false, "http://ada@proxy:80/v1": false,
		"http://ada:secret@proxy/v1": true, "http://ada:se%zzcret@proxy": true,
	} {
		if got := namesPassword(process.Env{"AGENT_DISCOVER_HOME=/a", "AGENT_DISCOVER_OPENAI_BASE_URL=" + value}); got != want {
			t.Errorf("%q: got %v", value, got)
		}
	}
}

func TestTheServiceManagerGetsTheEnvironmentInItsOwnEnvironment(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("systemd exists only on Linux")
	}
	dir, f := t.TempDir(), folder(t)
	out := filepath.Join(dir, "out")
	if err := os.MkdirAll(filepath.Join(dir, "systemd", "private"), 0o700); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\n{ echo \"$*\"; echo \"$AGENT_DISCOVER_HOME $AGENT_DISCOVER_OPENAI_BASE_URL\"; } > '" + out + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "systemd-run"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("AGENT_DISCOVER_HOME", "/elsewhere")
	t.Setenv("AGENT_DISCOVER_OPENAI_BASE_URL", "http://user:password@proxy")
	if err := Start(t.Context(), f, "companion"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	argv, environment, _ := strings.Cut(string(text), "\n")
	if strings.Contains(argv, "password") || !strings.Contains(argv, "--setenv=AGENT_DISCOVER_OPENAI_BASE_URL ") {
		t.Errorf("the arguments are %s", argv)
	}
	if want := string(f) + " http://user:password@proxy\n"; environment != want {
		t.Errorf("the environment is %s, want %s", environment, want)
	}
}

func TestARepeatedStartKeepsTheRunningJob(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("launchctl exists only on macOS")
	}
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls")
	// This fake launchctl fails to load a job a second time, as the real one does.
	script := "#!/bin/sh\necho \"$*\" >> '" + calls + "'\n[ \"$1\" != bootstrap ] || mkdir '" + filepath.Join(dir,
		"loaded") + "' 2>/dev/null\n"
	if err := os.WriteFile(filepath.Join(dir, "launchctl"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	argv := launchdCommand("gui/501", "label", "/a b/label.plist")
	for range 3 {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
	}
	load, start := "bootstrap gui/501 /a b/label.plist\n", "kickstart gui/501/label\n"
	if got, _ := os.ReadFile(calls); string(got) != load+load+start+load+start {
		t.Errorf("launchctl was called with:\n%s", got)
	}
}

func TestWindowAndTrayStartTheHubBesideTheirProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the test replaces the hub with a shell script")
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	t.Setenv("XDG_RUNTIME_DIR", "") // so that no service manager is found
	for _, by := range []string{"tray", "window"} {
		f := folder(t)
		if _, err := Ensure(t.Context(), f, by); fault.KindOf(err) != fault.Unavailable ||
			!strings.Contains(fault.MessageOf(err), "agent-discover, which is the hub, is missing") {
			t.Errorf("%s, no hub: %v", by, err)
		}
		script := "#!/bin/sh\necho \"played for $*\" >\"$AGENT_DISCOVER_HOME/report\"\n" +
			"mv \"$AGENT_DISCOVER_HOME/report\" \"$AGENT_DISCOVER_HOME/run/failed\"\n"
		if err := os.WriteFile(filepath.Join(bin, "agent-discover"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := Ensure(t.Context(), f, by); err == nil ||
			!strings.Contains(fault.MessageOf(err), "played for serve --started-by "+by) {
			t.Errorf("%s: %v", by, err)
		}
		if err := os.Remove(filepath.Join(bin, "agent-discover")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOnlyProgramsGiveUpWhenTheUserHasStoppedTheHub(t *testing.T) {
	f := folder(t)
	if err := SetStopped(f, true); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for by, want := range map[string]bool{"companion": true, "cli": true, "tray": true, "window": true, "start": false, "open": false} {
		if _, err := (launch{folder: f, by: by}).await(ended, attempt{}, nil); errors.Is(err, ErrStopped) != want {
			t.Errorf("%s: %v", by, err)
		}
		if _, err := prepare(f, by); errors.Is(err, ErrStopped) != want {
			t.Errorf("%s, before the start: %v", by, err)
		}
	}
}
