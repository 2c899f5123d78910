package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/speech/frame"
)

func vectors(tb testing.TB, w worker, texts ...string) [][]float32 {
	tb.Helper()
	answers := ask(tb, w, frame.KindEmbed, frame.JSON(frame.Texts{Texts: texts}))
	require.Len(tb, answers, len(texts))
	all := make([][]float32, len(answers))
	for i, answer := range answers {
		var err error
		all[i], err = frame.Numbers(answer.Payload)
		require.NoError(tb, err)
		require.Len(tb, all[i], vectorWidth)
	}
	return all
}

func likeness(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestMeaningIsNearerThanWords(t *testing.T) {
	e := loaded(t, newEmbedder)
	v := vectors(
		t, e,
		"When do I have to see the dentist?",
		"The appointment for my teeth is on Friday at nine.",
		"Do I see when the film has to end?",
		"The boiler was serviced in March.",
	)
	for _, vector := range v {
		require.InDelta(t, 1, math.Sqrt(likeness(vector, vector)), 1e-4)
	}
	require.Greater(t, likeness(v[0], v[1]), likeness(v[0], v[2]))
	require.Greater(t, likeness(v[0], v[1]), likeness(v[0], v[3])+0.3)
}

// The published similarity of this pair for all-MiniLM-L6-v2 pins the conversion of the weights.
func TestVectorsAreThoseOfTheOriginal(t *testing.T) {
	e := loaded(t, newEmbedder)
	v := vectors(t, e, "The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")
	require.InDelta(t, 0.6660, likeness(v[0], v[1]), 2e-3)
	require.InDelta(t, 0.1046, likeness(v[0], v[2]), 2e-3)
	require.InDelta(t, 0.1411, likeness(v[1], v[2]), 2e-3)
}

func TestOddTextsHaveVectorsToo(t *testing.T) {
	e := loaded(t, newEmbedder)
	long := make([]byte, 100_000)
	for i := range long {
		long[i] = "word "[i%5]
	}
	for _, vector := range vectors(t, e, "", "\xff", "🙂", "日本語", string(long)) {
		require.InDelta(t, 1, math.Sqrt(likeness(vector, vector)), 1e-3)
	}
}

func TestTokensAreBerts(t *testing.T) {
	e := loaded(t, newEmbedder)
	for text, want := range map[string][]int64{
		"Hello, world!":  {101, 7592, 1010, 2088, 999, 102},
		"Café NAÏVE":     {101, 7668, 15743, 102},
		"embeddings":     {101, 7861, 8270, 4667, 2015, 102},
		"":               {101, 102},
		"a\tb\nc":        {101, 1037, 1038, 1039, 102},
		"中国":             {101, 1746, 1799, 102},
		"it's $5 (five)": {101, 2009, 1005, 1055, 1002, 1019, 1006, 2274, 1007, 102},
	} {
		require.Equal(t, want, e.words.tokens(text), text)
	}
}

func BenchmarkEmbed(b *testing.B) {
	e := loaded(b, newEmbedder)
	for b.Loop() {
		vectors(b, e, "The appointment for my teeth is on Friday at nine.")
	}
}
