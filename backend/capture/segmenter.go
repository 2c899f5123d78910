package capture

import "cmp"

// An utterance's measures, in frames of 20 ms.
const (
	frameSamples = 320
	leastVoiced  = 12   // Q3: an utterance with fewer never leaves this machine
	preroll      = 15   // 300 ms before the first voiced frame, so that the first syllable is there
	tail         = 20   // 400 ms of quiet stay at the end: recognisers do best with 0.3 to 0.6 s
	resumed      = 10   // and 200 ms are kept before what follows a long pause
	longest      = 2900 // 58 s: the conversation takes 60
)

// DefaultPatience is how many quiet frames end an utterance in hands-free: 0.8 s.
const DefaultPatience = 40

// Kind says what a Happening is.
type Kind int

// What a segmenter tells.
const (
	Began   Kind = iota // an utterance has enough voice; Samples follow
	Samples             // more of it
	Ended               // it is over
)

// Happening is one thing that a segmenter tells.
type Happening struct {
	Kind   Kind
	PCM    []int16 // of Samples
	Voiced int     // of Ended: the voiced frames of the utterance
}

// Segmenter cuts a stream of 20 ms frames into utterances. It is pure: it reads no clock and opens nothing.
type Segmenter struct {
	patience int // quiet frames that end an utterance; 0 where only Finish does
	wait     int // the same in the pause under way; 0 is patience

	before  [][]int16 // the last quiet frames outside of an utterance
	pending [][]int16 // of one that has too little voice as yet
	held    [][]int16 // quiet frames at its end, which may be a pause
	open    bool
	begun   bool
	spoke   bool // the detector, if there is one, has heard speech in it
	voiced  int
	quiet   int // frames since the last voiced one
	length  int
}

// NewSegmenter gives a segmenter that ends an utterance after patience quiet frames, or with Finish alone where that is 0.
func NewSegmenter(patience int) *Segmenter { return &Segmenter{patience: patience} }

// Open tells whether an utterance is under way, with or without enough voice, and Begun whether it has enough.
func (s *Segmenter) Open() bool { return s.open }

// Begun tells whether an utterance with enough voice is under way.
func (s *Segmenter) Begun() bool { return s.begun }

// Pausing tells whether an utterance has just come to a pause in which it can be judged.
func (s *Segmenter) Pausing() bool { return s.begun && s.quiet == tail && s.patience > tail }

// Quiet tells whether the last frame of an utterance was no speech.
func (s *Segmenter) Quiet() bool { return s.begun && s.quiet > 0 }

// Wait has the pause under way end the utterance after so many quiet frames, of those that have been as well.
func (s *Segmenter) Wait(frames int) { s.wait = max(frames, tail) }

// Frame takes the next frame, which becomes the segmenter's. voiced is the energy gate's word, which counts; speech is that of a
// trained detector, which decides with it where an utterance begins and ends, and is true where there is none.
func (s *Segmenter) Frame(frame []int16, voiced, speech bool) []Happening {
	sounding := voiced && speech
	if !s.open {
		if !sounding {
			s.before = last(append(s.before, frame), preroll)
			return nil
		}
		s.open = true
		s.pending, s.before = s.before, nil
	}
	if voiced {
		s.voiced++
	}
	s.spoke = s.spoke || sounding
	if sounding {
		s.quiet, s.wait = 0, 0
	} else {
		s.quiet++
	}
	if !s.begun {
		return s.gather(frame)
	}
	return s.carry(frame)
}

// gather waits for enough voice.
func (s *Segmenter) gather(frame []int16) []Happening {
	s.pending = append(s.pending, frame)
	switch {
	case s.voiced >= leastVoiced && s.spoke:
		s.begun = true
		s.length = len(s.pending)
		pcm := join(s.pending)
		s.pending = nil
		return []Happening{{Kind: Began}, {Kind: Samples, PCM: pcm}}
	case s.quiet >= DefaultPatience:
		s.reset(last(s.pending, preroll))
	}
	return nil
}

// carry passes an utterance on, with its pauses but without the quiet at its end.
func (s *Segmenter) carry(frame []int16) []Happening {
	s.length++
	var out []Happening
	switch {
	case s.quiet == 0:
		if s.patience == 0 {
			s.held = last(s.held, resumed)
		}
		out = append(out, Happening{Kind: Samples, PCM: join(append(s.held, frame))})
		s.held = nil
	case s.quiet <= tail:
		out = append(out, Happening{Kind: Samples, PCM: frame})
	default:
		s.held = append(s.held, frame)
	}
	if s.length >= longest || (s.patience > 0 && s.quiet >= cmp.Or(s.wait, s.patience)) {
		out = append(out, s.Finish()...)
	}
	return out
}

// Finish ends the utterance that is under way. One with too little voice is forgotten.
func (s *Segmenter) Finish() []Happening {
	var out []Happening
	if s.begun {
		out = append(out, Happening{Kind: Ended, Voiced: s.voiced})
	}
	s.reset(last(s.held, preroll))
	return out
}

func (s *Segmenter) reset(before [][]int16) {
	*s = Segmenter{patience: s.patience, before: before}
}

func last(frames [][]int16, n int) [][]int16 {
	return frames[max(len(frames)-n, 0):]
}

func join(frames [][]int16) []int16 {
	out := make([]int16, 0, len(frames)*frameSamples)
	for _, f := range frames {
		out = append(out, f...)
	}
	return out
}
