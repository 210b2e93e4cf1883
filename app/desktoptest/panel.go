//go:build linux

package desktoptest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// panelPatience is how long the other side may take; it is only ever waited for when
// something is broken.
const panelPatience = 60 * time.Second

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
	menuName    = "com.canonical.dbusmenu"
)

// Panel shows tray icons, to the test.
type Panel struct {
	t       testing.TB
	conn    *dbus.Conn
	icons   chan Icon
	signals chan *dbus.Signal
}

// Icon is one that a program has put into the panel.
type Icon struct {
	panel *Panel
	owner string
	path  dbus.ObjectPath
}

// Item is a line of an icon's menu.
type Item struct {
	ID        int32
	Label     string // as shown: without marks for shortcuts
	Enabled   bool
	Checkable bool
	Checked   bool
	Items     []Item // those of a submenu
}

// NewPanel puts a panel on a session bus. The connection is the panel's from now
// on.
func NewPanel(t testing.TB, conn *dbus.Conn) *Panel {
	t.Helper()
	p := &Panel{t: t, conn: conn, icons: make(chan Icon, 16), signals: make(chan *dbus.Signal, 1024)}
	conn.Signal(p.signals)
	if err := conn.AddMatchSignal(dbus.WithMatchInterface(menuName)); err != nil {
		t.Fatal(err)
	}
	if err := conn.Export(watching{p}, watcherPath, watcherName); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(watcherName, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("the panel: %v, %v", reply, err)
	}
	return p
}

// watching is what programs call.
type watching struct{ panel *Panel }

// RegisterStatusNotifierItem takes an icon: the path of one, or a name on the bus.
func (w watching) RegisterStatusNotifierItem(sender dbus.Sender, item string) *dbus.Error {
	icon := Icon{panel: w.panel, owner: string(sender), path: "/StatusNotifierItem"}
	if strings.HasPrefix(item, "/") {
		icon.path = dbus.ObjectPath(item)
	}
	w.panel.icons <- icon
	return nil
}

// Await returns the next icon that a program puts in.
func (p *Panel) Await() Icon {
	p.t.Helper()
	select {
	case icon := <-p.icons:
		return icon
	case <-time.After(panelPatience):
		p.t.Fatal("no program put an icon into the panel")
		return Icon{}
	}
}

// Property returns what the icon says of itself, such as Title or IconName.
func (i Icon) Property(name string) string {
	value, err := i.panel.conn.Object(i.owner, i.path).GetProperty("org.kde.StatusNotifierItem." + name)
	if err != nil {
		return ""
	}
	return fmt.Sprint(value.Value())
}

// Menu returns what the icon's menu shows now; nil when it cannot be read.
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

// Click clicks an item as a person does.
func (i Icon) Click(item Item) {
	i.panel.t.Helper()
	if err := i.menu().Call(menuName+".Event", 0, item.ID, "clicked", dbus.MakeVariant(int32(0)), uint32(0)).Err; err != nil {
		i.panel.t.Fatalf("click on %s: %v", item.Label, err)
	}
}

// AwaitMenu returns what look finds in the menu, as soon as it finds something.
func (i Icon) AwaitMenu(what string, look func([]Item) *Item) Item {
	i.panel.t.Helper()
	late := time.After(panelPatience)
	for {
		menu := i.Menu()
		if found := look(menu); found != nil {
			return *found
		}
		select {
		case <-i.panel.signals: // the menu has changed
		case <-late:
			i.panel.t.Fatalf("the menu never showed %s:\n%s", what, Text(menu))
		}
	}
}

// AwaitItem returns the item with a label, at any depth.
func (i Icon) AwaitItem(label string) Item {
	i.panel.t.Helper()
	return i.AwaitMenu(label, func(menu []Item) *Item { return Find(menu, label) })
}

// Find returns the item with a label, at any depth; nil when there is none.
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

// Text returns a menu for a person to read.
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

// layout is a menu as it comes over the bus.
type layout struct {
	ID         int32
	Properties map[string]dbus.Variant
	Children   []dbus.Variant
}

// items returns the children that are shown.
func (l layout) items() []Item {
	var items []Item
	for _, child := range l.Children {
		var part layout
		if dbus.Store([]any{child.Value()}, &part) != nil || !part.is("visible", true) || part.text("type") == "separator" {
			continue
		}
		items = append(items, Item{
			ID: part.ID, Label: unmarked(part.text("label")), Enabled: part.is("enabled", true),
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

// unmarked returns a label as a panel draws it: one underscore marks a shortcut,
// two are one.
func unmarked(label string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(label, "__", "\x00"), "_", ""), "\x00", "_")
}
