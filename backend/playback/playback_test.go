package playback_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/audio"
	"echo-companion/backend/device"
	"echo-companion/backend/playback"
)

// speakers is a scripted loudspeaker: it asks for 10 ms every 10 ms and keeps what it gets.
type speakers struct {
	mu    sync.Mutex
	names []string // that opened
	fail  map[string]error
	heard []int16
	err   error // of the open stream
	open  int
}

type stream struct {
	s    *speakers
	done chan struct{}
	once sync.Once
	wg   sync.WaitGroup
}

func (s *speakers) OpenOutput(name string, rate int, fill func([]int16)) (device.Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fail[name]; err != nil {
		return nil, err
	}
	s.names = append(s.names, name)
	s.open++
	st := &stream{s: s, done: make(chan struct{})}
	st.wg.Go(func() {
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-st.done:
				return
			case <-ticker.C:
			}
			block := make([]int16, rate/100)
			if st.Err() == nil {
				fill(block)
			}
			s.mu.Lock()
			s.heard = append(s.heard, block...)
			s.mu.Unlock()
		}
	})
	return st, nil
}

func (st *stream) Err() error {
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	return st.s.err
}

func (st *stream) Close() error {
	st.once.Do(func() {
		close(st.done)
		st.wg.Wait()
		st.s.mu.Lock()
		st.s.open--
		st.s.mu.Unlock()
	})
	return nil
}

func (s *speakers) set(f func(*speakers)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

// loud counts samples that are not quiet among what was heard from sample number from on.
func (s *speakers) loud(from int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, v := range s.heard[min(from, len(s.heard)):] {
		if v != 0 {
			n++
		}
	}
	return n
}

func (s *speakers) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.heard)
}

func (s *speakers) opened() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

func (s *speakers) newest() int16 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard[len(s.heard)-1]
}

type seen struct {
	mu      sync.Mutex
	played  []int16
	credits map[int][]int
	status  []playback.Status
}

func (s *seen) last() playback.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.status) == 0 {
		return playback.Status{}
	}
	return s.status[len(s.status)-1]
}

func (s *seen) credit(turn int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.credits[turn]; len(c) > 0 {
		return c[len(c)-1]
	}
	return 0
}

func start(t *testing.T, s *speakers) (*playback.Player, *seen) {
	t.Helper()
	got := &seen{credits: map[int][]int{}}
	p := playback.New(playback.Ports{
		Speakers: s,
		Credit: func(turn, ms int) {
			got.mu.Lock()
			defer got.mu.Unlock()
			got.credits[turn] = append(got.credits[turn], ms)
		},
		Show: func(st playback.Status) {
			got.mu.Lock()
			defer got.mu.Unlock()
			got.status = append(got.status, st)
		},
		Played: func(pcm []int16) {
			got.mu.Lock()
			defer got.mu.Unlock()
			got.played = append(got.played, pcm...)
		},
	}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { require.NoError(t, p.Run(ctx)) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
		require.Zero(t, s.opened())
	})
	return p, got
}

// pcm is a piece of constant loudness.
func pcm(d time.Duration) []int16 {
	out := make([]int16, audio.Count(24000, d))
	for i := range out {
		out[i] = 10000
	}
	return out
}

func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestPiecesAreHeardWholeAndCredited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &speakers{}
		p, got := start(t, s)
		p.Play(t.Context(), playback.Piece{Turn: 1, Sentence: 0, PCM: pcm(time.Second)})
		p.Play(t.Context(), playback.Piece{Turn: 1, Sentence: 1, Offset: 24000, PCM: pcm(500 * time.Millisecond)})
		pass(500 * time.Millisecond)
		require.True(t, got.last().Speaking)
		require.Zero(t, got.last().Sentence)
		require.InDelta(t, 500, got.credit(1), 130)
		require.True(t, p.Overlapping())
		pass(700 * time.Millisecond)
		require.Equal(t, 1, got.last().Sentence)
		pass(time.Second)
		require.False(t, got.last().Speaking)
		require.Equal(t, 1500, got.credit(1))
		require.InDelta(t, 36000, s.loud(0), 200, "every sample, and an edge at the end")
		require.True(t, p.Overlapping())
		pass(700 * time.Millisecond)
		require.False(t, p.Overlapping())
		require.Equal(t, 1, s.opened())
		pass(15 * time.Second)
		require.Zero(t, s.opened(), "an idle loudspeaker is let go of")
	})
}

func TestAllThatIsPlayedIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &speakers{}
		p, got := start(t, s)
		p.Play(t.Context(), playback.Piece{Turn: 1, PCM: pcm(300 * time.Millisecond)})
		pass(200 * time.Millisecond)
		p.Duck(true)
		pass(time.Second)
		got.mu.Lock()
		defer got.mu.Unlock()
		require.Equal(t, s.heard, got.played, "as the loudspeaker gets it: ducked, and the silence after it")
	})
}

func TestStopIsSilentAtOnceAndNothingLateIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &speakers{}
		p, got := start(t, s)
		p.Play(t.Context(), playback.Piece{Turn: 1, PCM: pcm(3 * time.Second)})
		pass(300 * time.Millisecond)
		p.Hush(t.Context(), 0)
		at := s.count()
		p.Play(t.Context(), playback.Piece{Turn: 1, Offset: 72000, PCM: pcm(time.Second)})
		pass(time.Second)
		require.LessOrEqual(t, s.loud(at), audio.Count(24000, 50*time.Millisecond))
		require.False(t, got.last().Speaking)
		p.Settle(t.Context(), 0)
		p.Play(t.Context(), playback.Piece{Turn: 2, PCM: pcm(200 * time.Millisecond)})
		pass(time.Second)
		require.Equal(t, 200, got.credit(2))
	})
}

func TestStoppingOneTurnLeavesTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &speakers{}
		p, got := start(t, s)
		p.Play(t.Context(), playback.Piece{Turn: 1, PCM: pcm(150 * time.Millisecond)})
		p.Play(t.Context(), playback.Piece{Turn: 2, PCM: pcm(400 * time.Millisecond)})
		pass(50 * time.Millisecond)
		p.Hush(t.Context(), 1)
		pass(time.Second)
		require.Less(t, got.credit(1), 150)
		require.Equal(t, 400, got.credit(2))
		require.InDelta(t, audio.Count(24000, 460*time.Millisecond), s.loud(0), 600)
		p.Settle(t.Context(), 1)
		p.Play(t.Context(), playback.Piece{Turn: 1, PCM: pcm(100 * time.Millisecond)})
		pass(time.Second)
		require.Equal(t, 100, got.credit(1), "a replay is heard")
	})
}

func TestDuckedVoiceIsAFifthAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &speakers{}
		p, got := start(t, s)
		p.Play(t.Context(), playback.Piece{Turn: 1, PCM: pcm(3 * time.Second)})
		pass(500 * time.Millisecond)
		for range 10 {
			p.Duck(true)
			pass(10 * time.Millisecond)
			p.Duck(false)
			pass(10 * time.Millisecond)
		}
		p.Duck(true)
		pass(100 * time.Millisecond)
		require.True(t, got.last().Ducked)
		require.Equal(t, int16(2000), s.newest())
		p.Duck(false)
		pass(100 * time.Millisecond)
		require.Equal(t, int16(10000), s.newest(), "exactly 1.0")
	})
}

func TestWithoutALoudspeakerCreditComesOnArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &speakers{fail: map[string]error{"": device.ErrNone}}
		p, got := start(t, s)
		p.Play(t.Context(), playback.Piece{Turn: 1, PCM: pcm(3 * time.Second)})
		synctest.Wait()
		require.Equal(t, 3000, got.credit(1))
		require.Contains(t, got.last().Problem, "No loudspeaker")
		require.False(t, got.last().Speaking)
		p.Use(t.Context(), "", nil)
		synctest.Wait()
		require.NotEmpty(t, got.last().Problem)
		s.set(func(s *speakers) { s.fail = nil })
		p.Use(t.Context(), "", []device.Info{{Name: "Desk"}})
		synctest.Wait()
		require.Empty(t, got.last().Problem, "one was connected")
		p.Play(t.Context(), playback.Piece{Turn: 2, PCM: pcm(time.Second)})
		pass(500 * time.Millisecond)
		require.True(t, got.last().Speaking)
		require.Empty(t, got.last().Problem)
	})
}

func TestALostLoudspeakerIsSaidAndSpokenOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &speakers{}
		p, got := start(t, s)
		p.Play(t.Context(), playback.Piece{Turn: 1, PCM: pcm(3 * time.Second)})
		pass(time.Second)
		s.set(func(s *speakers) { s.err = errors.New("gone"); s.fail = map[string]error{"": device.ErrLost} })
		pass(time.Second)
		require.Contains(t, got.last().Problem, "went away")
		before := got.credit(1)
		s.set(func(s *speakers) { s.err = nil; s.fail = nil })
		pass(time.Second)
		require.Empty(t, got.last().Problem)
		require.Greater(t, got.credit(1), before)
		pass(3 * time.Second)
		require.Equal(t, 3000, got.credit(1))
		require.Greater(t, s.loud(0), audio.Count(24000, 2900*time.Millisecond))
	})
}

func TestALoudspeakerThatStaysAwayIsLookedForNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &speakers{}
		p, got := start(t, s)
		p.Play(t.Context(), playback.Piece{Turn: 1, PCM: pcm(3 * time.Second)})
		pass(time.Second)
		s.set(func(s *speakers) { s.err = errors.New("gone"); s.fail = map[string]error{"": device.ErrLost} })
		pass(5 * time.Second)
		require.Equal(t, 3000, got.credit(1), "the reply does not wait for it")
		require.Contains(t, got.last().Problem, "No loudspeaker")
		s.set(func(s *speakers) { s.err = nil; s.fail = nil })
	})
}

func TestAChosenLoudspeakerIsTakenBackWhenItReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &speakers{}
		p, got := start(t, s)
		both := []device.Info{{Name: "Speaker", Default: true}, {Name: "Desk"}}
		p.Use(t.Context(), "Desk", both)
		p.Play(t.Context(), playback.Piece{Turn: 1, PCM: pcm(5 * time.Second)})
		pass(500 * time.Millisecond)
		s.set(func(s *speakers) { s.fail = map[string]error{"Desk": device.ErrNone} })
		p.Use(t.Context(), "Desk", both[:1])
		pass(500 * time.Millisecond)
		require.Contains(t, got.last().Problem, "default one")
		s.set(func(s *speakers) { s.fail = nil })
		for range 20 {
			p.Use(t.Context(), "Desk", both)
		}
		pass(500 * time.Millisecond)
		require.Empty(t, got.last().Problem)
		require.Equal(t, []string{"Desk", "", "Desk"}, s.names)
		require.Equal(t, 1, s.opened())
	})
}

func TestWhatIsPlayedAfterTheEndIsPassedOver(t *testing.T) {
	s := &speakers{}
	p := playback.New(playback.Ports{Speakers: s, Show: func(playback.Status) {}}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, p.Run(ctx))
	for range 200 {
		p.Play(t.Context(), playback.Piece{Turn: 1, PCM: pcm(time.Second)})
	}
	require.Empty(t, s.names)
}
