// Package resample changes the sample rate of mono sound: a windowed sinc in polyphase form, with the filter's delay taken
// out, so that what comes out lies where it lay. It is pure and knows no device and no file.
package resample

import (
	"fmt"
	"math"
)

const (
	crossings = 32   // zero crossings of the sinc on each side: a transition of about a tenth of the band
	passband  = 0.94 // of the lower Nyquist frequency, so that the transition ends close to it
	beta      = 9.0  // of the Kaiser window: about 90 dB, below what 16 bits can hold
	minRate   = 8000
	maxRate   = 192000
)

// Resampler turns one stream from one rate into another. It is for one goroutine; the zero value is of no use.
type Resampler struct {
	up, down int         // the ratio of the rates in lowest terms
	half     int         // taps on each side of a place
	phases   [][]float32 // one filter for each of the places between two samples
	pending  []float32   // input from the first sample that is still needed
	first    int         // index in the stream of pending[0]; negative before the start
	taken    int         // samples that came in
	given    int         // samples that went out
}

// New makes a resampler between two rates in samples per second, each from 8,000 to 192,000.
func New(from, to int) (*Resampler, error) {
	if min(from, to) < minRate || max(from, to) > maxRate {
		return nil, fmt.Errorf("resample from %d to %d samples a second: rates lie between %d and %d", from, to, minRate, maxRate)
	}
	common := gcd(from, to)
	r := &Resampler{up: to / common, down: from / common}
	if r.up == r.down {
		return r, nil
	}
	scale := min(1, float64(to)/float64(from)) // going down, the filter widens
	r.half = int(math.Ceil(crossings / scale))
	r.phases = filters(r.up, r.half, passband*scale)
	r.Reset()
	return r, nil
}

// Reset makes the resampler ready for another stream.
func (r *Resampler) Reset() {
	r.pending = make([]float32, max(0, r.half-1))
	r.first, r.taken, r.given = 1-r.half, 0, 0
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// filters are the taps for each of the places k/up behind a sample. Each sums to one: a constant stays the same.
func filters(up, half int, cutoff float64) [][]float32 {
	phases := make([][]float32, up)
	for phase := range phases {
		taps := make([]float64, 2*half)
		var sum float64
		for j := range taps {
			distance := float64(phase)/float64(up) + float64(half-1-j)
			taps[j] = cutoff * sinc(cutoff*distance) * kaiser(distance/float64(half))
			sum += taps[j]
		}
		phases[phase] = make([]float32, 2*half)
		for j, tap := range taps {
			phases[phase][j] = float32(tap / sum)
		}
	}
	return phases
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

func kaiser(x float64) float64 {
	if x < -1 || x > 1 {
		return 0
	}
	return bessel(beta*math.Sqrt(1-x*x)) / bessel(beta)
}

// bessel is the modified Bessel function of the first kind and order zero, by its series.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1; term > sum*1e-12; k++ {
		term *= x * x / float64(4*k*k)
		sum += term
	}
	return sum
}

// Write takes the next samples and gives those that can be told by now.
func (r *Resampler) Write(in []float32) []float32 {
	r.taken += len(in)
	if r.phases == nil {
		return append([]float32(nil), in...)
	}
	r.pending = append(r.pending, in...)
	return r.drain(math.MaxInt)
}

// Flush gives what is left at the end of the stream. Reset makes the resampler usable again.
func (r *Resampler) Flush() []float32 {
	if r.phases == nil {
		return nil
	}
	r.pending = append(r.pending, make([]float32, r.half)...)
	return r.drain((r.taken*r.up + r.down - 1) / r.down)
}

func (r *Resampler) drain(end int) []float32 {
	out := make([]float32, 0, len(r.pending)*r.up/r.down+1)
	for r.given < end {
		at := r.given * r.down
		from := at/r.up - r.half + 1 - r.first
		if from+2*r.half > len(r.pending) {
			break
		}
		var sum float32
		window := r.pending[from : from+2*r.half]
		for j, tap := range r.phases[at%r.up] {
			sum += tap * window[j]
		}
		out = append(out, sum)
		r.given++
	}
	if spent := min(r.given*r.down/r.up-r.half+1-r.first, len(r.pending)); spent > 0 {
		r.pending = append(r.pending[:0], r.pending[spent:]...)
		r.first += spent
	}
	return out
}

// PCM turns samples between -1 and 1 into 16-bit ones; what is louder is clipped.
func PCM(samples []float32) []int16 {
	pcm := make([]int16, len(samples))
	for i, sample := range samples {
		pcm[i] = int16(math.Round(float64(max(-1, min(1, sample))) * math.MaxInt16))
	}
	return pcm
}

// Floats turns 16-bit samples into numbers between -1 and 1.
func Floats(pcm []int16) []float32 {
	samples := make([]float32, len(pcm))
	for i, sample := range pcm {
		samples[i] = float32(sample) / (math.MaxInt16 + 1)
	}
	return samples
}
