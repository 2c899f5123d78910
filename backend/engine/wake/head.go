package wake

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Hidden is how many neurons the head has.
const Hidden = 32

// Threshold is the score from which on the words were said; docs/acoustics.md has what it was chosen by.
const Threshold = 0.7

const inputs = Rows * Width

// parameters is how many numbers a head has: a mean and a scale for each number of a row, two layers.
const parameters = 2*Width + Hidden*inputs + 2*Hidden + 1

//go:embed hey_echo.bin
var heyEcho []byte

// Head tells the words from features. Score may be called by several goroutines, as long as nobody writes to its fields.
type Head struct {
	Mean, Scale []float32 // of each number in a row: it is taken off, then multiplied
	First       []float32 // Hidden rows of inputs
	Bias        []float32
	Second      []float32
	Last        float32
}

// NewHead is a head that knows nothing.
func NewHead() *Head {
	h := &Head{
		Mean: make([]float32, Width), Scale: make([]float32, Width), First: make([]float32, Hidden*inputs),
		Bias: make([]float32, Hidden), Second: make([]float32, Hidden),
	}
	for i := range h.Scale {
		h.Scale[i] = 1
	}
	return h
}

// HeyEcho is the head that was trained.
func HeyEcho() (*Head, error) { return Read(heyEcho) }

var errSize = errors.New("it has another size")

// Read reads what Bytes wrote.
func Read(data []byte) (*Head, error) {
	if len(data) != 4*parameters {
		return nil, fmt.Errorf("read the wake word's head: %w", errSize)
	}
	h := NewHead()
	for _, part := range h.parts() {
		for i := range part {
			part[i] = math.Float32frombits(binary.LittleEndian.Uint32(data))
			data = data[4:]
		}
	}
	h.Last = math.Float32frombits(binary.LittleEndian.Uint32(data))
	return h, nil
}

// Bytes is the head as a file.
func (h *Head) Bytes() []byte {
	data := make([]byte, 0, 4*parameters)
	for _, part := range append(h.parts(), []float32{h.Last}) {
		for _, x := range part {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
	}
	return data
}

func (h *Head) parts() [][]float32 { return [][]float32{h.Mean, h.Scale, h.First, h.Bias, h.Second} }

// Score tells how sure it is of Rows rows of features, 0 to 1.
func (h *Head) Score(rows []float32) float64 {
	normal := make([]float32, len(rows))
	h.Normal(normal, rows)
	return Sure(h.Forward(normal, make([]float32, Hidden)))
}

// Normal writes rows of features as the layers take them.
func (h *Head) Normal(out, rows []float32) {
	for i := range out {
		out[i] = (rows[i] - h.Mean[i%Width]) * h.Scale[i%Width]
	}
}

// Forward runs the layers; hidden gets what the first one gives.
func (h *Head) Forward(normal, hidden []float32) float32 {
	sum := h.Last
	for j := range hidden {
		s := h.Bias[j] + dot(h.First[j*inputs:(j+1)*inputs], normal)
		hidden[j] = max(s, 0)
		sum += h.Second[j] * hidden[j]
	}
	return sum
}

// dot is in four lanes, which the processor adds side by side.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	for i := 0; i+3 < len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	return s0 + s1 + s2 + s3
}

// Sure turns what Forward gives into a probability.
func Sure(x float32) float64 { return 1 / (1 + math.Exp(-float64(x))) }
