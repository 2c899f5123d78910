package capture

import (
	"context"
	"slices"
	"sync"

	"echo-companion/backend/speech"
)

// judged is how much of an utterance is judged, in samples: its last 10 s.
const judged = 10 * speech.InputRate

// ending asks, in a pause of hands-free, what has been said so far, so that the pause may be shorter or longer. Its goroutine's word
// comes back through the capture's commands; a word about a pause that is over is passed over.
type ending struct {
	heard  []int16 // of the utterance under way, its last 20 s at the most
	cancel context.CancelFunc
	pause  int // counts pauses; 0 is before the first
	asking sync.WaitGroup
}

// listen takes what the segmenter told, and asks where a pause has begun.
func (l *loop) listen(ctx context.Context, happened []Happening) {
	if l.ports.Ending == nil || l.mode != modeHandsFree {
		return
	}
	for _, h := range happened {
		switch h.Kind {
		case Began:
			l.ending.heard = nil
		case Samples:
			if len(l.ending.heard) >= 2*judged {
				l.ending.heard = slices.Delete(l.ending.heard, 0, judged)
			}
			l.ending.heard = append(l.ending.heard, h.PCM...)
		case Ended:
			l.ending.over()
		}
	}
	switch {
	case l.segmenter.Pausing():
		l.ask(ctx)
	case !l.segmenter.Quiet():
		l.ending.over()
	}
}

// ask has what was heard judged in the background.
func (l *loop) ask(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	l.ending.over()
	l.ending.cancel = cancel
	pause, patience := l.ending.pause, l.patience()
	heard := slices.Clone(l.ending.heard[max(len(l.ending.heard)-judged, 0):])
	l.ending.asking.Go(func() {
		share := l.ports.Ending(ctx, heard)
		l.send(ctx, func(_ context.Context, l *loop) {
			if pause == l.ending.pause {
				l.segmenter.Wait(int(share * float64(patience)))
			}
		})
	})
}

// over says that a pause is over.
func (e *ending) over() {
	e.pause++
	if e.cancel != nil {
		e.cancel()
		e.cancel = nil
	}
}
