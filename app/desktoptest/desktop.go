//go:build linux

// Package xtest gives a test a desktop of its own: an X server without a screen, a window manager, a session bus with
// its accessibility, and a home folder. Whoever runs the tests sees nothing of it. It is for tests and measurements
// only.
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

// Programs are what a desktop needs; build/setup.sh desktop installs them.
var Programs = []string{"Xvfb", "openbox", "dbus-daemon", "xdotool", launcher}

// launcher starts the bus of accessibility; Debian keeps it off the PATH.
const launcher = "/usr/libexec/at-spi-bus-launcher"

// patience is how long a part of the desktop may take; it is only ever waited for when something is broken.
const patience = 30 * time.Second

// Desktop is a running desktop. Close ends all of it.
type Desktop struct {
	dir     string
	display string
	address string // of the session bus
	running []*exec.Cmd
	bus     *dbus.Conn
	tree    *dbus.Conn // of accessibility
}

// config is a session bus that starts nothing by itself: what the machine has installed would be started with the
// desktop of whoever runs the tests.
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

// Open starts a desktop with a screen of 1280 by 800.
func Open() (_ *Desktop, err error) {
	d := new(Desktop)
	defer func() {
		if err != nil {
			d.Close()
		}
	}()
	// A socket's path has at most 108 bytes: that of a test's folder may have more.
	if d.dir, err = os.MkdirTemp("", "xtest-*"); err != nil {
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

// Home is the home folder of the desktop's user.
func (d *Desktop) Home() string { return filepath.Join(d.dir, "home") }

func (d *Desktop) runtime() string { return filepath.Join(d.dir, "run") }

// Env returns the whole environment of a program that is started on this desktop.
func (d *Desktop) Env() []string {
	return []string{
		"DISPLAY=" + d.display, "DBUS_SESSION_BUS_ADDRESS=" + d.address, "XDG_RUNTIME_DIR=" + d.runtime(), "HOME=" + d.Home(),
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "GDK_BACKEND=x11", "XDG_SESSION_TYPE=x11", "SHELL=/bin/sh",
	}
}

// EnvWithoutBus is Env for a desktop that has no session bus.
func (d *Desktop) EnvWithoutBus() []string {
	return slices.DeleteFunc(d.Env(), func(kv string) bool { return strings.HasPrefix(kv, "DBUS_") })
}

// Command prepares a program of the desktop.
func (d *Desktop) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = d.Env()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} // however the test ends
	return cmd
}

// Output runs a program to its end and returns what it printed.
func (d *Desktop) Output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = d.Env()
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, problem.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// Bus is a connection to the session bus; the desktop closes it.
func (d *Desktop) Bus() *dbus.Conn { return d.bus }

// Close ends the desktop, the last part first, and removes its folder.
func (d *Desktop) Close() {
	for _, conn := range []*dbus.Conn{d.tree, d.bus} {
		if conn != nil {
			_ = conn.Close()
		}
	}
	for _, cmd := range slices.Backward(d.running) {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may be gone
		late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		late.Stop()
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
	// Left to itself the server starts anew when the last program leaves it, such as one that looks whether it is there.
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
	return d.connectTree()
}

// startManager waits until the window manager is there: a window that opens before would not be put anywhere.
func (d *Desktop) startManager() error {
	if err := d.start(d.Command("openbox", "--sm-disable")); err != nil {
		return err
	}
	return await(func() error {
		_, err := d.Output(context.Background(), "xdotool", "get_desktop")
		return err
	})
}

// await tries until it works.
func await(try func() error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-late:
			return errors.Join(errors.New("it was not ready in time"), err)
		}
	}
}
