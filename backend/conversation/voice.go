package conversation

import (
	"slices"

	"echo-companion/backend/echo"
	"echo-companion/backend/prose"
	"echo-companion/backend/speech"
)

const (
	// aheadSamples is how much audio may be sent beyond what was played.
	aheadSamples = 4 * speech.OutputRate
	// frameSamples is the most audio of one notice: 200 ms.
	frameSamples = speech.OutputRate / 5
	// synthesisAhead is how many sentences beyond the one being sent are spoken ahead.
	synthesisAhead = 2
	// mostPlayed bounds what a window can report, in ms, so that its samples can be counted on any machine.
	mostPlayed = 1 << 26
)

// job is what is read aloud of one turn: while it is written, or again.
type job struct {
	key      int
	turn     int
	replay   bool
	reader   prose.Reader
	parts    []*part
	index    int  // of the next sentence
	complete bool // the text is complete
	muted    bool // nobody listens
	late     bool // the sentence that is being written began before the window came
	sent     int  // samples
	base     int  // samples that were sent before this window came
	played   int  // the greatest that the window has reported, in samples
	relative bool // the window counts from the first sample sent to it
}

// part is a sentence of a job.
type part struct {
	index int
	text  string
	job   int // its synthesis, or 0
	ended bool
	told  bool
	pcm   []int16 // not sent yet
	err   *echo.Error
}

// job is the voice of a turn that is being answered, or nil.
func (c *conv) job(turn int) *job {
	for _, j := range c.jobs {
		if j.turn == turn && !j.replay {
			return j
		}
	}
	return nil
}

// say gives more of an answer to its voice.
func (m *core) say(turn int, text string) {
	if j := m.conv.job(turn); j != nil {
		j.add(j.reader.Add(text))
	}
}

// sayAlso has something said that is no part of the answer.
func (m *core) sayAlso(turn int, text string) {
	if j := m.conv.job(turn); j != nil && !j.muted {
		var aside prose.Reader
		j.add(append(aside.Add(text), aside.End()...))
	}
}

// breakSpeech has what was written so far spoken, though its sentence has no end: something else comes first.
func (m *core) breakSpeech(turn int) {
	if j := m.conv.job(turn); j != nil {
		j.add(j.reader.Break())
	}
}

// finish adds the rest of a text that is complete.
func (j *job) finish() {
	j.add(j.reader.End())
	j.complete = true
}

// add appends sentences, unless nobody listens. One that began before the window came is skipped (R5).
func (j *job) add(pieces []prose.Piece) {
	for _, piece := range pieces {
		skip := j.muted || j.late || piece.Spoken == ""
		j.late = false
		if skip {
			continue
		}
		j.parts = append(j.parts, &part{index: j.index, text: piece.Spoken})
		j.index++
	}
}

// pump sends what may be sent, has spoken what may be spoken ahead, and ends what has been said.
func (m *core) pump() {
	c := m.conv
	for len(c.jobs) > 0 {
		j := c.jobs[0]
		for len(j.parts) > 0 && m.send(j, j.parts[0]) {
			j.parts = j.parts[1:]
		}
		if len(j.parts) > 0 || !j.complete {
			break
		}
		if !j.replay && c.run != nil && c.run.turn.ID == j.turn && c.run.stage < stageSpeaking {
			break // its text is not durable yet
		}
		c.jobs = c.jobs[1:]
		if j.replay {
			m.tell(Replayed{ID: j.turn, Complete: true})
			continue
		}
		m.voiced(j.turn)
		m.refit()
		m.advance()
	}
	m.speakAhead()
}

// send sends what is there of a sentence, as far as the credit goes, and tells whether all of it has been sent.
func (m *core) send(j *job, p *part) bool {
	for len(p.pcm) > 0 {
		n := min(len(p.pcm), frameSamples, max(j.base, j.played)+aheadSamples-j.sent)
		if n <= 0 {
			return false
		}
		m.announce(j, p)
		m.tell(Voice{ID: j.turn, Offset: j.sent, PCM: p.pcm[:n:n]})
		p.pcm = p.pcm[n:]
		j.sent += n
	}
	switch {
	case p.err != nil:
		m.tell(Refused{ID: j.turn, Error: p.err})
		return true
	case p.ended:
		m.announce(j, p)
	}
	return p.ended
}

// announce names the sentence whose audio comes next.
func (m *core) announce(j *job, p *part) {
	if !p.told {
		p.told = true
		m.tell(Sentence{ID: j.turn, Index: p.index, Text: p.text})
	}
}

// speakAhead has the next sentence spoken: one at a time, and not many ahead.
func (m *core) speakAhead() {
	c := m.conv
	if len(c.jobs) == 0 || m.window == 0 {
		return
	}
	for i, p := range c.jobs[0].parts {
		switch {
		case p.job != 0 && !p.ended:
			return // at work
		case p.job == 0 && i > synthesisAhead:
			return
		case p.job == 0:
			p.job = m.key()
			m.do(synthesise{job: p.job, text: p.text, voice: c.speaksAs()})
			return
		}
	}
}

// speaksAs is the voice: that of the settings wins over the look's.
func (c *conv) speaksAs() string {
	if c.voice != "" {
		return c.voice
	}
	return c.look.Voice
}

// part finds the sentence of a synthesis.
func (c *conv) part(synthesis int) *part {
	for _, j := range c.jobs {
		for _, p := range j.parts {
			if p.job == synthesis && !p.ended {
				return p
			}
		}
	}
	return nil
}

func (m *core) spoke(e spoke) {
	if p := m.conv.part(e.job); p != nil {
		p.pcm = append(p.pcm, e.pcm...)
	}
}

func (m *core) spoken(e spoken) {
	if p := m.conv.part(e.job); p != nil {
		p.ended, p.err = true, e.err
	}
}

// credit takes what a window says it has played.
func (m *core) credit(e Credit) {
	for _, j := range m.conv.jobs {
		if j.turn != e.ID || e.PlayedMS < 0 {
			continue
		}
		played := min(e.PlayedMS, mostPlayed) * (speech.OutputRate / 1000)
		if played > 0 && played < j.base {
			j.relative = true
		}
		if j.relative {
			played += j.base
		}
		j.played = max(j.played, played)
		return
	}
}

// quiet gives up the synthesis of a sentence.
func (m *core) quiet(p *part) {
	if p.job != 0 && !p.ended {
		m.do(stopSynthesis{p.job})
	}
}

// endVoice ends the reading of a turn's answer.
func (m *core) endVoice(turn int) {
	c := m.conv
	j := c.job(turn)
	if j == nil {
		return
	}
	for _, p := range j.parts {
		m.quiet(p)
	}
	c.jobs = slices.DeleteFunc(c.jobs, func(other *job) bool { return other == j })
}

// silence skips all audio, for nobody listens any more (R2). What is written later is not spoken either.
func (m *core) silence() {
	c := m.conv
	for _, j := range slices.Clone(c.jobs) {
		if j.replay {
			m.endReplay(j)
			continue
		}
		for _, p := range j.parts {
			m.quiet(p)
		}
		j.parts, j.muted = nil, true
	}
}

// relisten speaks again, for a window that has come, from the next sentence on (R5). Where it took over from another window,
// what that one had not begun to hear is still to come.
func (m *core) relisten(handover bool) {
	c := m.conv
	for _, j := range slices.Clone(c.jobs) {
		if j.replay {
			m.endReplay(j)
			continue
		}
		if j.muted {
			j.late = j.reader.Partial()
		}
		j.muted, j.base, j.played, j.relative = false, j.sent, 0, false
		if handover && len(j.parts) > 0 && j.parts[0].told {
			m.quiet(j.parts[0])
			j.parts = j.parts[1:]
		}
	}
}

// replay reads a finished answer aloud again.
func (m *core) replay(id int) {
	c := m.conv
	t := c.find(id)
	switch {
	case t == nil:
		m.refuse(id, echo.CodeUnknownTurn, "There is no turn %d to read aloud.", id)
		return
	case c.busy():
		m.refuse(id, echo.CodeBusy, "Echo is answering. Stop the reply, or wait until it is done.")
		return
	case t.Status != echo.StatusAnswered:
		m.refuse(id, echo.CodeNotFinished, "The answer of turn %d was not finished. Try it again first.", id)
		return
	}
	for _, j := range slices.Clone(c.jobs) {
		if j.turn == id {
			m.refuse(id, echo.CodeBusy, "That answer is being read aloud.")
			return
		}
		m.endReplay(j)
	}
	j := &job{key: m.key(), turn: id, replay: true}
	j.add(j.reader.Add(string(t.answer)))
	j.finish()
	c.jobs, c.replayed = append(c.jobs, j), id
}

// endReplay ends a replay before its end.
func (m *core) endReplay(j *job) {
	c := m.conv
	for _, p := range j.parts {
		m.quiet(p)
	}
	c.jobs = slices.DeleteFunc(c.jobs, func(other *job) bool { return other == j })
	m.tell(Replayed{ID: j.turn})
}
