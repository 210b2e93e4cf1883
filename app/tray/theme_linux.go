//go:build tray

package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/godbus/dbus/v5"

	"github.com/agent-discover/agent-discover/build/icons"
)

const (
	portal     = "org.freedesktop.portal.Desktop"
	portalPath = "/org/freedesktop/portal/desktop"
	settings   = "org.freedesktop.portal.Settings"
	appearance = "org.freedesktop.appearance"
	scheme     = "color-scheme"
)

// shade is the brightness of the desktop's panel.
type shade int32

const (
	unknown shade = iota
	dark
	light
)

// theme chooses icons by the shade of the desktop's panel. Desktops do not report this shade, so theme infers it from
// the colour scheme.
type theme struct{ shade atomic.Int32 }

// icon returns a unique name of the icon for a state, and a function that loads it.
func (t *theme) icon(s icons.State) (name string, load func() []byte) {
	switch shade(t.shade.Load()) {
	case dark:
		return string(s) + " on dark", func() []byte { return icons.Tray(s, true) }
	case light:
		return string(s) + " on light", func() []byte { return icons.Tray(s, false) }
	}
	return string(s) + " anywhere", func() []byte { return icons.TrayAnywhere(s) }
}

// watchTheme returns the theme of the desktop, keeps it up to date for the life of the program, and calls changed after
// each change.
func watchTheme(changed func()) *theme {
	t := &theme{}
	if alwaysDark(os.Getenv("XDG_CURRENT_DESKTOP")) {
		t.shade.Store(int32(dark))
		return t
	}
	bus, err := connectBus(context.Background())
	if err != nil {
		return t
	}
	changes := make(chan *dbus.Signal, 16)
	bus.Signal(changes)
	// ignore an error: without the signal, the theme does not change
	_ = bus.AddMatchSignal(dbus.WithMatchInterface(settings), dbus.WithMatchMember("SettingChanged"))
	follow := func(value dbus.Variant) {
		if next := int32(shadeOf(value)); t.shade.Swap(next) != next {
			changed()
		}
	}
	go func() {
		var now dbus.Variant
		if bus.Object(portal, portalPath).Call(settings+".Read", 0, appearance, scheme).Store(&now) == nil {
			follow(now)
		}
		for change := range changes {
			if len(change.Body) == 3 && change.Body[0] == appearance && change.Body[1] == scheme {
				if value, ok := change.Body[2].(dbus.Variant); ok {
					follow(value)
				}
			}
		}
	}()
	return t
}

// shadeOf returns the likely shade of panels for a value of color-scheme, and unknown for "no preference".
func shadeOf(value dbus.Variant) shade {
	for {
		inner, ok := value.Value().(dbus.Variant) // the answer to Read is wrapped twice
		if !ok {
			break
		}
		value = inner
	}
	switch number, _ := value.Value().(uint32); number {
	case 1:
		return dark
	case 2:
		return light
	}
	return unknown
}

// alwaysDark reports whether the panel of a desktop is dark for every colour scheme. The panel of Xfce counts as
// dark: its colour has a setting of its own, which is dark by default.
func alwaysDark(desktop string) bool {
	return slices.ContainsFunc(strings.Split(desktop, ":"), func(name string) bool {
		return name == "GNOME" || name == "XFCE" || name == "Unity"
	})
}
