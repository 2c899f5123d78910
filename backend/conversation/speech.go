package conversation

import (
	"slices"

	"echo-companion/backend/echo"
)

// speech opens a spoken turn. One that is still open is given up for it.
func (m *core) speech(s Speech) {
	if !m.use(s.ID) {
		return
	}
	for _, e := range slices.Clone(m.conv.line) {
		if e.open {
			m.giveUp(e, Ignored{ID: e.id, Reason: "empty"})
		}
	}
	if m.unheard() >= maxUnheard {
		m.refuse(s.ID, echo.CodeQueueFull, "Echo has not understood yet what was said before. Say it again in a moment.")
		m.conv.swallow = s.ID
		return
	}
	e := m.entry(s.ID)
	e.open, e.overlap, e.wake = true, s.Overlap, s.Wake
	m.conv.swallow = 0
	m.conv.woken = m.conv.woken || s.Wake
	m.conv.line = append(m.conv.line, e)
}

// maxUnheard is how many utterances may wait to be recognised, a minute of audio each at most.
const maxUnheard = 16

// unheard counts the spoken turns that are not recognised yet.
func (m *core) unheard() int {
	n := 0
	for _, e := range m.conv.line {
		if e.turn == nil {
			n++
		}
	}
	return n
}

// spokenNow is the open spoken turn, or nil.
func (c *conv) spokenNow() *entry {
	for _, e := range c.line {
		if e.open {
			return e
		}
	}
	return nil
}

func (m *core) audio(a Audio) {
	c := m.conv
	e := c.spokenNow()
	switch {
	case e == nil && c.swallow != 0: // the rest of one that was given up
	case e == nil:
		m.refuse(0, echo.CodeNoSpeechOpen, "There is no spoken turn to which this audio belongs.")
	case len(e.pcm)+len(a.PCM) > maxUtterance:
		m.remove(e)
		c.swallow = e.id
		m.refuse(e.id, echo.CodeTooLong, "That was more than a minute. Ask in fewer words.")
	default:
		e.pcm = append(e.pcm, a.PCM...)
		e.heardAt = m.now
	}
}

func (m *core) speechEnd(s SpeechEnd) {
	c := m.conv
	e := c.spokenNow()
	switch {
	case e == nil && c.swallow == s.ID && s.ID != 0:
		c.swallow = 0
	case e == nil || e.id != s.ID:
		m.refuse(s.ID, echo.CodeNoSpeechOpen, "The spoken turn %d is not open.", s.ID)
	case s.Voiced < minVoiced:
		m.giveUp(e, Ignored{ID: e.id, Reason: "short"})
		c.swallow = 0
	case len(e.pcm) == 0:
		m.giveUp(e, Ignored{ID: e.id, Reason: "empty"})
		c.swallow = 0
	default:
		e.open = false
	}
}

// speechCancel forgets a spoken turn that is not a question yet. Nothing answers.
func (m *core) speechCancel(id int) {
	c := m.conv
	for _, e := range c.line {
		if e.id == id && e.turn == nil {
			m.drop(e)
			break
		}
	}
	if c.swallow == id {
		c.swallow = 0
	}
}

// giveUp ends a spoken turn that asks nothing.
func (m *core) giveUp(e *entry, why Ignored) {
	if e.open {
		m.conv.swallow = e.id
	}
	m.drop(e)
	m.tell(why)
}

// drop takes a spoken turn out of the line, and its recognition with it.
func (m *core) drop(e *entry) {
	m.remove(e)
	if e.job != 0 && e.job == m.conv.hearing {
		m.do(stopRecognising{e.job})
		m.conv.hearing = 0
	}
}

// hear has the next spoken turn recognised: one at a time, in their order, beside everything else.
func (m *core) hear() {
	c := m.conv
	if c.hearing != 0 || m.down {
		return
	}
	for _, e := range c.line {
		if e.turn == nil && !e.open && e.job == 0 {
			e.job = m.key()
			c.hearing = e.job
			m.do(recognise{e.job, e.pcm})
			return
		}
	}
}

// recognised takes what was heard.
func (m *core) recognised(r recognised) {
	c := m.conv
	if r.job != c.hearing {
		return
	}
	c.hearing = 0
	for _, e := range c.line {
		if e.job != r.job {
			continue
		}
		if r.err != nil {
			m.unrecognised(e, r.err)
			return
		}
		e.pcm = nil
		m.judge(e, r.text)
		return
	}
}

// unrecognised fails a spoken turn. What was said is kept, so that it can be tried again without being said again; that of one
// turn, the newest, since a minute has two megabytes.
func (m *core) unrecognised(e *entry, why *echo.Error) {
	m.remove(e)
	for _, t := range m.conv.turns {
		t.sound = nil
	}
	t := &turn{
		Turn: echo.Turn{ID: e.id, Source: echo.SourceSpoken, Wake: e.wake, Error: why, AskedAt: e.heardAt}, overlap: e.overlap, sound: e.pcm,
	}
	m.over(t, echo.StatusFailed)
	m.conv.add(t)
	m.tell(Failed{ID: e.id, Error: why})
}

// cancel stops everything, one reply, a replay, or withdraws a question.
func (m *core) cancel(id int) {
	c := m.conv
	if id == 0 {
		m.stopBefore(c.lastID + 1)
		return
	}
	for _, e := range c.line {
		if e.id == id {
			m.cancelEntry(e)
			return
		}
	}
	if c.run != nil && c.run.turn.ID == id {
		m.stopRun()
		return
	}
	for _, j := range c.jobs {
		if j.replay && j.turn == id {
			m.endReplay(j)
			return
		}
	}
	if t := c.find(id); t == nil {
		m.refuse(id, echo.CodeUnknownTurn, "There is no turn %d to stop.", id)
	}
}

// cancelEntry withdraws a question that waits, or a spoken turn before it is one.
func (m *core) cancelEntry(e *entry) {
	if e.turn == nil {
		if e.open {
			m.conv.swallow = e.id
		}
		m.drop(e)
	} else {
		m.remove(e)
		m.withdraw(e.turn)
	}
	m.tell(Cancelled{ID: e.id})
}

// stopBefore stops the reply, what is read aloud, and every question with a smaller id; then nothing of them runs or waits.
// What is being spoken at this moment has not been asked yet, and stays.
func (m *core) stopBefore(id int) {
	c := m.conv
	for _, j := range slices.Clone(c.jobs) {
		if j.replay {
			m.endReplay(j)
		}
	}
	if c.run != nil && c.run.turn.ID < id {
		m.stopRun()
	}
	for _, e := range slices.Clone(c.line) {
		if e.id < id && !e.open {
			m.cancelEntry(e)
		}
	}
	c.stopping = true
}
