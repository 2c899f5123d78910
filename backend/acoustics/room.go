// Package acoustics makes sound as it is in rooms, for tests and reports: rooms, the way from a loudspeaker to a microphone,
// noise, and voices. Everything is computed from seeds, so that a run can be repeated. It is not part of the app.
package acoustics

import "math"

// SpeedOfSound is in metres per second.
const SpeedOfSound = 343.0

// Point is a place in a room, in metres from one of its corners.
type Point struct{ X, Y, Z float64 }

// Room is a box whose six walls throw the share Reflection of a sound's amplitude back, 0 to below 1.
type Room struct {
	Size       Point
	Reflection float64
}

// Rooms are those that reports are about.
func Rooms() map[string]Room {
	return map[string]Room{
		"booth":  {Size: Point{1.8, 1.6, 2.2}, Reflection: 0.4},  // hung with cloth
		"study":  {Size: Point{4.2, 3.1, 2.5}, Reflection: 0.65}, // books and a carpet
		"office": {Size: Point{7.5, 5.2, 3.0}, Reflection: 0.8},  // bare walls
	}
}

// sinc is half the width of the pulse that stands for an arrival between two samples.
const sinc = 20

// Response is what arrives at to of a click at from, at rate samples per second: seconds long, the direct sound with an
// amplitude of one over its distance. Source: the image-source method of Allen and Berkley, 1979, with their high-pass: walls
// that throw everything back alike would make far too much of the lowest notes.
func (r Room) Response(from, to Point, rate int, seconds float64) []float64 {
	response := make([]float64, int(seconds*float64(rate)))
	reach := seconds * SpeedOfSound
	most := func(size float64) int { return int(reach/(2*size)) + 1 }
	for x := -most(r.Size.X); x <= most(r.Size.X); x++ {
		for y := -most(r.Size.Y); y <= most(r.Size.Y); y++ {
			for z := -most(r.Size.Z); z <= most(r.Size.Z); z++ {
				r.images(response, from, to, rate, [3]int{x, y, z})
			}
		}
	}
	return highPass(response, rate, 100)
}

// images adds the eight mirror images of from in one repetition of the room.
func (r Room) images(response []float64, from, to Point, rate int, cell [3]int) {
	for mirror := range 8 {
		dx, walls := image(from.X, to.X, r.Size.X, cell[0], mirror&1)
		dy, more := image(from.Y, to.Y, r.Size.Y, cell[1], mirror>>1&1)
		dz, most := image(from.Z, to.Z, r.Size.Z, cell[2], mirror>>2)
		walls += more + most
		distance := max(math.Sqrt(dx*dx+dy*dy+dz*dz), 0.01)
		arrive(response, distance/SpeedOfSound*float64(rate), math.Pow(r.Reflection, float64(walls))/distance)
	}
}

// image is how far one coordinate of a mirror image is away, and at how many walls its sound was thrown back.
func image(from, to, size float64, cell, mirrored int) (distance float64, walls int) {
	at := from
	if mirrored == 1 {
		at = -from
	}
	walls = abs(cell-mirrored) + abs(cell)
	return at + 2*float64(cell)*size - to, walls
}

func abs(n int) int { return max(n, -n) }

// arrive adds a pulse between two samples, as a windowed sinc.
func arrive(response []float64, at, amplitude float64) {
	middle := int(math.Round(at))
	for i := max(middle-sinc, 0); i < min(middle+sinc+1, len(response)); i++ {
		x := float64(i) - at
		window := 0.5 * (1 + math.Cos(math.Pi*x/(sinc+1)))
		if x == 0 {
			response[i] += amplitude
			continue
		}
		response[i] += amplitude * window * math.Sin(math.Pi*x) / (math.Pi * x)
	}
}

// Hear is signal after a response: what a microphone hears of it, as long as the signal. It shares nothing, and the race
// detector would make its thousand million steps ten times as slow.
//
//go:norace
func Hear(signal, response []float64) []float64 {
	heard := make([]float64, len(signal))
	for i, s := range signal {
		if s == 0 {
			continue
		}
		rest := heard[i:]
		for k, h := range response[:min(len(response), len(rest))] {
			rest[k] += s * h
		}
	}
	return heard
}
