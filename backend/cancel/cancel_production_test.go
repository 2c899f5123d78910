//go:build production && cgo && linux

package cancel_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/acoustics"
	"echo-companion/backend/cancel"
	"echo-companion/backend/speech/resample"
)

const (
	rate  = 16000
	frame = rate / 50
)

// pass lets a frame's length of the bubble's fake time go by.
func pass() { time.Sleep(20 * time.Millisecond) }

// scene is Echo's voice and its user's in a room.
type scene struct {
	room  string
	delay time.Duration // of the sound system
	later time.Duration // from the middle on, where it is not 0
	user  bool          // speaks in the last third
	drive float64       // of the loudspeaker
	queue int           // blocks of 20 ms that the sound system asks for in advance
	burst int           // blocks that it asks for at a time; 0 is one
	noise float64       // the root mean square of a hiss; 0 is next to none
	lost  time.Duration // of the microphone's sound, from the middle on
	late  time.Duration // that the microphone's sound comes late, once, in the middle: a busy machine
	again bool          // the microphone was open before, and closed
}

func (s scene) bursts() int { return max(s.burst, 1) }

const seconds = 12

// sounds gives what is played, what the microphone hears of it, and what it hears of the user.
func (s scene) sounds() (played, echo, user []float64) {
	const n = seconds * rate
	played = acoustics.Voice(n, rate, 210, 3)
	if s.user { // Echo gives way a moment later
		for i := 2*n/3 + 3*rate/10; i < n; i++ {
			played[i] *= 0.2
		}
	}
	room := acoustics.Rooms()[s.room]
	speaker := acoustics.Point{X: room.Size.X / 2, Y: room.Size.Y / 2, Z: 1}
	mic := acoustics.Point{X: speaker.X + 0.3, Y: speaker.Y, Z: 1}
	mouth := acoustics.Point{X: speaker.X, Y: speaker.Y + 0.6, Z: 1.3}
	dry := acoustics.Hear(acoustics.Loudspeaker(played, rate, s.drive), room.Response(speaker, mic, rate, 0.15))
	echo = make([]float64, n)
	acoustics.Add(echo, dry, int(s.delay.Seconds()*rate))
	if s.later != 0 {
		clear(echo[n/2:])
		late := int(s.later.Seconds() * rate)
		copy(echo[n/2:], dry[n/2-late:])
	}
	for i, by := 0, 0.1/acoustics.RMS(echo[:2*n/3]); i < n; i++ {
		echo[i] *= by
	}
	user = make([]float64, n)
	if s.user {
		said := acoustics.Voice(n/3, rate, 110, 7)
		acoustics.Add(user, acoustics.Hear(said, room.Response(mouth, mic, rate, 0.15)), 2*n/3)
		acoustics.Scale(user[2*n/3:], 0.1)
	}
	return played, echo, user
}

// clean runs a canceller in the scene and gives what it leaves, with its own 20 ms taken out.
func (s scene) clean(t *testing.T) (left, echo, user []float64) {
	t.Helper()
	played, echo, user := s.sounds()
	heard := acoustics.Noise(acoustics.Hiss, len(echo), rate, max(s.noise, 0.0005), 1)
	acoustics.Add(heard, echo, 0)
	acoustics.Add(heard, user, 0)
	mic, speaker := acoustics.PCM(heard), at24(t, acoustics.PCM(played))
	synctest.Test(t, func(*testing.T) { s.play(mic, speaker) })
	left = acoustics.Signal(mic)
	return left[frame:], echo[:len(echo)-frame], user[:len(user)-frame]
}

// play has a canceller hear the scene in the bubble's time, and leaves in mic what it leaves. It gives for each frame whether that
// was Echo alone.
func (s scene) play(mic, speaker []int16) (own []bool) {
	c := cancel.New()
	defer c.Reset()
	if s.again {
		for range 50 {
			c.Clean(make([]int16, frame))
			pass()
		}
		c.Reset()
	}
	for i := range 75 { // Echo speaks before anybody listens
		c.Played(speaker[i*480 : (i+1)*480])
		pass()
	}
	frames, asked, cleaned := len(mic)/frame, 0, 0
	own = make([]bool, frames)
	ask := func(n int) {
		for range min(n, frames-asked) {
			c.Played(speaker[asked*480 : (asked+1)*480])
			asked++
		}
	}
	c.Clean(make([]int16, frame))
	ask(s.queue)
	for i := range frames {
		if i%s.bursts() == 0 {
			ask(s.bursts())
		}
		pass()
		since := time.Duration(i-frames/2) * 20 * time.Millisecond
		switch {
		case since >= 0 && since < s.lost:
			cleaned = i + 1
		case since >= 0 && since < s.late, i%2 == 0: // two frames at a time, or all that have come late
		default:
			for ; cleaned <= i; cleaned++ {
				own[cleaned] = c.Clean(mic[cleaned*frame : (cleaned+1)*frame])
			}
		}
	}
	return own
}

func at24(t *testing.T, pcm []int16) []int16 {
	t.Helper()
	r, err := resample.New(rate, 24000)
	require.NoError(t, err)
	in := make([]float32, len(pcm))
	for i, s := range pcm {
		in[i] = float32(s)
	}
	wide := append(r.Write(in), r.Flush()...)
	out := make([]int16, len(wide))
	for i, s := range wide {
		out[i] = int16(max(-32768, min(32767, s)))
	}
	return out
}

// quieter is by how many decibels b is quieter than a, from one second to another.
func quieter(a, b []float64, from, to int) float64 {
	to = min(to*rate, len(a))
	return 20 * math.Log10(acoustics.RMS(a[from*rate:to])/acoustics.RMS(b[from*rate:to]))
}

func TestEchoIsTakenOut(t *testing.T) {
	for name, test := range map[string]struct {
		scene    scene
		from, to int // seconds
		least    float64
	}{
		"booth":                         {scene{room: "booth", delay: 60 * time.Millisecond, drive: 0.1}, 5, seconds, 20},
		"study":                         {scene{room: "study", delay: 60 * time.Millisecond, drive: 0.1}, 5, seconds, 20},
		"office":                        {scene{room: "office", delay: 60 * time.Millisecond, drive: 0.1}, 5, seconds, 20},
		"a loudspeaker that distorts":   {scene{room: "study", delay: 60 * time.Millisecond, drive: 0.4}, 5, seconds, 15},
		"the shortest delay":            {scene{room: "study", delay: 20 * time.Millisecond, drive: 0.1}, 5, seconds, 20},
		"a sound system that queues":    {scene{room: "study", delay: 20 * time.Millisecond, drive: 0.1, queue: 10, burst: 5}, 5, seconds, 20},
		"as over Bluetooth":             {scene{room: "study", delay: 420 * time.Millisecond, drive: 0.1}, 9, seconds, 15},
		"a delay that grows":            {scene{room: "study", delay: 40 * time.Millisecond, later: 500 * time.Millisecond, drive: 0.1}, 11, seconds, 10},
		"as over Bluetooth, in noise":   {scene{room: "study", delay: 420 * time.Millisecond, drive: 0.1, noise: 0.02}, 9, seconds, 12},
		"a microphone that loses sound": {scene{room: "study", delay: 60 * time.Millisecond, drive: 0.1, lost: time.Second}, 11, seconds, 6},
		"a machine that comes late":     {scene{room: "study", delay: 60 * time.Millisecond, drive: 0.1, late: 700 * time.Millisecond}, 6, 9, 20},
		"a microphone opened again":     {scene{room: "study", delay: 60 * time.Millisecond, drive: 0.1, again: true}, 3, 6, 15},
	} {
		t.Run(name, func(t *testing.T) {
			left, echo, _ := test.scene.clean(t)
			got := quieter(echo, left, test.from, test.to)
			t.Logf("%.1f dB", got)
			require.Greater(t, got, test.least)
		})
	}
}

func TestItsUserIsHeardOverEcho(t *testing.T) {
	for room := range acoustics.Rooms() {
		t.Run(room, func(t *testing.T) {
			left, _, user := scene{room: room, delay: 60 * time.Millisecond, drive: 0.1, user: true}.clean(t)
			both, own, rest := 0.0, 0.0, 0.0
			for i := seconds * 2 / 3 * rate; i < len(left); i++ {
				both += left[i] * user[i]
				own += user[i] * user[i]
				rest += left[i] * left[i]
			}
			likeness, loss := both/math.Sqrt(own*rest), -20*math.Log10(both/own)
			t.Logf("likeness %.2f, loss %.1f dB", likeness, loss)
			require.Greater(t, likeness, 0.75)
			require.Less(t, loss, 6.0)
		})
	}
}

// own plays a scene and gives for each frame whether it was Echo alone, and whether Echo and its user sounded in it.
func (s scene) own(t *testing.T) (own, echo, user []bool) {
	t.Helper()
	played, arriving, said := s.sounds()
	heard := acoustics.Noise(acoustics.Fan, len(arriving), rate, max(s.noise, 0.0005), 1)
	acoustics.Add(heard, arriving, 0)
	acoustics.Add(heard, said, 0)
	mic, speaker := acoustics.PCM(heard), at24(t, acoustics.PCM(played))
	synctest.Test(t, func(*testing.T) { own = s.play(mic, speaker) })
	for i := range own {
		echo = append(echo, acoustics.RMS(arriving[i*frame:(i+1)*frame]) > 0.02)
		user = append(user, acoustics.RMS(said[i*frame:(i+1)*frame]) > 0.02)
	}
	return own, echo, user
}

func TestEchoIsToldFromItsUser(t *testing.T) {
	for name, s := range map[string]scene{
		"booth":                       {room: "booth", delay: 60 * time.Millisecond, drive: 0.1, user: true},
		"study":                       {room: "study", delay: 60 * time.Millisecond, drive: 0.1, user: true},
		"office":                      {room: "office", delay: 60 * time.Millisecond, drive: 0.1, user: true},
		"a fan":                       {room: "study", delay: 60 * time.Millisecond, drive: 0.1, user: true, noise: 0.02},
		"a loudspeaker that distorts": {room: "study", delay: 60 * time.Millisecond, drive: 0.4, user: true},
		"as over Bluetooth":           {room: "study", delay: 420 * time.Millisecond, drive: 0.1, user: true},
		"a sound system that queues":  {room: "study", delay: 20 * time.Millisecond, drive: 0.1, queue: 10, burst: 5, user: true},
		"a microphone opened again":   {room: "study", delay: 60 * time.Millisecond, drive: 0.1, again: true, user: true},
		"a delay that grows":          {room: "study", delay: 40 * time.Millisecond, later: 500 * time.Millisecond, drive: 0.1},
		"a machine that comes late":   {room: "study", delay: 60 * time.Millisecond, drive: 0.1, late: 700 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			own, echo, user := s.own(t)
			missed, alone, heard, said := 0, 0, 0, 0
			for i := range own {
				switch {
				case user[i]:
					said++
					if !own[i] {
						heard++
					}
				case echo[i] && (!s.user || i < seconds*50*2/3):
					alone++
					if !own[i] {
						missed++
					}
				}
			}
			t.Logf("Echo alone: %d of %d frames missed; its user: %d of %d frames heard", missed, alone, heard, said)
			if s.user {
				require.Greater(t, heard*10, said*9, "%d of %d", heard, said)
			}
			require.Less(t, missed*10, alone)
		})
	}
}

func TestSoundPassesAsItIsWhileEchoIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cancel.New()
		defer c.Reset()
		voice := acoustics.PCM(acoustics.Voice(3*rate, rate, 120, 5))
		for i := range len(voice) / frame {
			c.Played(make([]int16, 480))
			pass()
			got := append([]int16(nil), voice[i*frame:(i+1)*frame]...)
			c.Clean(got)
			require.Equal(t, voice[i*frame:(i+1)*frame], got)
		}
	})
}

// BenchmarkFrame measures what a frame costs while Echo speaks, against the 20 ms that it lasts.
func BenchmarkFrame(b *testing.B) {
	c := cancel.New()
	defer c.Reset()
	voice := acoustics.PCM(acoustics.Voice(3*rate, rate, 200, 1))
	mic, played := make([]int16, frame), make([]int16, 480)
	at := 0
	for b.Loop() {
		at = (at + frame) % (len(voice) - 480)
		copy(mic, voice[at:])
		copy(played, voice[at:])
		c.Played(played)
		c.Clean(mic)
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/0.020, "share-of-frame")
}
