package audio

import (
	"math"
	"time"
)

// Ducked is the gain of Echo's voice while its user speaks: a fifth.
const Ducked = 0.2

// RampDuration is how long a change of gain takes: short enough to be out of the speaker's way, long enough not to click.
const RampDuration = 10 * time.Millisecond

// Gain is a volume that moves in straight ramps. A ramp ends at exactly its target, however often it was turned round on the
// way. It is one goroutine's.
type Gain struct {
	current, target, step float64
	left                  int // samples until the target is reached
	ramp                  int // samples that a change takes
}

// NewGain gives a gain of 1 whose changes take ramp samples, at least one.
func NewGain(ramp int) *Gain {
	return &Gain{current: 1, target: 1, ramp: max(ramp, 1)}
}

// Set begins a ramp to target, from wherever the gain is.
func (g *Gain) Set(target float64) {
	if target == g.target {
		return
	}
	g.target = target
	g.left = g.ramp
	g.step = (target - g.current) / float64(g.ramp)
}

// Jump sets the gain at once.
func (g *Gain) Jump(value float64) {
	g.current, g.target, g.left = value, value, 0
}

// Current is the gain of the sample that was written last.
func (g *Gain) Current() float64 { return g.current }

// Steady tells whether no ramp is under way.
func (g *Gain) Steady() bool { return g.left == 0 }

// Apply turns pcm up or down in place.
func (g *Gain) Apply(pcm []int16) {
	for i := range pcm {
		if g.left > 0 {
			g.left--
			g.current += g.step
			if g.left == 0 {
				g.current = g.target
			}
		} else if g.current == 1 {
			return
		}
		pcm[i] = clip(int32(math.Round(float64(pcm[i]) * g.current)))
	}
}
