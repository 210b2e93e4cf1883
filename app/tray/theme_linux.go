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

// shade is the colour of a panel.
type shade int32

const (
	unknown shade = iota
	dark
	light
)

// theme knows the shade of the panel. No desktop tells it; it is guessed from the
// colour scheme of programs.
type theme struct{ shade atomic.Int32 }

// picture returns the name of a state's icon, and what makes it.
func (t *theme) picture(s icons.State) (name string, get func() []byte) {
	switch shade(t.shade.Load()) {
	case dark:
		return string(s) + " on dark", func() []byte { return icons.Tray(s, true) }
	case light:
		return string(s) + " on light", func() []byte { return icons.Tray(s, false) }
	}
	return string(s) + " anywhere", func() []byte { return icons.TrayAnywhere(s) }
}

// watchTheme returns the theme, which follows the desktop's as long as the program
// runs and tells when it changed.
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
	_ = bus.AddMatchSignal(dbus.WithMatchInterface(settings), dbus.WithMatchMember("SettingChanged")) // else it stays as it is
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

// shadeOf returns what a colour scheme says of panels. Who prefers none has said
// nothing.
func shadeOf(value dbus.Variant) shade {
	for {
		inner, ok := value.Value().(dbus.Variant) // Read wraps it twice
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

// alwaysDark reports whether the panel of a desktop is dark whatever the colour
// scheme is: GNOME's always, Xfce's unless its own setting says otherwise.
func alwaysDark(desktop string) bool {
	return slices.ContainsFunc(strings.Split(desktop, ":"), func(name string) bool {
		return name == "GNOME" || name == "XFCE" || name == "Unity"
	})
}
