package local_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/speech/local"
)

// bench is a set of engines whose program is played by this test.
type bench struct {
	*local.Engines
	t      *testing.T
	models string
	stop   func() // ends Run and waits
}

func running(t *testing.T, script string, patience time.Duration) *bench {
	t.Helper()
	b := &bench{t: t, models: t.TempDir()}
	b.script(script)
	b.Engines = local.New(local.Config{Path: os.Args[0], Models: b.models, EngineTimeout: patience, LoadTimeout: 2 * time.Second}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() { _ = b.Run(ctx) })
	b.stop = func() { cancel(); group.Wait() }
	t.Cleanup(b.stop)
	return b
}

func (b *bench) script(text string) {
	b.t.Helper()
	require.NoError(b.t, os.WriteFile(filepath.Join(b.models, "script"), []byte(text), 0o600))
}

// log is what the played programs have noted.
func (b *bench) log() string {
	data, _ := os.ReadFile(filepath.Join(b.models, "starts"))
	return string(data)
}

func (b *bench) say(text, voice string) (string, error) {
	var heard []rune
	err := b.Synthesizer().Synthesize(b.t.Context(), text, voice, func(pcm []int16) error {
		for _, sample := range pcm {
			heard = append(heard, rune(sample))
		}
		return nil
	})
	return string(heard), err
}

func (b *bench) await(engine func() echo.Engine, state echo.EngineState) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return engine().State == state }, 10*time.Second, 2*time.Millisecond, "want %s", state)
}

const patient = 20 * time.Second

func TestAskedUnheldItStartsSpeaksAndLetsGo(t *testing.T) {
	b := running(t, "", patient)
	require.Equal(t, echo.EngineStopped, b.Synthesizer().Engine().State)
	heard, err := b.say("hi", "alan")
	require.NoError(t, err)
	require.Equal(t, "hi/alan", heard)
	b.await(b.Synthesizer().Engine, echo.EngineStopped)
	require.Eventually(t, func() bool { return strings.Contains(b.log(), "ended") }, 10*time.Second, 5*time.Millisecond)
}

func TestHeldItStaysUntilTheLastRelease(t *testing.T) {
	b := running(t, "", patient)
	first, second := b.Synthesizer().Hold(), b.Synthesizer().Hold()
	b.await(b.Synthesizer().Engine, echo.EngineReady)
	first()
	first() // more than once
	for range 3 {
		_, err := b.say("hi", "jenny")
		require.NoError(t, err)
	}
	require.Equal(t, echo.EngineReady, b.Synthesizer().Engine().State)
	require.Equal(t, echo.EngineStopped, b.Recognizer().Engine().State)
	require.Equal(t, 1, strings.Count(b.log(), "synthesize"))
	second()
	b.await(b.Synthesizer().Engine, echo.EngineStopped)
}

func TestUnknownVoiceIsJennysAndTheLastOneIsLoadedFirst(t *testing.T) {
	b := running(t, "", patient)
	for _, c := range [][2]string{{"nobody", "hi/jenny"}, {"alan", "hi/alan"}, {"alan", "hi/alan"}} {
		heard, err := b.say("hi", c[0])
		require.NoError(t, err)
		require.Equal(t, c[1], heard)
		b.await(b.Synthesizer().Engine, echo.EngineStopped)
	}
	require.Contains(t, b.log(), "synthesize --voice alan")
}

func TestEveryEngineAnswers(t *testing.T) {
	b := running(t, "", patient)
	text, err := b.Recognizer().Recognize(t.Context(), make([]int16, 400_000))
	require.NoError(t, err)
	require.Equal(t, "400000 samples", text)
	text, err = b.Recognizer().Recognize(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, text)
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = strings.Repeat("x", i)
	}
	vectors, err := b.Embedder().Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Len(t, vectors, 100)
	require.Equal(t, []float32{99, 1}, vectors[99])
	require.Equal(t, echo.EngineReady, b.Embedder().Engine().State, "it is kept for a while")
	detector := b.Detector()
	defer detector.Hold()()
	b.await(detector.Engine, echo.EngineReady) // loading takes longer than a frame may
	require.NoError(t, detector.Reset())
	probability, err := detector.Speech(make([]int16, 512))
	require.NoError(t, err)
	require.InDelta(t, 0.75, probability, 0)
}

func TestWakesWhenItIsSureEnough(t *testing.T) {
	b := running(t, "", patient)
	waker := b.Waker()
	require.False(t, waker.Ready())
	defer waker.Hold()()
	require.NoError(t, waker.Reset())
	require.True(t, waker.Ready())
	hop := make([]int16, local.WakeHop)
	for sure, want := range map[int16]bool{0: false, 100*local.WakeThreshold - 1: false, 100*local.WakeThreshold + 1: true, 100: true} {
		hop[0] = sure
		woken, err := waker.Hear(hop)
		require.NoError(t, err)
		require.Equal(t, want, woken, "%d of 100", sure)
	}
	_, err := waker.Hear(hop[1:])
	require.Error(t, err, "no whole hop")
}

func TestMissingWakeWordIsNamedAndVoiceActivityGoesOn(t *testing.T) {
	b := running(t, "", patient)
	defer b.Waker().Hold()()
	hop := make([]int16, local.WakeHop)
	hop[0] = -1
	_, err := b.Waker().Hear(hop)
	require.Equal(t, echo.CodeEngineUnreachable, echo.CodeOf(err))
	require.Contains(t, echo.AsError(err).Message, "/models/wake/x.onnx")
	require.Contains(t, echo.AsError(err).Message, "echo-companion models fetch")
	probability, err := b.Detector().Speech(make([]int16, 512))
	require.NoError(t, err)
	require.InDelta(t, 0.75, probability, 0)
	require.Equal(t, 1, strings.Count(b.log(), "listen"), "one process, not started again")
}

func TestFailureCostsOneRequest(t *testing.T) {
	for text, want := range map[string]echo.Code{
		"crash":    echo.CodeEngineError,
		"refuse":   echo.CodeEngineError,
		"nonsense": echo.CodeEngineError,
		"garbage":  echo.CodeEngineError,
		"hang":     echo.CodeEngineTimeout,
	} {
		t.Run(text, func(t *testing.T) {
			b := running(t, "", 2*time.Second)
			defer b.Synthesizer().Hold()()
			_, err := b.say(text, "jenny")
			require.Equal(t, want, echo.CodeOf(err), "%v", err)
			require.NotEmpty(t, echo.AsError(err).Message)
			heard, err := b.say("next", "jenny")
			require.NoError(t, err)
			require.Equal(t, "next/jenny", heard)
		})
	}
}

func TestSlowIsNotSilent(t *testing.T) {
	b := running(t, "", 2*time.Second)
	heard, err := b.say("slowly", "jenny")
	require.NoError(t, err)
	require.Len(t, heard, 5)
}

func TestCancelReturnsAtOnceAndTheNextWorks(t *testing.T) {
	b := running(t, "", patient)
	defer b.Synthesizer().Hold()()
	ctx, cancel := context.WithCancel(t.Context())
	err := b.Synthesizer().Synthesize(ctx, "endless", "jenny", func([]int16) error { cancel(); return nil })
	require.ErrorIs(t, err, context.Canceled)
	heard, err := b.say("next", "jenny")
	require.NoError(t, err)
	require.Equal(t, "next/jenny", heard)
	require.Contains(t, b.log(), "cancelled")
	require.Equal(t, 1, strings.Count(b.log(), "synthesize"))
}

func TestEmitsErrorComesBackAsItIs(t *testing.T) {
	b := running(t, "", patient)
	full := errors.New("the window is gone")
	require.Equal(t, full, b.Synthesizer().Synthesize(t.Context(), "endless", "jenny", func([]int16) error { return full }))
	_, err := b.say("next", "jenny")
	require.NoError(t, err)
}

func TestRequestsShareAProcessOneAfterTheOther(t *testing.T) {
	b := running(t, "", patient)
	defer b.Synthesizer().Hold()()
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			heard, err := b.say("together", "alan")
			if err != nil || heard != "together/alan" {
				t.Errorf("%q, %v", heard, err)
			}
		})
	}
	group.Wait()
	require.Equal(t, 1, strings.Count(b.log(), "synthesize"))
}

func TestWhatIsMissingIsNamedWithTheStepThatHelps(t *testing.T) {
	b := running(t, "missing", patient)
	_, err := b.say("hi", "jenny")
	require.Equal(t, echo.CodeEngineUnreachable, echo.CodeOf(err))
	require.Contains(t, echo.AsError(err).Message, "/models/x.onnx")
	require.Contains(t, echo.AsError(err).Message, "echo-companion models fetch")

	release := b.Recognizer().Hold()
	b.await(b.Recognizer().Engine, echo.EngineFailed)
	require.Contains(t, b.Recognizer().Engine().Problem, "models fetch")
	b.script("") // fetched: nothing has to be restarted
	text, err := b.Recognizer().Recognize(t.Context(), make([]int16, 10))
	require.NoError(t, err)
	require.Equal(t, "10 samples", text)
	require.Empty(t, b.Recognizer().Engine().Problem)
	release()
}

func TestMissingProgramIsNamed(t *testing.T) {
	engines := local.New(local.Config{Path: filepath.Join(t.TempDir(), "echo-engine"), Models: t.TempDir()}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() { _ = engines.Run(ctx) })
	_, err := engines.Recognizer().Recognize(ctx, make([]int16, 10))
	require.Equal(t, echo.CodeEngineUnreachable, echo.CodeOf(err))
	require.Contains(t, echo.AsError(err).Message, "echo-engine")
	cancel()
	group.Wait()
	_, err = engines.Recognizer().Recognize(t.Context(), make([]int16, 10))
	require.Equal(t, echo.CodeEngineUnreachable, echo.CodeOf(err), "after Run has ended")
}

func TestProgramThatCannotLoadIsTriedForEachRequest(t *testing.T) {
	for _, script := range []string{"crash on load", "hang on load"} {
		b := running(t, script, patient)
		release := b.Synthesizer().Hold()
		for range 2 {
			_, err := b.say("hi", "jenny")
			require.Equal(t, echo.CodeEngineUnreachable, echo.CodeOf(err), script)
		}
		b.script("")
		require.Eventually(t, func() bool { _, err := b.say("hi", "jenny"); return err == nil }, 10*time.Second, time.Millisecond)
		release()
	}
}

func TestRunEndsEverything(t *testing.T) {
	b := running(t, "", patient)
	b.Synthesizer().Hold()
	b.Recognizer().Hold()
	b.await(b.Synthesizer().Engine, echo.EngineReady)
	b.await(b.Recognizer().Engine, echo.EngineReady)
	b.stop()
	require.Equal(t, 2, strings.Count(b.log(), "ended"))
	require.Equal(t, echo.EngineStopped, b.Synthesizer().Engine().State)
}

func TestRunEndsWhileSpeechIsTaken(t *testing.T) {
	b := running(t, "", patient)
	taken, gate := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	var err error
	group.Go(func() {
		err = b.Synthesizer().Synthesize(t.Context(), "endless", "jenny", func([]int16) error {
			select {
			case taken <- struct{}{}:
			default:
			}
			<-gate
			return nil
		})
	})
	<-taken
	b.stop() // although the taker stands still
	close(gate)
	group.Wait()
	require.Error(t, err)
}
