//go:build desktop && linux && production

package app

import (
	"fmt"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// fakePortal is the part of a desktop that knows whether the user wants it dark.
type fakePortal struct{ scheme uint32 }

// Read is called over the session bus; it wraps its answer twice, as portals do.
func (p *fakePortal) Read(string, string) (dbus.Variant, *dbus.Error) {
	return dbus.MakeVariant(dbus.MakeVariant(p.scheme)), nil
}

func (s *stage) portal(scheme uint32) {
	s.t.Helper()
	if err := s.Bus().Export(&fakePortal{scheme}, portalPath, settings); err != nil {
		s.t.Fatal(err)
	}
	if reply, err := s.Bus().RequestName(portal, dbus.NameFlagDoNotQueue); err != nil || reply == dbus.RequestNameReplyExists {
		s.t.Fatalf("the portal: %v, %v", reply, err)
	}
}

func (s *stage) switchTo(scheme uint32) {
	s.t.Helper()
	err := s.Bus().Emit(portalPath, settings+".SettingChanged", appearance, setting, dbus.MakeVariant(scheme))
	if err != nil {
		s.t.Fatal(err)
	}
}

// dark waits until what stands at a place of the window is light or dark: a widget, or a part of the page.
func (s *stage) dark(window string, want bool, x, y int) {
	s.t.Helper()
	s.await(fmt.Sprintf("dark at %d,%d: %v", x, y, want), func() bool {
		pixel, err := s.Output(s.t.Context(), "import", "-silent", "-window", window, "-crop", fmt.Sprintf("1x1+%d+%d", x, y),
			"-colorspace", "gray", "-depth", "8", "-format", "%[fx:u]", "info:-")
		if err != nil {
			return false
		}
		var brightness float64
		_, err = fmt.Sscan(strings.TrimSpace(pixel), &brightness)
		return err == nil && (brightness < 0.5) == want
	})
}

func TestTheWindowFollowsTheDesktopsColours(t *testing.T) {
	s := newStage(t)
	s.portal(uint32(schemeDark))
	w := s.open()
	window := s.find(Title)
	w.reached("page")
	both := func(dark bool) {
		t.Helper()
		s.dark(window, dark, 600, 8)    // the menu bar
		s.dark(window, dark, 1180, 740) // the page
	}
	both(true)
	s.switchTo(2)
	both(false)
	s.switchTo(uint32(schemeDark))
	both(true)
}
