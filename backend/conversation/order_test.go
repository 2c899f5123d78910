package conversation

import (
	"fmt"
	"slices"

	"echo-companion/backend/echo"
)

// The phases of a turn, in their order.
const (
	phaseUnknown = iota
	phaseHeard
	phaseQueued
	phaseStarted
	phaseAnswered
	phaseOver
)

// follower checks what one window receives against the order that the protocol promises.
type follower struct {
	turns   map[int]*followed
	running int
	last    bool // nothing may follow
	faults  []string
}

type followed struct {
	phase, sentences, index, offset int
	text                            string
	replaying                       bool
}

func orderFaults(notices []Notice) []string {
	f := &follower{turns: map[int]*followed{}}
	for i, n := range notices {
		if _, ready := n.(Ready); i == 0 && !ready {
			f.fault("the first notice is %T", n)
		}
		if f.last && !ours(n) {
			f.fault("%T after the last notice", n)
		}
		f.follow(n)
		if waiting := f.waiting(); waiting > maxWaiting {
			f.fault("after %T %d turns wait", n, waiting)
		}
	}
	return f.faults
}

// ours tells whether it is a mark of the test's own.
func ours(n Notice) bool {
	switch n.(type) {
	case questionPut, spokenPut, replayAsked:
		return true
	}
	return false
}

// waiting counts the turns that wait.
func (f *follower) waiting() int {
	n := 0
	for _, t := range f.turns {
		if t.phase == phaseQueued {
			n++
		}
	}
	return n
}

func (f *follower) fault(format string, values ...any) {
	f.faults = append(f.faults, fmt.Sprintf(format, values...))
}

func (f *follower) turn(id int) *followed {
	if f.turns[id] == nil {
		f.turns[id] = &followed{index: -1}
	}
	return f.turns[id]
}

func (f *follower) step(n Notice, to int, from ...int) {
	t := f.turn(turnOf(n))
	if slices.Contains(from, t.phase) {
		t.phase = to
		return
	}
	f.fault("turn %d: %T in phase %d", turnOf(n), n, t.phase)
}

func (f *follower) follow(n Notice) {
	switch n := n.(type) {
	case Ready:
		f.begin(n)
	case Heard:
		f.step(n, phaseHeard, phaseUnknown)
	case Queued:
		f.step(n, phaseQueued, phaseUnknown, phaseHeard)
	case Start:
		f.step(n, phaseStarted, phaseUnknown, phaseHeard, phaseQueued)
		if other := f.turns[f.running]; f.running != 0 && other != nil && other.phase != phaseOver && f.running != n.ID {
			f.fault("turn %d starts before the end of turn %d", n.ID, f.running)
		}
		f.running = n.ID
	case Delta:
		f.step(n, phaseStarted, phaseStarted)
		f.turn(n.ID).text += n.Text
	case Taken:
		f.turn(n.ID).phase = phaseOver
	case Tool, Asking:
		f.step(n, phaseStarted, phaseStarted)
	case Answered:
		f.step(n, phaseAnswered, phaseStarted)
		if text := f.turn(n.ID).text; text != n.Answer {
			f.fault("turn %d: the answer is %q, the deltas make %q", n.ID, n.Answer, text)
		}
	case Done:
		f.step(n, phaseOver, phaseAnswered)
	case Ignored:
		f.step(n, phaseOver, phaseUnknown, phaseHeard)
	case Failed:
		f.step(n, phaseOver, phaseUnknown, phaseHeard, phaseQueued, phaseStarted)
	case Cancelled:
		f.step(n, phaseOver, phaseUnknown, phaseHeard, phaseQueued, phaseStarted, phaseAnswered)
	default:
		f.speech(n)
	}
}

func (f *follower) begin(ready Ready) {
	f.turns, f.running = map[int]*followed{}, 0
	for _, t := range ready.Turns {
		turn := f.turn(t.ID)
		turn.text, turn.offset = t.Answer, -1
		switch t.Status {
		case echo.StatusQueued:
			turn.phase = phaseQueued
		case echo.StatusAnswering, echo.StatusAsking:
			turn.phase, f.running = phaseStarted, t.ID
		case echo.StatusAnswered:
			turn.phase = phaseAnswered // its speech may still come
		case echo.StatusStopped, echo.StatusFailed:
			turn.phase = phaseOver
		}
		if t.Source == echo.SourceChat {
			turn.phase = phaseOver
		}
	}
}

func (f *follower) speech(n Notice) {
	t := f.turn(turnOf(n))
	switch n := n.(type) {
	case replayAsked:
		t.replaying, t.offset, t.index, t.sentences = true, -1, -1, 0
	case Replayed:
		if !t.replaying {
			f.fault("turn %d: replayed, but no replay was asked for", n.ID)
		}
		t.replaying = false
	case Sentence:
		f.speaking(t, n)
		if n.Index <= t.index {
			f.fault("turn %d: sentence %d after %d", n.ID, n.Index, t.index)
		}
		t.index = n.Index
		t.sentences++
	case Voice:
		f.speaking(t, n)
		if t.sentences == 0 {
			f.fault("turn %d: audio before its sentence", n.ID)
		}
		if t.offset >= 0 && n.Offset != t.offset {
			f.fault("turn %d: audio at %d after %d", n.ID, n.Offset, t.offset)
		}
		t.offset = n.Offset + len(n.PCM)
	case Ended, Detached:
		f.last = true
	}
}

func (f *follower) speaking(t *followed, n Notice) {
	if !t.replaying && t.phase != phaseStarted && t.phase != phaseAnswered {
		f.fault("turn %d: %T in phase %d", turnOf(n), n, t.phase)
	}
}
