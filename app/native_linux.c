//go:build production

#include "native_linux.h"

#ifdef GDK_WINDOWING_X11
#include <gdk/gdkx.h>
#endif

// Exported by Go.
extern void runOnMain(uintptr_t handle);
extern void windowMoved(uintptr_t handle);
extern void pageLeft(uintptr_t handle, char *address);
extern void themeChanged(uintptr_t handle);

// Milliseconds without another event after which the window is at rest. The maximised state is announced after the size.
static const guint rest = 300;

static gboolean run_later(gpointer handle) {
	runOnMain((uintptr_t)handle);
	return G_SOURCE_REMOVE;
}

void native_window_later(uintptr_t handle) { g_idle_add(run_later, (gpointer)handle); }

static void find_view(GtkWidget *widget, gpointer found) {
	if (WEBKIT_IS_WEB_VIEW(widget))
		*(GtkWidget **)found = widget;
	else if (GTK_IS_CONTAINER(widget))
		gtk_container_forall(GTK_CONTAINER(widget), find_view, found);
}

static gboolean settled(gpointer data) {
	NativeWindow *native = data;
	native->settling = 0;
	windowMoved(native->handle);
	return G_SOURCE_REMOVE;
}

static gboolean moves(GtkWidget *window, GdkEvent *event, gpointer data) {
	NativeWindow *native = data;
	if (native->settling)
		g_source_remove(native->settling);
	native->settling = g_timeout_add(rest, settled, native);
	return FALSE;
}

// decides allows the page to navigate only within itself.
static gboolean decides(WebKitWebView *view, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type, gpointer data) {
	if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE)
		return FALSE;
	WebKitNavigationAction *action = webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
	const char *address = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
	gboolean own = g_str_has_prefix(address, "wails://wails/");
	if (own && type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION)
		return FALSE;
	webkit_policy_decision_ignore(decision);
	if (!own && webkit_navigation_action_is_user_gesture(action))
		pageLeft(((NativeWindow *)data)->handle, (char *)address);
	return TRUE;
}

// ended reloads the page if its process has crashed.
static void ended(WebKitWebView *view, WebKitWebProcessTerminationReason reason, gpointer data) {
	if (reason == WEBKIT_WEB_PROCESS_CRASHED)
		webkit_web_view_reload(view);
}

static void theme_changed(GObject *settings, GParamSpec *property, gpointer data) {
	themeChanged(((NativeWindow *)data)->handle);
}

NativeWindow *native_window_find(uintptr_t handle) {
	GtkWidget *view = NULL;
	GtkWidget *window = NULL;
	GList *windows = gtk_window_list_toplevels();
	for (GList *each = windows; each && !view; each = each->next) {
		window = each->data;
		find_view(window, &view);
	}
	g_list_free(windows);
	if (!view)
		return NULL;
	NativeWindow *native = g_new0(NativeWindow, 1);
	native->handle = handle;
	native->window = GTK_WINDOW(window);
	native->view = WEBKIT_WEB_VIEW(view);
	g_signal_connect(window, "configure-event", G_CALLBACK(moves), native);
	g_signal_connect(window, "window-state-event", G_CALLBACK(moves), native);
	g_signal_connect(view, "decide-policy", G_CALLBACK(decides), native);
	g_signal_connect(view, "web-process-terminated", G_CALLBACK(ended), native);
	GtkSettings *settings = gtk_settings_get_default();
	g_signal_connect(settings, "notify::gtk-theme-name", G_CALLBACK(theme_changed), native);
	g_signal_connect(settings, "notify::gtk-application-prefer-dark-theme", G_CALLBACK(theme_changed), native);
	return native;
}

void native_window_raise(NativeWindow *native, const char *token) {
	gtk_window_deiconify(native->window);
	if (*token) {
		// The token contains the time of the user's request. Window managers need the time to bring the window to the front.
		gtk_window_set_startup_id(native->window, token);
	}
#ifdef GDK_WINDOWING_X11
	GdkWindow *window = gtk_widget_get_window(GTK_WIDGET(native->window));
	if (GDK_IS_X11_WINDOW(window)) {
		gtk_window_present_with_time(native->window, gdk_x11_get_server_time(window));
		return;
	}
#endif
	gtk_window_present(native->window);
}

gboolean native_window_is_dark(void) {
	GtkWidget *probe = gtk_window_new(GTK_WINDOW_POPUP);
	GdkRGBA colour = {1, 1, 1, 1};
	gtk_style_context_lookup_color(gtk_widget_get_style_context(probe), "theme_bg_color", &colour);
	gtk_widget_destroy(probe);
	return 0.299 * colour.red + 0.587 * colour.green + 0.114 * colour.blue < 0.5;
}

void native_window_prefer_dark(int dark) {
	GtkSettings *settings = gtk_settings_get_default();
	if (dark)
		g_object_set(settings, "gtk-application-prefer-dark-theme", TRUE, NULL);
	else
		gtk_settings_reset_property(settings, "gtk-application-prefer-dark-theme");
}

void native_window_style(const char *sheet) {
	static GtkCssProvider *provider;
	if (!provider) {
		provider = gtk_css_provider_new();
		gtk_style_context_add_provider_for_screen(gdk_screen_get_default(), GTK_STYLE_PROVIDER(provider), GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
	}
	gtk_css_provider_load_from_data(provider, sheet, -1, NULL);
}
