// Package playback lets Echo's voice be heard: a queue of sentences, ducking, and the credit that tells the conversation how much
// was heard. It drives a loudspeaker through a port and knows neither the conversation nor the window.
package playback

import (
	"context"
	"log/slog"
	"math"
	"time"

	"echo-companion/backend/audio"
	"echo-companion/backend/device"
	"echo-companion/backend/speech"
)

// The loop's times.
const (
	tick        = 20 * time.Millisecond
	ahead       = 200 * time.Millisecond // what lies ready for the device's thread: ten ticks, for a machine that is busy
	creditStep  = 100 * time.Millisecond
	idle        = 10 * time.Second       // a loudspeaker that nothing was asked of is let go of
	retry       = 500 * time.Millisecond // between attempts to get a loudspeaker back in mid-sentence
	patience    = 4 * time.Second        // how long the sentence waits for it: a sound server that is started again takes a second or two
	giveUp      = 2 * time.Second        // between attempts after that
	afterVoice  = time.Second            // what is said so soon after Echo's voice may be its echo
	statusTicks = 2                      // a status every 40 ms: 25 a second
	inbox       = 64                     // commands; senders wait where it is full
)

// What a person reads where no sound comes.
const (
	problemNone    = "No loudspeaker was found. Echo answers in text; connect one, and it speaks again."
	problemLost    = "The loudspeaker went away. Echo is looking for another one."
	problemDefault = "The chosen loudspeaker is not there. Echo uses the default one until it returns."
)

// Speakers opens loudspeakers: device.System is one.
type Speakers interface {
	OpenOutput(name string, rate int, fill func([]int16)) (device.Stream, error)
}

// Status is what there is to see of Echo's voice.
type Status struct {
	Turn     int     `json:"turn"`
	Sentence int     `json:"sentence"`
	Speaking bool    `json:"speaking"`
	Level    float64 `json:"level"` // 0 to 1
	Ducked   bool    `json:"ducked"`
	Problem  string  `json:"problem"`
}

// Ports is what the player reaches the world through. Credit and Show are called from the player's loop, one at a time, and
// must not call the player. Played is called from the device's thread with all that the loudspeaker gets, silence as well; it
// must not wait.
type Ports struct {
	Speakers Speakers
	Credit   func(turn, playedMS int)
	Show     func(Status)
	Played   func(pcm []int16) // nil: nobody wants to know
}

// Player plays one piece after another. Its methods may be called from any goroutine; they wait for no more than a place in
// its inbox.
type Player struct {
	ports    Ports
	logger   *slog.Logger
	commands chan func(*loop)
	ended    chan struct{} // closed once Run is over: nobody waits for it any more
	mixer    *mixer
}

// New wires a player. It opens nothing and starts nothing.
func New(ports Ports, logger *slog.Logger) *Player {
	return &Player{
		ports: ports, logger: logger,
		commands: make(chan func(*loop), inbox),
		ended:    make(chan struct{}),
		mixer:    newMixer(audio.Count(speech.OutputRate, ahead), ports.Played),
	}
}

// Play puts a piece at the end of the queue. What was hushed is dropped.
func (p *Player) Play(ctx context.Context, piece Piece) {
	p.send(ctx, func(l *loop) { l.play(piece) })
}

// Hush silences a turn, or everything where turn is 0, at once. What comes of it later is dropped as well, until Settle.
func (p *Player) Hush(ctx context.Context, turn int) {
	p.send(ctx, func(l *loop) {
		l.hushed[turn] = true
		l.drop(turn)
	})
}

// Settle says that a turn, or everything where turn is 0, is over on the conversation's side: what it sent until now is not
// played, what it sends from now on is.
func (p *Player) Settle(ctx context.Context, turn int) {
	p.send(ctx, func(l *loop) {
		l.drop(turn)
		if turn == 0 {
			clear(l.hushed)
		}
		delete(l.hushed, turn)
	})
}

// Allow lifts what Hush has set, where nothing more can come of it, and plays on.
func (p *Player) Allow(ctx context.Context, turn int) {
	p.send(ctx, func(l *loop) { delete(l.hushed, turn) })
}

// Use chooses a loudspeaker by name; "" is the default one. outputs are those there are now: call it again when they change.
func (p *Player) Use(ctx context.Context, name string, outputs []device.Info) {
	p.send(ctx, func(l *loop) { l.use(name, outputs) })
}

// Duck lowers the voice to a fifth while its user speaks, and lets it come back.
func (p *Player) Duck(on bool) { p.mixer.ducked.Store(on) }

// Overlapping tells whether Echo's voice is heard now, or was within the last second.
func (p *Player) Overlapping() bool {
	at := p.mixer.audible.Load()
	return at != 0 && time.Since(time.Unix(0, at)) <= afterVoice
}

func (p *Player) send(ctx context.Context, command func(*loop)) {
	select {
	case p.commands <- command:
	case <-ctx.Done():
	case <-p.ended:
	}
}

// Run plays until ctx ends; then the voice fades and the loudspeaker is let go of. It runs once; what is sent after it comes to nothing.
func (p *Player) Run(ctx context.Context) error {
	defer close(p.ended)
	l := &loop{Player: p, track: newTrack(), hushed: map[int]bool{}}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	resting := false
	for {
		if rest := !l.awake(); rest != resting {
			resting = rest
			if rest {
				ticker.Stop()
			} else {
				ticker.Reset(tick)
			}
		}
		select {
		case <-ctx.Done():
			l.end()
			return nil
		case command := <-p.commands:
			command(l)
		case <-ticker.C:
			l.tick(ctx)
		}
	}
}

// level is what the meter shows of the voice.
func (m *mixer) meter() float64 {
	return audio.Level(math.Float64frombits(m.level.Load()))
}
