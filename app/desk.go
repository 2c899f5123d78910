package app

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"echo-companion/app/tray"
	"echo-companion/app/window"
	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
)

// The desk's times.
const (
	followEvery = 500 * time.Millisecond // the window's place, the tray's labels and the orb's state
	settleEvery = 50 * time.Millisecond  // window managers move a window after it is shown: it is put back
	settling    = time.Second
)

// screen is the real desktop: package window's adapter.
type screen interface {
	Look() (window.Desk, bool)
	Move(place window.Rect)
	Show(place window.Rect)
	Hide()
}

// OrbView is what the orb shows while Echo is folded.
type OrbView struct {
	Look       string `json:"look"`
	Accent     string `json:"accent"`
	State      string `json:"state"` // idle, thinking, waiting or trouble
	Wake       bool   `json:"wake"`
	Problem    string `json:"problem"`
	Compositor bool   `json:"compositor"` // without one the orb's corners are not see-through
}

// deskPorts is what the desk reaches the world through.
type deskPorts struct {
	screen  screen
	store   window.Store
	emit    func(name string, data any)
	leave   func(ctx context.Context) // lets go of conversation and microphone
	state   func(ctx context.Context) (conversation.State, error)
	look    func() echo.Look
	saving  func() bool
	tray    func(tray.State)
	logger  *slog.Logger
	starter window.Form // what the window is at first
}

// desk drives the window: one goroutine owns its machine, and others send it what to do.
type desk struct {
	ports    deskPorts
	commands chan func(context.Context, *deskLoop)
	kicked   chan struct{}
	form     atomic.Value // window.Form
	orb      atomic.Value // OrbView, as the page was told it last
}

func newDesk(ports deskPorts) *desk {
	d := &desk{ports: ports, commands: make(chan func(context.Context, *deskLoop), 16), kicked: make(chan struct{}, 1)}
	d.form.Store(window.Hidden)
	return d
}

// Form is what the window is.
func (d *desk) Form() window.Form {
	form, _ := d.form.Load().(window.Form)
	return form
}

// Orb is what the orb shows, for a page that was not there when it was told.
func (d *desk) Orb() OrbView {
	if orb, is := d.orb.Load().(OrbView); is {
		return orb
	}
	look := d.ports.look()
	return OrbView{Look: look.ID, Accent: look.Accent, State: "idle"}
}

// Show makes it the panel, Fold the orb, Hide nothing, Toggle the other of the first two. They return once that is done.
func (d *desk) Show(ctx context.Context) { d.do(ctx, (*deskLoop).show) }

// Fold makes it the orb.
func (d *desk) Fold(ctx context.Context) { d.do(ctx, (*deskLoop).fold) }

// Hide makes it nothing.
func (d *desk) Hide(ctx context.Context) { d.do(ctx, (*deskLoop).hide) }

// Toggle folds the panel and shows everything else.
func (d *desk) Toggle(ctx context.Context) {
	if d.Form() == window.Panel {
		d.Fold(ctx)
		return
	}
	d.Show(ctx)
}

// Kick has the conversation's state read soon; it never blocks.
func (d *desk) Kick() {
	select {
	case d.kicked <- struct{}{}:
	default:
	}
}

func (d *desk) do(ctx context.Context, command func(*deskLoop, context.Context)) {
	done := make(chan struct{})
	select {
	case d.commands <- func(ctx context.Context, l *deskLoop) { command(l, ctx); close(done) }:
	case <-ctx.Done():
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Run drives the window until ctx ends. The window must exist.
func (d *desk) Run(ctx context.Context) error {
	l := &deskLoop{desk: d}
	l.begin(ctx)
	follow := time.NewTicker(followEvery)
	defer follow.Stop()
	settle := time.NewTicker(settleEvery)
	defer settle.Stop()
	settle.Stop()
	busy := false
	for {
		if now := time.Now().Before(l.settleUntil); now != busy {
			busy = now
			if busy {
				settle.Reset(settleEvery)
			} else {
				settle.Stop()
			}
		}
		select {
		case <-ctx.Done():
			l.keep(ctx)
			return nil
		case command := <-d.commands:
			command(ctx, l)
		case <-d.kicked:
			l.watch(ctx)
		case <-settle.C:
			l.settle()
		case <-follow.C:
			l.follow(ctx)
		}
	}
}
