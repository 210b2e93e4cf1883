// Window features that Wails lacks on Linux. All functions must be called on
// the thread of the main loop.
#include <stdint.h>
#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

// A NativeWindow is the window and its web view.
typedef struct {
	uintptr_t handle; // of the Go value that receives events
	GtkWindow *window;
	WebKitWebView *view;
	guint settling;
} NativeWindow;

// native_window_find returns the window that Wails created, or NULL. It is
// never freed.
NativeWindow *native_window_find(uintptr_t handle);

// native_window_raise brings the window to the front. token is the startup
// token of the second start of the program, or empty.
void native_window_raise(NativeWindow *native, const char *token);

// native_window_is_dark reports whether the theme is dark.
gboolean native_window_is_dark(void);

// native_window_prefer_dark requests the dark variant of the theme; 0 removes
// the request.
void native_window_prefer_dark(int dark);

// native_window_style replaces the style sheet on top of the desktop's theme.
void native_window_style(const char *sheet);

// native_window_later calls runOnMain(handle) in the main loop.
void native_window_later(uintptr_t handle);
