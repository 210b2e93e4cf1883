//go:build linux

package desktoptest

import (
	"context"
	"slices"
	"time"

	"github.com/godbus/dbus/v5"
)

// Accessibility is a tree of objects over the programs of the desktop: a bus of its own, on which each object names its
// children, also those in other programs.

const (
	accessible = "org.a11y.atspi.Accessible"
	texts      = "org.a11y.atspi.Text"
	deepest    = 60 // levels
)

// node is where an object is.
type node struct {
	Bus  string
	Path dbus.ObjectPath
}

var root = node{"org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"}

func (d *Desktop) connectTree() error {
	return await(func() error {
		var address string
		err := d.bus.Object("org.a11y.Bus", "/org/a11y/bus").Call("org.a11y.Bus.GetAddress", 0).Store(&address)
		if err == nil {
			d.tree, err = dbus.Connect(address)
		}
		return err
	})
}

// Texts returns what a screen reader would say of everything that is open: names of objects, and the texts in them.
// What vanishes meanwhile is left out.
func (d *Desktop) Texts(ctx context.Context) []string {
	var all []string
	d.visit(ctx, root, 0, func(_ node, text string) bool {
		all = append(all, text)
		return false
	})
	return all
}

// Press does what a click on the object of a name would do, and reports whether there is one.
func (d *Desktop) Press(ctx context.Context, name string) bool {
	return d.visit(ctx, root, 0, func(at node, text string) bool {
		if text != name {
			return false
		}
		var done bool
		call := d.tree.Object(at.Bus, at.Path).CallWithContext(ctx, "org.a11y.atspi.Action.DoAction", 0, int32(0))
		return call.Store(&done) == nil && done
	})
}

// visit shows each text until one is taken, and reports whether one was.
func (d *Desktop) visit(ctx context.Context, at node, depth int, take func(node, string) bool) bool {
	object := d.tree.Object(at.Bus, at.Path)
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
	if depth == deepest || !call(accessible+".GetChildren", &children) {
		return false
	}
	// What is in a web view is named only when it is asked for by number: it belongs to another program.
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
