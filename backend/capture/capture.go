// Package capture turns a microphone's frames into utterances: push to talk and hands-free, the energy gate, the level for a
// meter. The microphone is open only between a user's act and its end. It knows neither the conversation nor the window.
package capture

import (
	"context"
	"log/slog"
	"time"

	"echo-companion/backend/audio"
	"echo-companion/backend/device"
)

// The loop's times.
const (
	tick     = 10 * time.Millisecond
	keeps    = 2 * time.Second        // of samples between the device's thread and the loop
	trailing = 200 * time.Millisecond // people let go of the button on their last syllable
	watchdog = 2 * time.Second        // without a frame
	showing  = 40 * time.Millisecond  // between two levels: 25 a second
	again    = time.Second            // between attempts to get a microphone back
	inbox    = 64                     // commands; senders wait where it is full
)

// What a person reads where nothing is heard.
const (
	problemNone    = "No microphone was found. Connect one, or type your question."
	problemLost    = "The microphone went away. Echo is looking for another one."
	problemSilent  = "No sound arrives from the microphone. Check that it is switched on and that Echo may use it."
	problemDefault = "The chosen microphone is not there. Echo uses the default one until it returns."
)

// State is what the microphone does.
type State string

// The states of the microphone.
const (
	Closed    State = "closed"
	Opening   State = "opening"
	Listening State = "listening"
	Hearing   State = "hearing"
	Problem   State = "problem"
)

// Status is what there is to see of the microphone.
type Status struct {
	State   State   `json:"state"`
	Level   float64 `json:"level"` // 0 to 1
	Muted   bool    `json:"muted"`
	Problem string  `json:"problem"`
}

// Microphones opens microphones: device.System is one.
type Microphones interface {
	OpenInput(name string, ring *audio.Ring) (device.Stream, error)
}

// Listener takes utterances. Its methods are called from the capture loop, in order, and must not call the capture.
type Listener interface {
	// Begin opens an utterance and says under which id; overlap tells that it began over Echo's voice or within 1 s after it.
	Begin(ctx context.Context, overlap bool) (id int, err error)
	// Audio is more of it, 16 kHz; the slice is the listener's to keep.
	Audio(ctx context.Context, pcm []int16) error
	// End closes it, with the count of its voiced frames.
	End(ctx context.Context, id, voiced int) error
	// Cancel forgets it.
	Cancel(ctx context.Context, id int) error
}

// Voice is Echo's own voice, which gives way to its user's: playback.Player is one.
type Voice interface {
	Duck(on bool)
	Overlapping() bool
}

// Detector is a trained voice-activity detector. It is held while hands-free listens, and at no other time; until it is ready,
// and after an error until hands-free begins to listen again, the energy gate decides alone. It is asked from the capture's loop.
type Detector interface {
	// Hold has it made ready, until the last release.
	Hold() (release func())
	Ready() bool
	// Reset begins another recording.
	Reset() error
	// Speech is asked with 512 samples at a time, 16 kHz, one after the other.
	Speech(frame []int16) (probability float64, err error)
}

// Canceller takes Echo's own voice out of what the microphone hears. It is asked from the capture's loop.
type Canceller interface {
	// Clean is asked with every frame, changes it in place, and tells whether it holds Echo's own voice and nobody else's.
	Clean(frame []int16) (own bool)
	// Reset begins another recording.
	Reset()
}

// Ports is what the capture reaches the world through. Show is called from the capture's loop and must not call the capture.
type Ports struct {
	Microphones Microphones
	Listener    Listener
	Voice       Voice
	Show        func(Status)
	Detector    Detector  // nil: the energy gate decides alone
	Canceller   Canceller // nil: Echo's voice stays in
	// Patience is how long a pause ends an utterance in hands-free; it is read as that begins. nil is DefaultPatience.
	Patience func() time.Duration
	// Ending judges what was said so far once a pause of hands-free has lasted 0.4 s: how long the pause is to be, as a share of
	// Patience, below 1 after what is finished and above 1 after what is not. It is asked in a goroutine of its own and may take its
	// time: the pause ends with Patience where it has not answered. Its context ends when speech goes on. nil is always 1.
	Ending func(ctx context.Context, pcm []int16) (share float64)
}

// Capture listens when its user wants it to. Its methods may be called from any goroutine; they wait for no more than a place
// in its inbox.
type Capture struct {
	ports    Ports
	logger   *slog.Logger
	commands chan func(context.Context, *loop)
	ended    chan struct{} // closed once Run is over: nobody waits for it any more
}

// New wires a capture. It opens nothing and starts nothing.
func New(ports Ports, logger *slog.Logger) *Capture {
	return &Capture{ports: ports, logger: logger, commands: make(chan func(context.Context, *loop), inbox), ended: make(chan struct{})}
}

// Press opens the microphone for as long as the button is held, and lowers Echo's voice.
func (c *Capture) Press(ctx context.Context) {
	c.send(ctx, func(ctx context.Context, l *loop) { l.press(ctx) })
}

// Release ends what Press began: what was said is sent, and the microphone closes.
func (c *Capture) Release(ctx context.Context) {
	c.send(ctx, func(_ context.Context, l *loop) { l.release() })
}

// Start listens hands-free until Stop.
func (c *Capture) Start(ctx context.Context) {
	c.send(ctx, func(ctx context.Context, l *loop) { l.start(ctx) })
}

// Once listens hands-free until one utterance has ended.
func (c *Capture) Once(ctx context.Context) {
	c.send(ctx, func(ctx context.Context, l *loop) {
		l.start(ctx)
		l.once = true
	})
}

// Stop closes the microphone. What was said to the end is sent, an utterance under way as well.
func (c *Capture) Stop(ctx context.Context) {
	c.send(ctx, func(ctx context.Context, l *loop) { l.stop(ctx, false) })
}

// Abandon closes the microphone and forgets an utterance that is under way, as a window does that goes away.
func (c *Capture) Abandon(ctx context.Context) {
	c.send(ctx, func(ctx context.Context, l *loop) { l.stop(ctx, true) })
}

// Mute closes the microphone without leaving hands-free; unmuted, it opens again.
func (c *Capture) Mute(ctx context.Context, on bool) {
	c.send(ctx, func(ctx context.Context, l *loop) { l.mute(ctx, on) })
}

// Use chooses a microphone by name; "" is the default one. inputs are those there are now: call it again when they change.
func (c *Capture) Use(ctx context.Context, name string, inputs []device.Info) {
	c.send(ctx, func(ctx context.Context, l *loop) { l.use(ctx, name, inputs) })
}

func (c *Capture) send(ctx context.Context, command func(context.Context, *loop)) {
	select {
	case c.commands <- command:
	case <-ctx.Done():
	case <-c.ended:
	}
}

// Run listens as it is told until ctx ends; then the microphone is let go of. It runs once; what is sent after it comes to nothing.
func (c *Capture) Run(ctx context.Context) error {
	defer close(c.ended)
	l := newLoop(c)
	defer l.ending.asking.Wait()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	resting := false
	for {
		if rest := l.mode == modeClosed; rest != resting {
			resting = rest
			if rest {
				ticker.Stop()
			} else {
				ticker.Reset(tick)
			}
		}
		select {
		case <-ctx.Done():
			l.close()
			l.ports.Voice.Duck(false)
			return nil
		case command := <-c.commands:
			command(ctx, l)
		case <-ticker.C:
			l.tick(ctx)
		}
	}
}
