//go:build linux && (production || dev)

package window

/*
#cgo pkg-config: gtk+-3.0
#include <gtk/gtk.h>
#include <stdlib.h>
#include <string.h>

// Everything that touches GTK runs on GTK's own thread, through g_idle_add: resizing from another one jams.

enum { MAX_SCREENS = 8 };

typedef struct { int op, x, y, w, h; } echo_request;

typedef struct {
	GMutex mutex;
	GCond cond;
	int done, abandoned;
	int found, composited;
	int place[4];
	int screens, screen[MAX_SCREENS][4];
} echo_answer;

// The Wails window is the toplevel that carries Echo's title.
static GtkWindow *echo_main(void) {
	GtkWindow *found = NULL;
	GList *list = gtk_window_list_toplevels();
	for (GList *i = list; i && !found; i = i->next) {
		GtkWindow *w = GTK_WINDOW(i->data);
		if (gtk_window_get_window_type(w) == GTK_WINDOW_TOPLEVEL && g_strcmp0(gtk_window_get_title(w), "Echo") == 0 && !GTK_IS_DIALOG(w)) found = w;
	}
	g_list_free(list);
	return found;
}

static gboolean echo_do(gpointer data) {
	echo_request *q = data;
	GtkWindow *w = echo_main();
	if (w) switch (q->op) {
	case 0: // the move comes again once the window is mapped: window managers centre what was hidden
		gtk_window_move(w, q->x, q->y);
		gtk_window_resize(w, q->w, q->h);
		break;
	case 1:
		gtk_window_set_keep_above(w, q->x);
		break;
	case 2:
		gtk_window_move(w, q->x, q->y);
		gtk_window_resize(w, q->w, q->h);
		gtk_widget_show(GTK_WIDGET(w));
		gtk_window_move(w, q->x, q->y);
		gtk_window_present(w);
		break;
	case 3:
		gtk_widget_hide(GTK_WIDGET(w));
		break;
	case 4: // Echo is no window among windows
		gtk_window_set_skip_taskbar_hint(w, TRUE);
		gtk_window_set_skip_pager_hint(w, TRUE);
		break;
	}
	free(q);
	return G_SOURCE_REMOVE;
}

// Ends GTK's loop on GTK's own thread. A dialog runs a loop inside of it, and is answered first; a loop that has not begun yet is waited for.
static gboolean echo_end(gpointer data) {
	(void)data;
	GList *list = gtk_window_list_toplevels();
	for (GList *i = list; i; i = i->next) {
		if (GTK_IS_DIALOG(i->data)) gtk_dialog_response(GTK_DIALOG(i->data), GTK_RESPONSE_CANCEL);
	}
	g_list_free(list);
	if (gtk_main_level() == 0) return G_SOURCE_CONTINUE;
	gtk_main_quit();
	return G_SOURCE_REMOVE;
}

static void echo_post_end(void) { g_timeout_add(10, echo_end, NULL); }

static void echo_post(int op, int x, int y, int w, int h) {
	echo_request *q = malloc(sizeof *q);
	q->op = op; q->x = x; q->y = y; q->w = w; q->h = h;
	g_idle_add(echo_do, q);
}

static void echo_look(echo_answer *a) {
	GdkDisplay *display = gdk_display_get_default();
	GtkWindow *w = echo_main();
	if (w && gtk_widget_get_mapped(GTK_WIDGET(w))) {
		a->found = 1;
		gtk_window_get_position(w, &a->place[0], &a->place[1]);
		gtk_window_get_size(w, &a->place[2], &a->place[3]);
	}
	if (!display) return;
	GdkScreen *screen = gdk_display_get_default_screen(display);
	a->composited = screen ? gdk_screen_is_composited(screen) : 0;
	int n = gdk_display_get_n_monitors(display);
	for (int pass = 0; pass < 2; pass++) for (int i = 0; i < n && a->screens < MAX_SCREENS; i++) { // the primary one first
		GdkMonitor *m = gdk_display_get_monitor(display, i);
		if ((pass == 0) != (gdk_monitor_is_primary(m) != 0)) continue;
		GdkRectangle r;
		gdk_monitor_get_workarea(m, &r);
		int *s = a->screen[a->screens++];
		s[0] = r.x; s[1] = r.y; s[2] = r.width; s[3] = r.height;
	}
}

static gboolean echo_answer_now(gpointer data) {
	echo_answer *a = data;
	g_mutex_lock(&a->mutex);
	if (a->abandoned) {
		g_mutex_unlock(&a->mutex);
		free(a);
		return G_SOURCE_REMOVE;
	}
	echo_look(a);
	a->done = 1;
	g_cond_signal(&a->cond);
	g_mutex_unlock(&a->mutex);
	return G_SOURCE_REMOVE;
}

// echo_ask waits for GTK's thread for at most a second, and gives NULL where that does not answer.
static echo_answer *echo_ask(void) {
	echo_answer *a = calloc(1, sizeof *a);
	g_mutex_init(&a->mutex);
	g_cond_init(&a->cond);
	g_idle_add(echo_answer_now, a);
	gint64 until = g_get_monotonic_time() + G_TIME_SPAN_SECOND;
	g_mutex_lock(&a->mutex);
	while (!a->done) {
		if (!g_cond_wait_until(&a->cond, &a->mutex, until)) {
			a->abandoned = 1;
			g_mutex_unlock(&a->mutex);
			return NULL;
		}
	}
	g_mutex_unlock(&a->mutex);
	return a;
}
*/
import "C"

import "unsafe"

// Look asks GTK, and waits for its thread for at most a second. It must not be called on that thread. false: it did not answer.
func Look() (Desk, bool) {
	a := C.echo_ask()
	if a == nil {
		return Desk{}, false
	}
	defer C.free(unsafe.Pointer(a))
	desk := Desk{Place: rect(a.place), Mapped: a.found != 0, Compositor: a.composited != 0}
	for i := range int(a.screens) {
		desk.Screens = append(desk.Screens, rect(a.screen[i]))
	}
	return desk, true
}

func rect(v [4]C.int) Rect {
	return Rect{X: int(v[0]), Y: int(v[1]), Width: int(v[2]), Height: int(v[3])}
}

// Move puts the window at a place.
func Move(r Rect) { C.echo_post(0, C.int(r.X), C.int(r.Y), C.int(r.Width), C.int(r.Height)) }

// Show maps the window at a place, in front.
func Show(r Rect) { C.echo_post(2, C.int(r.X), C.int(r.Y), C.int(r.Width), C.int(r.Height)) }

// Hide unmaps the window.
func Hide() { C.echo_post(3, 0, 0, 0, 0) }

// SetAbove keeps the window above others, or no longer.
func SetAbove(on bool) {
	above := C.int(0)
	if on {
		above = 1
	}
	C.echo_post(1, above, 0, 0, 0)
}

// LeaveTaskbar takes the window out of the taskbar.
func LeaveTaskbar() { C.echo_post(4, 0, 0, 0, 0) }

// End ends GTK's loop, now or as soon as it runs, and tells that it is this package's to end. Call it once: a second end would be
// of a loop that is gone.
func End() bool {
	C.echo_post_end()
	return true
}
