package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/speech/frame"
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
		{Kind: frame.KindEmbed},
	} {
		require.Error(t, listener.answer(t.Context(), f, func(frame.Kind, []byte) error { return nil }))
	}
}

func BenchmarkListen(b *testing.B) {
	listener := loaded(b, newListener)
	payload := frame.PCM(make([]int16, sileroFrame))
	for b.Loop() {
		ask(b, listener, frame.KindListen, payload)
	}
}
