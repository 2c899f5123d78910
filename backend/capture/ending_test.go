package capture_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/capture"
)

// judged runs hands-free with a patience of 0.9 s and a judge of pauses that takes 100 ms.
func judged(t *testing.T, ending func(ctx context.Context, pcm []int16) float64) (*capture.Capture, *room) {
	t.Helper()
	r := &room{}
	c := capture.New(capture.Ports{
		Microphones: r, Listener: r, Voice: r, Show: r.show, Ending: ending,
		Patience: func() time.Duration { return 900 * time.Millisecond },
	}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = c.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	c.Start(t.Context())
	pass(time.Second)
	return c, r
}

// speak speaks for a second, and is quiet then.
func (r *room) speak() {
	r.set(func() { r.loud = true })
	pass(time.Second)
	r.set(func() { r.loud = false })
}

func (r *room) ended() (ended bool) {
	r.set(func() { ended = len(r.log) > 0 && r.log[len(r.log)-1] == "end" })
	return ended
}

func TestAPauseLastsAsLongAsWhatWasSaidWants(t *testing.T) {
	for name, test := range map[string]struct {
		share        float64
		before, then time.Duration // not over yet, and over
	}{
		"finished":   {0.5, 440 * time.Millisecond, 600 * time.Millisecond},
		"unknown":    {1, 860 * time.Millisecond, time.Second},
		"unfinished": {1.8, 1560 * time.Millisecond, 1700 * time.Millisecond},
		"at once":    {0, 440 * time.Millisecond, 600 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				_, r := judged(t, func(_ context.Context, pcm []int16) float64 {
					asked += len(pcm)
					pass(100 * time.Millisecond)
					return test.share
				})
				r.speak()
				pass(test.before)
				require.False(t, r.ended())
				pass(test.then - test.before)
				require.True(t, r.ended())
				require.InDelta(t, 16000*1.7, asked, 700, "asked once, with what was said")
			})
		})
	}
}

func TestAJudgeThatDoesNotAnswerHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, r := judged(t, func(ctx context.Context, _ []int16) float64 {
			<-ctx.Done()
			return 5
		})
		r.speak()
		pass(time.Second)
		require.True(t, r.ended())
	})
}

func TestAWordAboutAnEarlierPauseIsPassedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		_, r := judged(t, func(context.Context, []int16) float64 {
			if asked++; asked == 1 {
				pass(2 * time.Second) // deaf to its context as well
				return 5
			}
			return 1
		})
		r.speak()
		pass(600 * time.Millisecond)
		require.False(t, r.ended())
		r.speak()
		pass(1100 * time.Millisecond) // the first word comes in this pause
		require.True(t, r.ended())
		require.Equal(t, 2, asked)
	})
}

func TestPushToTalkAsksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c, r := judged(t, func(context.Context, []int16) float64 { asked++; return 0 })
		c.Press(t.Context())
		r.speak()
		pass(2 * time.Second)
		require.False(t, r.ended())
		c.Release(t.Context())
		pass(time.Second)
		require.True(t, r.ended())
		require.Zero(t, asked)
	})
}
