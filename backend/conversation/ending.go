package conversation

import (
	"errors"
	"slices"

	"echo-companion/backend/echo"
)

// stopFromOutside stops all for somebody who is not attached: whoever is, is told and stays.
func (m *core) stopFromOutside(e stopAsked) {
	if m.conv != nil && m.conv.closing == "" {
		m.cancel(0)
	}
	m.answer(e.call, true, nil)
}

// endFromOutside ends the conversation for somebody who is not attached (S2).
func (m *core) endFromOutside(e endAsked) {
	switch {
	case m.conv == nil:
		m.answer(e.call, false, nil)
	case m.window != 0:
		m.answer(e.call, false, echo.Errorf(echo.CodeHeld, "A window is talking to Echo. End the conversation there."))
	default:
		m.enders = append(m.enders, e.call)
		if m.conv.closing == "" {
			m.end("user")
		}
	}
}

// end ends the conversation: what runs is stopped and kept as far as it got, what waits is withdrawn. It is over when that is
// written.
func (m *core) end(reason string) {
	c := m.conv
	c.goodbye, c.wish = false, nil
	m.forgetOpenSpeech()
	m.stopBefore(c.lastID + 1)
	c.stopping = false
	c.closing, c.closeBy = reason, m.now.Add(drainLimit)
	m.close()
}

// close ends the conversation once nothing of it is being written any more, or cannot be written, or takes too long.
func (m *core) close() {
	m.dispatch()
	c := m.conv
	if len(c.books.ops) == 0 || c.books.broken || !m.now.Before(c.closeBy) {
		m.finish()
	}
}

// finish forgets the conversation.
func (m *core) finish() {
	m.tell(Ended{Reason: m.conv.closing})
	if m.window != 0 {
		m.do(closeWindow{m.window})
		m.window = 0
	}
	m.abandon()
	for _, call := range m.enders {
		m.answer(call, true, nil)
	}
	m.enders = nil
}

// abandon lets go of the conversation and gives up all that works for it. What it has to write goes on.
func (m *core) abandon() {
	c := m.conv
	for _, j := range slices.Clone(c.jobs) {
		if j.replay {
			m.endReplay(j)
		} else {
			m.endVoice(j.turn)
		}
	}
	if c.run != nil {
		m.do(stopRun{c.run.id})
	}
	if c.hearing != 0 {
		m.do(stopRecognising{c.hearing})
	}
	if c.summary != 0 {
		m.do(stopSummary{c.summary})
	}
	m.unclaim()
	m.conv = nil
}

// shutdown ends all because the process ends. What stands is journaled, so that it can be tried again later.
func (m *core) shutdown() {
	m.down = true
	c := m.conv
	if c == nil {
		return
	}
	if r := c.run; r != nil && r.keptAsItGrows() {
		m.unqueue(c.books, func(o *op) bool { return o.kind == opJournal })
		m.enqueue(c.books, &op{kind: opJournal, x: r.turn.x, released: true})
		r.dirty = false
	}
	c.closing = "shutdown"
	m.finish()
}

// summarise has a running summary written in the background, when the history has grown long enough.
func (m *core) summarise() {
	c := m.conv
	if c.summary != 0 || c.run != nil || m.down {
		return
	}
	through, due := c.log.Due()
	if !due || through <= c.unsummed {
		return
	}
	c.summary = m.key()
	m.do(summarise{job: c.summary, model: c.model, log: c.log, through: through})
}

// summed takes a summary. One that failed changes nothing; it is tried again when there is more to sum up, and one that gave way to
// a reply when that is written.
func (m *core) summed(e summed) {
	c := m.conv
	if e.job != c.summary {
		return
	}
	c.summary = 0
	if errors.Is(e.err, errGaveWay) {
		return
	}
	if e.err != nil {
		c.unsummed = e.summary.Through
		return
	}
	c.log = c.log.WithSummary(e.summary)
	if chat := c.books.chatID(); chat != "" && c.books.keeps() {
		m.do(keepSummary{c.workspace.Chats, chat, e.summary})
	}
}
