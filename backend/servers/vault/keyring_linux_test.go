package vault_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/testing/keyringtest"
)

// inOwnProcess runs the test in a child process, in which it returns true. The
// library for the keychain keeps its connection until the process ends.
func inOwnProcess(t *testing.T) bool {
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

// session starts a desktop session with a keyring for this process.
func session(t *testing.T) *keyringtest.Session {
	t.Helper()
	s := keyringtest.Start(t)
	for _, kv := range s.Env() {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	return s
}

// keychainFixture opens the vault of a data folder with the keychain enabled.
func keychainFixture(t *testing.T, folder paths.Folder) *fixture {
	t.Helper()
	return openFixture(t, folder, false)
}

// shortDeadlineFixture is like keychainFixture, with a short deadline for operations that hang. On a busy machine,
// other operations may exceed it too; then they count as hung until they end.
func shortDeadlineFixture(t *testing.T, folder paths.Folder) *fixture {
	t.Helper()
	return openFixtureWith(t, vault.Options{Folder: folder, Deadline: 500 * time.Millisecond})
}

// eventually reads the masked secrets of a server until they are equal to want.
func (d *fixture) eventually(server, want string) (got string) {
	d.t.Helper()
	for end := time.Now().Add(30 * time.Second); got != want && time.Now().Before(end); {
		got = d.masked(server)
	}
	return got
}

// eventuallySet sets a secret once the keychain has noticed that it is unlocked.
func (d *fixture) eventuallySet(server, name, value string) {
	d.t.Helper()
	err := d.Set(d.t.Context(), server, name, value)
	for end := time.Now().Add(30 * time.Second); fault.KindOf(err) == fault.Unavailable && time.Now().Before(end); {
		err = d.Set(d.t.Context(), server, name, value)
	}
	if err != nil {
		d.t.Fatalf("set %s of %s: %v", name, server, err)
	}
}

func TestKeychainKeepsValues(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	s := session(t)
	s.Unlock()
	folder := paths.Folder(t.TempDir())
	d := keychainFixture(t, folder)
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
	other := keychainFixture(t, paths.Folder(t.TempDir()))
	other.set("one", "KEY", "of another folder")

	s.Unlock() // starts a new keyring with the stored items
	d = keychainFixture(t, folder)
	for name, value := range map[string]string{
		"KEY": "correct-horse ünïcode", "A/B": "with a slash", "PEM": pem, "GROWS": pem + "longer", "SHRINKS": "shrunk",
	} {
		if !d.Holds(t.Context(), "one", name, value) {
			t.Errorf("%s has another value", name)
		}
	}
	entries, err := d.List(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		want := vault.InKeychain
		if e.Name == "PEM" || e.Name == "GROWS" {
			want = vault.InSealed
		}
		if e.Kept != want {
			t.Errorf("%s is kept in %s", e.Name, e.Kept)
		}
	}
	if _, err := os.Stat(folder.Sealed("secrets")); err == nil {
		t.Error("a file under a passphrase was created")
	}
	if err := d.Forget(t.Context(), "one", func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if items := s.Items(); len(items) != 3 { // the keys of the encrypted files, and the value of the other folder
		t.Errorf("the keychain has %v", items)
	}
	if !other.Holds(t.Context(), "one", "KEY", "of another folder") {
		t.Error("the value of the other folder was lost")
	}
}

func TestCallsFailAtOnceWhileTheKeychainIsLocked(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	s := session(t)
	s.Unlock()
	folder := paths.Folder(t.TempDir())
	keychainFixture(t, folder).set("one", "KEY", "correct-horse")
	asked := s.IgnorePrompts()
	s.Lock()
	if status := keychainFixture(t, folder).Status(t.Context()); status.Keeper != "keychain" || !strings.Contains(status.Why, "locked") {
		t.Errorf("the status is %+v", status)
	}
	d := shortDeadlineFixture(t, folder)
	wantFault(t, d.Set(t.Context(), "one", "NEW", "value"), fault.Unavailable, "locked or waits for you", "secrets unlock")
	<-asked
	before := runtime.NumGoroutine()
	for range 50 {
		if got := d.masked("one"); got != "KEY=****" {
			t.Errorf("got %s", got)
		}
		wantFault(t, d.Set(t.Context(), "one", "NEW", "value"), fault.Unavailable, "locked or waits for you")
	}
	if n := runtime.NumGoroutine(); n > before+10 {
		t.Errorf("the number of goroutines grew from %d to %d", before, n)
	}
	if n := len(asked); n > 0 {
		t.Errorf("got %d more prompts", n)
	}
	if err := d.Delete(t.Context(), "one", "KEY"); err != nil || d.masked("one") != "" {
		t.Errorf("deleting a secret while the keychain is locked: %v", err)
	}

	s.Unlock()
	d.eventuallySet("one", "NEW", "value")
	if got := d.eventually("one", "NEW=valu****"); got != "NEW=valu****" {
		t.Errorf("once unlocked: got %s", got)
	}
	keychainFixture(t, folder).set("one", "NEW", "another value")
	if items := s.Items(); len(items) != 2 { // the value, and the key of the encrypted file
		t.Errorf("the keychain still has the deleted secret: %v", items)
	}
}

func TestTheKeychainWorksAgainAfterItWasFrozen(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	s := session(t)
	s.Unlock()
	folder := paths.Folder(t.TempDir())
	keychainFixture(t, folder).set("one", "KEY", "correct-horse")
	d := shortDeadlineFixture(t, folder)
	s.Freeze()
	for range 3 {
		if got := d.masked("one"); got != "KEY=****" {
			t.Errorf("got %s", got)
		}
	}
	_, err := d.Fill(t.Context(), "one", launch.Launch{Transport: "stdio"})
	wantFault(t, err, fault.Unavailable, `server "one"`, `"KEY"`, "waits for you")
	s.Thaw()
	if got := d.eventually("one", "KEY=corr****"); got != "KEY=corr****" {
		t.Errorf("got %s", got)
	}
}

func TestTheFileIsUsedWhileTheKeychainIsLocked(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	s := session(t)
	s.Unlock()
	folder := paths.Folder(t.TempDir())
	unlocked := keychainFixture(t, folder)
	unlocked.set("one", "OLD", "in the keychain")
	unlocked.set("one", "BOTH", "in the keychain")
	d := shortDeadlineFixture(t, folder)
	s.Lock() // the session has no program that could prompt for the password
	d.unlock("a passphrase")
	d.set("one", "BOTH", "now in the file")
	d.set("one", "NEW", "now in the file")
	if got := d.masked("one"); got != "BOTH=now **** NEW=now **** OLD=****" {
		t.Errorf("got %s", got)
	}
	s.Unlock()
	const want = "BOTH=now **** NEW=now **** OLD=in t****"
	if got := d.eventually("one", want); got != want {
		t.Errorf("once unlocked: got %s", got)
	}
	d = keychainFixture(t, folder).unlock("a passphrase")
	d.set("one", "BOTH", "in the keychain again")
	if err := d.Delete(t.Context(), "one", "NEW"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(d.folder.Sealed("secrets"))
	if err != nil || strings.Contains(string(data), "one/") {
		t.Errorf("the file still has old values: %s, %v", data, err)
	}
}

func TestASessionBusWithoutASecretServiceCountsAsNoKeychain(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	session(t)
	d := keychainFixture(t, paths.Folder(t.TempDir()))
	wantFault(t, d.Set(t.Context(), "one", "KEY", "value"), fault.Unavailable, "no program on the session bus keeps secrets",
		"secrets unlock")
	if status := d.Status(t.Context()); status.Keeper != "none" ||
		!strings.Contains(status.Why, "no program on the session bus keeps secrets") {
		t.Errorf("the status is %+v", status)
	}
	d.unlock("a passphrase").set("one", "KEY", "value")
	if got := d.masked("one"); got != "KEY=valu****" {
		t.Errorf("got %s", got)
	}
}

func TestNoSessionBusIsStarted(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	for _, address := range []string{"", "autolaunch:"} {
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
		// The library would start a bus with dbus-launch. Replace that program by one that creates the file mark.
		t.Setenv("PATH", dir)
		mark := dir + "/started"
		if err := os.WriteFile(dir+"/dbus-launch", []byte("#!/bin/sh\n: > "+mark+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		d := keychainFixture(t, paths.Folder(t.TempDir()))
		wantFault(t, d.Set(t.Context(), "one", "KEY", "value"), fault.Unavailable, "no session bus", "secrets unlock")
		if status := d.Status(t.Context()); status.Keeper != "none" || !strings.Contains(status.Why, "no session bus") {
			t.Errorf("the status is %+v", status)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Error("a bus was started")
		}
	}
}

func TestTheSessionBusIsFoundInTheRuntimeFolder(t *testing.T) {
	if !inOwnProcess(t) {
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
	d := keychainFixture(t, paths.Folder(t.TempDir()))
	d.set("one", "KEY", "value")
	if len(s.Items()) != 2 { // the value, and the key of the encrypted file
		t.Error("the keychain has no item")
	}
}

func TestAStoppedSessionBusIsReported(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+t.TempDir()+"/bus")
	d := keychainFixture(t, paths.Folder(t.TempDir()))
	wantFault(t, d.Set(t.Context(), "one", "KEY", "value"), fault.Unavailable, "the session bus does not answer")
	if status := d.Status(t.Context()); status.Keeper != "none" {
		t.Errorf("the status is %+v", status)
	}
}

func TestSealedDataAreReadableWithTheKeyInTheKeychain(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	session(t).Unlock()
	folder := paths.Folder(t.TempDir())
	sealed, err := keychainFixture(t, folder).Seal(t.Context(), []byte("correct-horse"))
	if err != nil || strings.Contains(string(sealed), "correct-horse") {
		t.Fatalf("sealed to %q, %v", sealed, err)
	}
	again := keychainFixture(t, folder)
	if data, err := again.Unseal(t.Context(), sealed); err != nil || string(data) != "correct-horse" {
		t.Errorf("unsealed to %q, %v", data, err)
	}
	again.set("one", "LONG", strings.Repeat("x", 5000)) // is encrypted with the same key
	if data, err := again.Unseal(t.Context(), sealed); err != nil || string(data) != "correct-horse" {
		t.Errorf("after another value, unsealed to %q, %v", data, err)
	}
	_, err = keychainFixture(t, paths.Folder(t.TempDir())).Unseal(t.Context(), sealed)
	wantFault(t, err, fault.NotFound, "no longer in use")
}
