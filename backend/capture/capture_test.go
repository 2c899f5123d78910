package capture_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/audio"
	"echo-companion/backend/capture"
	"echo-companion/backend/device"
)

// room is a scripted microphone and all that the capture talks to.
type room struct {
	mu      sync.Mutex
	loud    bool  // someone speaks
	dead    bool  // no frame comes
	fail    error // of opening
	err     error // of the open stream
	opens   []string
	streams int
	log     []string
	pcm     int
	voiced  int
	ducked  bool
	over    bool // Echo's voice is heard
	own     bool // all that is heard is Echo's own voice
	resets  int  // of the canceller
	overlap []bool
	shows   []capture.Status
	next    int
}

type micStream struct {
	r    *room
	done chan struct{}
	once sync.Once
	wg   sync.WaitGroup
}

func (r *room) OpenInput(name string, ring *audio.Ring) (device.Stream, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return nil, r.fail
	}
	r.opens = append(r.opens, name)
	r.streams++
	st := &micStream{r: r, done: make(chan struct{})}
	st.wg.Go(func() {
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-st.done:
				return
			case <-ticker.C:
			}
			r.mu.Lock()
			frame := make([]int16, 320)
			if r.loud {
				for i := range frame {
					frame[i] = int16(8000 * math.Sin(float64(i)/5))
				}
			}
			if !r.dead {
				ring.Put(frame)
			}
			r.mu.Unlock()
		}
	})
	return st, nil
}

func (st *micStream) Err() error { st.r.mu.Lock(); defer st.r.mu.Unlock(); return st.r.err }

func (st *micStream) Close() error {
	st.once.Do(func() {
		close(st.done)
		st.wg.Wait()
		st.r.mu.Lock()
		st.r.streams--
		st.r.mu.Unlock()
	})
	return nil
}

func (r *room) set(f func()) { r.mu.Lock(); defer r.mu.Unlock(); f() }

func (r *room) Begin(_ context.Context, overlap bool) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	r.log = append(r.log, "begin")
	r.overlap = append(r.overlap, overlap)
	return r.next, nil
}

func (r *room) Audio(_ context.Context, pcm []int16) error {
	r.set(func() { r.pcm += len(pcm) })
	return nil
}

func (r *room) End(_ context.Context, _, voiced int) error {
	r.set(func() { r.log = append(r.log, "end"); r.voiced = voiced })
	return nil
}

func (r *room) Cancel(context.Context, int) error {
	r.set(func() { r.log = append(r.log, "cancel") })
	return nil
}
func (r *room) Duck(on bool)      { r.set(func() { r.ducked = on }) }
func (r *room) Overlapping() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.over }
func (r *room) show(s capture.Status) {
	r.set(func() { r.shows = append(r.shows, s) })
}

// Clean takes all sound out where it is Echo's own.
func (r *room) Clean(frame []int16) (own bool) {
	r.set(func() {
		if own = r.own; own {
			clear(frame)
		}
	})
	return own
}

func (r *room) Reset() { r.set(func() { r.resets++ }) }

func (r *room) last() capture.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shows[len(r.shows)-1]
}

func start(t *testing.T) (*capture.Capture, *room) {
	t.Helper()
	return startWith(t, nil)
}

func startWith(t *testing.T, d capture.Detector) (*capture.Capture, *room) {
	t.Helper()
	r := &room{}
	c := capture.New(capture.Ports{Microphones: r, Listener: r, Voice: r, Show: r.show, Detector: d, Canceller: r}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { require.NoError(t, c.Run(ctx)) })
	t.Cleanup(func() { cancel(); wg.Wait(); require.Zero(t, r.streams) })
	return c, r
}

func pass(d time.Duration) { time.Sleep(d); synctest.Wait() }

func TestHeldButtonSendsWhatWasSaidAndLetsGoOfTheMicrophone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, r := start(t)
		pass(time.Second)
		require.Empty(t, r.opens, "nothing opens by itself")
		c.Press(t.Context())
		pass(100 * time.Millisecond)
		require.Equal(t, capture.Listening, r.last().State)
		r.set(func() { require.True(t, r.ducked, "held, Echo's voice gives way at once"); r.loud = true })
		pass(time.Second)
		require.Equal(t, capture.Hearing, r.last().State)
		require.InDelta(t, 0.9, r.last().Level, 0.1)
		c.Release(t.Context())
		pass(100 * time.Millisecond)
		r.set(func() { require.NotContains(t, r.log, "end", "the last syllable comes after the button") })
		pass(200 * time.Millisecond)
		r.set(func() {
			require.Equal(t, []string{"begin", "end"}, r.log)
			require.InDelta(t, 60, r.voiced, 2)
			require.InDelta(t, 16000*1.3, r.pcm, 800)
			require.Zero(t, r.streams)
			require.False(t, r.ducked)
		})
		require.Equal(t, capture.Closed, r.last().State)
	})
}

func TestHandsFreeSendsEachUtterance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, r := start(t)
		c.Start(t.Context())
		for range 2 {
			pass(time.Second)
			r.set(func() { require.False(t, r.ducked); r.loud, r.over = true, true })
			pass(200 * time.Millisecond)
			r.set(func() { require.False(t, r.ducked, "fewer than 12 voiced frames") })
			pass(200 * time.Millisecond)
			r.set(func() { require.True(t, r.ducked); r.loud, r.over = false, false })
			pass(time.Second)
		}
		r.set(func() {
			require.Equal(t, []string{"begin", "end", "begin", "end"}, r.log)
			require.Equal(t, []bool{true, true}, r.overlap)
			require.Equal(t, 1, r.streams)
		})
		c.Stop(t.Context())
		synctest.Wait()
		r.set(func() { require.Zero(t, r.streams) })
	})
}

func TestEchosOwnVoiceIsTakenOutBeforeAnythingHearsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, r := start(t)
		c.Start(t.Context())
		pass(time.Second)
		r.set(func() { r.loud, r.own = true, true })
		pass(time.Second)
		r.set(func() { require.Empty(t, r.log); require.False(t, r.ducked) })
		require.Zero(t, r.last().Level)
		r.set(func() { r.own = false })
		pass(time.Second)
		r.set(func() { require.Equal(t, []string{"begin"}, r.log) })
		c.Stop(t.Context())
		synctest.Wait()
		r.set(func() { require.Equal(t, 1, r.resets, "another recording begins anew") })
	})
}

func TestOnceEndsWithOneUtterance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, r := start(t)
		c.Once(t.Context())
		pass(time.Second)
		r.set(func() { r.loud = true })
		pass(time.Second)
		r.set(func() { r.loud = false })
		pass(time.Second)
		r.set(func() {
			require.Equal(t, []string{"begin", "end"}, r.log)
			require.Zero(t, r.streams)
		})
	})
}

func TestAShortNoiseLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, r := start(t)
		c.Press(t.Context())
		pass(300 * time.Millisecond)
		r.set(func() { r.loud = true })
		pass(200 * time.Millisecond)
		r.set(func() { r.loud = false })
		c.Release(t.Context())
		pass(time.Second)
		r.set(func() { require.Empty(t, r.log); require.Zero(t, r.streams) })
	})
}

func TestAWindowThatGoesForgetsTheUtterance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, r := start(t)
		c.Start(t.Context())
		r.set(func() { r.loud = true })
		pass(time.Second)
		c.Abandon(t.Context())
		synctest.Wait()
		r.set(func() {
			require.Equal(t, []string{"begin", "cancel"}, r.log)
			require.Zero(t, r.streams)
			require.False(t, r.ducked)
		})
	})
}

func TestMutedTheMicrophoneIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, r := start(t)
		c.Start(t.Context())
		pass(time.Second)
		c.Mute(t.Context(), true)
		synctest.Wait()
		require.True(t, r.last().Muted)
		r.set(func() { require.Zero(t, r.streams) })
		c.Mute(t.Context(), false)
		pass(100 * time.Millisecond)
		require.Equal(t, capture.Listening, r.last().State)
	})
}

func TestListeningIsAlwaysTrue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, r := start(t)
		r.set(func() { r.fail = device.ErrNone })
		c.Start(t.Context())
		synctest.Wait()
		require.Equal(t, capture.Problem, r.last().State)
		require.Contains(t, r.last().Problem, "No microphone")
		r.set(func() { r.fail = nil })
		pass(1500 * time.Millisecond)
		require.Equal(t, capture.Listening, r.last().State)

		r.set(func() { r.dead = true })
		pass(2500 * time.Millisecond)
		require.Equal(t, capture.Problem, r.last().State)
		require.Contains(t, r.last().Problem, "No sound arrives")
		for range 10 {
			pass(time.Second)
			require.Equal(t, capture.Problem, r.last().State)
		}
		r.set(func() { r.dead = false })
		pass(1500 * time.Millisecond)
		require.Equal(t, capture.Listening, r.last().State)
		require.Empty(t, r.last().Problem)

		r.set(func() { r.err = errors.New("gone"); r.fail = device.ErrLost })
		pass(2 * time.Second)
		require.Equal(t, capture.Problem, r.last().State)
		r.set(func() { r.err = nil; r.fail = nil })
		pass(2 * time.Second)
		require.Equal(t, capture.Listening, r.last().State)
	})
}

func TestTwentyChangesLeaveOneStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, r := start(t)
		c.Start(t.Context())
		for i := range 20 {
			c.Use(t.Context(), []string{"Desk", ""}[i%2], nil)
			pass(50 * time.Millisecond)
		}
		r.set(func() { require.Equal(t, 1, r.streams) })
	})
}
