package playback

import (
	"context"
	"log/slog"
	"time"

	"echo-companion/backend/audio"
	"echo-companion/backend/device"
	"echo-companion/backend/speech"
)

// loop is the state of Run; its goroutine alone touches it.
type loop struct {
	*Player
	track  *track
	hushed map[int]bool // by turn; 0 is all of them

	chosen  string // the loudspeaker that the user wants
	stream  device.Stream
	open    string // the name that stream was opened by
	used    time.Time
	lostAt  time.Time // when the stream was lost in mid-sentence; zero while there is one
	nextTry time.Time
	problem string
	muted   bool // the open stream is

	ticks int
	shown Status
}

// awake tells whether the loop has anything to do but wait for commands.
func (l *loop) awake() bool {
	return l.track.busy() || l.stream != nil || l.shown.Speaking
}

func (l *loop) play(piece Piece) {
	if l.hushed[0] || l.hushed[piece.Turn] || len(piece.PCM) == 0 {
		return
	}
	l.track.add(piece)
	l.pump()
}

// pump gets a loudspeaker where one is needed and feeds it.
func (l *loop) pump() {
	now := time.Now()
	if l.stream == nil && !now.Before(l.nextTry) {
		l.reopen(now)
	}
	switch {
	case l.stream != nil:
		l.mute(false)
		l.track.feed(l.mixer.ring)
	case l.lostAt.IsZero() || now.Sub(l.lostAt) > patience:
		l.track.skip()
		l.mixer.ring.Drop()
		l.credit()
		l.problem = problemNone // it is no longer looked for
	}
}

// reopen opens the chosen loudspeaker, or else the default one.
func (l *loop) reopen(now time.Time) {
	problem := ""
	stream, err := l.ports.Speakers.OpenOutput(l.chosen, speech.OutputRate, l.mixer.fill)
	l.open = l.chosen
	if err != nil && l.chosen != "" {
		problem = problemDefault
		stream, err = l.ports.Speakers.OpenOutput("", speech.OutputRate, l.mixer.fill)
		l.open = ""
	}
	l.used = time.Now()
	if err == nil {
		l.stream, l.problem, l.lostAt, l.nextTry, l.muted = stream, problem, time.Time{}, time.Time{}, false
		return
	}
	if l.problem == "" {
		l.logger.LogAttrs(context.Background(), slog.LevelWarn, "no loudspeaker opens", slog.Any("error", err))
	}
	wait := retry
	if l.lostAt.IsZero() || now.Sub(l.lostAt) > patience {
		wait = giveUp
		l.problem = problemNone
	}
	l.nextTry = l.used.Add(wait)
	l.show(true)
}

func (l *loop) use(name string, outputs []device.Info) {
	if name != l.chosen || (l.problem == problemNone && len(outputs) > 0) {
		l.problem = ""
	}
	l.chosen = name
	l.nextTry = time.Time{}
	want := name
	if name != "" && outputs != nil && !device.Has(outputs, name) {
		want = ""
	}
	if l.stream != nil && want != l.open {
		l.close()
		l.reopen(time.Now())
	}
	l.show(true)
}

func (l *loop) close() {
	if l.stream == nil {
		return
	}
	if err := l.stream.Close(); err != nil {
		l.logger.LogAttrs(context.Background(), slog.LevelWarn, "a loudspeaker does not close", slog.Any("error", err))
	}
	l.stream = nil
}

func (l *loop) tick(ctx context.Context) {
	l.track.advance(l.mixer.ring.Position())
	l.credit()
	now := time.Now()
	if l.stream != nil {
		if err := l.stream.Err(); err != nil {
			l.logger.LogAttrs(ctx, slog.LevelWarn, "the loudspeaker was lost", slog.Any("error", err))
			l.lostAt, l.nextTry, l.problem = now, time.Time{}, problemLost
			l.show(true)
			l.close()
		}
	}
	if l.track.busy() {
		l.used = now
		l.pump()
	} else if l.stream != nil && now.Sub(l.used) > idle {
		l.close()
	}
	l.ticks++
	l.show(l.ticks%statusTicks == 0)
}

// mute has the loudspeaker fall silent at once, where it can.
func (l *loop) mute(on bool) {
	if on == l.muted {
		return
	}
	l.muted = on
	if m, is := l.stream.(device.Muter); is {
		m.Mute(on)
	}
}

func (l *loop) credit() {
	l.track.credits(audio.Count(speech.OutputRate, creditStep), l.ports.Credit)
}

func (l *loop) drop(turn int) {
	l.track.advance(l.mixer.ring.Position())
	if l.track.drop(turn) {
		l.mixer.ring.Drop()
		l.mute(!l.track.busy())
		if l.stream != nil {
			l.track.feed(l.mixer.ring)
		}
	}
	l.credit()
	l.show(true)
}

// show tells what is to be seen, where it changed.
func (l *loop) show(due bool) {
	if !due {
		return
	}
	status := Status{Problem: l.problem}
	if turn, sentence, ok := l.track.current(); ok && l.stream != nil {
		status.Turn, status.Sentence, status.Speaking = turn, sentence, true
		status.Level = l.mixer.meter()
		status.Ducked = l.mixer.ducked.Load()
	}
	if status != l.shown {
		l.shown = status
		l.ports.Show(status)
	}
}

// end fades the voice and lets go of the loudspeaker.
func (l *loop) end() {
	if l.stream != nil && l.track.busy() {
		l.mixer.ring.Drop()
		timer := time.NewTimer(2 * tick)
		defer timer.Stop()
		<-timer.C
	}
	l.close()
}
