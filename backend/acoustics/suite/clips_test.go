//go:build production && cgo && linux

package suite_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/audio"
	"echo-companion/backend/audio/wav"
	"echo-companion/backend/speech/frame"
	"echo-companion/backend/speech/resample"
)

// engine is a mode of echo-engine, asked one thing after the other. It knows nothing of a bubble's time: pipes alone are between them.
type engine struct {
	mu   sync.Mutex
	cmd  *exec.Cmd
	in   *os.File
	out  *os.File
	next uint32
}

// started starts a mode of echo-engine, which ends with the test.
func started(tb testing.TB, mode string) *engine {
	tb.Helper()
	path := os.Getenv("ECHO_ENGINE")
	if path == "" {
		path = "../../../build/bin/echo-engine"
	}
	in, toEngine, err := os.Pipe()
	require.NoError(tb, err)
	fromEngine, out, err := os.Pipe()
	require.NoError(tb, err)
	e := &engine{cmd: exec.Command(path, mode, "--models", models(tb), "--threads", "1"), in: toEngine, out: fromEngine}
	e.cmd.Stdin, e.cmd.Stdout = in, out
	require.NoError(tb, e.cmd.Start(), "build echo-engine first: make build")
	require.NoError(tb, in.Close())
	require.NoError(tb, out.Close())
	tb.Cleanup(func() {
		_ = toEngine.Close()
		_ = fromEngine.Close()
		_ = e.cmd.Wait()
	})
	ready, err := frame.Read(e.out)
	require.NoError(tb, err)
	require.Equal(tb, frame.KindReady, ready.Kind)
	return e
}

func models(tb testing.TB) string {
	tb.Helper()
	if dir := os.Getenv("ECHO_MODELS"); dir != "" {
		return dir
	}
	return filepath.Join(cache(tb), "models")
}

func cache(tb testing.TB) string {
	tb.Helper()
	dir, err := os.UserCacheDir()
	require.NoError(tb, err)
	return filepath.Join(dir, "echo-companion")
}

// ask sends a request and gives the payloads of its answer.
func (e *engine) ask(kind frame.Kind, payload []byte) ([][]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.next++
	if err := frame.Write(e.in, frame.Frame{Kind: kind, Request: e.next, Payload: payload}); err != nil {
		return nil, err
	}
	var answers [][]byte
	for {
		f, err := frame.Read(e.out)
		switch {
		case err != nil:
			return nil, err
		case f.Kind == frame.KindDone:
			return answers, nil
		case f.Kind == frame.KindFailed:
			return nil, fmt.Errorf("the engine says %s", f.Payload)
		}
		answers = append(answers, f.Payload)
	}
}

// recognize gives what was said.
func (e *engine) recognize(pcm []int16) (string, error) {
	answers, err := e.ask(frame.KindRecognize, frame.PCM(pcm))
	if err != nil || len(answers) == 0 {
		return "", err
	}
	return string(answers[0]), nil
}

// studio speaks texts, and keeps what it has spoken: voices differ a little from one time to the next.
type studio struct {
	dir   string
	piper func() *engine
}

func newStudio(t *testing.T) *studio {
	t.Helper()
	dir := filepath.Join(cache(t), "acoustics")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	return &studio{dir: dir, piper: sync.OnceValue(func() *engine { return started(t, "synthesize") })}
}

// voices are those that packages give: two of Piper, some of flite and espeak-ng.
func voices() []string {
	return []string{"piper-jenny", "piper-alan", "flite-slt", "flite-rms", "flite-awb", "espeak-en-us", "espeak-en-gb+f3"}
}

// speak gives a text in a voice, at a rate, with a root mean square of 0.1 where it sounds.
func (s *studio) speak(t *testing.T, voice, text string, rate int) []float64 {
	t.Helper()
	name := filepath.Join(s.dir, fmt.Sprintf("%s-%x.raw", voice, sha256.Sum256([]byte(text)))[:60])
	data, err := os.ReadFile(name)
	if err != nil {
		data = audio.Bytes(s.made(t, voice, text))
		require.NoError(t, os.WriteFile(name, data, 0o600))
	}
	signal := at(t, audio.Samples(data), 24000, rate)
	sum, n := 0.0, 0
	for i := 0; i+rate/50 <= len(signal); i += rate / 50 {
		power := 0.0
		for _, v := range signal[i : i+rate/50] {
			power += v * v
		}
		if power > 1e-4*float64(rate/50) {
			sum, n = sum+power, n+rate/50
		}
	}
	require.NotZero(t, n, "%s says nothing of %q", voice, text)
	loud := sqrt(sum / float64(n))
	for i := range signal {
		signal[i] *= 0.1 / loud
	}
	return signal
}

// made is a text spoken anew, at 24 kHz.
func (s *studio) made(t *testing.T, voice, text string) []int16 {
	t.Helper()
	kind, name, _ := strings.Cut(voice, "-")
	file := filepath.Join(t.TempDir(), "said.wav")
	switch kind {
	case "piper":
		answers, err := s.piper().ask(frame.KindSynthesize, frame.JSON(frame.Utterance{Text: text, Voice: name}))
		require.NoError(t, err)
		var pcm []int16
		for _, a := range answers {
			samples, err := frame.Samples(a)
			require.NoError(t, err)
			pcm = append(pcm, samples...)
		}
		return pcm
	case "flite":
		require.NoError(t, exec.Command("flite", "-voice", name, "-t", text, "-o", file).Run())
	default:
		require.NoError(t, exec.Command("espeak-ng", "-v", name, "-s", "150", "-w", file, text).Run())
	}
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	format, length, err := wav.ReadHeader(f)
	require.NoError(t, err)
	if length < 0 {
		length = 1 << 22
	}
	bytes := make([]byte, length)
	n, _ := f.Read(bytes)
	pcm := audio.Samples(bytes[:n])
	signal := at(t, pcm, format.Rate, 24000)
	out := make([]int16, len(signal))
	for i, v := range signal {
		out[i] = int16(max(-1, min(1, v)) * 32767)
	}
	return out
}

// at brings samples to another rate.
func at(t *testing.T, pcm []int16, from, to int) []float64 {
	t.Helper()
	wide := make([]float32, len(pcm))
	for i, v := range pcm {
		wide[i] = float32(v) / 32768
	}
	if from != to {
		r, err := resample.New(from, to)
		require.NoError(t, err)
		wide = append(r.Write(wide), r.Flush()...)
	}
	out := make([]float64, len(wide))
	for i, v := range wide {
		out[i] = float64(v)
	}
	return out
}
