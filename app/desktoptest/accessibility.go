//go:build linux

package desktoptest

import (
	"context"
	"slices"
	"time"

	"github.com/godbus/dbus/v5"
)

// Accessible objects of all programs form one tree on a separate bus. Each object lists its children, which may belong to
// other programs.

const (
	accessible = "org.a11y.atspi.Accessible"
	texts      = "org.a11y.atspi.Text"
	maxDepth   = 60
)

// node is the address of an object on the accessibility bus.
type node struct {
	Bus  string
	Path dbus.ObjectPath
}

var root = node{"org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"}

func (d *Desktop) connectAccessibility() error {
	return retry(func() error {
		var address string
		err := d.bus.Object("org.a11y.Bus", "/org/a11y/bus").Call("org.a11y.Bus.GetAddress", 0).Store(&address)
		if err == nil {
			d.a11y, err = dbus.Connect(address)
		}
		return err
	})
}

// Texts returns the names and texts of all accessible objects, which a screen reader would read. Objects that disappear
// during the call are left out.
func (d *Desktop) Texts(ctx context.Context) []string {
	var all []string
	d.visit(ctx, root, 0, func(_ node, text string) bool {
		all = append(all, text)
		return false
	})
	return all
}

// Press activates the object with the given name, like a click, and reports whether that succeeded.
func (d *Desktop) Press(ctx context.Context, name string) bool {
	return d.visit(ctx, root, 0, func(at node, text string) bool {
		if text != name {
			return false
		}
		var done bool
		call := d.a11y.Object(at.Bus, at.Path).CallWithContext(ctx, "org.a11y.atspi.Action.DoAction", 0, int32(0))
		return call.Store(&done) == nil && done
	})
}

// visit calls take with each text of the tree below a node until take returns true, and reports whether it did.
func (d *Desktop) visit(ctx context.Context, at node, depth int, take func(node, string) bool) bool {
	object := d.a11y.Object(at.Bus, at.Path)
	call := func(method string, into any, args ...any) bool {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		return object.CallWithContext(ctx, method, 0, args...).Store(into) == nil
	}
	var name dbus.Variant
	if call("org.freedesktop.DBus.Properties.Get", &name, accessible, "Name") {
		if text, ok := name.Value().(string); ok && text != "" && take(at, text) {
			return true
		}
	}
	var kinds []string
	var text string
	if call(accessible+".GetInterfaces", &kinds) && slices.Contains(kinds, texts) &&
		call(texts+".GetText", &text, int32(0), int32(-1)) && text != "" && take(at, text) {
		return true
	}
	var children []node
	if depth == maxDepth || !call(accessible+".GetChildren", &children) {
		return false
	}
	// A web view does not list its content, which belongs to another process, but returns it as the child with index 0.
	var page node
	if len(children) == 0 && call(accessible+".GetChildAtIndex", &page, int32(0)) && page.Bus != "" {
		children = []node{page}
	}
	for _, child := range children {
		if d.visit(ctx, child, depth+1, take) {
			return true
		}
	}
	return false
}
