package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/speech/frame"
	"echo-companion/backend/speech/resample"
)

// testOptions are those of real models. Without them the tests fail: they are part of what is tested.
func testOptions(tb testing.TB) options {
	tb.Helper()
	dir := os.Getenv("ECHO_MODELS")
	if dir == "" {
		cache, err := os.UserCacheDir()
		require.NoError(tb, err)
		dir = filepath.Join(cache, "echo-companion", "models")
	}
	if _, err := os.Stat(filepath.Join(dir, "moonshine", "tokens.txt")); err != nil {
		tb.Fatalf("the speech models are not in %s: run `echo-companion models fetch` (or set ECHO_MODELS)", dir)
	}
	return options{models: dir, voice: defaultVoice, threads: fittingThreads(runtime.NumCPU())}
}

// ask serves one request and gives what was answered.
func ask(tb testing.TB, w worker, kind frame.Kind, payload []byte) []frame.Frame {
	tb.Helper()
	var answers []frame.Frame
	require.NoError(tb, w.answer(context.Background(), frame.Frame{Kind: kind, Payload: payload}, func(kind frame.Kind, payload []byte) error {
		answers = append(answers, frame.Frame{Kind: kind, Payload: payload})
		return nil
	}))
	return answers
}

// speak gives 24 kHz speech.
func speak(tb testing.TB, w worker, voice, text string) []int16 {
	tb.Helper()
	var pcm []int16
	for _, f := range ask(tb, w, frame.KindSynthesize, frame.JSON(frame.Utterance{Text: text, Voice: voice})) {
		require.Equal(tb, frame.KindAudio, f.Kind)
		samples, err := frame.Samples(f.Payload)
		require.NoError(tb, err)
		pcm = append(pcm, samples...)
	}
	return pcm
}

// hear gives what is recognised in 16 kHz speech.
func hear(tb testing.TB, w worker, pcm []int16) string {
	tb.Helper()
	answers := ask(tb, w, frame.KindRecognize, frame.PCM(pcm))
	require.Len(tb, answers, 1)
	return string(answers[0].Payload)
}

// toInput turns 24 kHz speech into 16 kHz.
func toInput(tb testing.TB, pcm []int16) []int16 {
	tb.Helper()
	r, err := resample.New(outputRate, inputRate)
	require.NoError(tb, err)
	return resample.PCM(append(r.Write(resample.Floats(pcm)), r.Flush()...))
}

func loaded[W worker](tb testing.TB, load func(options) (W, error)) W {
	tb.Helper()
	w, err := load(testOptions(tb))
	require.NoError(tb, err)
	tb.Cleanup(w.close)
	return w
}

func sentences(tb testing.TB) []string {
	tb.Helper()
	data, err := os.ReadFile("testdata/sentences.txt")
	require.NoError(tb, err)
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}
