package acoustics_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/acoustics"
)

const rate = 16000

func TestDirectSoundArrivesFirstAndFadesWithDistance(t *testing.T) {
	room := acoustics.Room{Size: acoustics.Point{X: 5, Y: 4, Z: 3}, Reflection: 0.5}
	from := acoustics.Point{X: 1, Y: 2, Z: 1.5}
	for _, metres := range []float64{0.5, 1, 2} {
		response := room.Response(from, acoustics.Point{X: 1 + metres, Y: 2, Z: 1.5}, rate, 0.1)
		first, most := 0, 0.0
		for i, h := range response {
			if math.Abs(h) > most {
				first, most = i, math.Abs(h)
			}
		}
		require.InDelta(t, metres/acoustics.SpeedOfSound*rate, first, 1)
		require.InDelta(t, 1/metres, most, 0.35/metres, "what arrives between two samples is lower")
	}
}

func TestBareWallsRingLonger(t *testing.T) {
	from, to := acoustics.Point{X: 1, Y: 2, Z: 1.5}, acoustics.Point{X: 3, Y: 1, Z: 1}
	late := func(reflection float64) float64 {
		room := acoustics.Room{Size: acoustics.Point{X: 5, Y: 4, Z: 3}, Reflection: reflection}
		response := room.Response(from, to, rate, 0.2)
		return acoustics.RMS(response[rate/10:]) / acoustics.RMS(response)
	}
	require.Less(t, late(0.3), late(0.6))
	require.Less(t, late(0.6), late(0.9))
}

func TestOpenAirHasNoWalls(t *testing.T) {
	room := acoustics.Room{Size: acoustics.Point{X: 5, Y: 4, Z: 3}}
	response := room.Response(acoustics.Point{X: 1, Y: 1, Z: 1}, acoustics.Point{X: 2, Y: 1, Z: 1}, rate, 0.2)
	require.Less(t, acoustics.RMS(response[2000:]), 1e-6)
}

func TestHearDelaysAndScales(t *testing.T) {
	require.Equal(t, []float64{0, 0.5, 1, 0}, acoustics.Hear([]float64{1, 2, 0, 0}, []float64{0, 0.5}))
}

func TestSoundIsTheSameForTheSameSeedAndOfTheLevelAsked(t *testing.T) {
	for _, kind := range acoustics.Kinds() {
		noise := acoustics.Noise(kind, rate, rate, 0.05, 3)
		require.InDelta(t, 0.05, acoustics.RMS(noise), 1e-9, kind)
		require.Equal(t, noise, acoustics.Noise(kind, rate, rate, 0.05, 3), kind)
		if kind != acoustics.Hum {
			require.NotEqual(t, noise, acoustics.Noise(kind, rate, rate, 0.05, 4), kind)
		}
	}
	voice := acoustics.Voice(rate, rate, 120, 1)
	require.Equal(t, voice, acoustics.Voice(rate, rate, 120, 1))
	require.InDelta(t, 0.1, acoustics.RMS(voice), 1e-9)
}

func TestLoudspeakerDistortsWhatIsLoud(t *testing.T) {
	tone := make([]float64, rate)
	for i := range tone {
		tone[i] = 0.9 * math.Sin(2*math.Pi*500*float64(i)/rate)
	}
	third := func(signal []float64) float64 { // the share at three times the tone
		re, im := 0.0, 0.0
		for i, s := range signal {
			at := 2 * math.Pi * 1500 * float64(i) / rate
			re, im = re+s*math.Cos(at), im+s*math.Sin(at)
		}
		return math.Hypot(re, im) / float64(len(signal)) / acoustics.RMS(signal)
	}
	require.Less(t, third(acoustics.Loudspeaker(tone, rate, 0)), 0.001)
	require.Greater(t, third(acoustics.Loudspeaker(tone, rate, 0.2)), 0.01)
}

func TestSamplesAreSignalsAgain(t *testing.T) {
	require.Equal(t, []int16{0, 16384, -32767, 32767}, acoustics.PCM([]float64{0, 0.5, -1, 2}))
	require.InDelta(t, 1, acoustics.Signal([]int16{32767})[0], 1e-9)
}
