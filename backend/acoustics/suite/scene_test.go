//go:build production && cgo && linux

package suite_test

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"echo-companion/backend/acoustics"
	"echo-companion/backend/audio"
	"echo-companion/backend/cancel"
	"echo-companion/backend/capture"
	"echo-companion/backend/device"
	"echo-companion/backend/speech/frame"
	"echo-companion/backend/speech/resample"
)

const (
	rate  = 16000
	block = rate / 50
	wide  = 24000
)

func sqrt(x float64) float64 { return math.Sqrt(x) }

// sound is a sound and when it begins.
type sound struct {
	at     float64 // seconds
	signal []float64
}

// scene is a room, what sounds in it, and Echo's ears.
type scene struct {
	room     string
	distance float64 // of the user from the microphone, in metres
	delay    float64 // of the sound system, in seconds
	drive    float64 // of the loudspeaker
	volume   float64 // the root mean square of Echo's voice at the microphone; 0 is 0.05
	noise    []float64
	echo     []sound // what Echo says, 24 kHz
	user     []sound // what its user says, 16 kHz; 0.03 at a metre in open air
	others   []sound // what else sounds, 16 kHz, as it arrives
	seconds  float64
	without  bool    // without echo cancellation
	detector *engine // nil: the gate decides alone
}

// utterance is what the capture sent.
type utterance struct {
	from, to  float64 // seconds
	pcm       []int16
	overlap   bool
	ended     bool // else it was cancelled, or goes on
	cancelled bool
}

// stage is a scene as it is played.
type stage struct {
	scene
	canceller *cancel.Canceller
	began     time.Time

	mu         sync.Mutex
	ducked     bool
	ducks      []float64 // when it was ducked, and when it came back
	audible    float64   // when Echo was heard last
	utterances []*utterance
}

func (s *stage) now() float64 { return time.Since(s.began).Seconds() }

// Duck implements capture.Voice.
func (s *stage) Duck(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if on != s.ducked {
		s.ducked = on
		s.ducks = append(s.ducks, s.now())
	}
}

// Overlapping implements capture.Voice.
func (s *stage) Overlapping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.audible > 0 && s.now()-s.audible <= 1
}

// Begin implements capture.Listener.
func (s *stage) Begin(_ context.Context, overlap bool) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.utterances = append(s.utterances, &utterance{overlap: overlap})
	return len(s.utterances), nil
}

func (s *stage) newest() *utterance { return s.utterances[len(s.utterances)-1] }

// Audio implements capture.Listener.
func (s *stage) Audio(_ context.Context, pcm []int16) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.newest()
	if len(u.pcm) == 0 {
		u.from = s.now() - float64(len(pcm))/rate
	}
	u.pcm = append(u.pcm, pcm...)
	u.to = s.now()
	return nil
}

// End implements capture.Listener.
func (s *stage) End(context.Context, int, int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest().ended = true
	return nil
}

// Cancel implements capture.Listener.
func (s *stage) Cancel(context.Context, int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest().cancelled = true
	return nil
}

// OpenInput implements capture.Microphones.
func (s *stage) OpenInput(_ string, ring *audio.Ring) (device.Stream, error) {
	m := &microphone{done: make(chan struct{})}
	m.wg.Go(func() { s.sound(m.done, ring) })
	return m, nil
}

type microphone struct {
	done chan struct{}
	wg   sync.WaitGroup
}

// Err implements device.Stream.
func (m *microphone) Err() error { return nil }

// Close implements device.Stream.
func (m *microphone) Close() error {
	close(m.done)
	m.wg.Wait()
	return nil
}

// laid is sounds on one line.
func laid(sounds []sound, rate int, seconds float64) []float64 {
	line := make([]float64, int(seconds*float64(rate)))
	for _, s := range sounds {
		acoustics.Add(line, s.signal, int(s.at*float64(rate)))
	}
	return line
}

// responses are computed once.
var responses sync.Map

func response(room string, distance float64) []float64 {
	key := struct {
		room     string
		distance float64
	}{room, distance}
	if r, ok := responses.Load(key); ok {
		return r.([]float64) //nolint:forcetypeassert // nothing else is put there
	}
	box := acoustics.Rooms()[room]
	mic := acoustics.Point{X: box.Size.X * 0.45, Y: box.Size.Y * 0.4, Z: 1}
	at := acoustics.Point{X: mic.X + distance*0.8, Y: mic.Y + distance*0.5, Z: 1 + distance*0.33}
	at.X, at.Y, at.Z = min(at.X, box.Size.X-0.1), min(at.Y, box.Size.Y-0.1), min(at.Z, box.Size.Z-0.1)
	r := box.Response(at, mic, rate, 0.25)
	responses.Store(key, r)
	return r
}

// heardIn is a signal as it arrives from a distance.
func heardIn(room string, distance float64, signal []float64) []float64 {
	stream := acoustics.NewStream(response(room, distance), block)
	out := make([]float64, 0, len(signal)+rate/4)
	padded := make([]float64, (len(signal)+rate/4)/block*block)
	copy(padded, signal)
	for i := 0; i < len(padded); i += block {
		out = append(out, stream.Next(padded[i:i+block])...)
	}
	return out
}

// sound plays the scene in the bubble's time until done.
func (s *stage) sound(done chan struct{}, ring *audio.Ring) {
	echo := laid(s.echo, wide, s.seconds+2)
	around := laid(s.others, rate, s.seconds+2)
	for _, u := range s.user {
		heard := heardIn(s.room, s.distance, u.signal)
		for i := range heard {
			heard[i] *= 0.3
		}
		acoustics.Add(around, heard, int(u.at*rate))
	}
	acoustics.Add(around, s.noise, 0)
	volume := s.volume
	if volume == 0 {
		volume = 0.05
	}
	way := acoustics.NewStream(response(s.room, 0.35), block)
	loud := volume / 0.1 / energy(response(s.room, 0.35))
	down, _ := resample.New(wide, rate)
	gain := audio.NewGain(audio.Count(wide, audio.RampDuration))
	var narrow, arriving []float64
	arriving = append(arriving, make([]float64, int(s.delay*rate))...)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		case <-ticker.C:
		}
		pcm := make([]int16, wide/50)
		if from := i * len(pcm); from+len(pcm) <= len(echo) {
			copy(pcm, acoustics.PCM(echo[from:from+len(pcm)]))
		}
		s.mu.Lock()
		gain.Set(1)
		if s.ducked {
			gain.Set(audio.Ducked)
		}
		gain.Apply(pcm)
		if audio.RMS(pcm) > 1e-4 {
			s.audible = s.now()
		}
		s.mu.Unlock()
		if s.canceller != nil {
			s.canceller.Played(pcm)
		}
		floats := make([]float32, len(pcm))
		for k, v := range pcm {
			floats[k] = float32(v) / 32768
		}
		for _, v := range down.Write(floats) {
			x := float64(v)
			narrow = append(narrow, x-s.drive*x*x*x)
		}
		for len(narrow) >= block {
			for _, v := range way.Next(narrow[:block]) {
				arriving = append(arriving, v*loud)
			}
			narrow = narrow[block:]
		}
		mic := make([]float64, block)
		n := copy(mic, arriving)
		arriving = arriving[n:]
		if from := i * block; from < len(around) {
			acoustics.Add(mic, around[from:], 0)
		}
		ring.Put(acoustics.PCM(mic))
	}
}

// energy is how much louder a response makes a voice, roughly.
func energy(response []float64) float64 {
	sum := 0.0
	for _, v := range response {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// Hold implements capture.Detector.
func (e *engine) Hold() func() { return func() {} }

// Ready implements capture.Detector.
func (e *engine) Ready() bool { return true }

// Reset implements capture.Detector.
func (e *engine) Reset() error {
	_, err := e.ask(frame.KindListen, nil)
	return err
}

// Speech implements capture.Detector.
func (e *engine) Speech(pcm []int16) (float64, error) {
	answers, err := e.ask(frame.KindListen, frame.PCM(pcm))
	if err != nil {
		return 0, err
	}
	numbers, err := frame.Numbers(answers[0])
	return float64(numbers[0]), err
}

// play plays a scene to its end.
func (s scene) play(t *testing.T) *stage {
	t.Helper()
	st := &stage{scene: s}
	synctest.Test(t, func(t *testing.T) {
		st.began = time.Now()
		ports := capture.Ports{Microphones: st, Listener: st, Voice: st, Show: func(capture.Status) {}}
		if !s.without {
			st.canceller = cancel.New()
			ports.Canceller = st.canceller
		}
		if s.detector != nil {
			ports.Detector = s.detector
		}
		c := capture.New(ports, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = c.Run(ctx) })
		c.Start(ctx)
		time.Sleep(time.Duration(s.seconds * float64(time.Second)))
		c.Stop(ctx)
		synctest.Wait()
		stop()
		running.Wait()
		if st.canceller != nil {
			st.canceller.Reset()
		}
	})
	return st
}
