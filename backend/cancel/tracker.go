package cancel

import (
	"math"

	"echo-companion/backend/audio"
)

const (
	slot      = frame / 2 // 10 ms: an energy, and the step of an estimate
	lags      = 80        // the longest delay: 0.8 s, more than Bluetooth takes
	span      = 300       // energies that are compared: 3 s
	every     = 50        // energies between two estimates
	active    = span / 3  // of them, that Echo must have been speaking in
	alike     = 0.6       // the least correlation of an estimate
	agreement = 2         // how many lags two estimates in a row may lie apart
)

// tracker estimates how long Echo's voice takes from the loudspeaker's queue to the microphone, by the energies of the two.
type tracker struct {
	heard, played [lags + span]float64 // log energies, the newest last
	count         int
	last          int // the last estimate; -1 is none
}

func newTracker() *tracker {
	t := &tracker{}
	t.reset()
	return t
}

func (t *tracker) reset() { *t = tracker{last: -1} }

// next takes the next 20 ms of both, and gives a delay in samples where it has one.
func (t *tracker) next(mic, played []int16) (delay int, known bool) {
	for at := 0; at < frame; at += slot {
		push(&t.heard, energy(mic[at:at+slot]))
		push(&t.played, energy(played[at:at+slot]))
	}
	before := t.count / every
	t.count += 2
	if t.count < len(t.heard) || t.count/every == before {
		return 0, false
	}
	lag, likeness := t.best()
	if likeness < alike {
		return 0, false
	}
	sure := t.last >= 0 && lag-t.last <= agreement && t.last-lag <= agreement
	t.last = lag
	return lag * slot, sure
}

// best is the lag at which the energies are most alike.
func (t *tracker) best() (lag int, likeness float64) {
	speaking := 0
	for _, e := range t.played[lags:] {
		if e > 0 {
			speaking++
		}
	}
	if speaking < active {
		return 0, 0
	}
	for l := range lags {
		if c := correlation(t.heard[lags:], t.played[lags-l:lags-l+span]); c > likeness {
			lag, likeness = l, c
		}
	}
	return lag, likeness
}

func push(energies *[lags + span]float64, e float64) {
	copy(energies[:], energies[1:])
	energies[len(energies)-1] = e
}

// energy is the logarithm of a sound's level, 0 for what is next to silence.
func energy(pcm []int16) float64 { return math.Log10(max(audio.RMS(pcm)*1000, 1)) }

// correlation is Pearson's, 0 where one of the two does not vary.
func correlation(a, b []float64) float64 {
	var sumA, sumB float64
	for i := range a {
		sumA += a[i]
		sumB += b[i]
	}
	meanA, meanB := sumA/float64(len(a)), sumB/float64(len(b))
	var both, squareA, squareB float64
	for i := range a {
		x, y := a[i]-meanA, b[i]-meanB
		both, squareA, squareB = both+x*y, squareA+x*x, squareB+y*y
	}
	if squareA == 0 || squareB == 0 {
		return 0
	}
	return both / math.Sqrt(squareA*squareB)
}
