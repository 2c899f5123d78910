package acoustics

import (
	"math"
	"math/rand/v2"
)

// Sound is a sound that nobody means to say.
type Sound string

// The sounds.
const (
	Cough Sound = "cough"
	Door  Sound = "door" // that slams
	Music Sound = "music"
)

// Make is n samples of a sound with a root mean square of level (full level is 1). A cough is two bursts in 0.5 s, a door one thud; both
// are silence afterwards.
func Make(sound Sound, n, rate int, level float64, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // a sound that can be made again
	out := make([]float64, n)
	switch sound {
	case Cough:
		burst(out, rate, 0, 0.22, []float64{550, 1400, 2600}, random)
		burst(out, rate, 0.26, 0.2, []float64{480, 1200, 2400}, random)
	case Door:
		burst(out, rate, 0, 0.35, []float64{70, 140, 320}, random)
	case Music:
		melody(out, rate, random)
	}
	return Scale(out, level)
}

// burst adds noise through resonances that dies away within seconds, from the second at on.
func burst(out []float64, rate int, at, seconds float64, hertz []float64, random *rand.Rand) {
	formants := make([]resonance, len(hertz))
	for i, h := range hertz {
		formants[i].tune(h, 0.3*h, rate)
	}
	begin := int(at * float64(rate))
	for i := range min(int(seconds*float64(rate)), max(len(out)-begin, 0)) {
		t := float64(i) / float64(rate)
		loud := (1 - math.Exp(-t/0.005)) * math.Exp(-t*5/seconds)
		source := loud * random.NormFloat64()
		for k := range formants {
			out[begin+i] += formants[k].next(source)
		}
	}
}

// melody adds plucked notes of a minor scale over a bass, four a second.
func melody(out []float64, rate int, random *rand.Rand) {
	scale := []float64{0, 3, 5, 7, 10, 12, 15}
	step := rate / 4
	for at := 0; at < len(out); at += step {
		for _, hertz := range []float64{
			110 * math.Pow(2, float64(at/step/8%4)/6), 220 * math.Pow(2, scale[random.IntN(len(scale))]/12), 440 * math.Pow(2, scale[random.IntN(len(scale))]/12),
		} {
			for i := range min(3*step, len(out)-at) {
				t := float64(i) / float64(rate)
				for harmonic := 1.0; harmonic <= 4; harmonic++ {
					out[at+i] += math.Exp(-4*t) * (1 - math.Exp(-t/0.004)) * math.Sin(2*math.Pi*hertz*harmonic*t) / (harmonic * harmonic)
				}
			}
		}
	}
}
