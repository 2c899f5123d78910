package cancel

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"

	"echo-companion/backend/speech"
)

const (
	slot     = frame / 2 // 10 ms: the step in which sounds are compared
	window   = 512       // samples that a spectrum is of: 32 ms
	bands    = 16
	lowest   = 200  // hertz: below it a small loudspeaker gives little, and rooms hum
	highest  = 6000 // hertz
	still    = -20  // decibels of a band that are next to silence; a full sine has 77
	audible  = 15   // decibels of a band in which Echo speaks
	quietest = 20   // decibels of the noise floor before anything was heard
)

// levels are the levels of a sound's bands over 32 ms, in decibels.
type levels [bands]float64

// analyser gives the levels of a sound, 10 ms at a time.
type analyser struct {
	fft    *fourier.FFT
	shape  [window]float64
	sound  [window]float64 // the newest last
	in     [window]float64
	out    []complex128
	begins [bands + 1]int // of the bands, in lines of the spectrum
}

func newAnalyser() *analyser {
	a := &analyser{fft: fourier.NewFFT(window), out: make([]complex128, window/2+1)}
	for i := range a.shape {
		a.shape[i] = 0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/window)
	}
	mel := func(hertz float64) float64 { return math.Log(1 + hertz/700) }
	for i := range a.begins {
		at := mel(lowest) + (mel(highest)-mel(lowest))*float64(i)/bands
		a.begins[i] = int(math.Round((math.Exp(at) - 1) * 700 * window / speech.InputRate))
	}
	return a
}

// next takes the next 10 ms.
func (a *analyser) next(pcm []int16) (l levels) {
	copy(a.sound[:], a.sound[slot:])
	for i, s := range pcm[:slot] {
		a.sound[window-slot+i] = float64(s)
	}
	for i, s := range a.sound {
		a.in[i] = s * a.shape[i]
	}
	a.fft.Coefficients(a.out, a.in[:])
	for b := range l {
		power := 0.0
		for _, x := range a.out[a.begins[b]:a.begins[b+1]] {
			power += real(x)*real(x) + imag(x)*imag(x)
		}
		l[b] = max(10*math.Log10(power/float64(a.begins[b+1]-a.begins[b])/window+1e-9), still)
	}
	return l
}
