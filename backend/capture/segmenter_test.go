package capture_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/capture"
)

// run feeds frames written as a string, v voiced and . quiet; each frame holds its number, so that what came out can be read.
func run(s *capture.Segmenter, frames string) (out []string, samples []int) {
	for i, c := range frames {
		frame := make([]int16, 320)
		frame[0] = int16(i)
		for _, h := range s.Frame(frame, c == 'v', true) {
			out, samples = note(h, out, samples)
		}
	}
	return out, samples
}

func note(h capture.Happening, out []string, samples []int) ([]string, []int) {
	switch h.Kind {
	case capture.Began:
		out = append(out, "began")
	case capture.Ended:
		out = append(out, "ended")
	case capture.Samples:
		for i := 0; i < len(h.PCM); i += 320 {
			samples = append(samples, int(h.PCM[i]))
		}
	}
	return out, samples
}

func rep(s string, n int) string { return strings.Repeat(s, n) }

func TestUtterances(t *testing.T) {
	cases := []struct {
		name         string
		patience     int
		frames       string
		out          []string
		first, count int // of the frames that came out
	}{
		{"nothing", 40, rep(".", 200), nil, 0, 0},
		{"eleven voiced frames never leave", 40, rep(".", 30) + rep("v", 11) + rep(".", 100), nil, 0, 0},
		{"twelve do, with 300 ms before and 400 ms after", 40, rep(".", 30) + rep("v", 12) + rep(".", 100), []string{"began", "ended"}, 15, 15 + 12 + 20},
		{"voiced frames need not be neighbours", 40, rep(".", 30) + rep("v.", 12) + rep(".", 100), []string{"began", "ended"}, 15, 15 + 24 + 19},
		{"a cough long before does not count", 40, rep("v", 6) + rep(".", 60) + rep("v", 6) + rep(".", 60), nil, 0, 0},
		{"a pause in mid-sentence does not end it", 40, rep(".", 15) + rep("v", 20) + rep(".", 39) + rep("v", 20) + rep(".", 40), []string{"began", "ended"}, 0, 15 + 20 + 39 + 20 + 20},
		{"a longer one does", 40, rep(".", 15) + rep("v", 20) + rep(".", 40) + rep("v", 20) + rep(".", 40), []string{"began", "ended", "began", "ended"}, 0, 15 + 20 + 20 + 15 + 20 + 20},
		{"held, only letting go ends it", 0, rep(".", 15) + rep("v", 20) + rep(".", 200), []string{"began"}, 0, 15 + 20 + 20},
		{"held, a long pause is shortened", 0, rep(".", 15) + rep("v", 20) + rep(".", 200) + "v", []string{"began"}, 0, 15 + 20 + 20 + 10 + 1},
		{"a minute is cut in two", 40, rep("v", 2900+100), []string{"began", "ended", "began"}, 0, 3000},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out, samples := run(capture.NewSegmenter(c.patience), c.frames)
			require.Equal(t, c.out, out)
			require.Len(t, samples, c.count)
			if c.count > 0 {
				require.Equal(t, c.first, samples[0])
			}
		})
	}
}

func TestLettingGoEndsAHeldUtterance(t *testing.T) {
	s := capture.NewSegmenter(0)
	run(s, rep("v", 20))
	require.Equal(t, []capture.Happening{{Kind: capture.Ended, Voiced: 20}}, s.Finish())
	require.Empty(t, s.Finish())
	run(s, rep("v", 11))
	require.Empty(t, s.Finish(), "too little voice")
}

func TestADetectorDecidesWithTheGate(t *testing.T) {
	s := capture.NewSegmenter(40)
	for range 100 { // a door that slams for 2 s
		require.Empty(t, s.Frame(make([]int16, 320), true, false))
	}
	n := 0
	for range 20 {
		n += len(s.Frame(make([]int16, 320), true, true))
	}
	require.True(t, s.Begun())
	for range 40 { // and then goes on slamming
		n += len(s.Frame(make([]int16, 320), true, false))
	}
	require.False(t, s.Begun())
	require.NotZero(t, n)
}
