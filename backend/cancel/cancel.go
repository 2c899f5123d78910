// Package cancel takes Echo's own voice out of what the microphone hears: what was played is the reference, and an adaptive
// filter (SpeexDSP's, in builds with sound) learns the way from the loudspeaker to the microphone. It owns the alignment of the
// two streams and the judgement whether it is Echo alone that is heard, and knows neither devices nor the conversation.
package cancel

import (
	"sync/atomic"
	"time"

	"echo-companion/backend/audio"
	"echo-companion/backend/speech"
	"echo-companion/backend/speech/resample"
)

// Lengths, in samples at 16 kHz.
const (
	frame = speech.InputRate / 50      // 20 ms
	tail  = speech.InputRate * 2 / 5   // what the filter spans, of delay and room: 400 ms
	guard = speech.InputRate / 100     // what the resampler may not have let through yet
	near  = speech.InputRate * 4 / 100 // how far before the estimated delay the filter begins
	far   = speech.InputRate / 5       // how far behind its begin the delay may lie: the rest is for the room
	stray = speech.InputRate * 2 / 5   // how far a stream may stray from the clock before it is placed anew: sound systems queue, and come late
	quiet = speech.InputRate * 2       // so long after Echo's voice nothing is left of it
)

// settling is how long the microphone's stream may lie beside the clock: what a busy machine comes late with comes all the same.
const settling = time.Second

// filter is an adaptive filter: clean writes to out what is left of mic without the echo of played, 20 ms of each.
type filter interface {
	clean(mic, played, out []int16)
	close()
}

// Canceller is for one microphone and one loudspeaker. Played is called from the loudspeaker's thread; everything else from
// one goroutine, the microphone's.
type Canceller struct {
	played *audio.Ring  // 24 kHz
	due    atomic.Int64 // when the newest of played ends at the earliest, in Unix nanoseconds

	filter    filter // nil until Echo says something, and in builds without sound
	began     time.Time
	reference *reference
	heard     int       // number of the microphone's next sample, counted from began
	astray    time.Time // since when that lies beside the clock; zero where it does not
	lead      int       // how much older than the microphone's sound the reference is that the filter gets
	old       []int16   // what the filter gets of the reference
	now       []int16   // what is being played
	raw       []int16   // what was heard, before the filter
	own       *own      // tells Echo's voice from its user's
}

// New makes a canceller. It starts nothing.
func New() *Canceller {
	return &Canceller{
		played: audio.NewRing(audio.Count(speech.OutputRate, 4*time.Second)), reference: newReference(),
		lead: guard, old: make([]int16, frame), now: make([]int16, frame), raw: make([]int16, frame), own: newOwn(),
	}
}

// Played is what the loudspeaker was just given, 24 kHz, silence as well. It neither waits nor allocates.
func (c *Canceller) Played(pcm []int16) {
	c.played.Put(pcm)
	c.due.Store(time.Now().Add(audio.Duration(speech.OutputRate, len(pcm))).UnixNano())
}

// Reset forgets the room, as where the microphone is opened or closed. It frees what the filter holds.
func (c *Canceller) Reset() {
	if c.filter != nil {
		c.filter.close()
		c.filter = nil
	}
	c.began, c.lead = time.Time{}, guard
	c.own = newOwn()
}

// Clean takes Echo's voice out of the microphone's next 20 ms, 320 samples at 16 kHz, in place. They stay as they are until Echo
// says something; from then on what comes out lies 20 ms behind. It tells whether they hold Echo's own voice and nobody else's,
// which is known half a second after Echo begins to speak; until then its voice is all that is heard.
func (c *Canceller) Clean(mic []int16) (own bool) {
	now := time.Now()
	if c.began.IsZero() {
		c.began, c.heard, c.astray = now, -frame, time.Time{}
		c.reference.begin(c.played)
	}
	c.reference.take(c.played, c.number(time.Unix(0, c.due.Load())))
	c.follow(now)
	c.reference.read(c.now, c.heard-guard)
	c.place()
	c.reference.read(c.old, c.heard-c.lead)
	c.heard += frame
	if c.filter == nil && c.heard-c.reference.loud < quiet {
		c.filter = newFilter()
	}
	copy(c.raw, mic)
	if c.filter != nil {
		c.filter.clean(mic, c.old, mic)
	}
	return c.own.next(c.raw, c.now, mic)
}

// place has the filter begin shortly before the delay. Where that moves it learns anew.
func (c *Canceller) place() {
	delay := c.own.delay.lag * slot
	if c.own.delay.lag < 0 || delay+guard >= c.lead && delay <= c.lead+far {
		return
	}
	c.lead = max(delay-near, 0) + guard
	c.own.unlearn()
}

// follow places the microphone's stream anew where it has strayed from the clock for good.
func (c *Canceller) follow(now time.Time) {
	latest := c.number(now) - frame
	switch {
	case latest-c.heard <= stray && c.heard-latest <= stray:
		c.astray = time.Time{}
	case c.astray.IsZero():
		c.astray = now
	case now.Sub(c.astray) > settling:
		c.heard, c.astray = latest, time.Time{}
	}
}

// number is the sample that belongs to a moment.
func (c *Canceller) number(at time.Time) int {
	return int(at.Sub(c.began) * speech.InputRate / time.Second)
}

// reference is what was played in the last seconds, at 16 kHz, by the sample's number.
type reference struct {
	ring      [2 * speech.InputRate]int16
	end       int // number after the newest sample
	loud      int // number after the newest that was no silence
	resampler *resample.Resampler
	block     []int16
	wide      []float32
}

func newReference() *reference {
	resampler, err := resample.New(speech.OutputRate, speech.InputRate)
	if err != nil { // of two constants
		panic(err)
	}
	return &reference{resampler: resampler, block: make([]int16, speech.OutputRate/50)}
}

// begin forgets all, also what was played while nobody listened.
func (r *reference) begin(played *audio.Ring) {
	for played.Len() > 0 {
		played.Take(r.block)
	}
	clear(r.ring[:])
	r.end, r.loud = 0, -quiet
}

// take takes what was played; end is the number after the newest.
func (r *reference) take(played *audio.Ring, end int) {
	waiting := played.Len()
	if waiting == 0 {
		return
	}
	if from := end - waiting*speech.InputRate/speech.OutputRate; from-r.end > stray || r.end-from > stray {
		r.resampler.Reset()
		for n := r.end; n < min(from, r.end+len(r.ring)); n++ {
			r.ring[r.place(n)] = 0
		}
		r.end = from
	}
	for waiting > 0 {
		n := played.Take(r.block[:min(waiting, len(r.block))])
		if n == 0 {
			return
		}
		waiting -= n
		r.wide = r.wide[:0]
		for _, s := range r.block[:n] {
			r.wide = append(r.wide, float32(s))
		}
		for _, s := range r.resampler.Write(r.wide) {
			if s > 1 || s < -1 {
				r.loud = r.end + 1
			}
			r.ring[r.place(r.end)] = int16(max(-32768, min(32767, s)))
			r.end++
		}
	}
}

// read copies the samples from number from on; what was not played, or too long ago, is silence.
func (r *reference) read(out []int16, from int) {
	for i := range out {
		if n := from + i; n < r.end && n >= r.end-len(r.ring) {
			out[i] = r.ring[r.place(n)]
		} else {
			out[i] = 0
		}
	}
}

// place is where the ring has a number; numbers before began are negative.
func (r *reference) place(n int) int {
	size := len(r.ring)
	return (n%size + size) % size
}
