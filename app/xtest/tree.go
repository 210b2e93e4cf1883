//go:build linux

package xtest

import (
	"context"
	"time"

	"github.com/godbus/dbus/v5"
)

// Accessibility is a tree of objects over the programs of the desktop: a bus of its own, on which each object names its
// children, also those in other programs.

const (
	accessible = "org.a11y.atspi.Accessible"
	rootPath   = dbus.ObjectPath("/org/a11y/atspi/accessible/root")
	deepest    = 60 // levels of a page
)

// node is where an object is.
type node struct {
	Bus  string
	Path dbus.ObjectPath
}

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
	var texts []string
	d.visit(ctx, node{"org.a11y.atspi.Registry", rootPath}, 0, func(text string) { texts = append(texts, text) })
	return texts
}

func (d *Desktop) visit(ctx context.Context, at node, depth int, say func(string)) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	object := d.tree.Object(at.Bus, at.Path)
	var name dbus.Variant
	if object.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, accessible, "Name").Store(&name) == nil {
		if text, ok := name.Value().(string); ok && text != "" {
			say(text)
		}
	}
	var text string
	if object.CallWithContext(ctx, "org.a11y.atspi.Text.GetText", 0, int32(0), int32(-1)).Store(&text) == nil && text != "" {
		say(text)
	}
	var children []node
	if depth == deepest || object.CallWithContext(ctx, accessible+".GetChildren", 0).Store(&children) != nil {
		return
	}
	for _, child := range children {
		d.visit(ctx, child, depth+1, say)
	}
}
