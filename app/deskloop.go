package app

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"echo-companion/app/tray"
	"echo-companion/app/window"
	"echo-companion/backend/echo"
)

// deskLoop is the state of the desk's Run; its goroutine alone touches it.
type deskLoop struct {
	*desk
	machine     *window.Machine
	screens     []window.Rect
	compositor  bool
	settleUntil time.Time
	dirty       bool // the place is not kept yet

	shown   OrbView
	wasBusy bool
	seen    int  // the last turn whose end was seen in the panel
	waiting bool // an answer waits
	trouble string
}

func (l *deskLoop) begin(ctx context.Context) {
	seen, ok := l.ports.screen.Look()
	for !ok && ctx.Err() == nil { // GTK's thread is still busy with the start; each look waits for it
		seen, ok = l.ports.screen.Look()
	}
	l.screens, l.compositor = seen.Screens, seen.Compositor
	l.machine = window.New(l.ports.store.Load(l.screens), l.screens)
	switch l.ports.starter {
	case window.Panel:
		l.show(ctx)
	case window.Orb:
		l.fold(ctx)
	case window.Hidden:
		l.ports.screen.Hide()
		l.tell()
	}
	l.watch(ctx)
}

func (l *deskLoop) show(ctx context.Context) {
	if l.machine.Show() {
		l.waiting, l.trouble = false, ""
		l.tell()
	}
	l.ports.screen.Show(l.machine.Place())
	l.settleUntil = time.Now().Add(settling)
	l.watch(ctx)
}

func (l *deskLoop) fold(ctx context.Context) {
	before := l.machine.Form()
	if !l.machine.Fold() {
		return
	}
	l.ports.leave(ctx)
	l.tell()
	l.watch(ctx)
	if before == window.Hidden {
		l.ports.screen.Show(l.machine.Place())
	} else {
		l.ports.screen.Move(l.machine.Place())
	}
	l.settleUntil = time.Now().Add(settling)
}

func (l *deskLoop) hide(ctx context.Context) {
	if !l.machine.Hide() {
		return
	}
	l.ports.leave(ctx)
	l.tell()
	l.ports.screen.Hide()
	l.watch(ctx)
}

// tell says what the window is now.
func (l *deskLoop) tell() {
	l.form.Store(l.machine.Form())
	l.ports.emit(eventWindow, map[string]any{"form": l.machine.Form()})
}

// settle puts the window back where it belongs after the window manager has had its way.
func (l *deskLoop) settle() {
	seen, ok := l.ports.screen.Look()
	switch {
	case !ok || l.machine.Form() == window.Hidden:
	case !seen.Mapped: // Wails hides a window that starts hidden after it was shown
		l.ports.screen.Show(l.machine.Place())
	case seen.Place != l.machine.Place():
		l.ports.screen.Move(l.machine.Place())
	}
}

// follow sees where the window was dragged and which screens there are.
func (l *deskLoop) follow(ctx context.Context) {
	l.watch(ctx)
	if l.machine.Form() == window.Hidden || time.Now().Before(l.settleUntil) {
		return
	}
	seen, ok := l.ports.screen.Look()
	if !ok || !seen.Mapped {
		return
	}
	l.compositor = seen.Compositor
	if !slices.Equal(seen.Screens, l.screens) && len(seen.Screens) > 0 {
		l.screens = seen.Screens
		if l.machine.SetScreens(seen.Screens) {
			l.ports.screen.Move(l.machine.Place())
			l.settleUntil = time.Now().Add(settling)
			return
		}
	}
	if l.machine.Moved(seen.Place) {
		l.dirty = true
		return
	}
	if l.dirty { // it stands still
		l.keep(ctx)
	}
}

func (l *deskLoop) keep(ctx context.Context) {
	l.dirty = false
	if err := l.ports.store.Save(l.screens, l.machine.Memory()); err != nil {
		l.ports.logger.LogAttrs(ctx, slog.LevelWarn, "the window's place is not kept", slog.Any("error", err))
	}
}

// watch shows the conversation's state in the orb and the tray.
func (l *deskLoop) watch(ctx context.Context) {
	state, err := l.ports.state(ctx)
	if err != nil {
		return
	}
	form := l.machine.Form()
	if form == window.Panel {
		l.waiting, l.trouble = false, ""
		l.seen = state.LastID
	} else if l.wasBusy && !state.Busy && len(state.Turns) > 0 {
		l.ended(state.Turns)
	}
	l.wasBusy = state.Busy
	l.ports.tray(tray.State{Open: form == window.Panel, Busy: state.Busy, Saving: l.ports.saving()})
	look := l.ports.look()
	orb := OrbView{Look: look.ID, Accent: look.Accent, State: "idle", Compositor: l.compositor}
	switch {
	case state.Busy:
		orb.State = "thinking"
	case l.trouble != "":
		orb.State, orb.Problem = "trouble", l.trouble
	case l.waiting:
		orb.State = "waiting"
	}
	if orb != l.shown {
		l.shown = orb
		l.orb.Store(orb)
		l.ports.emit(eventOrb, orb)
	}
}

// ended takes how the reply ended that nobody saw.
func (l *deskLoop) ended(turns []echo.Turn) {
	switch last := turns[len(turns)-1]; last.Status {
	case echo.StatusAnswered:
		l.waiting, l.trouble = true, ""
	case echo.StatusFailed:
		l.waiting, l.trouble = false, "The last question could not be answered."
		if last.Error != nil {
			l.trouble = last.Error.Message
		}
	case echo.StatusQueued, echo.StatusAnswering, echo.StatusAsking, echo.StatusStopped:
	}
}
