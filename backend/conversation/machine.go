package conversation

import (
	"slices"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
)

// The limits of the protocol.
const (
	maxWaiting   = 4
	maxText      = 8000 // code points
	maxUtterance = 60 * 16000
	minVoiced    = 12 // frames of 20 ms (Q3)
	shownTurns   = 8

	// speechSilence gives up a spoken turn whose audio stopped coming.
	speechSilence = 10 * time.Second
	// journalEvery is how often the growing reply is written: well within the second that it may be behind.
	journalEvery = 250 * time.Millisecond
	// drainLimit is how long an ending waits for what is still being written.
	drainLimit = 2 * time.Second
)

// core is the state of the machine. It does no I/O, reads no clock and starts nothing: step takes an event and the time, changes
// the state, and returns what is to be done. One loop owns it.
type core struct {
	keep       time.Duration
	ticketLife time.Duration

	now      time.Time
	out      []effect
	keys     int // names of workers, windows and conversations: each is used once
	conv     *conv
	window   int // the attached window, or 0
	tickets  map[string]ticket
	ledgers  []*ledger // the conversation's own, and older ones that still have something to write
	enders   []int     // calls that wait for the end of the conversation
	held     bool      // the engines are held
	settings Settings  // as they were when they were last acted upon
	down     bool      // the process ends: nothing begins any more

	looks func(id string) (echo.Look, bool)
	desk  bool // there is one
}

// conv is one conversation.
type conv struct {
	id        string
	workspace Workspace
	look      echo.Look
	voice     string // as the settings have it; empty: the look's
	model     string
	seen      bool // a window was attached, or it carries a chat on: the next ready says resumed
	woken     bool // it was opened with "Hey Echo"
	lastID    int
	turns     []*turn  // ascending
	line      []*entry // ascending: spoken turns that are not recognised yet, and questions that wait
	run       *run     // the turn between start and its last event, or about to start
	jobs      []*job   // what is read aloud, the first first
	hearing   int      // the recognition at work, or 0
	swallow   int      // the spoken turn that was given up, but whose audio may still come
	replayed  int      // the turn that was last read aloud again, or 0
	log       history.Log
	books     *ledger
	wish      *wish
	loading   int // the reading for a takeover, or 0
	floor     floorState
	summary   int       // the summary being written, or 0
	unsummed  int       // through which message a summary failed
	stopping  bool      // stopped is owed
	goodbye   bool      // it ends when idle
	closing   string    // it is ending, for that reason
	closeBy   time.Time // and no later than that
	idleSince time.Time // detached and idle since; zero: not so
}

// turn is a question, and what becomes of it.
type turn struct {
	echo.Turn
	answer  []byte // grows while the reply is written
	overlap bool
	sound   []int16 // what was said, where it could not be recognised
	x       *record // what is kept of it on disk; nil: nothing
}

// entry is a turn that has not been started: a spoken one that is not recognised yet, or a question that waits.
type entry struct {
	id      int
	turn    *turn // nil until the question is known
	open    bool  // its audio is still coming
	pcm     []int16
	overlap bool
	wake    bool
	during  bool      // a reply ran when it was put
	heardAt time.Time // when its last audio came
	job     int       // its recognition, or 0
	asking  int       // the question of a reply that had been put when it began; 0: none
	stored  bool      // it is durable, or need not be
	told    bool      // queued was said
}

// step takes an event. The effects are to be carried out in their order.
func (m *core) step(now time.Time, e event) []effect {
	m.now, m.out = now, nil
	switch e := e.(type) {
	case stateAsked:
		m.answer(e.call, m.snapshot(), nil)
		return m.out
	case reserved:
		m.reserve(e)
	case attached:
		m.attach(e)
	case stopAsked:
		m.stopFromOutside(e)
	case endAsked:
		m.endFromOutside(e)
	case changed:
		m.change(e.settings)
	case deleted:
		m.forgetChat(e.workspace, e.chat)
	case commanded:
		m.command(e)
	case malformed:
		m.tellWindow(e.window, Refused{Error: e.err})
	case left:
		m.leave(e.window)
	case ticked:
		m.tick()
	case shut:
		m.shutdown()
	case wrote:
		m.written(e)
	default:
		m.worked(e)
	}
	m.settle()
	return m.out
}

// worked takes what workers report. What comes from one that was given up finds nobody waiting, and is dropped.
func (m *core) worked(e event) {
	if m.conv == nil {
		return
	}
	switch e := e.(type) {
	case recognised:
		m.recognised(e)
	case claimWaits:
		m.claimWaits(e.claim)
	case claimed:
		m.claimed(e.claim)
	case stepped:
		m.stepped(e)
	case ran:
		m.ran(e)
	case putQuestion:
		m.putQuestion(e)
	case spoke:
		m.spoke(e)
	case spoken:
		m.spoken(e)
	case loaded:
		m.loaded(e)
	case reread:
		m.reread(e)
	case summed:
		m.summed(e)
	}
}

// settle brings the state to rest after an event: it starts what can start, and lets go of what is no longer needed.
func (m *core) settle() {
	m.dispatch()
	if c := m.conv; c != nil && c.closing != "" {
		m.close()
	} else if c != nil {
		m.refit()
		m.advance()
		m.hear()
		m.pump()
		m.takeOver()
		m.releaseFloor()
		m.summarise()
		m.rest()
		m.dispatch()
	}
	if on := m.window != 0 || m.conv != nil && m.conv.busy(); on != m.held {
		m.held = on
		m.do(hold{on})
	}
}

// rest notes since when a detached conversation is idle, and ends one to which goodbye was said.
func (m *core) rest() {
	c := m.conv
	idle := !c.busy() && len(c.jobs) == 0
	if c.goodbye && idle {
		m.end("goodbye")
		return
	}
	switch {
	case m.window != 0 || c.busy():
		c.idleSince = time.Time{}
	case c.idleSince.IsZero():
		c.idleSince = m.now
	}
}

// busy tells whether a reply runs or a question waits; speech that is not recognised yet may be one.
func (c *conv) busy() bool { return c.run != nil || len(c.line) > 0 }

// find returns a turn, or nil.
func (c *conv) find(id int) *turn {
	at, found := slices.BinarySearchFunc(c.turns, id, func(t *turn, id int) int { return t.ID - id })
	if !found {
		return nil
	}
	return c.turns[at]
}

// add puts a turn in its place.
func (c *conv) add(t *turn) {
	at, _ := slices.BinarySearchFunc(c.turns, t.ID, func(t *turn, id int) int { return t.ID - id })
	c.turns = slices.Insert(c.turns, at, t)
}

// remove takes a turn away without a trace.
func (c *conv) remove(t *turn) {
	c.turns = slices.DeleteFunc(c.turns, func(other *turn) bool { return other == t })
}

// snapshot is the state as it stands.
func (m *core) snapshot() State {
	c := m.conv
	if c == nil {
		return State{Turns: []echo.Turn{}}
	}
	s := State{
		Active: true, ID: c.id, Busy: c.busy(), Held: m.window != 0, Saving: c.books.keeps(), Chat: c.books.chatRef(),
		Look: c.look.ID, Model: c.model, Workspace: c.workspace.Name, LastID: c.lastID, Turns: []echo.Turn{},
	}
	if !c.idleSince.IsZero() {
		s.ForgetAt = c.idleSince.Add(m.keep)
	}
	over := 0
	for _, t := range c.turns {
		if t.Status.Over() {
			over++
		}
	}
	unfinished := len(c.turns) - over
	show := max(0, shownTurns-unfinished) // the newest eight, and whatever else is unfinished
	for _, t := range c.turns {
		if t.Status.Over() {
			if over--; over >= show {
				continue
			}
		}
		shown := t.Turn
		shown.Answer, shown.Tools = string(t.answer), slices.Clone(t.Tools)
		s.Turns = append(s.Turns, shown)
	}
	return s
}

func (m *core) do(e effect) { m.out = append(m.out, e) }

// key makes a name that was never used.
func (m *core) key() int { m.keys++; return m.keys }

func (m *core) answer(call int, value any, err *echo.Error) {
	m.do(answeredCall{call, value, err})
}

// tell gives the attached window a notice; without one it is nobody's.
func (m *core) tell(n Notice) { m.tellWindow(m.window, n) }

func (m *core) tellWindow(window int, n Notice) {
	if window != 0 && window == m.window {
		m.do(tell{window, n})
	}
}

func (m *core) refuse(id int, code echo.Code, format string, values ...any) {
	m.tell(Refused{ID: id, Error: echo.Errorf(code, format, values...)})
}

// deadline is when time alone will change something; zero: never.
func (m *core) deadline() time.Time {
	var next time.Time
	at := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for _, books := range m.ledgers {
		at(books.due())
	}
	c := m.conv
	if c == nil {
		return next
	}
	at(c.closeBy)
	if c.run != nil {
		at(c.run.journalDue())
	}
	if !c.idleSince.IsZero() && c.closing == "" {
		at(c.idleSince.Add(m.keep))
	}
	for _, e := range c.line {
		if e.open {
			at(e.heardAt.Add(speechSilence))
		}
	}
	return next
}

// tick does what was due.
func (m *core) tick() {
	c := m.conv
	if c == nil || c.closing != "" {
		return
	}
	if !c.idleSince.IsZero() && !m.now.Before(c.idleSince.Add(m.keep)) {
		m.end("forgotten")
		return
	}
	for _, e := range slices.Clone(c.line) {
		if e.open && !m.now.Before(e.heardAt.Add(speechSilence)) {
			m.giveUp(e, Ignored{ID: e.id, Reason: "empty"})
		}
	}
}
