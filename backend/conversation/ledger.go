package conversation

import (
	"errors"
	"slices"
	"time"

	"echo-companion/backend/echo"
)

// opKind is what an archive call does.
type opKind int

const (
	opAccept opKind = iota
	opStart
	opJournal
	opFinish
	opWithdraw
)

// retryMost is how long a failing archive is left alone at most before the writing is tried again.
const retryMost = 15 * time.Second

// writing is an archive call as the loop carries it out.
type writing struct {
	kind     opKind
	exchange int64
	question echo.Question
	answer   string
	tools    []echo.ToolCall
	outcome  echo.Outcome
}

// record is what is kept of a turn on disk.
type record struct {
	turn    *turn
	id      int64 // once it is accepted
	started bool
}

// op is one thing to write.
type op struct {
	kind     opKind
	x        *record
	outcome  echo.Outcome
	released bool // what waited for it goes on: it is written, or the archive has said that it cannot
}

// ledger is what a conversation has to write, in its order, one at a time. It outlives its conversation until all is written.
type ledger struct {
	key       int
	workspace Workspace
	chat      *echo.ChatRef
	carried   bool // the chat was there before
	stored    int  // exchanges in it that came from here
	saving    bool
	gone      bool // the chat was deleted

	ops     []*op
	writing bool // the first of ops is being written
	broken  bool // the archive has said that it cannot
	tries   int
	retryAt time.Time
}

// keeps tells whether what is said is on disk.
func (l *ledger) keeps() bool { return l.saving && !l.broken }

func (l *ledger) chatID() string {
	if l.chat == nil || l.gone {
		return ""
	}
	return l.chat.ID
}

func (l *ledger) chatRef() *echo.ChatRef {
	if l.chat == nil || l.gone {
		return nil
	}
	ref := *l.chat
	return &ref
}

// finishing tells whether the end of a reply is still to be written.
func (l *ledger) finishing() bool {
	return !l.broken && slices.ContainsFunc(l.ops, func(o *op) bool { return o.kind == opFinish })
}

// due is when time alone has something written.
func (l *ledger) due() time.Time {
	if l.writing || len(l.ops) == 0 {
		return time.Time{}
	}
	return l.retryAt
}

// accept has a question stored before anybody is told that it waits.
func (m *core) accept(e *entry) {
	books := m.conv.books
	if !books.saving {
		e.stored = true
		return
	}
	e.turn.x = &record{turn: e.turn}
	m.enqueue(books, &op{kind: opAccept, x: e.turn.x})
}

// enqueue has something written. While the archive cannot write, nothing waits for it.
func (m *core) enqueue(l *ledger, o *op) {
	if o.kind == opFinish { // it says all that the journal would
		m.unqueue(l, func(other *op) bool { return other.kind == opJournal && other.x == o.x })
	}
	l.ops = append(l.ops, o)
	if l.broken {
		m.release(l, o, 0, false)
	}
}

// unqueue takes back what is not being written yet.
func (m *core) unqueue(l *ledger, which func(*op) bool) {
	kept := l.ops[:0:0]
	for i, o := range l.ops {
		if i == 0 && l.writing || !which(o) {
			kept = append(kept, o)
		}
	}
	l.ops = kept
}

// unwrite removes what is kept of a turn.
func (m *core) unwrite(l *ledger, x *record) {
	x.turn.x = nil
	m.unqueue(l, func(o *op) bool { return o.x == x })
	if x.id != 0 || l.writing && l.ops[0].x == x {
		l.ops = append(l.ops, &op{kind: opWithdraw, x: x, released: true})
	}
}

// journal has the growing reply written, not too often.
func (m *core) journal() {
	if m.conv == nil || m.conv.run == nil {
		return
	}
	r := m.conv.run
	if !r.keptAsItGrows() || !r.dirty || m.now.Before(r.journalDue()) {
		return
	}
	r.dirty, r.journaled = false, m.now
	l := m.conv.books
	m.unqueue(l, func(o *op) bool { return o.kind == opJournal })
	m.enqueue(l, &op{kind: opJournal, x: r.turn.x})
}

func (r *run) keptAsItGrows() bool {
	return r.stage == stageWriting && r.turn.x != nil
}

// journalDue is when the growing reply is next to be written; zero: it is written as it stands.
func (r *run) journalDue() time.Time {
	if !r.dirty || !r.keptAsItGrows() {
		return time.Time{}
	}
	return r.journaled.Add(journalEvery)
}

// dispatch hands the next writing of each ledger to the loop.
func (m *core) dispatch() {
	m.journal()
	for _, l := range m.ledgers {
		if l.writing || len(l.ops) == 0 || m.now.Before(l.retryAt) {
			continue
		}
		o := l.ops[0]
		l.writing = true
		do := writing{kind: o.kind, exchange: o.x.id, outcome: o.outcome}
		switch t := o.x.turn; o.kind {
		case opAccept:
			do.question = t.ask()
			do.question.Chat = l.chatID()
		case opJournal:
			do.answer, do.tools = string(t.answer), slices.Clone(t.Tools)
		case opStart, opFinish, opWithdraw:
		}
		m.do(write{l.key, l.workspace.Archive, do})
	}
	m.ledgers = slices.DeleteFunc(m.ledgers, func(l *ledger) bool {
		return len(l.ops) == 0 && (m.conv == nil || m.conv.books != l)
	})
}

// written takes the end of an archive call.
func (m *core) written(e wrote) {
	at := slices.IndexFunc(m.ledgers, func(l *ledger) bool { return l.key == e.ledger })
	if at < 0 {
		return
	}
	l := m.ledgers[at]
	l.writing = false
	if len(l.ops) == 0 {
		return // the chat was deleted meanwhile
	}
	if e.err != nil {
		m.unwritten(l, e.err)
		return
	}
	o := l.ops[0]
	l.ops = l.ops[1:]
	l.tries, l.retryAt = 0, time.Time{}
	switch o.kind {
	case opAccept:
		o.x.id = e.exchange.ID
		l.stored++
		l.chat = &echo.ChatRef{ID: e.exchange.Chat.ID, Title: e.exchange.Chat.Title} // it may have been renamed
	case opStart:
		o.x.started = true
	case opWithdraw:
		if l.stored--; l.stored == 0 && !l.carried {
			l.chat = nil
		}
	case opJournal, opFinish:
	}
	m.release(l, o, e.number, true)
	if l.broken && len(l.ops) == 0 {
		l.broken = false
		m.tellSaving(l, Saving{Saving: l.saving})
	}
}

// unwritten takes the archive's word that it cannot write: replies go on, and the writing is tried again.
func (m *core) unwritten(l *ledger, err error) {
	var coded *echo.Error
	if errors.As(err, &coded) && (coded.Code == echo.CodeUnknownChat || coded.Code == echo.CodeNotFound) {
		m.lose(l, "deleted")
		return
	}
	if first := l.ops[0]; slices.ContainsFunc(l.ops, func(o *op) bool { return o.kind == opWithdraw && o.x == first.x && first.x.id == 0 }) {
		m.unqueue(l, func(o *op) bool { return o.x == first.x }) // it was never stored, and need not be
	}
	l.tries++
	l.retryAt = m.now.Add(min(time.Duration(l.tries)*time.Second, retryMost))
	if !l.broken {
		l.broken = true
		m.tellSaving(l, Saving{Saving: false, Reason: "error"})
	}
	for _, o := range slices.Clone(l.ops) {
		m.release(l, o, 0, false)
	}
}

func (m *core) tellSaving(l *ledger, s Saving) {
	if m.conv != nil && m.conv.books == l {
		m.tell(s)
	}
}

// release lets go on what waited for a writing.
func (m *core) release(l *ledger, o *op, number int, saved bool) {
	c := m.conv
	if o.released || c == nil || c.books != l {
		return
	}
	o.released = true
	r := c.run
	switch o.kind {
	case opAccept:
		for _, e := range c.line {
			if e.turn == o.x.turn {
				e.stored = true
			}
		}
	case opStart:
		if r != nil && r.turn == o.x.turn && r.stage == stageStarting {
			m.opened(number)
		}
	case opFinish:
		if r != nil && r.turn == o.x.turn && r.stage == stageClosing {
			m.answered(r, saved)
		}
	case opJournal, opWithdraw:
	}
}

// stopSaving ends the saving of the conversation in progress. What is not answered yet leaves no trace.
func (m *core) stopSaving(reason string) {
	c := m.conv
	l := c.books
	if !l.saving {
		return
	}
	l.saving = false
	for _, e := range c.line {
		if e.turn != nil && e.turn.x != nil {
			m.unwrite(l, e.turn.x)
			e.stored = true
		}
	}
	if r := c.run; r != nil && r.stage < stageClosing && r.turn.x != nil {
		m.unwrite(l, r.turn.x)
		if r.stage == stageStarting {
			m.start()
		}
	}
	m.tell(Saving{Saving: false, Reason: reason})
}

// forgetChat follows the deletion of a chat: nothing more is written there, and nothing recreates it (H7).
func (m *core) forgetChat(workspace, chat string) {
	for _, l := range slices.Clone(m.ledgers) {
		if l.workspace.Name == workspace && l.chatID() == chat && chat != "" {
			m.lose(l, "deleted")
		}
	}
}

// lose ends a ledger whose chat is gone.
func (m *core) lose(l *ledger, reason string) {
	l.gone, l.broken = true, false
	waiting := l.ops
	l.ops = nil
	c := m.conv
	if c == nil || c.books != l {
		l.saving = false
		return
	}
	for _, e := range c.line {
		if e.turn != nil {
			e.turn.x, e.stored = nil, true
		}
	}
	if c.run != nil {
		c.run.turn.x = nil
	}
	if l.saving {
		l.saving = false
		m.tell(Saving{Saving: false, Reason: reason})
	}
	for _, o := range waiting {
		m.release(l, o, 0, false)
	}
}
