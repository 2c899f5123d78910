//go:build production && cgo

package playback_test

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/audio"
	"echo-companion/backend/device"
	"echo-companion/backend/device/pulsetest"
	"echo-companion/backend/playback"
)

// tone is 440 Hz at half of full scale.
func tone(seconds int) []int16 {
	out := make([]int16, seconds*24000)
	for i := range out {
		out[i] = int16(16384 * math.Sin(2*math.Pi*440*float64(i)/24000))
	}
	return out
}

// loudspeaker is a player on a loudspeaker of a sound server of its own, and what that plays.
func loudspeaker(tb testing.TB, server *pulsetest.Server, name, sink string) (*playback.Player, *pulsetest.Recording) {
	tb.Helper()
	heard := server.Record(sink)
	p := playback.New(playback.Ports{
		Speakers: device.New(slog.New(slog.DiscardHandler)), Credit: func(int, int) {}, Show: func(playback.Status) {},
	}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(tb.Context())
	var wg sync.WaitGroup
	wg.Go(func() { require.NoError(tb, p.Run(ctx)) })
	tb.Cleanup(func() { cancel(); wg.Wait() })
	p.Use(ctx, name, nil)
	return p, heard
}

// stop stops a tone that sounds, and gives how many samples at 48 kHz were heard after that.
func stop(tb testing.TB, p *playback.Player, heard *pulsetest.Recording, turn int) int {
	tb.Helper()
	p.Play(tb.Context(), playback.Piece{Turn: turn, PCM: tone(10)})
	require.Eventually(tb, func() bool { return heard.Last() > 0.3 }, 10*time.Second, 10*time.Millisecond)
	steady := time.NewTimer(time.Duration(200+7*turn%23) * time.Millisecond) // at another point of the buffers each time
	<-steady.C
	stopped := time.Now()
	p.Hush(tb.Context(), 0)
	require.Eventually(tb, func() bool { return heard.Last() < 0.001 }, 5*time.Second, 5*time.Millisecond)
	after := heard.Loud(stopped)
	p.Settle(tb.Context(), 0)
	return after
}

// outputs are the two ways to a loudspeaker: oto on the default one, malgo on a chosen one.
var outputs = map[string]struct{ name, sink string }{"default": {"", "speaker"}, "chosen": {pulsetest.Other, "other"}}

// TestStopIsHeardAtOnce measures how much is still heard after Stop. What is asserted is the best of several: a busy machine delays the
// measuring as well.
func TestStopIsHeardAtOnce(t *testing.T) {
	server := pulsetest.Start(t)
	for kind, output := range outputs {
		t.Run(kind, func(t *testing.T) {
			p, heard := loudspeaker(t, server, output.name, output.sink)
			var after []int
			for turn := 1; turn <= 8; turn++ {
				after = append(after, stop(t, p, heard, turn))
			}
			slices.Sort(after)
			t.Logf("samples at 48 kHz that are heard after Stop: %v", after)
			require.LessOrEqual(t, after[0], 48000/20, "50 ms")
		})
	}
}

// TestNothingIsClippedAtTheStart plays short pieces, cold, warm and after Stop, and looks for their whole length in what was heard.
func TestNothingIsClippedAtTheStart(t *testing.T) {
	const length = 300 * time.Millisecond
	server := pulsetest.Start(t)
	for kind, output := range outputs {
		t.Run(kind, func(t *testing.T) {
			p, heard := loudspeaker(t, server, output.name, output.sink)
			for turn := 1; turn <= 6; turn++ {
				began := time.Now()
				p.Play(t.Context(), playback.Piece{Turn: turn, PCM: tone(1)[:audio.Count(24000, length)]})
				require.Eventually(t, func() bool { return heard.Loud(began) > 0 }, 10*time.Second, 10*time.Millisecond)
				require.Eventually(t, func() bool { return heard.Last() == 0 }, 10*time.Second, 10*time.Millisecond)
				pcm := heard.Since(began)[:heard.Loud(began)]
				first := slices.IndexFunc(pcm, func(v int16) bool { return v > 32 || v < -32 })
				require.GreaterOrEqual(t, len(pcm)-first, audio.Count(48000, length-2*time.Millisecond)) // 4 ms from 0 to loud
				if turn%2 == 0 {
					p.Hush(t.Context(), 0)
					p.Settle(t.Context(), 0)
				}
			}
		})
	}
}

// BenchmarkStop gives how many samples at 48 kHz are heard after Stop, in the median and at worst; 2,400 are 50 ms. The way through the
// recorder is in it.
func BenchmarkStop(b *testing.B) {
	server := pulsetest.Start(b)
	for kind, output := range outputs {
		b.Run(kind, func(b *testing.B) {
			p, heard := loudspeaker(b, server, output.name, output.sink)
			var after []int
			for turn := 1; b.Loop(); turn++ {
				after = append(after, stop(b, p, heard, turn))
			}
			slices.Sort(after)
			b.ReportMetric(float64(after[len(after)/2]), "samples/median")
			b.ReportMetric(float64(after[len(after)-1]), "samples/worst")
			b.ReportMetric(float64(after[len(after)-1])/2400, "worst/50ms")
		})
	}
}

// BenchmarkGaps gives how many gaps of silence a tone of 4 s has: what a smaller buffer would cost.
func BenchmarkGaps(b *testing.B) {
	server := pulsetest.Start(b)
	for kind, output := range outputs {
		b.Run(kind, func(b *testing.B) {
			p, heard := loudspeaker(b, server, output.name, output.sink)
			gaps := 0
			for turn := 1; b.Loop(); turn++ {
				began := time.Now()
				p.Play(b.Context(), playback.Piece{Turn: turn, PCM: tone(4)})
				over := func() bool { return heard.Last() < 0.001 && time.Since(began) > 4*time.Second }
				require.Eventually(b, over, 10*time.Second, 10*time.Millisecond)
				gaps += gapsIn(heard.Since(began))
			}
			b.ReportMetric(float64(gaps)/float64(b.N), "gaps/4s")
		})
	}
}

// gapsIn counts the runs of more than 1 ms of silence between the first and the last loud sample.
func gapsIn(pcm []int16) (n int) {
	run, begun := 0, false
	for _, v := range pcm {
		if v > 32 || v < -32 {
			if begun && run > 48 {
				n++
			}
			run, begun = 0, true
			continue
		}
		run++
	}
	return n
}
