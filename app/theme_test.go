//go:build desktop && linux && production

package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// fakePortal is a settings portal with a fixed colour scheme.
type fakePortal struct{ scheme uint32 }

// Read is called over the session bus. It wraps its answer twice, as portals do.
func (p *fakePortal) Read(string, string) (dbus.Variant, *dbus.Error) {
	return dbus.MakeVariant(dbus.MakeVariant(p.scheme)), nil
}

// startPortal starts a settings portal on the session bus.
func (d *testDesktop) startPortal(scheme uint32) {
	d.t.Helper()
	if err := d.Bus().Export(&fakePortal{scheme}, portalPath, settings); err != nil {
		d.t.Fatal(err)
	}
	if reply, err := d.Bus().RequestName(portal, dbus.NameFlagDoNotQueue); err != nil || reply == dbus.RequestNameReplyExists {
		d.t.Fatalf("RequestName: %v, %v", reply, err)
	}
}

// setScheme announces another colour scheme.
func (d *testDesktop) setScheme(scheme uint32) {
	d.t.Helper()
	err := d.Bus().Emit(portalPath, settings+".SettingChanged", appearance, setting, dbus.MakeVariant(scheme))
	if err != nil {
		d.t.Fatal(err)
	}
}

// awaitDark waits until the pixel at a position of the window is dark (want) or light (!want).
func (d *testDesktop) awaitDark(window string, want bool, x, y int) {
	d.t.Helper()
	d.await(fmt.Sprintf("pixel at %d,%d dark: %v", x, y, want), func() bool {
		pixel, err := d.Output(d.t.Context(), "import", "-silent", "-window", window, "-crop", fmt.Sprintf("1x1+%d+%d", x, y),
			"-colorspace", "gray", "-depth", "8", "-format", "%[fx:u]", "info:-")
		if err != nil {
			return false
		}
		var brightness float64
		_, err = fmt.Sscan(strings.TrimSpace(pixel), &brightness)
		return err == nil && (brightness < 0.5) == want
	})
}

func TestTheWindowFollowsTheColourSchemeOfTheDesktop(t *testing.T) {
	d := newTestDesktop(t)
	d.startPortal(uint32(schemeDark))
	w := d.open()
	window := d.awaitWindow(Title)
	w.awaitTrace("page")
	both := func(dark bool) {
		t.Helper()
		d.awaitDark(window, dark, 600, 8)    // the menu bar
		d.awaitDark(window, dark, 1180, 740) // the page
	}
	both(true)
	d.setScheme(2)
	both(false)
	d.setScheme(uint32(schemeDark))
	both(true)
}
