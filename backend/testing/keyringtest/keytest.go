//go:build linux

// Package keytest gives a test a keychain of its own: a session bus and the
// real gnome-keyring on it, with their own home, that end with the test. The
// keychain of whoever runs the tests is never touched. It is for tests only.
package keyringtest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// deadline is how long a daemon may take; it is only ever waited for when
// something is broken.
const deadline = 30 * time.Second

// Session is a desktop session as far as secrets go.
type Session struct {
	t       testing.TB
	dir     string
	address string
	keyring *exec.Cmd // nil while none runs
}

// config is a session bus that starts nothing by itself: what the machine has
// installed would be started with the desktop of whoever runs the tests.
const config = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=%s</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

// Need skips a test where the programs are not installed.
func Need(t testing.TB) {
	t.Helper()
	for _, program := range []string{"dbus-daemon", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed; build/setup.sh test installs it", program)
		}
	}
}

// Start starts a session bus without a keychain.
func Start(t testing.TB) *Session {
	t.Helper()
	Need(t)
	// A socket's path has at most 108 bytes: that of a test's folder may have more.
	dir, err := os.MkdirTemp("", "keytest-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Session{t: t, dir: dir}
	for _, sub := range []string{s.home(), s.runtime()} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "bus.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, config, s.runtime()), 0o600); err != nil {
		t.Fatal(err)
	}
	bus := s.command("dbus-daemon", "--config-file="+file, "--nofork", "--nopidfile", "--print-address=1")
	out, err := bus.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.run(bus)
	if s.address, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the session bus does not start: %v", err)
	}
	s.address = strings.TrimSpace(s.address)
	return s
}

func (s *Session) home() string    { return filepath.Join(s.dir, "home") }
func (s *Session) runtime() string { return filepath.Join(s.dir, "run") }

// Env returns the variables by which programs find this session.
func (s *Session) Env() []string {
	return []string{"XDG_RUNTIME_DIR=" + s.runtime(), "DBUS_SESSION_BUS_ADDRESS=" + s.address}
}

// command prepares a program of the session that ends with the test, however
// that ends.
func (s *Session) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(s.Env(), "HOME="+s.home(), "PATH="+os.Getenv("PATH"), "LANG=C.UTF-8")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

func (s *Session) run(cmd *exec.Cmd) {
	s.t.Helper()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be gone
		_ = cmd.Wait()
	})
}

// Unlock starts the keyring, unlocked as after a login. The keyring is made by
// the first one.
func (s *Session) Unlock() {
	s.t.Helper()
	s.serve("--unlock")
}

// Lock starts the keyring as after a login without a password: it asks when
// something is needed of it.
func (s *Session) Lock() {
	s.t.Helper()
	s.serve()
}

func (s *Session) serve(flags ...string) {
	s.t.Helper()
	s.End()
	s.keyring = s.command("gnome-keyring-daemon", append(flags, "--components=secrets", "--foreground")...)
	s.keyring.Stdin = strings.NewReader("the password of a login")
	s.run(s.keyring)
	s.await("the keyring serves", true)
}

// End ends the keyring.
func (s *Session) End() {
	s.t.Helper()
	if s.keyring == nil {
		return
	}
	_ = s.keyring.Process.Kill()
	_ = s.keyring.Wait()
	s.keyring = nil
	s.await("the keyring is gone", false)
}

// Freeze lets the keyring do nothing until Thaw.
func (s *Session) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw lets a frozen keyring go on.
func (s *Session) Thaw() { s.signal(syscall.SIGCONT) }

func (s *Session) signal(what syscall.Signal) {
	s.t.Helper()
	if err := s.keyring.Process.Signal(what); err != nil {
		s.t.Fatal(err)
	}
}

// Connect returns a connection of the test's own.
func (s *Session) Connect() *dbus.Conn {
	s.t.Helper()
	conn, err := dbus.Connect(s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// IgnorePrompts puts up a screen on which the keyring's questions appear and
// nobody sits before. It returns a channel that is sent each question.
func (s *Session) IgnorePrompts() <-chan struct{} {
	s.t.Helper()
	conn, asked := s.Connect(), make(chan struct{}, 64)
	screen := prompter(func() { asked <- struct{}{} })
	if err := conn.Export(screen, "/org/gnome/keyring/Prompter", "org.gnome.keyring.internal.Prompter"); err != nil {
		s.t.Fatal(err)
	}
	if reply, err := conn.RequestName("org.gnome.keyring.SystemPrompter", dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		s.t.Fatalf("the screen: %v, %v", reply, err)
	}
	return asked
}

type prompter func()

// BeginPrompting is called by the keyring.
func (p prompter) BeginPrompting(dbus.ObjectPath) *dbus.Error {
	p()
	return nil
}

// await waits until the keyring owns its name, or does no longer.
func (s *Session) await(what string, owned bool) {
	s.t.Helper()
	conn := s.Connect()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(deadline)
	for {
		var has bool
		if err := conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, "org.freedesktop.secrets").Store(&has); err != nil {
			s.t.Fatalf("%s: %v", what, err)
		}
		if has == owned {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			s.t.Fatalf("it never came to this: %s", what)
		}
	}
}

// Items returns the accounts that the keyring has values for. It must be
// unlocked.
func (s *Session) Items() []string {
	s.t.Helper()
	conn := s.Connect()
	get := func(path dbus.ObjectPath, of, property string, into any) {
		s.t.Helper()
		err := conn.Object("org.freedesktop.secrets", path).Call("org.freedesktop.DBus.Properties.Get", 0, "org.freedesktop.Secret."+of, property).Store(into)
		if err != nil {
			s.t.Fatal(err)
		}
	}
	var paths []dbus.ObjectPath
	get("/org/freedesktop/secrets/collection/login", "Collection", "Items", &paths)
	var accounts []string
	for _, path := range paths {
		var attributes map[string]string
		get(path, "Item", "Attributes", &attributes)
		accounts = append(accounts, attributes["username"])
	}
	return accounts
}
