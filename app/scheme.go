package app

import (
	"context"
	"os"
	"time"

	"github.com/godbus/dbus/v5"
)

// colourScheme is what the desktop's portal says about dark and light, in its own numbers.
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

// portalPatience is how long the window waits for a portal before it opens.
const portalPatience = 200 * time.Millisecond

// portalScheme asks a desktop for its scheme: those of GNOME and KDE tell it to nobody in a way that GTK 3 hears. It
// returns the connection, nil where there is no portal; the caller closes it.
func portalScheme(ctx context.Context) (colourScheme, *dbus.Conn) {
	conn, err := dbus.Connect(busAddress(os.Getenv))
	if err != nil {
		return schemeAny, nil
	}
	ctx, cancel := context.WithTimeout(ctx, portalPatience)
	defer cancel()
	var value dbus.Variant
	if conn.Object(portal, portalPath).CallWithContext(ctx, settings+".Read", 0, appearance, setting).Store(&value) != nil {
		value = dbus.MakeVariant(uint32(schemeAny))
	}
	return schemeOf(value), conn
}

// busAddress is where the session's bus listens; left to find it, godbus would start a bus where there is none.
func busAddress(env func(string) string) string {
	if address := env("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return address
	}
	return "unix:path=" + env("XDG_RUNTIME_DIR") + "/bus"
}

// followScheme tells each change until ctx ends.
func followScheme(ctx context.Context, conn *dbus.Conn, tell func(colourScheme)) {
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
					tell(schemeOf(value))
				}
			}
		}
	}
}

// schemeOf unpacks a value: portals wrap the answer to Read twice.
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
