package audio

import "math"

// The energy gate's figures, on 20 ms frames.
const (
	gateOpens  = 9.0   // decibels over the noise floor at which a frame is voiced
	gateLeast  = -50.0 // decibels full scale under which nothing is voiced, however quiet the room
	floorStart = -60.0 // the floor before anything was heard
	floorLeast = -75.0 // digital silence must not pull the floor out of reach
	floorMost  = -25.0 // steady noise must not push it over speech
	spanFrames = 25    // half a second
	spans      = 6     // speech has a pause, or at least a dip between syllables, within 3 s; noise has none
)

// Gate tells voiced frames from quiet ones by their energy over the room's noise floor: the quietest frame of the last 3 s, which
// speech cannot raise and noise that stays does. It is one goroutine's.
type Gate struct {
	quietest [spans]float64 // of each half second, the newest last
	frames   int            // in the newest
}

// NewGate gives a gate that has heard nothing yet.
func NewGate() *Gate {
	g := &Gate{}
	for i := range g.quietest {
		g.quietest[i] = floorStart
	}
	return g
}

// Floor is the noise floor in decibels below full scale.
func (g *Gate) Floor() float64 {
	floor := floorMost
	for _, v := range g.quietest {
		floor = min(floor, v)
	}
	return floor
}

// Voiced takes the next frame and tells whether there is voice in it.
func (g *Gate) Voiced(frame []int16) bool {
	level := floorLeast
	if rms := RMS(frame); rms > 0 {
		level = max(20*math.Log10(rms), floorLeast)
	}
	if g.frames == spanFrames {
		copy(g.quietest[:], g.quietest[1:])
		g.quietest[spans-1] = level
		g.frames = 0
	}
	g.frames++
	g.quietest[spans-1] = min(g.quietest[spans-1], level)
	return level >= gateLeast && level >= g.Floor()+gateOpens
}
