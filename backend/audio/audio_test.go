package audio_test

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/audio"
)

func TestConversionsAreExact(t *testing.T) {
	pcm := []int16{0, 1, -1, 258, math.MaxInt16, math.MinInt16}
	data := audio.Bytes(pcm)
	require.Equal(t, []byte{0, 0, 1, 0, 255, 255, 2, 1, 255, 127, 0, 128}, data)
	require.Equal(t, pcm, audio.Samples(data))
	require.Equal(t, pcm[:2], audio.Samples(data[:5]), "half a sample is dropped")
	require.Equal(t, 320, audio.Count(16000, audio.FrameDuration))
	require.Equal(t, 20*time.Millisecond, audio.Duration(16000, 320))
}

func TestLevels(t *testing.T) {
	require.Zero(t, audio.RMS(nil))
	require.InDelta(t, 0.5, audio.RMS([]int16{16384, -16384}), 1e-9)
	require.Zero(t, audio.Level(0))
	require.Zero(t, audio.Level(0.0005))
	require.InDelta(t, 1.0, audio.Level(0.9), 1e-9)
	require.InDelta(t, 0.5, audio.Level(math.Pow(10, -35.0/20)), 1e-9)
}

func TestMixAddsOnceAndClips(t *testing.T) {
	dst := []int16{100, math.MaxInt16, math.MinInt16, 7}
	audio.Mix(dst, []int16{1, 1, -1})
	require.Equal(t, []int16{101, math.MaxInt16, math.MinInt16, 7}, dst)
}

func constant(n int, v int16) []int16 {
	out := make([]int16, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func TestGainRampsStraightAndEndsExactly(t *testing.T) {
	g := audio.NewGain(4)
	g.Set(audio.Ducked)
	pcm := constant(6, 10000)
	g.Apply(pcm)
	require.Equal(t, []int16{8000, 6000, 4000, 2000, 2000, 2000}, pcm)
	require.InDelta(t, audio.Ducked, g.Current(), 0)
	g.Set(1)
	pcm = constant(6, 10000)
	g.Apply(pcm)
	require.Equal(t, []int16{4000, 6000, 8000, 10000, 10000, 10000}, pcm)
}

func TestTenQuickCyclesEndAtExactlyOne(t *testing.T) {
	g := audio.NewGain(audio.Count(24000, audio.RampDuration))
	for i := range 10 {
		g.Set(audio.Ducked)
		g.Apply(constant(17*i+1, 1000))
		g.Set(1)
		g.Apply(constant(31, 1000))
	}
	g.Apply(constant(240, 1000))
	require.True(t, g.Steady())
	require.InDelta(t, 1.0, g.Current(), 0)
	pcm := constant(5, -12345)
	g.Apply(pcm)
	require.Equal(t, constant(5, -12345), pcm)
}

func TestGainStepsAreSmall(t *testing.T) {
	g := audio.NewGain(240)
	g.Set(0)
	pcm := constant(300, 24000)
	g.Apply(pcm)
	before := int16(24000)
	for _, v := range pcm {
		require.LessOrEqual(t, int(before-v), 101)
		before = v
	}
	require.Zero(t, pcm[239])
}

// tone gives one 20 ms frame of a 200 Hz tone at a level in decibels below full scale.
func tone(db float64) []int16 {
	out := make([]int16, 320)
	a := 32767 * math.Sqrt2 * math.Pow(10, db/20)
	for i := range out {
		out[i] = int16(a * math.Sin(2*math.Pi*200*float64(i)/16000))
	}
	return out
}

func TestGateCountsVoiceOverTheRoomsNoise(t *testing.T) {
	cases := []struct {
		name   string
		noise  float64
		speech float64
		voiced bool
	}{
		{"quiet room, speech", -70, -25, true},
		{"quiet room, whisper", -70, -45, true},
		{"quiet room, breath", -70, -58, false},
		{"noisy room, speech", -40, -20, true},
		{"noisy room, no louder", -40, -36, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := audio.NewGate()
			for range 250 {
				g.Voiced(tone(c.noise))
			}
			require.InDelta(t, c.noise, g.Floor(), 3, "the floor follows the noise within 5 s")
			require.False(t, g.Voiced(tone(c.noise)))
			require.Equal(t, c.voiced, g.Voiced(tone(c.speech)))
		})
	}
}

func TestGateHearsSpeechAtOnceAfterDigitalSilence(t *testing.T) {
	g := audio.NewGate()
	for range 500 {
		require.False(t, g.Voiced(make([]int16, 320)))
	}
	n := 0
	for range 50 {
		if g.Voiced(tone(-25)) {
			n++
		}
	}
	require.Equal(t, 50, n)
}

func TestGateKeepsHearingALongUtterance(t *testing.T) {
	g := audio.NewGate()
	n := 0
	for i := range 500 { // 10 s of syllables, 12 frames each with a dip between them, without a breath
		level := -20.0
		if i%12 == 11 {
			level = -45
		}
		if g.Voiced(tone(level)) {
			n++
		}
	}
	require.Greater(t, n, 440)
}

func TestRingDropsWhatDoesNotFit(t *testing.T) {
	r := audio.NewRing(4)
	require.Equal(t, 3, r.Put([]int16{1, 2, 3}))
	require.Equal(t, 1, r.Put([]int16{4, 5}))
	require.Equal(t, uint64(1), r.Lost())
	out := make([]int16, 3)
	require.Equal(t, 3, r.Take(out))
	require.Equal(t, []int16{1, 2, 3}, out)
	require.Equal(t, 3, r.Put([]int16{6, 7, 8}))
	require.Equal(t, 4, r.Len())
	r.Drop()
	require.Zero(t, r.Len())
	require.True(t, r.Skipped())
	require.Zero(t, r.Take(out))
	require.False(t, r.Skipped())
	require.Equal(t, 4, r.Free())
	require.Equal(t, uint64(7), r.Position())
}

func TestRingCarriesSamplesInOrder(t *testing.T) {
	r := audio.NewRing(64)
	const total = 100_000
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; i < total; {
			i += r.Put([]int16{int16(i)})
		}
	})
	out := make([]int16, 16)
	for want := 0; want < total; {
		for _, v := range out[:r.Take(out)] {
			require.Equal(t, int16(want), v)
			want++
		}
	}
	wg.Wait()
}
