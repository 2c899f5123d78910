package acoustics

import "gonum.org/v1/gonum/dsp/fourier"

// Stream hears a signal through a response block by block, as Hear does with a whole one. It is one goroutine's.
type Stream struct {
	block int
	size  int
	fft   *fourier.FFT
	way   []complex128 // the response's spectrum
	in    []float64
	mid   []complex128
	out   []float64
	rest  []float64 // what earlier blocks leave for those to come
}

// NewStream gives a stream of blocks of block samples each.
func NewStream(response []float64, block int) *Stream {
	size := 1
	for size < block+len(response) {
		size *= 2
	}
	s := &Stream{block: block, size: size, fft: fourier.NewFFT(size), in: make([]float64, size), out: make([]float64, size), rest: make([]float64, size)}
	copy(s.in, response)
	s.way = s.fft.Coefficients(nil, s.in)
	s.mid = make([]complex128, len(s.way))
	return s
}

// Next gives what is heard while the next block sounds; the slice is good until the next call.
func (s *Stream) Next(block []float64) []float64 {
	clear(s.in)
	copy(s.in, block[:s.block])
	s.fft.Coefficients(s.mid, s.in)
	for i, w := range s.way {
		s.mid[i] *= w
	}
	s.fft.Sequence(s.out, s.mid)
	for i, o := range s.out {
		s.rest[i] += o / float64(s.size)
	}
	copy(s.out, s.rest)
	copy(s.rest, s.rest[s.block:])
	clear(s.rest[s.size-s.block:])
	return s.out[:s.block]
}
