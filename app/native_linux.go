//go:build production

package app

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1
#include <stdlib.h>
#include "native_linux.h"
*/
import "C"

import (
	"context"
	"errors"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// native is the window as GTK knows it: what Wails does not offer there. The zero value is a window that is not open
// yet. Its methods may be called from any goroutine but that of the main loop.
type native struct{ desk *C.Desk }

// openDisplay connects to the display. Wails would panic where that fails.
func openDisplay() error {
	runtime.LockOSThread() // GTK belongs to the thread that has started it, which is to be the one of the main loop
	name := C.CString(programName)
	defer C.free(unsafe.Pointer(name))
	C.g_set_prgname(name)
	if C.gtk_init_check(nil, nil) == 0 {
		return errors.New("the display cannot be opened: start it in a desktop session, or set DISPLAY")
	}
	C.gdk_set_program_class(name)
	return nil
}

// isDark reports whether the desktop is light on dark; scheme is what its portal says. What is made after that has its
// colours. It belongs before the window.
func isDark(scheme colourScheme) bool {
	C.desk_prefer_dark(boolean(scheme == schemeDark))
	dark := C.desk_is_dark() != 0
	style(coloursFor(dark).menuBar())
	return dark
}

func style(sheet string) {
	text := C.CString(sheet)
	defer C.free(unsafe.Pointer(text))
	C.desk_style(text)
}

// onMain runs do in the main loop and returns when it has.
func onMain(do func()) {
	done := make(chan struct{})
	C.desk_later(C.uintptr_t(cgo.NewHandle(func() {
		do()
		close(done)
	})))
	<-done
}

//export runOnMain
func runOnMain(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	do := h.Value().(func())
	h.Delete()
	do()
}

// attach finds the window that Wails has opened and lets it tell w what happens to it.
func (n *native) attach(_ context.Context, told watcher) {
	onMain(func() {
		n.desk = C.desk_of_window(C.uintptr_t(cgo.NewHandle(told)))
		// What the page writes to its console is seen nowhere else: there are no tools for developers.
		C.webkit_settings_set_enable_write_console_messages_to_stdout(C.webkit_web_view_get_settings(n.desk.view), boolean(traced()))
	})
}

//export windowMoved
func windowMoved(handle C.uintptr_t) { go cgo.Handle(handle).Value().(watcher).moved() }

//export pageLeft
func pageLeft(handle C.uintptr_t, address *C.char) {
	go cgo.Handle(handle).Value().(watcher).left(C.GoString(address))
}

//export themeChanged
func themeChanged(handle C.uintptr_t) {
	go cgo.Handle(handle).Value().(watcher).themed(C.desk_is_dark() != 0)
}

// prefer passes on what the desktop's portal says about dark and light.
func (n *native) prefer(scheme colourScheme) {
	onMain(func() { C.desk_prefer_dark(boolean(scheme == schemeDark)) })
}

// style sets what widgets look like beyond the desktop's theme.
func (n *native) style(sheet string) { onMain(func() { style(sheet) }) }

// screens returns the parts of the desktop that windows may use, the main one first.
func (n *native) screens(context.Context) (found []area) {
	onMain(func() {
		display := C.gdk_display_get_default()
		for i := range C.gdk_display_get_n_monitors(display) {
			monitor := C.gdk_display_get_monitor(display, i)
			var r C.GdkRectangle
			C.gdk_monitor_get_workarea(monitor, &r)
			a := area{int(r.x), int(r.y), int(r.width), int(r.height)}
			if C.gdk_monitor_is_primary(monitor) != 0 {
				found = append([]area{a}, found...)
			} else {
				found = append(found, a)
			}
		}
	})
	return found
}

// move puts the window to a place, which Wayland lets nobody do.
func (n *native) move(_ context.Context, to area) {
	onMain(func() {
		C.gtk_window_resize(n.desk.window, C.gint(to.Width), C.gint(to.Height))
		C.gtk_window_move(n.desk.window, C.gint(to.X), C.gint(to.Y))
	})
}

// where returns the window's place and whether it fills the screen; ok is false for a window that is not open or is
// minimised.
func (n *native) where(context.Context) (at area, maximised, ok bool) {
	onMain(func() {
		window := C.gtk_widget_get_window((*C.GtkWidget)(unsafe.Pointer(n.desk.window)))
		if window == nil || C.gdk_window_get_state(window)&C.GDK_WINDOW_STATE_ICONIFIED != 0 {
			return
		}
		var x, y, width, height C.gint
		C.gtk_window_get_position(n.desk.window, &x, &y)
		C.gtk_window_get_size(n.desk.window, &width, &height)
		full := C.gdk_window_get_state(window) & (C.GDK_WINDOW_STATE_MAXIMIZED | C.GDK_WINDOW_STATE_FULLSCREEN)
		at, maximised, ok = area{int(x), int(y), int(width), int(height)}, full != 0, true
	})
	return at, maximised, ok
}

// raise brings the window to the front; token is what the desktop gave the program that was started a second time.
func (n *native) raise(_ context.Context, token string) {
	text := C.CString(token)
	defer C.free(unsafe.Pointer(text))
	onMain(func() { C.desk_raise(n.desk, text) })
}

// zoom sets the size of the page, 1 being its own.
func (n *native) zoom(_ context.Context, factor float64) {
	onMain(func() { C.webkit_web_view_set_zoom_level(n.desk.view, C.gdouble(factor)) })
}

// edit runs one of the commands Undo, Redo, Cut, Copy, Paste and SelectAll where the focus is.
func (n *native) edit(_ context.Context, command string) {
	text := C.CString(command)
	defer C.free(unsafe.Pointer(text))
	onMain(func() { C.webkit_web_view_execute_editing_command(n.desk.view, text) })
}

func boolean(is bool) C.int {
	if is {
		return 1
	}
	return 0
}
