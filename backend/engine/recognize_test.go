package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// spoken gives the words of a text as they are compared: numbers as words, no case, no marks.
func spoken(text string) []string {
	numbers := strings.NewReplacer("17", "seventeen", "23", "twenty three", "10", "ten", "6", "six", "x", "times")
	return strings.FieldsFunc(numbers.Replace(strings.ToLower(text)), func(r rune) bool { return (r < 'a' || r > 'z') && r != '\'' })
}

// distance counts the words that are wrong, missing or too many.
func distance(want, got []string) int {
	row := make([]int, len(got)+1)
	for j := range row {
		row[j] = j
	}
	for i, a := range want {
		before := row[0]
		row[0] = i + 1
		for j, b := range got {
			change := before
			if a != b {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(got)]
}

// noisy adds a steady hiss, at a level in decibels below full scale.
func noisy(pcm []int16, level float64) []int16 {
	random := rand.New(rand.NewPCG(1, 2)) // the same in every run
	noise := math.Pow(10, level/20) * math.MaxInt16
	out := make([]int16, len(pcm))
	for i, sample := range pcm {
		out[i] = int16(max(math.MinInt16, min(math.MaxInt16, float64(sample)+noise*random.NormFloat64())))
	}
	return out
}

func surrounded(pcm []int16, before, after int) []int16 {
	return append(append(make([]int16, before), pcm...), make([]int16, after)...)
}

func TestSentencesAreWrittenDown(t *testing.T) {
	recognizer, synthesizer := loaded(t, newRecognizer), loaded(t, newSynthesizer)
	voice := func(i int) string { return []string{"jenny", "alan"}[i%2] }
	var spokenAloud [][]int16
	for i, sentence := range sentences(t) {
		spokenAloud = append(spokenAloud, toInput(t, speak(t, synthesizer, voice(i), sentence)))
	}
	for name, change := range map[string]func([]int16) []int16{
		"close":      func(pcm []int16) []int16 { return pcm },
		"long quiet": func(pcm []int16) []int16 { return surrounded(pcm, 2*inputRate, 3*inputRate) },
		"hiss":       func(pcm []int16) []int16 { return noisy(surrounded(pcm, inputRate, inputRate), -45) },
	} {
		t.Run(name, func(t *testing.T) {
			wrong, all := 0, 0
			for i, sentence := range sentences(t) {
				got := hear(t, recognizer, change(spokenAloud[i]))
				errors := distance(spoken(sentence), spoken(got))
				if errors > 0 {
					t.Logf("%s: %q became %q", voice(i), sentence, got)
				}
				wrong, all = wrong+errors, all+len(spoken(sentence))
			}
			rate := 100 * float64(wrong) / float64(all)
			t.Logf("word error rate %.1f %%", rate)
			require.Less(t, rate, 8.0) // Piper speaks a little differently each time
		})
	}
}

func TestShortWordsAreHeard(t *testing.T) {
	recognizer, synthesizer := loaded(t, newRecognizer), loaded(t, newSynthesizer)
	heard, right, all := 0, 0, 0
	for _, word := range []string{"Stop.", "Yes.", "No.", "Cancel.", "Wait.", "Go.", "Stop talking.", "Never mind."} {
		for _, voice := range []string{"jenny", "alan"} {
			got := spoken(hear(t, recognizer, toInput(t, speak(t, synthesizer, voice, word))))
			all++
			if len(got) > 0 {
				heard++
			}
			if distance(spoken(word), got) == 0 {
				right++
			} else {
				t.Logf("%s: %q became %v", voice, word, got)
			}
		}
	}
	t.Logf("of %d short utterances %d were heard, %d rightly", all, heard, right)
	require.GreaterOrEqual(t, heard, all*9/10)
	require.GreaterOrEqual(t, right, all*6/10)
}

func TestLongSpeechIsHeardToItsEnd(t *testing.T) {
	recognizer, synthesizer := loaded(t, newRecognizer), loaded(t, newSynthesizer)
	var pcm []int16
	var want []string
	for _, sentence := range sentences(t) {
		pcm = append(pcm, surrounded(toInput(t, speak(t, synthesizer, "jenny", sentence)), 0, inputRate)...)
		want = append(want, spoken(sentence)...)
	}
	got := spoken(hear(t, recognizer, pcm))
	require.Greater(t, len(pcm), 50*inputRate)
	require.Less(t, float64(distance(want, got))/float64(len(want)), 0.1, "heard %v", got)
}

func TestOtherSoundsAreNothing(t *testing.T) {
	recognizer := loaded(t, newRecognizer)
	tone := make([]int16, 2*inputRate)
	clicks := make([]int16, 2*inputRate)
	for i := range tone {
		tone[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(i)/inputRate))
		if i%8000 < 20 {
			clicks[i] = 30000
		}
	}
	for name, pcm := range map[string][]int16{
		"nothing": nil,
		"silence": make([]int16, 3*inputRate),
		"hiss":    noisy(make([]int16, 3*inputRate), -30),
		"a tone":  tone,
		"clicks":  clicks,
		"a blip":  make([]int16, 100),
	} {
		require.Empty(t, hear(t, recognizer, pcm), name)
	}
}

func TestIncredibleTextsAreRejected(t *testing.T) {
	for text, want := range map[string]string{
		" Turn off the lights. ":         "Turn off the lights.",
		"Café naïve, 12 times 7!":        "Café naïve, 12 times 7!",
		"我们去吧":                           "",
		"Привет, how are you":            "",
		"...":                            "",
		"":                               "",
		"no no no no no no":              "no no no no no no",
		strings.Repeat("thank you ", 70): "",
		strings.Repeat("the ", 20):       "",
		strings.Repeat("ha", 40):         "",
		"hahahaha that is funny":         "hahahaha that is funny",
		"one two three four five six seven eight nine ten eleven twelve": "one two three four five six seven eight nine ten eleven twelve",
	} {
		require.Equal(t, want, credible(text))
	}
}

func TestPassages(t *testing.T) {
	frames := func(parts ...[2]float32) []float32 { // pairs of seconds and probability
		var all []float32
		for _, part := range parts {
			for range int(part[0] * inputRate / sileroFrame) {
				all = append(all, part[1])
			}
		}
		return all
	}
	for name, c := range map[string]struct {
		probabilities []float32
		seconds       []float64
	}{
		"silence":            {frames([2]float32{3, 0.1}), nil},
		"a cough":            {frames([2]float32{1, 0}, [2]float32{0.13, 0.9}, [2]float32{1, 0}), nil},
		"one phrase":         {frames([2]float32{1, 0}, [2]float32{2, 0.9}, [2]float32{1, 0}), []float64{2 + 0.32}},
		"a pause is kept":    {frames([2]float32{2, 0.9}, [2]float32{0.6, 0}, [2]float32{2, 0.9}), []float64{4.6}},
		"a long one is not":  {frames([2]float32{2, 0.9}, [2]float32{3, 0}, [2]float32{2, 0.9}), []float64{4 + 0.32 + 0.6}},
		"two long passages":  {frames([2]float32{15, 0.9}, [2]float32{1, 0}, [2]float32{15, 0.9}), []float64{15.16, 15.16}},
		"speech without end": {frames([2]float32{15, 0.9}, [2]float32{0.1, 0.4}, [2]float32{15, 0.9}), []float64{15, 15.1}},
	} {
		t.Run(name, func(t *testing.T) {
			var seconds []float64
			for _, piece := range passages(make([]int16, len(c.probabilities)*sileroFrame), c.probabilities) {
				seconds = append(seconds, float64(len(piece.pcm))/inputRate)
			}
			require.Len(t, seconds, len(c.seconds))
			require.InDeltaSlice(t, c.seconds, seconds, 0.15)
		})
	}
}

func BenchmarkRecognize(b *testing.B) {
	recognizer, synthesizer := loaded(b, newRecognizer), loaded(b, newSynthesizer)
	pcm := toInput(b, speak(b, synthesizer, "jenny", "What is the capital city of Australia?"))
	for b.Loop() {
		hear(b, recognizer, pcm)
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/(float64(len(pcm))/inputRate), "rtf")
}
