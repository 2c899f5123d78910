package capture_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/capture"
)

// ear is a scripted detector.
type ear struct {
	mu     sync.Mutex
	held   int
	resets int
	asked  int
	ready  bool
	hears  bool
	err    error
}

func (e *ear) set(f func()) { e.mu.Lock(); defer e.mu.Unlock(); f() }

func (e *ear) Hold() func() {
	e.set(func() { e.held++ })
	return func() { e.set(func() { e.held-- }) }
}

func (e *ear) Ready() bool { e.mu.Lock(); defer e.mu.Unlock(); return e.ready }

func (e *ear) Reset() error { e.set(func() { e.resets++ }); return nil }

func (e *ear) Speech(frame []int16) (float64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked++
	if len(frame) != 512 {
		return 0, errors.New("not a block")
	}
	if e.hears {
		return 0.9, e.err
	}
	return 0.01, e.err
}

func TestTheDetectorIsHeldWhileHandsFreeListensAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &ear{ready: true}
		c, r := startWith(t, e)
		held := func(want int, when string) {
			t.Helper()
			pass(200 * time.Millisecond)
			e.set(func() { require.Equal(t, want, e.held, when) })
		}
		held(0, "at first")
		c.Press(t.Context())
		held(0, "push to talk")
		c.Release(t.Context())
		pass(time.Second)
		c.Start(t.Context())
		held(1, "hands-free")
		c.Mute(t.Context(), true)
		held(0, "muted")
		c.Mute(t.Context(), false)
		held(1, "heard again")
		c.Press(t.Context())
		held(0, "push to talk over hands-free")
		c.Start(t.Context())
		held(1, "and back")
		r.set(func() { r.err, r.fail = errors.New("gone"), errors.New("none") })
		held(0, "the microphone went away")
		r.set(func() { r.err, r.fail = nil, nil })
		pass(2 * time.Second)
		held(1, "and came back")
		c.Abandon(t.Context())
		held(0, "the window went away")
		e.set(func() { require.Equal(t, 4, e.resets, "each time it begins anew") })
	})
}

func TestTheDetectorKeepsNoiseFromBeingAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &ear{ready: true}
		c, r := startWith(t, e)
		c.Start(t.Context())
		pass(time.Second)
		r.set(func() { r.loud = true })
		pass(time.Second)
		require.Empty(t, r.log, "loud, but no speech")
		e.set(func() { e.hears = true })
		pass(time.Second)
		require.Equal(t, []string{"begin"}, r.log)
		r.set(func() { r.loud = false })
		e.set(func() { e.hears = false })
		pass(2 * time.Second)
		require.Equal(t, []string{"begin", "end"}, r.log)
		require.GreaterOrEqual(t, r.voiced, 12)
	})
}

func TestWithoutTheDetectorTheGateDecides(t *testing.T) {
	for name, e := range map[string]*ear{
		"it does not start": {},
		"it breaks down":    {ready: true, err: errors.New("gone")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, r := startWith(t, e)
				c.Start(t.Context())
				pass(time.Second)
				r.set(func() { r.loud = true })
				pass(time.Second)
				r.set(func() { r.loud = false })
				pass(2 * time.Second)
				require.Equal(t, []string{"begin", "end"}, r.log)
				require.LessOrEqual(t, e.asked, 1, "asked no more once it fails")
			})
		})
	}
}

func TestWhatIsToldAfterTheEndIsPassedOver(t *testing.T) {
	r := &room{}
	c := capture.New(capture.Ports{Microphones: r, Listener: r, Voice: r, Show: r.show}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, c.Run(ctx))
	for range 200 {
		c.Press(t.Context())
	}
	require.Empty(t, r.opens)
}
