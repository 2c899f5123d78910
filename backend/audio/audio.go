// Package audio is arithmetic on sound: conversions, levels, gain, mixing, an energy gate and the ring between a device's thread
// and a loop. It is sample-exact, does no I/O, reads no clock and starts no goroutine. Sound is mono, signed 16-bit PCM.
package audio

import (
	"encoding/binary"
	"math"
	"time"
)

// FrameDuration is the length of the frames in which microphones are read and voice is counted.
const FrameDuration = 20 * time.Millisecond

// full is the value that stands for the loudest sample.
const full = 32768.0

// Count is how many samples d lasts at rate samples per second.
func Count(rate int, d time.Duration) int {
	return int(int64(rate) * int64(d) / int64(time.Second))
}

// Duration is how long n samples last at rate samples per second.
func Duration(rate, n int) time.Duration {
	return time.Duration(int64(n) * int64(time.Second) / int64(rate))
}

// Bytes gives pcm as little-endian bytes.
func Bytes(pcm []int16) []byte {
	out := make([]byte, 2*len(pcm))
	Put(out, pcm)
	return out
}

// Put writes as many samples of pcm into out as both hold, little-endian, and returns how many. It allocates nothing.
func Put(out []byte, pcm []int16) int {
	n := min(len(out)/2, len(pcm))
	for i := range n {
		binary.LittleEndian.PutUint16(out[2*i:], uint16(pcm[i])) //nolint:gosec // the bits of a sample, not its value
	}
	return n
}

// Samples reads little-endian bytes; half a sample at the end is dropped.
func Samples(data []byte) []int16 {
	out := make([]int16, len(data)/2)
	Get(out, data)
	return out
}

// Get reads as many little-endian samples of data into out as both hold, and returns how many. It allocates nothing.
func Get(out []int16, data []byte) int {
	n := min(len(out), len(data)/2)
	for i := range n {
		out[i] = int16(binary.LittleEndian.Uint16(data[2*i:])) //nolint:gosec // the bits of a sample, not its value
	}
	return n
}

// RMS is the root mean square of pcm, where 1 is the loudest there is. Nothing has an RMS of 0.
func RMS(pcm []int16) float64 {
	if len(pcm) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range pcm {
		f := float64(v) / full
		sum += f * f
	}
	return math.Sqrt(sum / float64(len(pcm)))
}

// The ends of the meter's scale in decibels below full scale: quiet rooms lie near the lower, loud speech near the upper.
const (
	meterFloor = -60.0
	meterTop   = -10.0
)

// Level turns an RMS into what a meter shows, from 0 to 1, even steps sounding even.
func Level(rms float64) float64 {
	if rms <= 0 {
		return 0
	}
	db := 20 * math.Log10(rms)
	return min(max((db-meterFloor)/(meterTop-meterFloor), 0), 1)
}

// Mix adds src to dst, sample by sample over the shorter of the two, and clips what does not fit.
func Mix(dst, src []int16) {
	for i := range min(len(dst), len(src)) {
		dst[i] = clip(int32(dst[i]) + int32(src[i]))
	}
}

func clip(v int32) int16 {
	return int16(min(max(v, math.MinInt16), math.MaxInt16))
}
