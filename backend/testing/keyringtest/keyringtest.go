//go:build linux

// Package keyringtest starts a separate keychain for a test: a D-Bus session bus
// and gnome-keyring with their own home folder, which end with the test. Tests
// never use the keychain of the user who runs them.
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

	"github.com/agent-discover/agent-discover/backend/testing/freeze"
)

// deadline bounds the wait for a daemon. It is reached only in failing tests.
const deadline = time.Minute

// Session is a session bus with or without a keyring.
type Session struct {
	t       testing.TB
	dir     string
	address string
	keyring *exec.Cmd // nil if none runs
}

// config configures a session bus that does not start services on demand, because
// the services installed on the machine would use the desktop of the user who runs
// the tests.
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

// Need skips a test if the daemons are not installed.
func Need(t testing.TB) {
	t.Helper()
	for _, program := range []string{"dbus-daemon", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed; build/setup.sh test installs it", program)
		}
	}
}

// Start starts a session bus without a keyring.
func Start(t testing.TB) *Session {
	t.Helper()
	Need(t)
	// The path of a socket has at most 108 bytes, so t.TempDir may be too long.
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
		t.Fatalf("start the session bus: %v", err)
	}
	s.address = strings.TrimSpace(s.address)
	return s
}

func (s *Session) home() string    { return filepath.Join(s.dir, "home") }
func (s *Session) runtime() string { return filepath.Join(s.dir, "run") }

// Env returns the environment variables with which programs find this session.
func (s *Session) Env() []string {
	return []string{"XDG_RUNTIME_DIR=" + s.runtime(), "DBUS_SESSION_BUS_ADDRESS=" + s.address}
}

// command returns a command that runs in the session and ends with the test process,
// even if the test process crashes.
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
		_ = cmd.Process.Kill() // it may have ended already
		_ = cmd.Wait()
	})
}

// Unlock starts the keyring daemon with an unlocked keyring, as after a login. The
// first call creates the keyring.
func (s *Session) Unlock() {
	s.t.Helper()
	s.serve("--unlock")
}

// Lock starts the keyring daemon with a locked keyring, as after a login without
// password: it prompts at the first access.
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
	s.await("the keyring starts", true)
}

// End ends the keyring daemon.
func (s *Session) End() {
	s.t.Helper()
	if s.keyring == nil {
		return
	}
	_ = s.keyring.Process.Kill()
	_ = s.keyring.Wait()
	s.keyring = nil
	s.await("the keyring ends", false)
}

// Freeze stops the keyring daemon until Thaw.
func (s *Session) Freeze() {
	s.t.Helper()
	freeze.Process(s.t, s.keyring.Process.Pid)
}

// Thaw continues a frozen keyring daemon.
func (s *Session) Thaw() {
	s.t.Helper()
	if err := s.keyring.Process.Signal(syscall.SIGCONT); err != nil {
		s.t.Fatal(err)
	}
}

// Connect returns a new connection to the session bus.
func (s *Session) Connect() *dbus.Conn {
	s.t.Helper()
	conn, err := dbus.Connect(s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// IgnorePrompts receives the keyring's prompts and never answers them. It returns a
// channel that receives a value for each prompt.
func (s *Session) IgnorePrompts() <-chan struct{} {
	s.t.Helper()
	conn, asked := s.Connect(), make(chan struct{}, 64)
	prompts := prompter(func() { asked <- struct{}{} })
	if err := conn.Export(prompts, "/org/gnome/keyring/Prompter", "org.gnome.keyring.internal.Prompter"); err != nil {
		s.t.Fatal(err)
	}
	if reply, err := conn.RequestName("org.gnome.keyring.SystemPrompter", dbus.NameFlagDoNotQueue); err != nil ||
		reply != dbus.RequestNameReplyPrimaryOwner {
		s.t.Fatalf("request the name of the prompter: %v, %v", reply, err)
	}
	return asked
}

type prompter func()

// BeginPrompting is called by the keyring over D-Bus.
func (p prompter) BeginPrompting(dbus.ObjectPath) *dbus.Error {
	p()
	return nil
}

// await waits until the keyring owns its bus name or, if owned is false, until it no longer
// does.
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
			s.t.Fatalf("timeout: %s", what)
		}
	}
}

// Items returns the accounts for which the keyring holds values. The keyring must
// be unlocked.
func (s *Session) Items() []string {
	s.t.Helper()
	conn := s.Connect()
	get := func(path dbus.ObjectPath, of, property string, into any) {
		s.t.Helper()
		err := conn.Object("org.freedesktop.secrets", path).Call("org.freedesktop.DBus.Properties.Get", 0, "org.freedesktop.Secret."+of,
			property).Store(into)
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
