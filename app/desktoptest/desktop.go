//go:build linux

// Package desktoptest starts a desktop for tests and benchmarks: an X server without a screen, a window manager, a
// session bus with accessibility, and a home folder. It is separate from the desktop of the user who runs the tests.
// The package also simulates a panel with tray icons and a notification service, and reads the texts of windows
// through their accessibility interface.
package desktoptest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/godbus/dbus/v5"
)

// Programs are the programs that Open needs; build/setup.sh desktop-test installs them.
var Programs = []string{"Xvfb", "openbox", "dbus-daemon", "xdotool", launcher}

// launcher starts the accessibility bus. Debian installs it outside of the PATH.
const launcher = "/usr/libexec/at-spi-bus-launcher"

// startTimeout limits the time to start or end each part of a desktop.
const startTimeout = 30 * time.Second

// Desktop is a running desktop. Close ends it.
type Desktop struct {
	dir     string
	display string
	address string // of the session bus
	running []*exec.Cmd
	bus     *dbus.Conn
	a11y    *dbus.Conn // accessibility bus
}

// config configures a session bus without service activation. With activation, services that are installed on the
// machine would start on the desktop of the user who runs the tests.
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

// Open starts a desktop with a screen of 1280 by 800 pixels.
func Open() (_ *Desktop, err error) {
	d := new(Desktop)
	defer func() {
		if err != nil {
			d.Close()
		}
	}()
	// The path of a Unix socket has at most 108 bytes, and the temporary folder of a test may be longer.
	if d.dir, err = os.MkdirTemp("", "desktoptest-*"); err != nil {
		return nil, err
	}
	for _, dir := range []string{d.Home(), d.runtime()} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if err := d.startDisplay(); err != nil {
		return nil, fmt.Errorf("display: %w", err)
	}
	if err := d.startBus(); err != nil {
		return nil, fmt.Errorf("session bus: %w", err)
	}
	if err := d.startManager(); err != nil {
		return nil, fmt.Errorf("window manager: %w", err)
	}
	return d, nil
}

// Home returns the home folder of the desktop.
func (d *Desktop) Home() string { return filepath.Join(d.dir, "home") }

func (d *Desktop) runtime() string { return filepath.Join(d.dir, "run") }

// Env returns the complete environment for a program on this desktop.
func (d *Desktop) Env() []string {
	return []string{
		"DISPLAY=" + d.display, "DBUS_SESSION_BUS_ADDRESS=" + d.address, "XDG_RUNTIME_DIR=" + d.runtime(), "HOME=" + d.Home(),
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "GDK_BACKEND=x11", "XDG_SESSION_TYPE=x11", "SHELL=/bin/sh",
	}
}

// EnvWithoutBus returns Env without the address of the session bus.
func (d *Desktop) EnvWithoutBus() []string {
	return slices.DeleteFunc(d.Env(), func(kv string) bool { return strings.HasPrefix(kv, "DBUS_") })
}

// Command returns a command that runs a program on the desktop. The program ends with the test process.
func (d *Desktop) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = d.Env()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} // even if the test process is killed
	return cmd
}

// Output runs a program on the desktop and returns its standard output without surrounding space.
func (d *Desktop) Output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = d.Env()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// Bus returns a connection to the session bus. Close closes it.
func (d *Desktop) Bus() *dbus.Conn { return d.bus }

// Close ends the parts of the desktop in the reverse order of their start and removes its folder.
func (d *Desktop) Close() {
	for _, conn := range []*dbus.Conn{d.a11y, d.bus} {
		if conn != nil {
			_ = conn.Close()
		}
	}
	for _, cmd := range slices.Backward(d.running) {
		_ = cmd.Process.Signal(syscall.SIGTERM) // an error means that the program has already ended
		kill := time.AfterFunc(startTimeout, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		kill.Stop()
	}
	if d.dir != "" {
		_ = os.RemoveAll(d.dir)
	}
}

func (d *Desktop) start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	d.running = append(d.running, cmd)
	return nil
}

func (d *Desktop) startDisplay() error {
	numbers, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = numbers.Close() }()
	// -noreset: by default, the server resets itself when the last client disconnects, such as a program that checks
	// whether the server is ready.
	server := d.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset")
	server.ExtraFiles = []*os.File{write}
	err = d.start(server)
	_ = write.Close()
	if err != nil {
		return err
	}
	number, err := bufio.NewReader(numbers).ReadString('\n')
	d.display = ":" + strings.TrimSpace(number)
	return err
}

func (d *Desktop) startBus() error {
	file := filepath.Join(d.dir, "bus.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, config, d.runtime()), 0o600); err != nil {
		return err
	}
	daemon := d.Command("dbus-daemon", "--config-file="+file, "--nofork", "--nopidfile", "--print-address=1")
	out, err := daemon.StdoutPipe()
	if err != nil {
		return err
	}
	if err := d.start(daemon); err != nil {
		return err
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return err
	}
	d.address = strings.TrimSpace(address)
	if d.bus, err = dbus.Connect(d.address); err != nil {
		return err
	}
	if err := d.start(d.Command(launcher, "--launch-immediately")); err != nil {
		return err
	}
	return d.connectAccessibility()
}

// startManager starts the window manager and waits until it is ready, because it does not place windows that opened
// earlier.
func (d *Desktop) startManager() error {
	if err := d.start(d.Command("openbox", "--sm-disable")); err != nil {
		return err
	}
	return retry(func() error {
		_, err := d.Output(context.Background(), "xdotool", "get_desktop")
		return err
	})
}

// retry calls try until it succeeds, for at most startTimeout.
func retry(try func() error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(startTimeout)
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-timeout:
			return errors.Join(errors.New("not ready in time"), err)
		}
	}
}
