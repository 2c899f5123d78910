package main

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/speech/local"
)

// The app's side of the pipes and this program, as one: a question is spoken, heard and compared.
func TestAppAndEngineUnderstandEachOther(t *testing.T) {
	t.Setenv("ECHO_ENGINE_TEST", "program")
	engines := local.New(local.Config{Path: os.Args[0], Models: testOptions(t).models}, slog.New(slog.NewTextHandler(t.Output(), nil)))
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() { _ = engines.Run(ctx) })
	defer group.Wait()
	defer cancel()
	releases := []func(){engines.Recognizer().Hold(), engines.Synthesizer().Hold(), engines.Detector().Hold()}

	var pcm []int16
	take := func(piece []int16) error { pcm = append(pcm, piece...); return nil }
	require.NoError(t, engines.Synthesizer().Synthesize(ctx, "What is the capital city of Australia?", "alan", take))
	pcm = toInput(t, pcm)
	text, err := engines.Recognizer().Recognize(ctx, pcm)
	require.NoError(t, err)
	require.Contains(t, strings.ToLower(text), "australia")

	voiced := 0
	for from := 0; from+sileroFrame <= len(pcm); from += sileroFrame {
		probability, err := engines.Detector().Speech(pcm[from : from+sileroFrame])
		require.NoError(t, err)
		if probability > 0.5 {
			voiced++
		}
	}
	require.Greater(t, voiced, 20)
	vectors, err := engines.Embedder().Embed(ctx, []string{"one", "two"})
	require.NoError(t, err)
	require.Len(t, vectors, 2)
	require.Len(t, vectors[0], vectorWidth)

	for _, release := range releases {
		release()
	}
	require.Eventually(t, func() bool {
		return engines.Recognizer().Engine().State == echo.EngineStopped && engines.Synthesizer().Engine().State == echo.EngineStopped
	}, 10*time.Second, 5*time.Millisecond)
}
