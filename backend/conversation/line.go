package conversation

import (
	"slices"
	"strings"
	"unicode/utf8"

	"echo-companion/backend/echo"
	"echo-companion/backend/filter"
	"echo-companion/backend/prose"
)

// command takes a command of the attached window; one of a window that has gone is dropped.
func (m *core) command(e commanded) {
	if e.window == 0 || e.window != m.window || m.conv == nil || m.conv.closing != "" {
		return
	}
	switch c := e.command.(type) {
	case Ask:
		m.ask(c)
	case Speech:
		m.speech(c)
	case Audio:
		m.audio(c)
	case SpeechEnd:
		m.speechEnd(c)
	case SpeechCancel:
		m.speechCancel(c.ID)
	case Cancel:
		m.cancel(c.ID)
	case Retry:
		m.retry(c)
	case Replay:
		m.replay(c.ID)
	case Credit:
		m.credit(c)
	case End:
		m.end("user")
	}
}

// use takes an id for a turn, which is used up even where the turn is then refused.
func (m *core) use(id int) bool {
	if id <= m.conv.lastID {
		m.refuse(id, echo.CodeBadID, "The number %d was used before; the next turn needs one above %d.", id, m.conv.lastID)
		return false
	}
	m.conv.lastID = id
	return true
}

// entry makes an entry for a turn that is put now.
func (m *core) entry(id int) *entry {
	c := m.conv
	e := &entry{id: id, during: c.run != nil, heardAt: m.now}
	if c.run != nil {
		e.asking = c.run.asking
	}
	return e
}

func (m *core) ask(a Ask) {
	if !m.use(a.ID) {
		return
	}
	if n := utf8.RuneCountInString(a.Text); n > maxText {
		m.refuse(a.ID, echo.CodeTooLong, "The question has %d characters; at most %d can be asked at once.", n, maxText)
		return
	}
	if strings.TrimSpace(a.Text) == "" {
		m.refuse(a.ID, echo.CodeBadMessage, "The question is empty. Type or say what you want to know.")
		return
	}
	m.put(m.entry(a.ID), echo.Turn{ID: a.ID, Source: echo.SourceTyped, Question: a.Text})
}

func (m *core) retry(r Retry) {
	if !m.use(r.ID) {
		return
	}
	of := m.conv.find(r.Of)
	switch {
	case of == nil:
		m.refuse(r.ID, echo.CodeUnknownTurn, "There is no turn %d to try again.", r.Of)
	case of.Status != echo.StatusFailed && of.Status != echo.StatusStopped:
		m.refuse(r.ID, echo.CodeNotRetryable, "Only a reply that failed or was stopped can be tried again.")
	case of.sound != nil && m.unheard() < maxUnheard:
		e := m.entry(r.ID)
		e.pcm, e.overlap, e.wake = of.sound, of.overlap, of.Wake
		m.conv.line = append(m.conv.line, e)
	case of.Question == "":
		m.refuse(r.ID, echo.CodeNotRetryable, "What was said then is not there any more. Say it again.")
	default:
		source := of.Source
		if source == echo.SourceChat {
			source = echo.SourceTyped
		}
		e := m.entry(r.ID)
		e.asking = 0 // it is a question by itself, never an answer
		m.put(e, echo.Turn{ID: r.ID, Source: source, Question: of.Question})
	}
}

// put has a question wait for its turn, unless four do already.
func (m *core) put(e *entry, t echo.Turn) {
	c := m.conv
	if m.takeable(e) {
		m.take(e, t.Question)
		return
	}
	if m.waiting() >= m.room(e) {
		m.remove(e)
		m.refuse(e.id, echo.CodeQueueFull, "Four questions wait already. Ask again once one of them is being answered.")
		return
	}
	t.Status, t.AskedAt = echo.StatusQueued, m.now
	e.turn = &turn{Turn: t, overlap: e.overlap || e.during}
	if !slices.Contains(c.line, e) {
		c.line = append(c.line, e)
	}
	c.add(e.turn)
	m.accept(e)
}

// waiting counts the questions that wait.
func (m *core) waiting() int {
	n := 0
	for _, e := range m.conv.line {
		if e.turn != nil {
			n++
		}
	}
	if r := m.conv.run; r != nil && r.told && r.stage < stageWriting {
		n++
	}
	return n
}

// room is how many may wait: where nothing runs, the first of them is about to start and does not wait.
func (m *core) room(e *entry) int {
	c := m.conv
	if c.run != nil || len(c.line) > 0 && c.line[0] != e && c.line[0].turn == nil { // what is still being heard comes first
		return maxWaiting
	}
	return maxWaiting + 1
}

// remove takes an entry out of the line.
func (m *core) remove(e *entry) {
	m.conv.line = slices.DeleteFunc(m.conv.line, func(other *entry) bool { return other == e })
}

// advance starts the question whose turn it is, and tells those that wait that they do.
func (m *core) advance() {
	c := m.conv
	if c.stopping && c.run == nil {
		c.stopping = false
		m.tell(Stopped{})
	}
	m.takeWaiting()
	if c.run == nil && len(c.line) > 0 && !m.down {
		if e := c.line[0]; e.turn != nil && e.stored {
			c.line = c.line[1:]
			m.claim(e)
		}
	}
	position := 0
	if r := c.run; r != nil && r.stage < stageWriting {
		if !r.told {
			return // it starts in a moment, or waits before all others
		}
		position++
	}
	for i, e := range c.line {
		if e.turn == nil {
			continue
		}
		position++
		if c.run == nil && i == 0 || !e.stored || e.told {
			continue // the first starts as soon as it is stored
		}
		e.told = true
		m.tell(Queued{ID: e.id, Position: position})
	}
}

// takeable tells whether what is put now answers the question that the reply has asked.
func (m *core) takeable(e *entry) bool {
	r := m.conv.run
	if r == nil || r.asking == 0 || e.asking != r.asking {
		return false
	}
	for _, other := range m.conv.line {
		if other != e && other.turn == nil && other.id < e.id && other.asking == r.asking {
			return false // what was begun before it may be the answer
		}
	}
	return true
}

// take gives a reply the answer to its question.
func (m *core) take(e *entry, text string) {
	r := m.conv.run
	m.remove(e)
	m.do(answerQuestion{run: r.id, call: r.asking, text: text})
	r.asking = 0
	r.turn.Status = echo.StatusAnswering
	m.tell(Taken{ID: e.id, Of: r.turn.ID})
}

// takeWaiting takes a question that waited for what was begun before it, when that came to nothing.
func (m *core) takeWaiting() {
	for _, e := range m.conv.line {
		if e.turn != nil && m.takeable(e) {
			m.withdraw(e.turn)
			m.take(e, e.turn.Question)
			return
		}
	}
}

// judge takes a recognised utterance for what it is.
func (m *core) judge(e *entry, text string) {
	c := m.conv
	u := filter.Utterance{Text: text, Overlap: e.overlap, Woken: c.woken}
	if e.overlap {
		u.Recent = c.recent()
	}
	switch verdict := filter.Judge(u); verdict {
	case filter.Question:
		m.tell(Heard{ID: e.id, Text: text})
		m.put(e, echo.Turn{ID: e.id, Source: echo.SourceSpoken, Wake: e.wake, Question: text})
	case filter.Stop:
		m.remove(e)
		m.tell(Heard{ID: e.id, Text: text})
		m.stopBefore(e.id)
	case filter.Goodbye:
		m.remove(e)
		m.tell(Heard{ID: e.id, Text: text})
		c.goodbye = true
		m.tell(Ending{After: c.last()})
	case filter.Empty, filter.Filler, filter.Sound, filter.Echo:
		m.giveUp(e, Ignored{ID: e.id, Reason: string(verdict), Text: text})
	}
}

// last is the turn that will be over last, or 0.
func (c *conv) last() int {
	id := 0
	if c.run != nil {
		id = c.run.turn.ID
	}
	for _, e := range c.line {
		if e.turn != nil {
			id = max(id, e.id)
		}
	}
	return id
}

// recent is what Echo may hear of itself: the answers of the last three turns, what was last read aloud again, and what a reply
// has asked. All of a replay may have been sent while the window still plays it. The answers are there as they are written and as
// they are read aloud, without their links, code and tables.
func (c *conv) recent() []string {
	var texts []string
	add := func(text string) {
		texts = append(texts, text)
		if aloud := prose.Aloud(text); aloud != text {
			texts = append(texts, aloud)
		}
	}
	for i, n := len(c.turns)-1, 0; i >= 0 && n < 3; i-- {
		if t := c.turns[i]; len(t.answer) > 0 {
			add(string(t.answer))
			n++
		}
	}
	if t := c.find(c.replayed); t != nil {
		add(string(t.answer))
	}
	if c.run != nil && c.run.question != "" {
		add(c.run.question)
	}
	return texts
}
