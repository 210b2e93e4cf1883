// What Wails does not offer on Linux. All of it belongs on the thread of the
// main loop.
#include <stdint.h>
#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

// A desk is the window with its page.
typedef struct {
	uintptr_t handle; // of the Go value that is told
	GtkWindow *window;
	WebKitWebView *view;
	guint settling;
} Desk;

// desk_of_window finds the window that Wails made, NULL when there is none. It
// lives as long as the program.
Desk *desk_of_window(uintptr_t handle);

// desk_raise brings the window to the front; token is what the desktop gave
// the program that was started a second time, or empty.
void desk_raise(Desk *desk, const char *token);

// desk_is_dark reports whether widgets are drawn light on dark.
gboolean desk_is_dark(void);

// desk_prefer_dark: 0 leaves it to the theme.
void desk_prefer_dark(int dark);

// desk_style replaces our additions to the desktop's theme.
void desk_style(const char *sheet);

// desk_later calls runOnMain(handle) in the main loop.
void desk_later(uintptr_t handle);
