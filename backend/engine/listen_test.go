package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/engine/wake"
	"echo-companion/backend/speech/frame"
	"echo-companion/backend/speech/local"
)

// probabilities gives what the listener says of every whole frame.
func probabilities(t *testing.T, w worker, pcm []int16) []float32 {
	t.Helper()
	require.Empty(t, ask(t, w, frame.KindListen, nil))
	var all []float32
	for from := 0; from+sileroFrame <= len(pcm); from += sileroFrame {
		answers := ask(t, w, frame.KindListen, frame.PCM(pcm[from:from+sileroFrame]))
		require.Len(t, answers, 1)
		numbers, err := frame.Numbers(answers[0].Payload)
		require.NoError(t, err)
		all = append(all, numbers...)
	}
	return all
}

func TestSpeechIsToldFromOtherSounds(t *testing.T) {
	listener, synthesizer := loaded(t, newListener), loaded(t, newSynthesizer)
	speech := toInput(t, speak(t, synthesizer, "jenny", "What is the capital city of Australia?"))
	voiced := func(pcm []int16) float64 {
		count := 0
		all := probabilities(t, listener, pcm)
		for _, p := range all {
			if p >= voiceOn {
				count++
			}
		}
		return float64(count) / float64(len(all))
	}
	require.Greater(t, voiced(speech), 0.7)
	require.Greater(t, voiced(noisy(speech, -40)), 0.6)
	require.Zero(t, voiced(make([]int16, inputRate)))
	require.Zero(t, voiced(noisy(make([]int16, inputRate), -30)))
}

func TestListenerForgetsBetweenRecordings(t *testing.T) {
	listener, synthesizer := loaded(t, newListener), loaded(t, newSynthesizer)
	speech := toInput(t, speak(t, synthesizer, "alan", "Good morning."))
	first := probabilities(t, listener, speech)
	require.Equal(t, first, probabilities(t, listener, speech))
}

func TestFramesOfAnotherSizeAreRefused(t *testing.T) {
	listener := loaded(t, newListener)
	for _, f := range []frame.Frame{
		{Kind: frame.KindListen, Payload: make([]byte, 1000)},
		{Kind: frame.KindListen, Payload: make([]byte, 1023)},
		{Kind: frame.KindWake, Payload: make([]byte, 2*wake.Hop-2)},
		{Kind: frame.KindEmbed},
	} {
		require.Error(t, listener.answer(t.Context(), f, func(frame.Kind, []byte) error { return nil }))
	}
}

// Who never asks for "Hey Echo" needs nothing of it, and who does is told which file is missing.
func TestVoiceActivityNeedsNoWakeWord(t *testing.T) {
	options := testOptions(t)
	bare := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(options.models, "silero"), filepath.Join(bare, "silero")))
	options.models = bare
	listener, err := newListener(options)
	require.NoError(t, err)
	wakes := frame.Frame{Kind: frame.KindWake, Payload: frame.PCM(make([]int16, wake.Hop))}
	for range 2 { // it is looked for each time: it may have been fetched
		err := listener.answer(t.Context(), wakes, func(frame.Kind, []byte) error { return nil })
		require.Error(t, err)
		var told frame.Failure
		require.NoError(t, json.Unmarshal(failure(err), &told))
		require.Equal(t, filepath.Join(bare, "wake", "melspectrogram.onnx"), told.Missing)
	}
	require.Len(t, ask(t, listener, frame.KindListen, frame.PCM(make([]int16, sileroFrame))), 1)
	require.NoError(t, os.Symlink(filepath.Join(testOptions(t).models, "wake"), filepath.Join(bare, "wake")))
	require.Len(t, ask(t, listener, wakes.Kind, wakes.Payload), 1)
}

func TestSpeechDoesNotDisturbTheWakeWord(t *testing.T) {
	listener := loaded(t, newListener)
	hop := noisy(make([]int16, wake.Hop), -20)
	hear := func(between bool) (all []float32) {
		require.Empty(t, ask(t, listener, frame.KindWake, nil))
		for range 20 {
			if between {
				ask(t, listener, frame.KindListen, frame.PCM(make([]int16, sileroFrame)))
			}
			answers := ask(t, listener, frame.KindWake, frame.PCM(hop))
			require.Len(t, answers, 1)
			require.Equal(t, frame.KindWoken, answers[0].Kind)
			numbers, err := frame.Numbers(answers[0].Payload)
			require.NoError(t, err)
			all = append(all, numbers...)
		}
		return all
	}
	require.Equal(t, hear(false), hear(true))
}

// surest gives how sure the listener is at most that "Hey Echo" was said, and at which sample.
func surest(t *testing.T, w worker, pcm []int16) (most float32, at int) {
	t.Helper()
	require.Empty(t, ask(t, w, frame.KindWake, nil))
	for from := 0; from+wake.Hop <= len(pcm); from += wake.Hop {
		answers := ask(t, w, frame.KindWake, frame.PCM(pcm[from:from+wake.Hop]))
		require.Len(t, answers, 1)
		sure, err := frame.Numbers(answers[0].Payload)
		require.NoError(t, err)
		if sure[0] > most {
			most, at = sure[0], from+wake.Hop
		}
	}
	return most, at
}

// Piper says a text a little differently each time, so one slip of many is none. docs/acoustics.md has the scores of other voices.
func TestHeyEchoWakesAndOtherWordsDoNot(t *testing.T) {
	listener, synthesizer := loaded(t, newListener), loaded(t, newSynthesizer)
	say := func(voice, text string) []int16 {
		return noisy(surrounded(toInput(t, speak(t, synthesizer, voice, text)), inputRate/2, inputRate/2), -45)
	}
	for texts, wakes := range map[[4]string]bool{
		{"Hey Echo!", "Hey Echo?", "Hey Echo, what time is it?", "Hey Echo, tell me a joke."}:                     true,
		{"Hello, is anybody home?", "What is the capital of Spain?", "Okay, let's go.", "He ate eggs and bacon."}: false,
	} {
		wrong := 0
		for _, voice := range []string{"jenny", "alan"} {
			for _, text := range texts {
				pcm := say(voice, text)
				if most, at := surest(t, listener, pcm); (most >= local.WakeThreshold) != wakes {
					wrong++
					t.Logf("%s: %q: %.2f after %.1f s", voice, text, most, float64(at)/inputRate)
				}
			}
		}
		require.LessOrEqual(t, wrong, 1, "wakes: %v", wakes)
	}
}

// The question that follows in the same breath must lie behind the wake, not before it.
func TestItWakesAsTheWordsEnd(t *testing.T) {
	listener, synthesizer := loaded(t, newListener), loaded(t, newSynthesizer)
	words := toInput(t, speak(t, synthesizer, "alan", "Hey Echo!"))
	most, at := surest(t, listener, surrounded(words, inputRate/2, inputRate))
	require.GreaterOrEqual(t, most, float32(local.WakeThreshold))
	require.InDelta(t, inputRate/2+len(words), at, 0.5*inputRate)
}

func TestSilenceAndNoiseNeverWake(t *testing.T) {
	listener := loaded(t, newListener)
	for _, level := range []float64{-90, -50, -30, -10} {
		most, _ := surest(t, listener, noisy(make([]int16, 5*inputRate), level))
		require.Less(t, most, float32(0.3), "noise at %.0f dB", level)
	}
}

func BenchmarkWake(b *testing.B) {
	listener := loaded(b, newListener)
	payload := frame.PCM(make([]int16, wake.Hop))
	for b.Loop() {
		ask(b, listener, frame.KindWake, payload)
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/0.08, "of-real-time")
}

func BenchmarkListen(b *testing.B) {
	listener := loaded(b, newListener)
	payload := frame.PCM(make([]int16, sileroFrame))
	for b.Loop() {
		ask(b, listener, frame.KindListen, payload)
	}
}
