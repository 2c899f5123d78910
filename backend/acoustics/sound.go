package acoustics

import (
	"math"
	"math/rand/v2"
)

// Loudspeaker is signal as a small loudspeaker gives it: loud parts are pressed together, by a third-order term of the share
// drive (0.1 is mild: some 3 % of distortion at full level), and below 150 Hz little is left. Full level is 1.
func Loudspeaker(signal []float64, rate int, drive float64) []float64 {
	pressed := make([]float64, len(signal))
	for i, s := range signal {
		pressed[i] = s - drive*s*s*s
	}
	return highPass(pressed, rate, 150)
}

// highPass takes away what lies below hertz, in place, by 6 dB an octave.
func highPass(signal []float64, rate int, hertz float64) []float64 {
	pole := math.Exp(-2 * math.Pi * hertz / float64(rate))
	before, high := 0.0, 0.0
	for i, s := range signal {
		high = pole * (high + s - before)
		before, signal[i] = s, high
	}
	return signal
}

// Kind is a kind of noise.
type Kind string

// The kinds of noise.
const (
	Fan      Kind = "fan"      // steady, low
	Hiss     Kind = "hiss"     // steady, white
	Keyboard Kind = "keyboard" // short clicks, some six a second
	Hum      Kind = "hum"      // of the mains, with its harmonics
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{Fan, Hiss, Keyboard, Hum} }

// Noise is n samples of a kind of noise with a root mean square of level (full level is 1).
func Noise(kind Kind, n, rate int, level float64, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // noise that can be made again
	out := make([]float64, n)
	low := 0.0
	click := 0.0
	for i := range out {
		switch kind {
		case Fan:
			low += 0.03 * (random.NormFloat64() - low)
			out[i] = low
		case Hiss:
			out[i] = random.NormFloat64()
		case Keyboard:
			if random.Float64() < 6/float64(rate) {
				click = 1
			}
			click *= 1 - 250/float64(rate)
			out[i] = click * random.NormFloat64()
		case Hum:
			t := 2 * math.Pi * 50 * float64(i) / float64(rate)
			out[i] = math.Sin(t) + 0.5*math.Sin(2*t) + 0.3*math.Sin(3*t) + 0.01*random.NormFloat64()
		}
	}
	return Scale(out, level)
}

// syllable is how long a synthetic voice keeps a sound, in seconds.
const syllable = 0.18

// Voice is n samples of a synthetic voice: pulses at a pitch near hertz through resonances that change with each syllable, with
// pauses. It has the spectrum and rhythm of speech and says nothing. Its root mean square is 0.1.
func Voice(n, rate int, hertz float64, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // a voice that can be made again
	out := make([]float64, n)
	var formants [3]resonance
	phase, pitch, loud, want := 0.0, hertz, 0.0, 0.0
	for i := range out {
		if i%int(syllable*float64(rate)) == 0 {
			want = 1
			if random.Float64() < 0.25 {
				want = 0
			}
			pitch = hertz * (0.85 + 0.3*random.Float64())
			formants[0].tune(300+500*random.Float64(), 80, rate)
			formants[1].tune(900+1300*random.Float64(), 120, rate)
			formants[2].tune(2400+800*random.Float64(), 180, rate)
		}
		loud += (want - loud) * 60 / float64(rate)
		phase += pitch / float64(rate)
		source := 0.02 * random.NormFloat64()
		if phase >= 1 {
			phase--
			source++
		}
		source *= loud
		out[i] = formants[0].next(source) + 0.6*formants[1].next(source) + 0.3*formants[2].next(source)
	}
	return Scale(out, 0.1)
}

// resonance is a filter with one peak.
type resonance struct{ a, b, gain, y1, y2 float64 }

func (r *resonance) tune(hertz, width float64, rate int) {
	decay := math.Exp(-math.Pi * width / float64(rate))
	r.a, r.b = 2*decay*math.Cos(2*math.Pi*hertz/float64(rate)), -decay*decay
	r.gain = 1 - decay
}

func (r *resonance) next(x float64) float64 {
	y := r.gain*x + r.a*r.y1 + r.b*r.y2
	r.y1, r.y2 = y, r.y1
	return y
}

// RMS is the root mean square of a signal.
func RMS(signal []float64) float64 {
	sum := 0.0
	for _, s := range signal {
		sum += s * s
	}
	return math.Sqrt(sum / float64(max(len(signal), 1)))
}

// Scale brings a signal to a root mean square, in place, and gives it back. Silence stays silence.
func Scale(signal []float64, rms float64) []float64 {
	now := RMS(signal)
	if now == 0 {
		return signal
	}
	for i := range signal {
		signal[i] *= rms / now
	}
	return signal
}

// Add adds b to a, from the sample at on, in place.
func Add(a, b []float64, at int) {
	for i := range min(len(b), max(len(a)-at, 0)) {
		a[at+i] += b[i]
	}
}

// PCM is a signal in 16-bit samples; what is above full level is clipped.
func PCM(signal []float64) []int16 {
	out := make([]int16, len(signal))
	for i, s := range signal {
		out[i] = int16(math.Round(32767 * max(-1, min(1, s))))
	}
	return out
}

// Signal is 16-bit samples as a signal of full level 1.
func Signal(pcm []int16) []float64 {
	out := make([]float64, len(pcm))
	for i, s := range pcm {
		out[i] = float64(s) / 32767
	}
	return out
}
