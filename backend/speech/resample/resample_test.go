package resample_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/speech/resample"
)

func sine(rate int, hertz float64, n int) []float32 {
	samples := make([]float32, n)
	for i := range samples {
		samples[i] = float32(0.5 * math.Sin(2*math.Pi*hertz*float64(i)/float64(rate)))
	}
	return samples
}

func through(t *testing.T, from, to int, in []float32, chunk int) []float32 {
	t.Helper()
	r, err := resample.New(from, to)
	require.NoError(t, err)
	var out []float32
	for at := 0; at < len(in); at += chunk {
		out = append(out, r.Write(in[at:min(at+chunk, len(in))])...)
	}
	return append(out, r.Flush()...)
}

// deviation is the largest difference between two signals away from their edges, in decibels below full scale.
func deviation(a, b []float32) float64 {
	worst := 1e-9
	for i := 200; i < min(len(a), len(b))-200; i++ {
		worst = max(worst, math.Abs(float64(a[i]-b[i])))
	}
	return 20 * math.Log10(worst)
}

func TestTonesKeepTheirPlaceAndHeight(t *testing.T) {
	for _, c := range []struct {
		from, to int
		hertz    float64
	}{
		{22050, 24000, 100},
		{22050, 24000, 1000},
		{22050, 24000, 9000},
		{44100, 24000, 1000},
		{48000, 24000, 10000},
		{16000, 24000, 3000},
		{8000, 24000, 500},
		{24000, 24000, 440},
		{22051, 24000, 440},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			out := through(t, c.from, c.to, sine(c.from, c.hertz, c.from), 1000)
			require.Len(t, out, c.to)
			require.Less(t, deviation(out, sine(c.to, c.hertz, c.to)), -70.0)
		})
	}
}

func TestWhatTheLowerRateCannotHoldIsGone(t *testing.T) {
	out := through(t, 48000, 24000, sine(48000, 14000, 48000), 960)
	require.Less(t, deviation(out, make([]float32, len(out))), -70.0)
}

func TestImagesAreGone(t *testing.T) {
	// 9 kHz at 22.05 kHz has its image at 13.05 kHz, which 24 kHz folds to 10.95 kHz: only the tone may be left.
	out := through(t, 22050, 24000, sine(22050, 9000, 22050), 22050)
	require.Less(t, deviation(out, sine(24000, 9000, 24000)), -70.0)
}

func TestChunksDoNotMatter(t *testing.T) {
	in := sine(22050, 700, 5000)
	whole := through(t, 22050, 24000, in, len(in))
	for _, chunk := range []int{1, 7, 147, 1024} {
		require.Equal(t, whole, through(t, 22050, 24000, in, chunk))
	}
}

func TestResetForgetsTheStream(t *testing.T) {
	in := sine(22050, 700, 5000)
	r, err := resample.New(22050, 24000)
	require.NoError(t, err)
	r.Write(in)
	r.Reset()
	require.Equal(t, through(t, 22050, 24000, in, len(in)), append(r.Write(in), r.Flush()...))
}

func TestShortestStreams(t *testing.T) {
	require.Empty(t, through(t, 22050, 24000, nil, 1))
	require.Len(t, through(t, 22050, 24000, []float32{1}, 1), 2)
	require.Len(t, through(t, 48000, 24000, []float32{1}, 1), 1)
}

func TestRatesAreBounded(t *testing.T) {
	for _, rates := range [][2]int{{0, 24000}, {24000, -1}, {24000, 200000}, {7999, 24000}} {
		_, err := resample.New(rates[0], rates[1])
		require.Error(t, err)
	}
}

func TestPCMClipsAndRoundTrips(t *testing.T) {
	require.Equal(t, []int16{0, 32767, -32767, 16384}, resample.PCM([]float32{0, 2, -7, 0.5}))
	require.Equal(t, []int16{123, -20000}, resample.PCM(resample.Floats([]int16{123, -20001})))
}

func BenchmarkOneSecondOfVoice(b *testing.B) {
	in := sine(22050, 440, 22050)
	for b.Loop() {
		r, err := resample.New(22050, 24000)
		require.NoError(b, err)
		r.Write(in)
		r.Flush()
	}
}
