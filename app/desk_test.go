package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/app/tray"
	"echo-companion/app/window"
	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
)

// fakeScreen is a desktop whose window manager does as it is told, unless it centres.
type fakeScreen struct {
	mu     sync.Mutex
	desk   window.Desk
	centre bool
}

func (f *fakeScreen) Look() (window.Desk, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.desk, true
}

func (f *fakeScreen) Move(place window.Rect) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.Place = place
}

func (f *fakeScreen) Show(place window.Rect) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.Mapped = true
	f.desk.Place = place
	if f.centre {
		f.desk.Place.X, f.desk.Place.Y = 400, 100
	}
}

func (f *fakeScreen) Hide() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.Mapped = false
}

func (f *fakeScreen) drag(x, y int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.Place.X, f.desk.Place.Y = x, y
}

type deskWorld struct {
	*journal
	screen *fakeScreen
	mu     sync.Mutex
	state  conversation.State
	orb    OrbView
	tray   tray.State
}

func startDesk(t *testing.T, starter window.Form) (*desk, *deskWorld, window.Store) {
	t.Helper()
	w := &deskWorld{journal: &journal{}, screen: &fakeScreen{desk: window.Desk{Screens: []window.Rect{{Width: 1280, Height: 800}}}}}
	store := window.Store{Path: filepath.Join(t.TempDir(), "window.json")}
	d := newDesk(deskPorts{
		screen: w.screen, store: store, starter: starter, logger: slog.New(slog.DiscardHandler),
		emit: func(name string, data any) {
			if orb, is := data.(OrbView); is {
				w.mu.Lock()
				w.orb = orb
				w.mu.Unlock()
				return
			}
			w.add("%s %v", name, data)
		},
		leave: func(context.Context) { w.add("leave") },
		state: func(context.Context) (conversation.State, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.state, nil
		},
		look:   func() echo.Look { return echo.Look{ID: "aurora"} },
		saving: func() bool { return true },
		tray: func(s tray.State) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.tray = s
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { require.NoError(t, d.Run(ctx)) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	return d, w, store
}

func (w *deskWorld) set(s conversation.State) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state = s
}

func (w *deskWorld) seen() (OrbView, tray.State) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.orb, w.tray
}

// pass lets the bubble's fake time go by, and whatever is due in it happen.
func pass(d time.Duration) { time.Sleep(d); synctest.Wait() }

func TestFoldedEchoLetsGoOfConversationAndMicrophone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w, _ := startDesk(t, window.Panel)
		pass(2 * time.Second)
		require.Equal(t, []string{"echo:window map[form:panel]"}, w.take())
		d.Fold(t.Context())
		require.Equal(t, []string{"leave", "echo:window map[form:orb]"}, w.take())
		seen, _ := w.screen.Look()
		require.Equal(t, window.Rect{X: 868, Y: 152, Width: 72, Height: 72}, seen.Place)
		d.Fold(t.Context())
		require.Empty(t, w.take(), "folded already")
		d.Toggle(t.Context())
		require.Equal(t, []string{"echo:window map[form:panel]"}, w.take())
		d.Hide(t.Context())
		require.Equal(t, []string{"leave", "echo:window map[form:hidden]"}, w.take())
	})
}

func TestTheWindowKeepsItsPlaceAgainstTheWindowManager(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w, store := startDesk(t, window.Panel)
		pass(2 * time.Second)
		w.screen.drag(50, 60)
		pass(2 * time.Second)
		require.Equal(t, 50, store.Load([]window.Rect{{Width: 1280, Height: 800}}).Panel.X, "kept once it stands still")
		d.Hide(t.Context())
		w.screen.centre = true
		d.Show(t.Context())
		pass(200 * time.Millisecond)
		seen, _ := w.screen.Look()
		require.Equal(t, 50, seen.Place.X)
	})
}

func TestTheOrbAndTheTrayFollowTheConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w, _ := startDesk(t, window.Panel)
		require.Equal(t, OrbView{Look: "aurora", State: "idle"}, d.Orb(), "before anything was told")
		w.set(conversation.State{Busy: true})
		d.Fold(t.Context())
		orb, menu := w.seen()
		require.Equal(t, orb, d.Orb())
		require.Equal(t, "thinking", orb.State)
		require.Equal(t, tray.State{Busy: true, Saving: true}, menu)
		w.set(conversation.State{Turns: []echo.Turn{{ID: 1, Status: echo.StatusAnswered}}, LastID: 1})
		pass(time.Second)
		orb, menu = w.seen()
		require.Equal(t, "waiting", orb.State)
		require.False(t, menu.Busy)
		d.Show(t.Context())
		orb, menu = w.seen()
		require.Equal(t, "idle", orb.State)
		require.True(t, menu.Open)
		w.set(conversation.State{Busy: true})
		d.Fold(t.Context())
		w.set(conversation.State{Turns: []echo.Turn{{ID: 2, Status: echo.StatusFailed, Error: echo.Errorf(echo.CodeEngineTimeout, "The model is slow.")}}})
		pass(time.Second)
		orb, _ = w.seen()
		require.Equal(t, "trouble", orb.State)
		require.Equal(t, "The model is slow.", orb.Problem)
	})
}
