//go:build production

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

	"echo-companion/backend/device"
	"echo-companion/backend/device/pulsetest"
	"echo-companion/backend/playback"
)

// TestStopIsHeardAtOnce measures, on the default loudspeaker, how much is still heard after Stop. What is asserted is the best of
// several: a busy machine delays the measuring as well.
func TestStopIsHeardAtOnce(t *testing.T) {
	server := pulsetest.Start(t)
	heard := server.Record("speaker")
	p := playback.New(playback.Ports{
		Speakers: device.New(slog.New(slog.DiscardHandler)), Credit: func(int, int) {}, Show: func(playback.Status) {},
	}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { require.NoError(t, p.Run(ctx)) })
	defer wg.Wait()
	defer cancel()
	tone := make([]int16, 10*24000)
	for i := range tone {
		tone[i] = int16(16384 * math.Sin(2*math.Pi*440*float64(i)/24000))
	}
	var after []int
	for turn := 1; turn <= 8; turn++ {
		p.Play(ctx, playback.Piece{Turn: turn, PCM: tone})
		begun := time.Now()
		require.Eventually(t, func() bool { level, n := heard.Level(begun); return n > 30 && level > 0.2 }, 10*time.Second, 10*time.Millisecond)
		stopped := time.Now()
		p.Hush(ctx, 0)
		require.Eventually(t, func() bool { return heard.Last() < 0.001 }, 5*time.Second, 5*time.Millisecond)
		after = append(after, heard.Loud(stopped))
		p.Settle(ctx, 0)
	}
	slices.Sort(after)
	t.Logf("samples at 48 kHz that are heard after Stop: %v", after)
	require.LessOrEqual(t, after[0], 48000/20, "50 ms")
}
