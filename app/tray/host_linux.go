//go:build tray

package main

/*
#cgo pkg-config: gtk+-3.0 x11
#include <stdlib.h>
#include <gtk/gtk.h>
#ifdef GDK_WINDOWING_X11
#include <gdk/gdkx.h>
#endif

// has_display reports whether GTK can open the display. It disables OpenGL, which menus do not need and whose
// initialisation takes 50 MB.
static gboolean has_display(const char *name) {
	g_set_prgname("agent-discover-tray");
	g_set_application_name(name);
	g_setenv("GDK_GL", "disable", TRUE);
	gboolean opened = gtk_init_check(NULL, NULL);
	g_unsetenv("GDK_GL");
	return opened;
}

// has_xembed_tray reports whether a program shows tray icons by the older XEmbed protocol.
static gboolean has_xembed_tray(void) {
#ifdef GDK_WINDOWING_X11
	GdkDisplay *display = gdk_display_get_default();
	if (!GDK_IS_X11_DISPLAY(display)) return FALSE;
	char name[32];
	g_snprintf(name, sizeof name, "_NET_SYSTEM_TRAY_S%d", gdk_x11_get_default_screen());
	return XGetSelectionOwner(GDK_DISPLAY_XDISPLAY(display), gdk_x11_get_xatom_by_name(name)) != None;
#else
	return FALSE;
#endif
}

static gboolean put_text(gpointer text) {
	GtkClipboard *clipboard = gtk_clipboard_get(GDK_SELECTION_CLIPBOARD);
	gtk_clipboard_set_text(clipboard, text, -1);
	gtk_clipboard_store(clipboard);
	g_free(text);
	return FALSE;
}

// copy_text puts a text on the clipboard, asynchronously, because GTK must be used from the main thread.
static void copy_text(const char *text) { g_idle_add(put_text, g_strdup(text)); }
*/
import "C"

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"github.com/godbus/dbus/v5"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

const (
	watcher    = "org.kde.StatusNotifierWatcher"
	busTimeout = 5 * time.Second
)

// available returns nil if the desktop can show a tray icon. It waits up to timeout for the panel, which may start later
// than this program at login.
func available(ctx context.Context, timeout time.Duration) error {
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return fault.New(fault.Unavailable, "no display found; start the program in a desktop session, or set DISPLAY")
	}
	bus, err := connectBus(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = bus.Close() }()
	name := C.CString("Agent Discover")
	defer C.free(unsafe.Pointer(name))
	if C.has_display(name) == 0 {
		return fault.New(fault.Unavailable, "could not open the display; check DISPLAY and WAYLAND_DISPLAY")
	}
	return awaitHost(ctx, bus, timeout)
}

// awaitHost waits for a program that shows tray icons, with the StatusNotifierItem protocol or with XEmbed, which the
// systray library uses as a fallback.
func awaitHost(ctx context.Context, bus *dbus.Conn, timeout time.Duration) error {
	late := time.After(timeout)
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		if hasHost(ctx, bus) || C.has_xembed_tray() != 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-late:
			return fault.New(fault.Unavailable, "the desktop shows no tray icons (GNOME needs the extension AppIndicator); "+
				"to open the dashboard without the tray, run: agent-discover open")
		case <-ctx.Done():
			return fault.New(fault.Unavailable, "interrupted while waiting for the desktop's panel")
		}
	}
}

// hasHost reports whether a panel accepts StatusNotifierItem icons. The watcher on the bus may exist before the panel; a
// watcher without the property IsStatusNotifierHostRegistered is assumed to have a panel.
func hasHost(ctx context.Context, bus *dbus.Conn) bool {
	ctx, cancel := context.WithTimeout(ctx, busTimeout)
	defer cancel()
	var owned bool
	err := bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, watcher).Store(&owned)
	if err != nil || !owned {
		return false
	}
	var host dbus.Variant
	err = bus.Object(watcher, "/StatusNotifierWatcher").
		CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, watcher, "IsStatusNotifierHostRegistered").Store(&host)
	registered, ok := host.Value().(bool)
	return err != nil || !ok || registered
}

// connectBus connects to the session bus and sets DBUS_SESSION_BUS_ADDRESS for libraries, which would otherwise start
// another bus that never ends.
func connectBus(ctx context.Context) (*dbus.Conn, error) {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" || address == "autolaunch:" {
		socket := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus")
		if info, err := os.Stat(socket); err != nil || info.Mode()&os.ModeSocket == 0 || !filepath.IsAbs(socket) {
			return nil, fault.New(fault.Unavailable,
				"no session bus (D-Bus) found; start the program in a desktop session, or with dbus-run-session")
		}
		address = "unix:path=" + dbus.EscapeBusAddressValue(socket)
		if err := os.Setenv("DBUS_SESSION_BUS_ADDRESS", address); err != nil {
			return nil, err
		}
	}
	bus, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "the session bus (D-Bus) does not answer; start the program in a desktop session")
	}
	return bus, nil
}

// copyText puts a text on the clipboard with GTK. Under Wayland it prefers wl-copy, because a program without a focused
// window may not set the clipboard itself.
func copyText(text string) error {
	if os.Getenv("WAYLAND_DISPLAY") != "" {
		if program, err := exec.LookPath("wl-copy"); err == nil {
			cmd := exec.Command(program)
			cmd.Stdin = strings.NewReader(text)
			if cmd.Run() == nil {
				return nil
			}
		}
	}
	c := C.CString(text)
	defer C.free(unsafe.Pointer(c))
	C.copy_text(c)
	return nil
}
