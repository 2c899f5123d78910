//go:build production || dev

package app

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"echo-companion/app/tray"
	"echo-companion/app/window"
	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
	"echo-companion/backend/logging"
	"echo-companion/backend/protocol"
	"echo-companion/backend/settings"
)

// HasWindow tells whether this build has the desktop window.
const HasWindow = true

// opens is how long a request to move the window waits for it to be there.
const opens = 10 * time.Second

//go:embed fallback
var fallback embed.FS

// Desktop is the desktop shell: the window, the tray and native sound, on top of a running backend.
type Desktop struct {
	ready chan struct{} // closed once the window is there
	shell *shell        // set before that
}

// NewDesktop wires the desktop shell. It starts nothing, and may be made before the core that it is to run on.
func NewDesktop() *Desktop { return &Desktop{ready: make(chan struct{})} }

// Companion moves the window, as POST /api/companion asks.
func (d *Desktop) Companion(ctx context.Context, action protocol.CompanionAction) error {
	ctx, cancel := context.WithTimeout(ctx, opens)
	defer cancel()
	select {
	case <-d.ready:
		return moveWindow(ctx, d.shell.desk, d.shell.Talk, action)
	case <-ctx.Done():
		return echo.Errorf(echo.CodeNoWindow, "Echo's window is not open yet. Try again in a moment.")
	}
}

// Run shows the window until it is quit or ctx ends. It must be called on the main goroutine, which GTK keeps for itself.
func (d *Desktop) Run(ctx context.Context, core Core) error {
	preferX11()
	run, stop := context.WithCancel(ctx)
	defer stop()
	s := newShell(core, stop)
	d.shell = s
	s.parts.Add("playback", time.Second, s.player.Run)
	s.parts.Add("capture", 2*time.Second, s.capture.Run)
	s.parts.Add("devices", time.Second, s.devices.Run)
	s.parts.Add("desk", 2*time.Second, func(ctx context.Context) error {
		select {
		case <-s.painted:
		case <-ctx.Done():
			return nil
		}
		close(d.ready)
		return s.desk.Run(ctx)
	})
	s.parts.Add("key", time.Second, func(ctx context.Context) error {
		select {
		case <-d.ready:
		case <-ctx.Done():
			return nil
		}
		return s.key.Run(ctx)
	})
	unwatch := core.Settings.Watch(s.chosen)
	defer unwatch()
	s.tray.Store(tray.Register(tray.State{Saving: core.Settings.Get().Voice.SaveConversations}, s.clicked))
	var wg sync.WaitGroup
	var failed error
	wg.Go(func() { // the parts end before the window does: none of them may wait for a loop that is gone
		failed = s.parts.Run(run)
		s.session.Leave(context.WithoutCancel(ctx))
		s.session.pumps.Wait()
		s.end()
	})
	err := wails.Run(s.options(run))
	stop()
	wg.Wait()
	if t := s.tray.Load(); t != nil {
		t.Close()
	}
	if err != nil {
		err = fmt.Errorf("open the window: %w", err)
	}
	return errors.Join(err, failed)
}

// preferX11 asks for X11 where Wayland would be the default: there a window neither floats nor remembers its place.
func preferX11() {
	if os.Getenv("GDK_BACKEND") == "" && os.Getenv("DISPLAY") != "" {
		_ = os.Setenv("GDK_BACKEND", "x11")
	}
}

// pages are the built frontend, or a page that says that there is none.
func pages(ui fs.FS) fs.FS {
	if ui != nil {
		if f, err := ui.Open("index.html"); err == nil {
			_ = f.Close()
			return ui
		}
	}
	page, err := fs.Sub(fallback, "fallback")
	if err != nil {
		return fallback
	}
	return page
}

// gtk is the real desktop.
type gtk struct{}

func (gtk) Look() (window.Desk, bool) { return window.Look() }
func (gtk) Move(place window.Rect)    { window.Move(place) }
func (gtk) Show(place window.Rect)    { window.Show(place) }
func (gtk) Hide()                     { window.Hide() }

// deskPorts joins the desk to the rest of the shell.
func (s *shell) deskPorts(core Core) deskPorts {
	starter := window.Panel
	if !core.Settings.Get().Companion.Floating {
		starter = window.Hidden
	}
	return deskPorts{
		screen: gtk{},
		store:  window.Store{Path: filepath.Join(core.Data, "window.json")},
		emit:   s.emit,
		leave: func(ctx context.Context) {
			s.capture.Abandon(ctx)
			s.session.Leave(ctx)
		},
		state: func(ctx context.Context) (conversation.State, error) { return core.Conversation.State(ctx) },
		look: func() echo.Look {
			look, _ := settings.Look(core.Settings.Get().Look)
			return look
		},
		saving: func() bool { return core.Settings.Get().Voice.SaveConversations },
		tray: func(state tray.State) {
			if t := s.tray.Load(); t != nil {
				t.Set(state)
			}
		},
		logger:  logging.For(core.Logger, "app"),
		starter: starter,
	}
}

// shellState is what the callbacks of the window and the tray share.
type shellState struct {
	painted  chan struct{}
	once     sync.Once
	context  atomic.Pointer[context.Context] // Wails' own, once the window is there
	quitting atomic.Bool
	tray     atomic.Pointer[tray.Tray]
}

// wails is the context that Wails' functions take; nil before the window is there.
func (s *shellState) wails() context.Context {
	if p := s.context.Load(); p != nil {
		return *p
	}
	return nil
}

// end ends the window's loop, once: the loop of GTK is not told so by Wails, which would do it from any thread, before the loop has
// begun, or a second time after a signal, and each of them has crashed or hung it.
func (s *shellState) end() {
	s.quitting.Store(true)
	if window.End() {
		return
	}
	if ctx := s.wails(); ctx != nil {
		runtime.Quit(ctx)
	}
}

// emit sends the page an event. Before there is a page there is nobody to tell.
func (s *shellState) emit(name string, data any) {
	if ctx := s.wails(); ctx != nil && !s.quitting.Load() {
		runtime.EventsEmit(ctx, name, data)
	}
}

// report logs what a click of the tray could not do.
func (s *shell) report(ctx context.Context, what string, err error) {
	if err != nil {
		s.logger.LogAttrs(ctx, slog.LevelWarn, "a click in the tray came to nothing", slog.String("what", what), slog.Any("error", err))
	}
}

// inProcess is the conversation itself.
type inProcess struct{ *conversation.Conversation }

// Attach implements talk.
func (p inProcess) Attach(ctx context.Context, ticket string) (attached, error) {
	w, err := p.Conversation.Attach(ctx, ticket)
	if err != nil {
		return nil, err
	}
	return w, nil
}

// moveWindow does what POST /api/companion asks.
func moveWindow(ctx context.Context, d *desk, talk func(ctx context.Context) error, action protocol.CompanionAction) error {
	switch action {
	case protocol.CompanionShow:
		d.Show(ctx)
		return nil
	case protocol.CompanionFold:
		d.Fold(ctx)
		return nil
	case protocol.CompanionTalk:
		return talk(ctx)
	}
	return echo.Errorf(echo.CodeInvalid, "action must be show, fold or talk.")
}
