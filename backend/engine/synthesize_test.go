package main

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/speech/frame"
)

func TestVoicesDifferAndUnknownOnesAreJenny(t *testing.T) {
	s := loaded(t, newSynthesizer)
	for _, name := range []string{"alan", "jenny", "nobody", ""} {
		pcm := speak(t, s, name, "Good morning.")
		require.InDelta(t, 1.0, float64(len(pcm))/outputRate, 0.7, name)
		var power float64
		for _, sample := range pcm {
			power += float64(sample) * float64(sample)
		}
		require.Greater(t, math.Sqrt(power/float64(len(pcm))), 500.0, name)
	}
	require.Len(t, s.voices, 2)
}

func TestTextWithoutWordsIsSilent(t *testing.T) {
	s := loaded(t, newSynthesizer)
	for _, text := range []string{"", "   ", "...", "🙂", "\x00\x01", "—"} {
		require.Empty(t, speak(t, s, "jenny", text), text)
	}
}

func TestOddTextsAreSpoken(t *testing.T) {
	s := loaded(t, newSynthesizer)
	for _, text := range []string{"Ünïcode 你好 and Ελλάδα.", "a\x00b", "\xff\xfe broken", "1,234.56 €", "x"} {
		require.NotEmpty(t, speak(t, s, "jenny", text), text)
	}
}

func TestSentencesComeOneByOne(t *testing.T) {
	s := loaded(t, newSynthesizer)
	start := time.Now()
	var first time.Duration
	text := "The first sentence is short. The second sentence is a good deal longer than the first one was, so it takes a while to speak."
	require.NoError(t, s.answer(context.Background(), frame.Frame{Kind: frame.KindSynthesize, Payload: frame.JSON(frame.Utterance{Text: text})},
		func(frame.Kind, []byte) error {
			if first == 0 {
				first = time.Since(start)
			}
			return nil
		}))
	require.Less(t, first, time.Since(start)*2/3)
}

func TestCancelledSpeechSendsNoMore(t *testing.T) {
	s := loaded(t, newSynthesizer)
	ctx, cancel := context.WithCancel(context.Background())
	frames := 0
	err := s.answer(ctx, frame.Frame{Kind: frame.KindSynthesize, Payload: frame.JSON(frame.Utterance{Text: strings.Repeat("Many words follow here. ", 40)})},
		func(frame.Kind, []byte) error {
			frames++
			cancel()
			return ctx.Err()
		})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, frames)
	require.NotEmpty(t, speak(t, s, "jenny", "The next one is whole."))
}

func TestPiecesJoinToTheText(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 400))
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"short":      {"Hello  there.\nDr. Smith.", []string{"Hello there. Dr. Smith."}},
		"no words":   {"?! ...", nil},
		"one letter": {"a", []string{"a"}},
		"sentences":  {strings.Repeat("a", 150) + ". " + strings.Repeat("b", 150) + ".", []string{strings.Repeat("a", 150) + ".", strings.Repeat("b", 150) + "."}},
		"clauses":    {strings.Repeat("a", 150) + ", " + strings.Repeat("b", 150), []string{strings.Repeat("a", 150) + ",", strings.Repeat("b", 150)}},
		"unbroken":   {strings.Repeat("a", 450), []string{strings.Repeat("a", 200), strings.Repeat("a", 200), strings.Repeat("a", 50)}},
	} {
		require.Equal(t, c.want, pieces(c.text), name)
	}
	require.Equal(t, long, strings.Join(pieces(long), " "))
}

func FuzzPieces(f *testing.F) {
	f.Add("Hello. " + strings.Repeat("x", 300))
	f.Fuzz(func(t *testing.T, text string) {
		for _, piece := range pieces(text) {
			require.LessOrEqual(t, len([]rune(piece)), maxPiece)
			require.NotEmpty(t, piece)
			require.NotContains(t, piece, "\x00")
		}
	})
}

func BenchmarkSynthesize(b *testing.B) {
	s := loaded(b, newSynthesizer)
	samples := 0
	var first time.Duration
	for b.Loop() {
		start, heard := time.Now(), false
		err := s.answer(context.Background(), frame.Frame{Kind: frame.KindSynthesize, Payload: frame.JSON(frame.Utterance{Text: "The capital city of Australia is Canberra."})},
			func(_ frame.Kind, payload []byte) error {
				if !heard {
					first, heard = first+time.Since(start), true
				}
				samples += len(payload) / 2
				return nil
			})
		require.NoError(b, err)
	}
	b.ReportMetric(b.Elapsed().Seconds()/(float64(samples)/outputRate), "rtf")
	b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "first-ms")
}
