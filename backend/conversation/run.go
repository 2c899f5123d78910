package conversation

import (
	"encoding/json"
	"slices"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
)

// stage is how far the turn at work has come.
type stage int

const (
	stageClaiming stage = iota // it waits for the floor of its chat
	stageStarting              // it waits for its start to be durable
	stageWriting               // start was said: the reply is written
	stageClosing               // the text is complete, and waits to be durable
	stageSpeaking              // answered was said: its audio is still to come
)

// run is the turn at work. At most one is between start and its last event.
type run struct {
	id        int
	turn      *turn
	stage     stage
	told      bool   // queued was said
	asking    int    // the call of ask_user that waits for its user, or 0
	question  string // what it asked
	dirty     bool   // it grew since it was last journaled
	journaled time.Time
	silenced  bool // it was stopped between its last word and answered
}

// floorState is the conversation's claim to what its replies need: the floor of its chat, and the desk.
type floorState struct {
	claim int // 0: none
	chat  string
	held  bool
}

// claim makes a question the turn at work, and takes for it the floor of its chat and the desk.
func (m *core) claim(e *entry) {
	c := m.conv
	c.run = &run{id: m.key(), turn: e.turn, told: e.told, journaled: m.now}
	floor, chat := c.workspace.Floor, c.books.chatID()
	if !c.books.saving || chat == "" {
		floor, chat = nil, ""
	}
	switch {
	case floor == nil && !m.desk:
		m.open()
	case c.floor.claim == 0 || c.floor.chat != chat:
		m.unclaim()
		c.floor = floorState{claim: m.key(), chat: chat}
		m.do(claim{c.floor.claim, floor, chat})
	case c.floor.held:
		m.open()
	default:
		m.claimWaits(c.floor.claim) // the one before was withdrawn while it waited
	}
}

// unclaim gives back what was claimed, or stops asking for it.
func (m *core) unclaim() {
	if floor := &m.conv.floor; floor.claim != 0 {
		m.do(unclaim{floor.claim})
		*floor = floorState{}
	}
}

// claimWaits tells a question that somebody else answers in its chat, or that the model on this machine writes another reply.
func (m *core) claimWaits(claim int) {
	c := m.conv
	if r := c.run; r != nil && c.floor.claim == claim && r.stage == stageClaiming && !r.told {
		r.told = true
		m.tell(Queued{ID: r.turn.ID, Position: 1})
	}
}

func (m *core) claimed(claim int) {
	c := m.conv
	if c.floor.claim != claim {
		return // it was given up, and the loop has given it back
	}
	c.floor.held = true
	if r := c.run; r != nil && r.stage == stageClaiming {
		m.open()
	}
}

// releaseFloor lets others answer in the chat once what was answered there is written.
func (m *core) releaseFloor() {
	c := m.conv
	if c.run != nil && c.run.stage < stageSpeaking || c.books.finishing() {
		return
	}
	m.unclaim()
}

// open writes down that the reply begins.
func (m *core) open() {
	r := m.conv.run
	r.stage = stageStarting
	if r.turn.x == nil {
		m.start()
		return
	}
	m.enqueue(m.conv.books, &op{kind: opStart, x: r.turn.x})
}

// opened takes the number that the question got in its chat. Another than expected means that the chat grew elsewhere (H3):
// then it is read again first.
func (m *core) opened(number int) {
	c := m.conv
	if chat := c.books.chatID(); number != 0 && number != c.log.Last()+1 && chat != "" {
		m.do(readAgain{c.run.id, c.workspace.Chats, chat})
		return
	}
	m.start()
}

func (m *core) reread(e reread) {
	c := m.conv
	if c.run == nil || c.run.id != e.run || c.run.stage != stageStarting {
		return
	}
	if e.err == nil {
		c.log = history.NewLog(e.history.messages, e.history.summary)
		if last := len(e.history.messages); last > 0 {
			if m := e.history.messages[last-1]; m.Role == echo.RoleUser { // the question itself
				c.log = c.log.Before(m.Number)
			}
		}
	}
	m.start()
}

// start begins the reply.
func (m *core) start() {
	c := m.conv
	r := c.run
	t := r.turn
	r.stage = stageWriting
	t.Status = echo.StatusAnswering
	m.tell(Start{ID: t.ID, Question: t.Question})
	c.jobs = append(c.jobs, &job{key: m.key(), turn: t.ID, muted: m.window == 0})
	system := history.System(history.Prompt{
		Name: c.look.Name, Persona: c.look.Persona, Now: m.now, Spoken: true, Overlap: t.overlap,
	})
	m.do(startRun{
		run: r.id, claim: c.floor.claim, model: c.model, messages: c.log.Request(system, t.Question),
		tools: toolset{make: c.workspace.Tools, log: c.log},
	})
}

// stepped takes more of the reply.
func (m *core) stepped(e stepped) {
	r := m.conv.run
	if r == nil || r.id != e.run || r.stage != stageWriting {
		return
	}
	t := r.turn
	r.dirty = true
	if call := e.step.Tool; call != nil {
		at := slices.IndexFunc(t.Tools, func(other echo.ToolCall) bool { return other.ID == call.ID })
		if at < 0 {
			t.Tools = append(t.Tools, *call)
			m.breakSpeech(t.ID)
		} else {
			t.Tools[at] = *call
		}
		m.tell(Tool{ID: t.ID, Call: *call})
		return
	}
	if e.step.Text == "" {
		return
	}
	t.answer = append(t.answer, e.step.Text...)
	m.tell(Delta{ID: t.ID, Text: e.step.Text})
	m.say(t.ID, e.step.Text)
}

// putQuestion has the reply wait for its user.
func (m *core) putQuestion(e putQuestion) {
	r := m.conv.run
	if r == nil || r.id != e.run || r.stage != stageWriting {
		return
	}
	r.asking, r.question = e.call, e.question
	r.turn.Status = echo.StatusAsking
	m.tell(Asking{ID: r.turn.ID, Question: e.question})
	m.breakSpeech(r.turn.ID)
	m.sayAlso(r.turn.ID, e.question)
}

// ran takes the end of a reply.
func (m *core) ran(e ran) {
	c := m.conv
	r := c.run
	if r == nil || r.id != e.run || r.stage != stageWriting {
		return
	}
	if e.err != nil {
		r.turn.Error = e.err
		m.conclude(echo.StatusFailed, echo.Outcome{State: echo.StateFailed, Code: e.err.Code, Reason: e.err.Message})
		m.tell(Failed{ID: r.turn.ID, Error: e.err})
		return
	}
	r.stage = stageClosing
	if j := c.job(r.turn.ID); j != nil {
		j.finish()
	}
	outcome := m.remember(r.turn, echo.Outcome{State: echo.StateComplete})
	if r.turn.x == nil {
		m.answered(r, false)
		return
	}
	m.enqueue(c.books, &op{kind: opFinish, x: r.turn.x, outcome: outcome})
}

// answered says that the text is complete. Its voice may go on.
func (m *core) answered(r *run, saved bool) {
	t := r.turn
	r.stage, r.dirty = stageSpeaking, false
	m.over(t, echo.StatusAnswered)
	notice := Answered{ID: t.ID, Answer: string(t.answer), Saved: saved}
	if saved {
		notice.Chat = m.conv.books.chatRef()
	}
	m.tell(notice)
	if r.silenced {
		m.endVoice(t.ID)
		m.conv.run = nil
		m.tell(Cancelled{ID: t.ID})
	}
}

// over ends a turn.
func (m *core) over(t *turn, status echo.Status) {
	t.Status, t.AnsweredAt, t.Away = status, m.now, m.window == 0
}

// remember adds an exchange to the history (R10).
func (m *core) remember(t *turn, outcome echo.Outcome) echo.Outcome {
	for i, call := range t.Tools {
		if call.Status == echo.ToolRunning {
			t.Tools[i].Status = echo.ToolFailed
			t.Tools[i].Result = "The call was cut off."
		}
		if len(call.Arguments) == 0 {
			t.Tools[i].Arguments = json.RawMessage("{}")
		}
	}
	outcome.Answer, outcome.Tools, outcome.At = string(t.answer), slices.Clone(t.Tools), m.now
	m.conv.log = m.conv.log.WithExchange(t.ask(), outcome)
	return outcome
}

// ask is the turn's question as it is kept.
func (t *turn) ask() echo.Question {
	return echo.Question{Kind: echo.KindVoice, Text: t.Question, Source: t.Source, Overlap: t.overlap, AskedAt: t.AskedAt}
}

// conclude ends the turn at work before its text was complete: it stays as far as it got.
func (m *core) conclude(status echo.Status, outcome echo.Outcome) {
	c := m.conv
	r := c.run
	c.run = nil
	m.endVoice(r.turn.ID)
	m.over(r.turn, status)
	outcome = m.remember(r.turn, outcome)
	if x := r.turn.x; x != nil {
		m.enqueue(c.books, &op{kind: opFinish, x: x, outcome: outcome})
	}
}

// stopRun stops the turn at work, wherever it is.
func (m *core) stopRun() {
	c := m.conv
	r := c.run
	switch r.stage {
	case stageClaiming, stageStarting:
		c.run = nil
		m.withdraw(r.turn)
	case stageWriting:
		m.do(stopRun{r.id})
		m.conclude(echo.StatusStopped, echo.Outcome{State: echo.StateStopped})
	case stageClosing:
		r.silenced = true
		return // answered comes first: the text was complete
	case stageSpeaking:
		c.run = nil
		m.endVoice(r.turn.ID)
	}
	m.tell(Cancelled{ID: r.turn.ID})
}

// withdraw takes a question back without a trace.
func (m *core) withdraw(t *turn) {
	c := m.conv
	c.remove(t)
	if t.x != nil {
		m.unwrite(c.books, t.x)
	}
}

// voiced says that a turn's audio has all been sent or skipped.
func (m *core) voiced(id int) {
	if r := m.conv.run; r != nil && r.turn.ID == id && r.stage == stageSpeaking {
		m.conv.run = nil
		m.tell(Done{ID: id})
	}
}
