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

// native gives access to GTK features of the window that Wails lacks. The zero value is a window that is not open
// yet. Its methods may be called from any goroutine except that of the main loop.
type native struct{ window *C.NativeWindow }

// openDisplay connects to the display. If there is no display, it returns an error, whereas Wails would panic.
func openDisplay() error {
	runtime.LockOSThread() // GTK must be used from the thread of the main loop
	name := C.CString(programName)
	defer C.free(unsafe.Pointer(name))
	C.g_set_prgname(name)
	if C.gtk_init_check(nil, nil) == 0 {
		return errors.New("could not open the display; start the program in a desktop session, or set DISPLAY")
	}
	C.gdk_set_program_class(name)
	return nil
}

// isDark reports whether the desktop uses a dark theme, given the scheme that its portal reports. It also applies the
// scheme and a style of the menu bar to windows that are created afterwards. Call it before the window is created.
func isDark(scheme colourScheme) bool {
	C.native_window_prefer_dark(boolean(scheme == schemeDark))
	dark := C.native_window_is_dark() != 0
	style(colorsFor(dark).menuBar())
	return dark
}

func style(sheet string) {
	text := C.CString(sheet)
	defer C.free(unsafe.Pointer(text))
	C.native_window_style(text)
}

// onMain runs do in the main loop and returns when do has returned.
func onMain(do func()) {
	done := make(chan struct{})
	C.native_window_later(C.uintptr_t(cgo.NewHandle(func() {
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

// attach finds the window that Wails has opened and reports its events to w.
func (n *native) attach(_ context.Context, w watcher) {
	onMain(func() {
		n.window = C.native_window_find(C.uintptr_t(cgo.NewHandle(w)))
		// Release builds have no developer tools, so standard output is the only place to read the console.
		C.webkit_settings_set_enable_write_console_messages_to_stdout(C.webkit_web_view_get_settings(n.window.view), boolean(traced()))
	})
}

//export windowMoved
func windowMoved(handle C.uintptr_t) { go cgo.Handle(handle).Value().(watcher).moved() }

//export pageLeft
func pageLeft(handle C.uintptr_t, address *C.char) {
	go cgo.Handle(handle).Value().(watcher).linkFollowed(C.GoString(address))
}

//export themeChanged
func themeChanged(handle C.uintptr_t) {
	go cgo.Handle(handle).Value().(watcher).themeChanged(C.native_window_is_dark() != 0)
}

// prefer applies the colour scheme that the desktop's portal reports.
func (n *native) prefer(scheme colourScheme) {
	onMain(func() { C.native_window_prefer_dark(boolean(scheme == schemeDark)) })
}

// style replaces the style sheet that is applied on top of the desktop's theme.
func (n *native) style(sheet string) { onMain(func() { style(sheet) }) }

// screens returns the usable areas of all monitors, the primary one first.
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

// move moves and resizes the window. Wayland ignores the position.
func (n *native) move(_ context.Context, to area) {
	onMain(func() {
		C.gtk_window_resize(n.window.window, C.gint(to.Width), C.gint(to.Height))
		C.gtk_window_move(n.window.window, C.gint(to.X), C.gint(to.Y))
	})
}

// where returns the window's area and whether it is maximised or full screen. ok is false if the window is not open
// or is minimised.
func (n *native) where(context.Context) (at area, maximised, ok bool) {
	onMain(func() {
		window := C.gtk_widget_get_window((*C.GtkWidget)(unsafe.Pointer(n.window.window)))
		if window == nil || C.gdk_window_get_state(window)&C.GDK_WINDOW_STATE_ICONIFIED != 0 {
			return
		}
		var x, y, width, height C.gint
		C.gtk_window_get_position(n.window.window, &x, &y)
		C.gtk_window_get_size(n.window.window, &width, &height)
		full := C.gdk_window_get_state(window) & (C.GDK_WINDOW_STATE_MAXIMIZED | C.GDK_WINDOW_STATE_FULLSCREEN)
		at, maximised, ok = area{int(x), int(y), int(width), int(height)}, full != 0, true
	})
	return at, maximised, ok
}

// raise brings the window to the front. token is the startup token that the desktop gave to the second start of the
// program.
func (n *native) raise(_ context.Context, token string) {
	text := C.CString(token)
	defer C.free(unsafe.Pointer(text))
	onMain(func() { C.native_window_raise(n.window, text) })
}

// zoom sets the zoom factor of the page; 1 is its actual size.
func (n *native) zoom(_ context.Context, factor float64) {
	onMain(func() { C.webkit_web_view_set_zoom_level(n.window.view, C.gdouble(factor)) })
}

// edit runs Undo, Redo, Cut, Copy, Paste or SelectAll on the focused element.
func (n *native) edit(_ context.Context, command string) {
	text := C.CString(command)
	defer C.free(unsafe.Pointer(text))
	onMain(func() { C.webkit_web_view_execute_editing_command(n.window.view, text) })
}

func boolean(is bool) C.int {
	if is {
		return 1
	}
	return 0
}
