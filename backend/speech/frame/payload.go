package frame

import (
	"encoding/binary"
	"fmt"
	"math"
)

// PCM is the payload of 16-bit samples.
func PCM(samples []int16) []byte {
	payload := make([]byte, 0, 2*len(samples))
	for _, sample := range samples {
		payload = binary.LittleEndian.AppendUint16(payload, uint16(sample)) //nolint:gosec // the same 16 bits
	}
	return payload
}

// Samples reads what PCM wrote.
func Samples(payload []byte) ([]int16, error) {
	if len(payload)%2 != 0 {
		return nil, fmt.Errorf("read samples: %d bytes are no whole number of samples", len(payload))
	}
	samples := make([]int16, len(payload)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(payload[2*i:])) //nolint:gosec // the same 16 bits
	}
	return samples, nil
}

// Floats is the payload of 32-bit numbers.
func Floats(values []float32) []byte {
	payload := make([]byte, 0, 4*len(values))
	for _, value := range values {
		payload = binary.LittleEndian.AppendUint32(payload, math.Float32bits(value))
	}
	return payload
}

// Numbers reads what Floats wrote.
func Numbers(payload []byte) ([]float32, error) {
	if len(payload)%4 != 0 {
		return nil, fmt.Errorf("read numbers: %d bytes are no whole number of them", len(payload))
	}
	values := make([]float32, len(payload)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(payload[4*i:]))
	}
	return values, nil
}
