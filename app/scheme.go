package app

import (
	"context"
	"os"
	"time"

	"github.com/godbus/dbus/v5"
)

// colourScheme is the value of color-scheme in the settings portal of the desktop.
type colourScheme uint32

const (
	schemeAny  colourScheme = 0
	schemeDark colourScheme = 1
)

const (
	portal     = "org.freedesktop.portal.Desktop"
	portalPath = dbus.ObjectPath("/org/freedesktop/portal/desktop")
	settings   = "org.freedesktop.portal.Settings"
	appearance = "org.freedesktop.appearance"
	setting    = "color-scheme"
)

// portalTimeout limits how long the window waits for the portal before it opens.
const portalTimeout = 200 * time.Millisecond

// portalScheme reads the colour scheme from the settings portal, because GNOME and KDE do not report it to GTK 3. It
// also returns the connection to the session bus, which the caller must close; nil if there is no session bus.
func portalScheme(ctx context.Context) (colourScheme, *dbus.Conn) {
	conn, err := dbus.Connect(busAddress(os.Getenv))
	if err != nil {
		return schemeAny, nil
	}
	ctx, cancel := context.WithTimeout(ctx, portalTimeout)
	defer cancel()
	var value dbus.Variant
	if conn.Object(portal, portalPath).CallWithContext(ctx, settings+".Read", 0, appearance, setting).Store(&value) != nil {
		value = dbus.MakeVariant(uint32(schemeAny))
	}
	return schemeOf(value), conn
}

// busAddress returns the address of the session bus. It never returns "", because godbus would start a bus for an
// empty address.
func busAddress(env func(string) string) string {
	if address := env("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return address
	}
	return "unix:path=" + env("XDG_RUNTIME_DIR") + "/bus"
}

// followScheme calls changed for every change of the colour scheme until ctx ends.
func followScheme(ctx context.Context, conn *dbus.Conn, changed func(colourScheme)) {
	err := conn.AddMatchSignalContext(ctx, dbus.WithMatchObjectPath(portalPath), dbus.WithMatchInterface(settings),
		dbus.WithMatchMember("SettingChanged"), dbus.WithMatchArg(0, appearance))
	if err != nil {
		return
	}
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	for {
		select {
		case <-ctx.Done():
			return
		case signal, open := <-signals:
			if !open {
				return
			}
			if len(signal.Body) == 3 && signal.Body[1] == setting {
				if value, ok := signal.Body[2].(dbus.Variant); ok {
					changed(schemeOf(value))
				}
			}
		}
	}
}

// schemeOf unpacks a value; some portals wrap the answer to Read twice.
func schemeOf(value dbus.Variant) colourScheme {
	for range 3 {
		switch inner := value.Value().(type) {
		case uint32:
			return colourScheme(inner)
		case dbus.Variant:
			value = inner
		}
	}
	return schemeAny
}
