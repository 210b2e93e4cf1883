//go:build linux

package desktoptest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// panelTimeout limits each wait for a program with an icon. Only a failing test waits that long.
const panelTimeout = 60 * time.Second

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
	menuName    = "com.canonical.dbusmenu"
)

// Panel simulates the panel of a desktop, which shows tray icons with the StatusNotifierItem protocol.
type Panel struct {
	t       testing.TB
	conn    *dbus.Conn
	icons   chan Icon
	signals chan *dbus.Signal
}

// Icon is a tray icon that a program has registered with a Panel.
type Icon struct {
	panel *Panel
	owner string
	path  dbus.ObjectPath
}

// Item is a line of an icon's menu.
type Item struct {
	ID        int32
	Label     string // without the underscores that mark keyboard shortcuts
	Enabled   bool
	Checkable bool
	Checked   bool
	Items     []Item // items of the submenu
}

// NewPanel starts a panel on a session bus. The caller must not use conn afterwards.
func NewPanel(t testing.TB, conn *dbus.Conn) *Panel {
	t.Helper()
	p := &Panel{t: t, conn: conn, icons: make(chan Icon, 16), signals: make(chan *dbus.Signal, 1024)}
	conn.Signal(p.signals)
	if err := conn.AddMatchSignal(dbus.WithMatchInterface(menuName)); err != nil {
		t.Fatal(err)
	}
	if err := conn.Export(watcher{p}, watcherPath, watcherName); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(watcherName, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("RequestName %s: %v, %v", watcherName, reply, err)
	}
	return p
}

// watcher implements the D-Bus interface that programs call to register icons.
type watcher struct{ panel *Panel }

// RegisterStatusNotifierItem registers an icon, given by its object path or by a bus name.
func (w watcher) RegisterStatusNotifierItem(sender dbus.Sender, item string) *dbus.Error {
	icon := Icon{panel: w.panel, owner: string(sender), path: "/StatusNotifierItem"}
	if strings.HasPrefix(item, "/") {
		icon.path = dbus.ObjectPath(item)
	}
	w.panel.icons <- icon
	return nil
}

// Await waits for the next icon that a program registers.
func (p *Panel) Await() Icon {
	p.t.Helper()
	select {
	case icon := <-p.icons:
		return icon
	case <-time.After(panelTimeout):
		p.t.Fatal("no program registered a tray icon")
		return Icon{}
	}
}

// Property returns a property of the icon, such as Title or IconName; "" if it cannot be read.
func (i Icon) Property(name string) string {
	value, err := i.panel.conn.Object(i.owner, i.path).GetProperty("org.kde.StatusNotifierItem." + name)
	if err != nil {
		return ""
	}
	return fmt.Sprint(value.Value())
}

// Menu returns the visible items of the icon's menu; nil if it cannot be read.
func (i Icon) Menu() []Item {
	var revision uint32
	var root layout
	if err := i.menu().Call(menuName+".GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &root); err != nil {
		return nil
	}
	return root.items()
}

func (i Icon) menu() dbus.BusObject {
	return i.panel.conn.Object(i.owner, i.path+"/Menu")
}

// Click sends a click on an item to the program.
func (i Icon) Click(item Item) {
	i.panel.t.Helper()
	if err := i.menu().Call(menuName+".Event", 0, item.ID, "clicked", dbus.MakeVariant(int32(0)), uint32(0)).Err; err != nil {
		i.panel.t.Fatalf("click on %s: %v", item.Label, err)
	}
}

// AwaitMenu waits until look returns an item of the menu, and returns that item. what describes it in the failure
// message.
func (i Icon) AwaitMenu(what string, look func([]Item) *Item) Item {
	i.panel.t.Helper()
	timeout := time.After(panelTimeout)
	for {
		menu := i.Menu()
		if found := look(menu); found != nil {
			return *found
		}
		select {
		case <-i.panel.signals: // the menu has changed
		case <-timeout:
			i.panel.t.Fatalf("timed out waiting for %s in the menu:\n%s", what, Text(menu))
		}
	}
}

// AwaitItem waits for the item with a label, at any depth.
func (i Icon) AwaitItem(label string) Item {
	i.panel.t.Helper()
	return i.AwaitMenu(label, func(menu []Item) *Item { return Find(menu, label) })
}

// Find returns the item with a label, at any depth; nil if there is none.
func Find(menu []Item, label string) *Item {
	for _, item := range menu {
		if item.Label == label {
			return &item
		}
		if inside := Find(item.Items, label); inside != nil {
			return inside
		}
	}
	return nil
}

// Text renders a menu with one item per line, for failure messages.
func Text(menu []Item) string {
	var b strings.Builder
	for _, item := range menu {
		mark := map[bool]string{true: "[x] ", false: ""}[item.Checked]
		fmt.Fprintf(&b, "%s%s\n", mark, item.Label)
		for line := range strings.Lines(Text(item.Items)) {
			b.WriteString("  " + line)
		}
	}
	return b.String()
}

// layout is a menu item in the answer to GetLayout.
type layout struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

// shownLabel converts a label to the text that a panel shows: two underscores become one, and a single one, which
// marks a shortcut, is removed.
var shownLabel = strings.NewReplacer("__", "_", "_", "")

// items returns the visible children without separators.
func (l layout) items() []Item {
	var items []Item
	for _, child := range l.Children {
		var part layout
		if dbus.Store([]any{child.Value()}, &part) != nil || !part.is("visible", true) || part.text("type") == "separator" {
			continue
		}
		items = append(items, Item{
			ID: part.ID, Label: shownLabel.Replace(part.text("label")), Enabled: part.is("enabled", true),
			Checkable: part.text("toggle-type") != "", Checked: part.text("toggle-state") == "1", Items: part.items(),
		})
	}
	return items
}

func (l layout) is(name string, otherwise bool) bool {
	if value, ok := l.Properties[name].Value().(bool); ok {
		return value
	}
	return otherwise
}

func (l layout) text(name string) string {
	if value := l.Properties[name].Value(); value != nil {
		return fmt.Sprint(value)
	}
	return ""
}
