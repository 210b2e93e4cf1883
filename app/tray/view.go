//go:build tray

package main

import (
	"runtime"
	"sync"

	"github.com/getlantern/systray"

	"github.com/agent-discover/agent-discover/build/icons"
)

// display runs the system's loop until the face ends. started gets the face when
// there is one; clicked gets what a click on an item means and must be quick. It
// must be called from the main goroutine.
func display(started func(face), clicked func(click string)) {
	p := &panel{clicked: clicked, pictures: make(map[string][]byte)}
	p.look = watchTheme(p.repaint)
	systray.Run(func() { started(p) }, nil)
}

// panel shows menus in the system's tray. What was added to a tray stays: items
// that are not needed are hidden, and get another text when they are.
type panel struct {
	clicked func(click string)
	look    *theme

	mu       sync.Mutex
	slots    []*slot
	state    icons.State
	picture  string            // name of the one that is shown
	pictures map[string][]byte // the system reads them when it likes
}

// slot is an item of the tray, and what it shows.
type slot struct {
	native *systray.MenuItem // nil for a separator
	shown  item
	stale  bool // it may look different: a click turns a check mark
	slots  []*slot
}

func (p *panel) show(m menu) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = m.Icon
	p.paint()
	systray.SetTooltip(m.Tooltip)
	p.slots = p.fill(nil, p.slots, m.Items)
}

// repaint follows the colour of the system's panel.
func (p *panel) repaint() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != "" { // else the first menu is not shown yet
		p.paint()
	}
}

func (p *panel) paint() {
	name, get := p.look.picture(p.state)
	if name == p.picture {
		return
	}
	if p.pictures[name] == nil {
		p.pictures[name] = get()
	}
	p.picture = name
	systray.SetTemplateIcon(p.pictures[name], p.pictures[name])
}

func (p *panel) copy(text string) error { return copyText(text) }

func (p *panel) end() { systray.Quit() }

// fill shows items in slots, of which it makes more when there are not enough.
func (p *panel) fill(parent *systray.MenuItem, slots []*slot, items []item) []*slot {
	for i, it := range items {
		if i == len(slots) {
			slots = append(slots, p.add(parent, it))
		}
		p.update(slots[i], it)
	}
	for _, left := range slots[len(items):] {
		gone := left.shown
		gone.Hidden, gone.Click = true, ""
		p.update(left, gone)
	}
	return slots
}

func (p *panel) add(parent *systray.MenuItem, it item) *slot {
	label := literal(runtime.GOOS, it.Label)
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
	// A click that nobody takes at once is lost: each item has its reader, as
	// long as the program runs.
	go func() {
		for range s.native.ClickedCh {
			p.click(s)
		}
	}()
	return s
}

func (p *panel) update(s *slot, it item) {
	if s.native == nil {
		return
	}
	if s.stale || !same(s.shown, it) {
		if it.Hidden {
			s.native.Hide()
		} else {
			s.native.SetTitle(literal(runtime.GOOS, it.Label))
			set(it.Checked, s.native.Check, s.native.Uncheck)
			set(it.Disabled, s.native.Disable, s.native.Enable)
			s.native.Show()
		}
	}
	s.shown, s.stale = it, false
	s.slots = p.fill(s.native, s.slots, it.Items)
}

// click hands on what a click on a slot means now.
func (p *panel) click(s *slot) {
	p.mu.Lock()
	s.stale = true
	what := s.shown.Click
	p.mu.Unlock()
	if what != "" {
		p.clicked(what)
	}
}

func set(condition bool, yes, no func()) {
	if condition {
		yes()
	} else {
		no()
	}
}

// same reports whether two items look the same, but for their submenus.
func same(a, b item) bool {
	return a.Label == b.Label && a.Checked == b.Checked && a.Disabled == b.Disabled && a.Hidden == b.Hidden
}
