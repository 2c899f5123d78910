//go:build production && cgo

package playback_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/audio"
	"echo-companion/backend/capture"
	"echo-companion/backend/device"
	"echo-companion/backend/device/pulsetest"
	"echo-companion/backend/playback"
)

// microphone is one whose frames the benchmark gives, and all that takes utterances.
type microphone struct {
	ring *audio.Ring
	open chan struct{}
}

func (m *microphone) OpenInput(_ string, ring *audio.Ring) (device.Stream, error) {
	m.ring = ring
	close(m.open)
	return m, nil
}
func (m *microphone) Err() error                               { return nil }
func (m *microphone) Close() error                             { return nil }
func (m *microphone) Begin(context.Context, bool) (int, error) { return 1, nil }
func (m *microphone) Audio(context.Context, []int16) error     { return nil }
func (m *microphone) End(context.Context, int, int) error      { return nil }
func (m *microphone) Cancel(context.Context, int) error        { return nil }

// duck has somebody begin to speak over a tone, and gives how long it took, in frames of 20 ms, from the microphone's callback with the
// frame that makes it an utterance to the first sample of the tone that is heard lowered.
func duck(b *testing.B, p *playback.Player, heard *pulsetest.Recording) float64 {
	b.Helper()
	m := &microphone{open: make(chan struct{})}
	c := capture.New(capture.Ports{Microphones: m, Listener: m, Voice: p, Show: func(capture.Status) {}}, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	wg.Go(func() { require.NoError(b, c.Run(ctx)) })
	defer wg.Wait()
	defer stop()
	c.Start(ctx)
	<-m.open
	frames := time.NewTicker(audio.FrameDuration)
	defer frames.Stop()
	voice := tone(1)
	var decided time.Time
	for i := range 27 {
		<-frames.C
		frame := make([]int16, 320)
		if i >= 15 { // quiet, and then twelve voiced frames
			copy(frame, voice)
			decided = time.Now()
		}
		m.ring.Put(frame)
	}
	require.Eventually(b, func() bool {
		return audio.RMS(last(heard.Since(decided), 480)) < 0.1 && len(heard.Since(decided)) > 480
	}, 5*time.Second, 10*time.Millisecond)
	pcm := heard.Since(decided)
	for i := 0; i+110 <= len(pcm); i++ { // a whole wave of the tone, at a fifth
		if audio.RMS(pcm[i:i+110]) < 0.2*0.36 {
			return float64(i) / 960
		}
	}
	require.Fail(b, "it is not lowered")
	return 0
}

func last(pcm []int16, n int) []int16 { return pcm[max(len(pcm)-n, 0):] }

// BenchmarkDuck gives the frames from the microphone's callback to the ducked sample, in the mean and at worst, in hands-free.
func BenchmarkDuck(b *testing.B) {
	server := pulsetest.Start(b)
	p, heard := loudspeaker(b, server, "", "speaker")
	sum, worst := 0.0, 0.0
	for turn := 1; b.Loop(); turn++ {
		p.Play(b.Context(), playback.Piece{Turn: turn, PCM: tone(5)})
		require.Eventually(b, func() bool { return heard.Last() > 0.3 }, 10*time.Second, 10*time.Millisecond)
		frames := duck(b, p, heard)
		sum += frames
		worst = max(worst, frames)
		p.Duck(false)
		p.Hush(b.Context(), 0)
		p.Settle(b.Context(), 0)
		require.Eventually(b, func() bool { return heard.Last() < 0.001 }, 5*time.Second, 10*time.Millisecond)
	}
	b.ReportMetric(sum/float64(b.N), "frames/mean")
	b.ReportMetric(worst, "frames/worst")
}
