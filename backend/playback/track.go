package playback

import (
	"echo-companion/backend/audio"
	"echo-companion/backend/speech"
)

// Piece is sound of a turn, 24 kHz, from sample Offset of the turn on. The slice is the player's to keep.
type Piece struct {
	Turn     int
	Sentence int
	Offset   int
	PCM      []int16
}

// placed is a piece in the ring, from sample start of the ring on.
type placed struct {
	Piece
	start uint64
}

// track is what waits to be heard: pieces not yet in the ring, and those in it. It is pure bookkeeping over the ring's positions.
type track struct {
	waiting []Piece
	inRing  []placed
	played  map[int]int // by turn: samples of it that were heard, from its start
	told    map[int]int // and how many of these have been credited
}

func newTrack() *track {
	return &track{played: map[int]int{}, told: map[int]int{}}
}

// busy tells whether anything is still to be heard.
func (t *track) busy() bool { return len(t.waiting) > 0 || len(t.inRing) > 0 }

// add puts a piece at the end. A turn that begins again, as a replay does, is counted from its start.
func (t *track) add(p Piece) {
	if p.Offset == 0 {
		delete(t.played, p.Turn)
		delete(t.told, p.Turn)
	}
	t.waiting = append(t.waiting, p)
}

// feed moves what fits into the ring.
func (t *track) feed(ring *audio.Ring) {
	for len(t.waiting) > 0 && ring.Free() > 0 {
		p := t.waiting[0]
		n := min(ring.Free(), len(p.PCM))
		start := ring.Written()
		n = ring.Put(p.PCM[:n])
		t.inRing = append(t.inRing, placed{Piece{p.Turn, p.Sentence, p.Offset, p.PCM[:n]}, start})
		if n == len(p.PCM) {
			t.waiting = t.waiting[1:]
			continue
		}
		t.waiting[0].PCM = p.PCM[n:]
		t.waiting[0].Offset += n
	}
}

// advance counts what was heard up to sample position of the ring.
func (t *track) advance(position uint64) {
	done := 0
	for _, p := range t.inRing {
		if position <= p.start {
			break
		}
		n := min(int(position-p.start), len(p.PCM)) //nolint:gosec // a piece's length at most
		t.played[p.Turn] = max(t.played[p.Turn], p.Offset+n)
		if n < len(p.PCM) {
			break
		}
		done++
	}
	t.inRing = t.inRing[done:]
}

// current is the piece that is being heard.
func (t *track) current() (turn, sentence int, ok bool) {
	if len(t.inRing) == 0 {
		return 0, 0, false
	}
	return t.inRing[0].Turn, t.inRing[0].Sentence, true
}

// drop takes out everything of turn, or of every turn where it is 0. It tells whether the ring has to be emptied: then what
// is left of the others waits again.
func (t *track) drop(turn int) bool {
	gone := func(p Piece) bool { return turn == 0 || p.Turn == turn }
	var keep []Piece
	empty := false
	for i, p := range t.inRing {
		if gone(p.Piece) {
			empty = true
			continue
		}
		rest := p.Piece
		if i == 0 { // the first one may be half heard
			n := min(max(t.played[p.Turn]-p.Offset, 0), len(p.PCM))
			rest.PCM, rest.Offset = p.PCM[n:], p.Offset+n
		}
		keep = append(keep, rest)
	}
	if empty {
		t.inRing = nil
	} else {
		keep = nil
	}
	for _, p := range t.waiting {
		if !gone(p) {
			keep = append(keep, p)
		}
	}
	t.waiting = keep
	return empty
}

// skip counts everything that waits as heard, as is right where nothing can be heard.
func (t *track) skip() {
	for _, p := range t.inRing {
		t.played[p.Turn] = max(t.played[p.Turn], p.Offset+len(p.PCM))
	}
	for _, p := range t.waiting {
		t.played[p.Turn] = max(t.played[p.Turn], p.Offset+len(p.PCM))
	}
	t.inRing, t.waiting = nil, nil
}

// credits calls tell for every turn of which step samples more were heard than were told, or any where nothing of it is left.
func (t *track) credits(step int, tell func(turn, playedMS int)) {
	for turn, n := range t.played {
		if n > t.told[turn] && (n-t.told[turn] >= step || !t.holds(turn)) {
			t.told[turn] = n
			tell(turn, n*1000/speech.OutputRate)
		}
	}
	for turn := range t.played { // the turns before the newest are over: keep the books short
		if len(t.played) > 8 && !t.holds(turn) {
			delete(t.played, turn)
			delete(t.told, turn)
		}
	}
}

func (t *track) holds(turn int) bool {
	for _, p := range t.inRing {
		if p.Turn == turn {
			return true
		}
	}
	for _, p := range t.waiting {
		if p.Turn == turn {
			return true
		}
	}
	return false
}
