package playback

import (
	"math"
	"sync/atomic"
	"time"

	"echo-companion/backend/audio"
	"echo-companion/backend/speech"
)

// edge is how long sound takes to begin and to end where it is cut, so that nothing clicks.
const edge = 4 * time.Millisecond

// mixer is the device's side: fill runs on the device's thread and takes no lock. Everything else of it is atomic.
type mixer struct {
	ring    *audio.Ring
	ducked  atomic.Bool
	level   atomic.Uint64 // float64 bits: RMS of what was filled last
	audible atomic.Int64  // when voice was filled last, in Unix nanoseconds

	played func([]int16) // is told of all that was filled

	gain  *audio.Gain // the device thread's, from here on
	fade  *audio.Gain // 0 to 1 where sound begins
	last  float64     // the last sample of a sound that ends
	slope float64
	quiet bool
}

func newMixer(size int, played func([]int16)) *mixer {
	if played == nil {
		played = func([]int16) {}
	}
	m := &mixer{
		played: played,
		ring:   audio.NewRing(size),
		gain:   audio.NewGain(audio.Count(speech.OutputRate, audio.RampDuration)),
		fade:   audio.NewGain(audio.Count(speech.OutputRate, edge)),
		quiet:  true,
	}
	m.fade.Jump(0)
	return m
}

// fill writes all of pcm.
func (m *mixer) fill(pcm []int16) {
	m.mix(pcm)
	m.played(pcm)
}

func (m *mixer) mix(pcm []int16) {
	if m.ring.Skipped() {
		m.quiet = true
	}
	target := 1.0
	if m.ducked.Load() {
		target = audio.Ducked
	}
	m.gain.Set(target)
	if m.quiet && m.last != 0 {
		n := m.tail(pcm)
		if n == len(pcm) {
			return
		}
		pcm = pcm[n:]
	}
	n := m.ring.Take(pcm)
	if m.quiet && n > 0 {
		m.fade.Jump(0)
		m.fade.Set(1)
		m.quiet = false
	}
	m.gain.Apply(pcm[:n])
	m.fade.Apply(pcm[:n])
	if n > 0 {
		m.last = float64(pcm[n-1])
		m.slope = m.last / float64(audio.Count(speech.OutputRate, edge))
		m.audible.Store(time.Now().UnixNano())
	}
	m.level.Store(math.Float64bits(audio.RMS(pcm[:n])))
	if n == len(pcm) {
		return
	}
	m.quiet = true
	if rest := pcm[n:]; m.last != 0 {
		rest = rest[m.tail(rest):]
		clear(rest)
	} else {
		clear(rest)
	}
	if n == 0 {
		m.gain.Jump(target)
	}
}

// tail lets the last sample run out over what is left of the edge, and returns how many samples that took.
func (m *mixer) tail(pcm []int16) int {
	for i := range pcm {
		next := m.last - m.slope
		if m.slope == 0 || next*m.slope <= 0 {
			m.last = 0
			return i
		}
		m.last = next
		pcm[i] = int16(next)
	}
	return len(pcm)
}
