package main

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

	"github.com/agent-discover/agent-discover/app/desktoptest"
)

// Targets for the window and the tray icon.
const (
	targetWindowReady = 1000 // ms
	targetTrayMemory  = 80   // MB
)

// window measures how fast the window shows the servers of a running hub, and the memory of the tray icon. Both run on a
// virtual desktop.
func (b *bench) window(ctx context.Context) error {
	desktop, err := desktoptest.Open()
	if err != nil {
		return err
	}
	defer desktop.Close()
	h, err := b.startHub(ctx, b.binary, "window")
	if err != nil {
		return err
	}
	return errors.Join(b.windowOf(ctx, h, desktop), b.trayOf(h, desktop), h.stop(ctx))
}

// beside returns the path of a program in the folder of the measured program, or "" if it has not been built.
func beside(binary, name string) string {
	path := filepath.Join(filepath.Dir(binary), name)
	if _, err := os.Stat(path); err != nil {
		fmt.Printf("\n%s is not measured: it was not built (make desktop tray)\n", name)
		return ""
	}
	return path
}

func (b *bench) windowOf(ctx context.Context, h *hub, desktop *desktoptest.Desktop) error {
	program := beside(b.binary, "agent-discover-desktop")
	if program == "" {
		return nil
	}
	const last = "server-c7q2" // text that the page itself does not contain
	for _, name := range []string{"server-a7q2", "server-b7q2", last} {
		if err := h.add(ctx, name, b.self, "play-echo"); err != nil {
			return err
		}
	}
	var ready []float64
	for i := range 1 + b.pick(2, 5) { // the first run fills caches
		took, err := openWindow(ctx, h, desktop, program, last)
		if err != nil {
			return err
		}
		if i > 0 {
			ready = append(ready, ms(took))
		}
	}
	b.report.addTimes("window of a running hub: its servers are on the screen", ready, "ms", targetWindowReady)
	return nil
}

// openWindow starts the window and returns the time until the window has reported that it has painted a text. It checks
// through the accessibility interface that the window shows the text.
func openWindow(ctx context.Context, h *hub, desktop *desktoptest.Desktop, program, text string) (took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-page", "/servers")
	cmd.Env = append(append(desktop.Env(), h.env()...), "AGENT_DISCOVER_DESKTOP_TRACE="+text)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	for lines := bufio.NewScanner(stderr); took == 0 && lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "trace: shown ") {
			took = time.Since(began)
		}
	}
	seen := slices.ContainsFunc(desktop.Texts(ctx), func(line string) bool { return strings.Contains(line, text) })
	_ = cmd.Process.Signal(syscall.SIGTERM) // the window may have ended
	if err := cmd.Wait(); err != nil {
		return 0, err
	}
	if took == 0 || !seen {
		return 0, fmt.Errorf("the window says it showed %q after %s; a screen reader finds it: %v", text, took, seen)
	}
	return took, nil
}

func (b *bench) trayOf(h *hub, desktop *desktoptest.Desktop) error {
	program := beside(b.binary, "agent-discover-tray")
	if program == "" {
		return nil
	}
	registered, err := panel(desktop.Bus())
	if err != nil {
		return err
	}
	tray := desktop.Command(program)
	tray.Env = append(desktop.Env(), h.env()...)
	if err := tray.Start(); err != nil {
		return err
	}
	select {
	case <-registered:
		settledMemory(tray.Process.Pid)
		held := shared(tray.Process.Pid)
		b.report.add("tray of a running hub: memory at rest", megabytes(held), "MB", targetTrayMemory,
			"its share of what programs have in common counted in")
	case <-time.After(readyTimeout):
		err = errors.New("the tray did not register its icon")
	}
	_ = tray.Process.Signal(syscall.SIGTERM) // the tray may have ended
	return errors.Join(err, tray.Wait())
}

// panel registers as a desktop that shows tray icons; the channel receives each icon.
func panel(bus *dbus.Conn) (<-chan string, error) {
	registered := make(chan string, 10)
	const name, path = "org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher"
	watcher := map[string]any{"RegisterStatusNotifierItem": func(item string) *dbus.Error {
		registered <- item
		return nil
	}}
	properties := map[string]any{"Get": func(string, string) (dbus.Variant, *dbus.Error) { return dbus.MakeVariant(true), nil }}
	if err := errors.Join(
		bus.ExportMethodTable(watcher, path, name),
		bus.ExportMethodTable(properties, path, "org.freedesktop.DBus.Properties"),
	); err != nil {
		return nil, err
	}
	_, err := bus.RequestName(name, dbus.NameFlagDoNotQueue)
	return registered, err
}

// shared returns the proportional set size of a process in bytes.
func shared(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil || !bytes.Contains(data, []byte("Pss:")) {
		return 0
	}
	return kilobytes(data, "Pss:")
}
