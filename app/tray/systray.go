//go:build tray

package main

import (
	"runtime"
	"sync"

	"github.com/getlantern/systray"

	"github.com/agent-discover/agent-discover/build/icons"
)

// display runs the main loop of the system tray until the view ends. It calls started with the view when the tray is
// ready, and clicked with the command of each clicked item; clicked must return quickly. display must be called from
// the main goroutine.
func display(started func(view), clicked func(command string)) {
	v := &systrayView{clicked: clicked, images: make(map[string][]byte)}
	v.theme = watchTheme(v.themeChanged)
	systray.Run(func() { started(v) }, nil)
}

// systrayView shows menus with the systray library. The library cannot remove a menu item, so unneeded items are hidden
// and later reused with another label.
type systrayView struct {
	clicked func(command string)
	theme   *theme

	mu     sync.Mutex
	slots  []*slot
	state  icons.State       // empty until the first menu is shown
	image  string            // name of the current icon
	images map[string][]byte // never removed from, because the library retains pointers to the bytes
}

// slot is a native menu item and the item that it shows.
type slot struct {
	native *systray.MenuItem // nil for a separator
	shown  item
	stale  bool // the native item may differ from shown, because a click toggles its check mark
	slots  []*slot
}

func (v *systrayView) show(m menu) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.state = m.Icon
	v.drawIcon()
	systray.SetTooltip(m.Tooltip)
	v.slots = v.fill(nil, v.slots, m.Items)
}

// themeChanged replaces the icon by the one for the new colour of the desktop's panel.
func (v *systrayView) themeChanged() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.state != "" {
		v.drawIcon()
	}
}

func (v *systrayView) drawIcon() {
	name, load := v.theme.icon(v.state)
	if name == v.image {
		return
	}
	if v.images[name] == nil {
		v.images[name] = load()
	}
	v.image = name
	systray.SetTemplateIcon(v.images[name], v.images[name])
}

func (v *systrayView) copy(text string) error { return copyText(text) }

func (v *systrayView) end() { systray.Quit() }

// fill shows items in slots, adds slots as needed and hides the remaining ones. It returns all slots.
func (v *systrayView) fill(parent *systray.MenuItem, slots []*slot, items []item) []*slot {
	for i, it := range items {
		if i == len(slots) {
			slots = append(slots, v.add(parent, it))
		}
		v.update(slots[i], it)
	}
	for _, unused := range slots[len(items):] {
		hidden := unused.shown
		hidden.Hidden, hidden.Command = true, ""
		v.update(unused, hidden)
	}
	return slots
}

func (v *systrayView) add(parent *systray.MenuItem, it item) *slot {
	label := escapeMnemonics(runtime.GOOS, it.Label)
	s := &slot{stale: true}
	switch {
	case it.Separator:
		systray.AddSeparator()
		return s
	case parent == nil && it.Checkable:
		s.native = systray.AddMenuItemCheckbox(label, "", it.Checked)
	case parent == nil:
		s.native = systray.AddMenuItem(label, "")
	case it.Checkable:
		s.native = parent.AddSubMenuItemCheckbox(label, "", it.Checked)
	default:
		s.native = parent.AddSubMenuItem(label, "")
	}
	// The library drops a click that is not received at once, so each item has a receiver for the life of the program.
	go func() {
		for range s.native.ClickedCh {
			v.click(s)
		}
	}()
	return s
}

func (v *systrayView) update(s *slot, it item) {
	if s.native == nil {
		return
	}
	if s.stale || !looksSame(s.shown, it) {
		if it.Hidden {
			s.native.Hide()
		} else {
			s.native.SetTitle(escapeMnemonics(runtime.GOOS, it.Label))
			set(it.Checked, s.native.Check, s.native.Uncheck)
			set(it.Disabled, s.native.Disable, s.native.Enable)
			s.native.Show()
		}
	}
	s.shown, s.stale = it, false
	s.slots = v.fill(s.native, s.slots, it.Items)
}

// click calls clicked with the current command of a slot.
func (v *systrayView) click(s *slot) {
	v.mu.Lock()
	s.stale = true
	command := s.shown.Command
	v.mu.Unlock()
	if command != "" {
		v.clicked(command)
	}
}

func set(condition bool, yes, no func()) {
	if condition {
		yes()
	} else {
		no()
	}
}

// looksSame reports whether two items look the same, apart from their submenus.
func looksSame(a, b item) bool {
	return a.Label == b.Label && a.Checked == b.Checked && a.Disabled == b.Disabled && a.Hidden == b.Hidden
}
