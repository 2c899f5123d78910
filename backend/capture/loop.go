package capture

import (
	"context"
	"log/slog"
	"time"

	"echo-companion/backend/audio"
	"echo-companion/backend/device"
	"echo-companion/backend/speech"
)

type mode int

const (
	modeClosed mode = iota
	modeHeld
	modeHandsFree
)

// loop is the state of Run; its goroutine alone touches it.
type loop struct {
	*Capture
	mode    mode
	once    bool // hands-free ends with one utterance
	muted   bool
	letGo   time.Time // when a held button was released; zero while it is held
	chosen  string
	stream  device.Stream
	open    string // the name that stream was opened by
	ring    *audio.Ring
	nextTry time.Time
	frameAt time.Time // when the last frame came
	live    bool      // one has come since the microphone opened
	problem string

	gate      *audio.Gate
	segmenter *Segmenter
	detecting detecting
	ending    ending
	overlap   bool // of the utterance under way
	id        int  // of the utterance that the listener has; 0 is none
	level     float64
	shown     Status
	shownAt   time.Time
}

func newLoop(c *Capture) *loop {
	return &loop{
		Capture: c, ring: audio.NewRing(audio.Count(speech.InputRate, keeps)), gate: audio.NewGate(),
		segmenter: NewSegmenter(DefaultPatience), detecting: detecting{detector: c.ports.Detector}, shown: Status{State: Closed},
	}
}

func (l *loop) press(ctx context.Context) {
	l.ports.Voice.Duck(true)
	l.letGo = time.Time{}
	if l.mode == modeHeld {
		return
	}
	l.finish(ctx)
	l.segmenter = NewSegmenter(0)
	l.begin(modeHeld)
}

func (l *loop) release() {
	if l.mode == modeHeld && l.letGo.IsZero() {
		l.letGo = time.Now()
	}
}

func (l *loop) start(ctx context.Context) {
	if l.mode == modeHandsFree {
		l.once = false
		return
	}
	l.finish(ctx)
	l.ports.Voice.Duck(false)
	l.segmenter = NewSegmenter(l.patience())
	l.begin(modeHandsFree)
}

// patience is the setting, in frames.
func (l *loop) patience() int {
	if l.ports.Patience == nil {
		return DefaultPatience
	}
	return max(int(l.ports.Patience()/audio.FrameDuration), tail)
}

// begin opens the microphone on the user's act.
func (l *loop) begin(m mode) {
	l.mode, l.once = m, false
	l.problem = ""
	if m == modeHeld { // whoever holds the button wants to be heard
		l.muted = false
	}
	if l.stream == nil && !l.muted {
		l.show(Status{State: Opening, Muted: l.muted})
		l.reopen()
	}
	l.attend()
	l.showNow()
}

// attend holds the detector while hands-free listens.
func (l *loop) attend() { l.detecting.hold(l.mode == modeHandsFree && l.stream != nil) }

func (l *loop) stop(ctx context.Context, forget bool) {
	if forget {
		l.forget(ctx)
	} else {
		l.drain(ctx)
		l.finish(ctx)
	}
	l.close()
	l.mode, l.problem, l.letGo = modeClosed, "", time.Time{}
	l.ports.Voice.Duck(false)
	l.showNow()
}

func (l *loop) mute(ctx context.Context, on bool) {
	l.muted = on
	switch {
	case on:
		l.forget(ctx)
		l.close()
		l.ports.Voice.Duck(false)
	case l.mode != modeClosed && l.stream == nil:
		l.reopen()
	}
	l.showNow()
}

func (l *loop) use(ctx context.Context, name string, inputs []device.Info) {
	if name != l.chosen {
		l.problem = ""
	}
	l.chosen = name
	l.nextTry = time.Time{}
	want := name
	if name != "" && inputs != nil && !device.Has(inputs, name) {
		want = ""
	}
	if l.stream != nil && want != l.open {
		l.drain(ctx)
		l.close()
		l.reopen()
	}
	l.showNow()
}

// reopen opens the chosen microphone, or else the default one.
func (l *loop) reopen() {
	problem := ""
	l.ring.Drop()
	stream, err := l.ports.Microphones.OpenInput(l.chosen, l.ring)
	l.open = l.chosen
	if err != nil && l.chosen != "" {
		problem = problemDefault
		stream, err = l.ports.Microphones.OpenInput("", l.ring)
		l.open = ""
	}
	now := time.Now()
	l.frameAt = now
	if err != nil {
		if l.problem == "" {
			l.logger.LogAttrs(context.Background(), slog.LevelWarn, "no microphone opens", slog.Any("error", err))
		}
		if l.problem != problemLost || l.nextTry.IsZero() {
			l.problem = problemNone
		}
		l.nextTry = now.Add(again)
		return
	}
	l.stream, l.live = stream, false
	l.attend()
	if l.problem != problemSilent { // that stands until sound comes
		l.problem = problem
	}
}

func (l *loop) close() {
	if l.stream == nil {
		return
	}
	if err := l.stream.Close(); err != nil {
		l.logger.LogAttrs(context.Background(), slog.LevelWarn, "a microphone does not close", slog.Any("error", err))
	}
	l.stream = nil
	l.level = 0
	if l.ports.Canceller != nil {
		l.ports.Canceller.Reset()
	}
	l.attend()
}

func (l *loop) tick(ctx context.Context) {
	now := time.Now()
	switch {
	case l.muted:
	case l.stream == nil:
		if !now.Before(l.nextTry) {
			l.reopen()
		}
	default:
		if l.drain(ctx) && l.once {
			l.stop(ctx, false)
			return
		}
		l.watch(ctx, now)
	}
	if !l.letGo.IsZero() && now.Sub(l.letGo) >= trailing {
		l.stop(ctx, false)
		return
	}
	if now.Sub(l.shownAt) >= showing {
		l.showNow()
	}
}

// watch notices a microphone that went away or gives nothing.
func (l *loop) watch(ctx context.Context, now time.Time) {
	err := l.stream.Err()
	silent := now.Sub(l.frameAt) > watchdog
	if err == nil && !silent {
		return
	}
	l.logger.LogAttrs(ctx, slog.LevelWarn, "the microphone was lost", slog.Any("error", err), slog.Bool("silent", silent))
	l.problem, l.nextTry = problemLost, now
	if err == nil {
		l.problem, l.nextTry = problemSilent, now.Add(again)
	}
	l.finish(ctx)
	l.close()
	l.showNow()
}

// drain takes the frames that have come, and tells whether an utterance ended.
func (l *loop) drain(ctx context.Context) (ended bool) {
	for l.ring.Len() >= frameSamples {
		frame := make([]int16, frameSamples)
		l.ring.Take(frame)
		own := l.ports.Canceller != nil && l.ports.Canceller.Clean(frame)
		l.frameAt, l.live = time.Now(), true
		if l.problem == problemSilent {
			l.problem = ""
		}
		l.level = audio.Level(audio.RMS(frame))
		voiced := l.gate.Voiced(frame) && !own
		wasOpen := l.segmenter.Open()
		happened := l.segmenter.Frame(frame, voiced, l.detecting.speech(ctx, frame, l.logger))
		if l.segmenter.Open() && !wasOpen {
			l.overlap = l.ports.Voice.Overlapping()
		}
		ended = l.tell(ctx, happened) || ended
		l.listen(ctx, happened)
	}
	return ended
}

// tell passes an utterance on, and tells whether it ended.
func (l *loop) tell(ctx context.Context, happened []Happening) (ended bool) {
	for _, h := range happened {
		var err error
		switch h.Kind {
		case Began:
			l.ports.Voice.Duck(true)
			l.id, err = l.ports.Listener.Begin(ctx, l.overlap)
		case Samples:
			if l.id != 0 {
				err = l.ports.Listener.Audio(ctx, h.PCM)
			}
		case Ended:
			if l.id != 0 {
				err = l.ports.Listener.End(ctx, l.id, h.Voiced)
			}
			l.id, ended = 0, true
			if l.mode != modeHeld {
				l.ports.Voice.Duck(false)
			}
		}
		if err != nil {
			l.id = 0
			l.logger.LogAttrs(ctx, slog.LevelWarn, "an utterance is not taken", slog.Any("error", err))
		}
	}
	return ended
}

// finish sends the utterance under way.
func (l *loop) finish(ctx context.Context) {
	l.ending.over()
	l.tell(ctx, l.segmenter.Finish())
}

// forget drops the utterance under way.
func (l *loop) forget(ctx context.Context) {
	if l.id != 0 {
		if err := l.ports.Listener.Cancel(ctx, l.id); err != nil {
			l.logger.LogAttrs(ctx, slog.LevelDebug, "an utterance is not cancelled", slog.Any("error", err))
		}
	}
	l.id = 0
	l.ending.over()
	l.segmenter.Finish()
}

func (l *loop) showNow() {
	status := Status{State: Closed, Muted: l.muted, Problem: l.problem, Level: l.level}
	switch {
	case l.mode == modeClosed || l.muted:
		status.Level = 0
	case l.stream == nil, l.problem == problemSilent:
		status.State = Problem
	case !l.live:
		status.State = Opening
	case l.segmenter.Begun():
		status.State = Hearing
	default:
		status.State = Listening
	}
	l.show(status)
}

func (l *loop) show(status Status) {
	l.shownAt = time.Now()
	if status != l.shown {
		l.shown = status
		l.ports.Show(status)
	}
}
