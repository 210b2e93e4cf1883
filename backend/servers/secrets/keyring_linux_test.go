package secrets_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/testing/keyringtest"
)

// alone runs a test in a process of its own: the keychain's library keeps its
// connection for the life of a process. It returns true there.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv("AGENT_DISCOVER_TEST_ALONE") == t.Name() {
		return true
	}
	keyringtest.Need(t)
	args := []string{"-test.run=^" + t.Name() + "$", "-test.count=1"}
	for _, arg := range os.Args[1:] {
		if strings.HasPrefix(arg, "-test.gocoverdir=") {
			args = append(args, arg)
		}
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "AGENT_DISCOVER_TEST_ALONE="+t.Name())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// session starts a session for this process.
func session(t *testing.T) *keyringtest.Session {
	t.Helper()
	s := keyringtest.Start(t)
	for _, kv := range s.Env() {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	return s
}

// keychainDesk opens the vault of a data folder, with a keychain.
func keychainDesk(t *testing.T, folder paths.Folder) *desk {
	t.Helper()
	return openDesk(t, folder, false)
}

// hastyDesk is one that waits for the keychain for a moment only.
func hastyDesk(t *testing.T, folder paths.Folder) *desk {
	t.Helper()
	return openDeskWith(t, secrets.Options{Folder: folder, Deadline: 500 * time.Millisecond})
}

// eventually waits until a server's secrets show as they should.
func (d *desk) eventually(server, want string) (got string) {
	d.t.Helper()
	for end := time.Now().Add(30 * time.Second); got != want && time.Now().Before(end); {
		got = d.shows(server)
	}
	return got
}

func TestKeychainKeepsValues(t *testing.T) {
	if !alone(t) {
		return
	}
	s := session(t)
	s.Unlock()
	folder := paths.Folder(t.TempDir())
	d := keychainDesk(t, folder)
	if status := d.Status(t.Context()); status.Keeper != "keychain" || status.Advice != "" {
		t.Errorf("the status is %+v", status)
	}
	pem := strings.Repeat("0123456789abcde\n", 250) // 4,000 bytes
	d.set("one", "KEY", "correct-horse ünïcode")
	d.set("one", "A/B", "with a slash")
	d.set("one", "PEM", pem)
	d.set("one", "GROWS", "short")
	d.set("one", "GROWS", pem+"longer")
	d.set("one", "SHRINKS", pem)
	d.set("one", "SHRINKS", "shrunk")
	other := keychainDesk(t, paths.Folder(t.TempDir()))
	other.set("one", "KEY", "of another folder")

	s.Unlock() // the keyring is started anew, and so is the hub
	d = keychainDesk(t, folder)
	for name, value := range map[string]string{"KEY": "correct-horse ünïcode", "A/B": "with a slash", "PEM": pem, "GROWS": pem + "longer", "SHRINKS": "shrunk"} {
		if !d.Holds(t.Context(), "one", name, value) {
			t.Errorf("%s is not what it was", name)
		}
	}
	entries, err := d.List(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		want := secrets.InKeychain
		if e.Name == "PEM" || e.Name == "GROWS" {
			want = secrets.InSealed
		}
		if e.Kept != want {
			t.Errorf("%s is kept in %s", e.Name, e.Kept)
		}
	}
	if _, err := os.Stat(folder.Sealed("secrets")); err == nil {
		t.Error("there is a file under a passphrase")
	}
	if err := d.Forget(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	if items := s.Items(); len(items) != 2 { // the key of the sealed values, and the other folder's
		t.Errorf("the keychain has %v", items)
	}
	if !other.Holds(t.Context(), "one", "KEY", "of another folder") {
		t.Error("the other folder has lost its value")
	}
}

func TestLockedKeychainIsSaidAndTheNextCallsAreAnsweredAtOnce(t *testing.T) {
	if !alone(t) {
		return
	}
	s := session(t)
	s.Unlock()
	folder := paths.Folder(t.TempDir())
	keychainDesk(t, folder).set("one", "KEY", "correct-horse")
	asked := s.IgnorePrompts()
	s.Lock()
	d := hastyDesk(t, folder)
	if status := d.Status(t.Context()); status.Keeper != "keychain" || !strings.Contains(status.Why, "locked") {
		t.Errorf("the status is %+v", status)
	}
	refused(t, d.Set(t.Context(), "one", "NEW", "value"), fault.Unavailable, "locked or waits for you", "secrets unlock")
	before := runtime.NumGoroutine()
	for range 50 {
		if got := d.shows("one"); got != "KEY=****" {
			t.Errorf("it shows %s", got)
		}
		refused(t, d.Set(t.Context(), "one", "NEW", "value"), fault.Unavailable, "locked or waits for you")
	}
	if n := runtime.NumGoroutine(); n > before+10 {
		t.Errorf("%d goroutines became %d", before, n)
	}
	if n := len(asked); n != 1 {
		t.Errorf("the user was asked %d times", n)
	}
	if err := d.Delete(t.Context(), "one", "KEY"); err != nil || d.shows("one") != "" {
		t.Errorf("a secret of a locked keychain is not deleted: %v", err)
	}

	s.Unlock()
	d.set("one", "NEW", "value")
	if got := d.shows("one"); got != "NEW=valu****" {
		t.Errorf("unlocked, it shows %s", got)
	}
	if items := s.Items(); len(items) != 1 {
		t.Errorf("what was deleted is in the keychain still: %v", items)
	}
}

func TestKeychainThatAnswersNothingIsWaitedForOnceAndWorksAgainAfterwards(t *testing.T) {
	if !alone(t) {
		return
	}
	s := session(t)
	s.Unlock()
	d := hastyDesk(t, paths.Folder(t.TempDir()))
	d.set("one", "KEY", "correct-horse")
	s.Freeze()
	for range 3 {
		if got := d.shows("one"); got != "KEY=****" {
			t.Errorf("it shows %s", got)
		}
	}
	_, err := d.Fill(t.Context(), "one", secrets.Launch{Transport: "stdio"})
	refused(t, err, fault.Unavailable, `server "one"`, `"KEY"`, "waits for you")
	s.Thaw()
	if got := d.eventually("one", "KEY=corr****"); got != "KEY=corr****" {
		t.Errorf("it shows %s", got)
	}
}

func TestLockedKeychainGivesWayToTheFile(t *testing.T) {
	if !alone(t) {
		return
	}
	s := session(t)
	s.Unlock()
	d := hastyDesk(t, paths.Folder(t.TempDir()))
	d.set("one", "OLD", "in the keychain")
	d.set("one", "BOTH", "in the keychain")
	s.Lock() // and no screen to ask on
	d.unlock("pass")
	d.set("one", "BOTH", "now in the file")
	d.set("one", "NEW", "now in the file")
	if got := d.shows("one"); got != "BOTH=now **** NEW=now **** OLD=****" {
		t.Errorf("it shows %s", got)
	}
	s.Unlock()
	if got := d.shows("one"); got != "BOTH=now **** NEW=now **** OLD=in t****" {
		t.Errorf("unlocked, it shows %s", got)
	}
	d.set("one", "BOTH", "in the keychain again")
	if err := d.Delete(t.Context(), "one", "NEW"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(d.folder.Sealed("secrets"))
	if err != nil || strings.Contains(string(data), "one/") {
		t.Errorf("the file has values of the past: %s, %v", data, err)
	}
}

func TestBusWithoutAKeychainIsNone(t *testing.T) {
	if !alone(t) {
		return
	}
	session(t)
	d := keychainDesk(t, paths.Folder(t.TempDir()))
	refused(t, d.Set(t.Context(), "one", "KEY", "value"), fault.Unavailable, "keeps secrets", "secrets unlock")
	if status := d.Status(t.Context()); status.Keeper != "none" || !strings.Contains(status.Why, "nothing on the session bus keeps secrets") {
		t.Errorf("the status is %+v", status)
	}
	d.unlock("pass").set("one", "KEY", "value")
	if got := d.shows("one"); got != "KEY=valu****" {
		t.Errorf("it shows %s", got)
	}
}

func TestWithoutABusNoneIsStarted(t *testing.T) {
	if !alone(t) {
		return
	}
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	for _, address := range []string{"", "autolaunch:"} {
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
		// What the library would start a bus with tells when it runs.
		t.Setenv("PATH", dir)
		mark := dir + "/started"
		if err := os.WriteFile(dir+"/dbus-launch", []byte("#!/bin/sh\n: > "+mark+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		d := keychainDesk(t, paths.Folder(t.TempDir()))
		refused(t, d.Set(t.Context(), "one", "KEY", "value"), fault.Unavailable, "no session bus", "secrets unlock")
		if status := d.Status(t.Context()); status.Keeper != "none" || !strings.Contains(status.Why, "no session bus") {
			t.Errorf("the status is %+v", status)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Error("a bus was started")
		}
	}
}

func TestBusIsFoundInTheRuntimeFolder(t *testing.T) {
	if !alone(t) {
		return
	}
	s := session(t)
	s.Unlock()
	socket, _, _ := strings.Cut(strings.TrimPrefix(os.Getenv("DBUS_SESSION_BUS_ADDRESS"), "unix:path="), ",")
	dir := t.TempDir()
	if err := os.Symlink(socket, dir+"/bus"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	d := keychainDesk(t, paths.Folder(t.TempDir()))
	d.set("one", "KEY", "value")
	if len(s.Items()) != 1 {
		t.Error("the keychain has nothing")
	}
}

func TestBusThatIsGoneIsSaid(t *testing.T) {
	if !alone(t) {
		return
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+t.TempDir()+"/bus")
	d := keychainDesk(t, paths.Folder(t.TempDir()))
	refused(t, d.Set(t.Context(), "one", "KEY", "value"), fault.Unavailable, "the session bus does not answer")
	if status := d.Status(t.Context()); status.Keeper != "none" {
		t.Errorf("the status is %+v", status)
	}
}
