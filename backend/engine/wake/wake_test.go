package wake_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	// It brings the ONNX Runtime into the process.
	_ "github.com/k2-fsa/sherpa-onnx-go-linux"
	"github.com/stretchr/testify/require"
	ort "github.com/yalue/onnxruntime_go"

	"echo-companion/backend/engine/wake"
)

// models are the real ones. Without them the tests fail: they are part of what is tested.
func models(tb testing.TB) *wake.Models {
	tb.Helper()
	dir := os.Getenv("ECHO_MODELS")
	if dir == "" {
		cache, err := os.UserCacheDir()
		require.NoError(tb, err)
		dir = filepath.Join(cache, "echo-companion", "models")
	}
	if !ort.IsInitialized() {
		ort.SetSharedLibraryPath("libonnxruntime.so")
		require.NoError(tb, ort.InitializeEnvironment(ort.WithLogLevelError()))
	}
	options, err := ort.NewSessionOptions()
	require.NoError(tb, err)
	require.NoError(tb, options.SetIntraOpNumThreads(1))
	models, err := wake.Open(filepath.Join(dir, "wake"), options)
	require.NoError(tb, err, "run `echo-companion models fetch` (or set ECHO_MODELS)")
	return models
}

// listener listens with a head that has one neuron of each row's first number, so that what it hears can be seen.
func listener(tb testing.TB, head *wake.Head) *wake.Listener {
	tb.Helper()
	l, err := wake.NewListener(models(tb), head)
	require.NoError(tb, err)
	return l
}

func noise(n int) []int16 {
	random := rand.New(rand.NewPCG(1, 2)) // the same in every run
	pcm := make([]int16, n)
	for i := range pcm {
		pcm[i] = int16(2000 * random.NormFloat64())
	}
	return pcm
}

// random is a head that knows nothing, in another way for each input.
func random() *wake.Head {
	random := rand.New(rand.NewPCG(3, 4)) // the same in every run
	head := wake.NewHead()
	for _, part := range [][]float32{head.First, head.Second} {
		for i := range part {
			part[i] = 0.05 * float32(random.NormFloat64())
		}
	}
	return head
}

func TestWhatIsHeardHopByHopIsWhatAWholeRecordingHas(t *testing.T) {
	head := random()
	l := listener(t, head)
	pcm := noise(5*wake.Rate + 100)
	rows, err := l.Features(pcm)
	require.NoError(t, err)
	hops := len(pcm) / wake.Hop
	require.Len(t, rows, (hops+wake.Rows-1)*wake.Width)
	last := 0.0
	for i := range hops {
		sure, err := l.Hear(pcm[i*wake.Hop : (i+1)*wake.Hop])
		require.NoError(t, err)
		now := head.Score(rows[i*wake.Width : (i+wake.Rows)*wake.Width])
		require.InDelta(t, min(last, now), sure, 1e-4, "hop %d", i)
		last = now
	}
}

func TestResetForgets(t *testing.T) {
	l := listener(t, random())
	pcm := noise(3 * wake.Rate)
	hear := func() (all []float64) {
		for from := 0; from+wake.Hop <= len(pcm); from += wake.Hop {
			sure, err := l.Hear(pcm[from : from+wake.Hop])
			require.NoError(t, err)
			all = append(all, sure)
		}
		return all
	}
	first := hear()
	l.Reset()
	require.Equal(t, first, hear())
	l.Reset()
	require.Equal(t, first, hear(), "what it began with was not written to")
}

func TestOtherHopsAreRefused(t *testing.T) {
	l := listener(t, wake.NewHead())
	_, err := l.Hear(make([]int16, wake.Hop-1))
	require.Error(t, err)
}

func TestMissingModelIsNamed(t *testing.T) {
	models(t)
	_, err := wake.Open(t.TempDir(), nil)
	require.ErrorContains(t, err, "melspectrogram.onnx")
}

func TestHeadIsReadAsItWasWritten(t *testing.T) {
	head := random()
	again, err := wake.Read(head.Bytes())
	require.NoError(t, err)
	require.Equal(t, head, again)
	_, err = wake.Read(head.Bytes()[1:])
	require.Error(t, err)
}

func BenchmarkHop(b *testing.B) {
	l := listener(b, random())
	hop := noise(wake.Hop)
	for b.Loop() {
		_, err := l.Hear(hop)
		require.NoError(b, err)
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/0.08, "of-real-time")
}
