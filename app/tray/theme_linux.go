//go:build tray

package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/godbus/dbus/v5"
)

const (
	portal     = "org.freedesktop.portal.Desktop"
	portalPath = "/org/freedesktop/portal/desktop"
	settings   = "org.freedesktop.portal.Settings"
	appearance = "org.freedesktop.appearance"
	scheme     = "color-scheme"
	light      = 2 // 1: dark, 0: the user does not care
)

// theme knows whether the panel is dark. No desktop tells the colour of its
// panel; it is guessed from the colour scheme of programs.
type theme struct{ light atomic.Bool }

func (t *theme) dark() bool { return !t.light.Load() }

func (t *theme) variant() string {
	if t.dark() {
		return " on dark"
	}
	return " on light"
}

// watchTheme returns the theme, which follows the desktop's as long as the program
// runs. Without word from a desktop the panel is dark, as most are.
func watchTheme() *theme {
	t := &theme{}
	if alwaysDark(os.Getenv("XDG_CURRENT_DESKTOP")) {
		return t
	}
	bus, err := connectBus(context.Background())
	if err != nil {
		return t
	}
	changes := make(chan *dbus.Signal, 16)
	bus.Signal(changes)
	_ = bus.AddMatchSignal(dbus.WithMatchInterface(settings), dbus.WithMatchMember("SettingChanged")) // else it stays as it is
	go func() {
		var now dbus.Variant
		if bus.Object(portal, portalPath).Call(settings+".Read", 0, appearance, scheme).Store(&now) == nil {
			t.set(now)
		}
		for change := range changes {
			if len(change.Body) == 3 && change.Body[0] == appearance && change.Body[1] == scheme {
				if value, ok := change.Body[2].(dbus.Variant); ok {
					t.set(value)
				}
			}
		}
	}()
	return t
}

func (t *theme) set(value dbus.Variant) {
	for {
		inner, ok := value.Value().(dbus.Variant) // Read wraps it twice
		if !ok {
			break
		}
		value = inner
	}
	number, ok := value.Value().(uint32)
	t.light.Store(ok && number == light)
}

// alwaysDark reports whether the panel of a desktop is dark whatever the colour
// scheme is: GNOME's always, Xfce's unless its own setting says otherwise.
func alwaysDark(desktop string) bool {
	return slices.ContainsFunc(strings.Split(desktop, ":"), func(name string) bool {
		return name == "GNOME" || name == "XFCE" || name == "Unity"
	})
}
