package conversation

import (
	"fmt"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
)

// ticket is the right to one handshake.
type ticket struct {
	expires  time.Time
	request  SessionRequest
	settings Settings
	found    material
	conv     string // the conversation that was begun for it
}

// wish is a takeover that waits. Nil fields and an empty workspace and chat wish for no change.
type wish struct {
	look, model     *string
	fresh           bool // another conversation: in this workspace, carrying on this chat
	workspace, chat string
}

func (m *core) reserve(e reserved) {
	switch {
	case m.down:
		m.answer(e.call, nil, echo.Stopping())
		return
	case m.window != 0 && !e.request.Take:
		m.answer(e.call, nil, echo.Errorf(echo.CodeHeld, "Another window is talking to Echo. Take the conversation over to go on here."))
		return
	}
	for name, old := range m.tickets {
		if !m.now.Before(old.expires) {
			delete(m.tickets, name)
		}
	}
	request := m.withChanges(e.request, e.settings)
	t := ticket{expires: m.now.Add(m.ticketLife), request: request, settings: e.settings, found: e.found}
	pending := false
	if m.conv != nil && m.conv.closing != "" {
		m.finish() // what is still written goes on in its ledger
	}
	if m.window == 0 {
		pending = m.grant(&t)
	} else if m.conv != nil {
		pending = m.conv.busy() && m.wishOf(t) != nil
	}
	m.tickets[e.ticket] = t
	m.answer(e.call, Grant{Ticket: e.ticket, ExpiresIn: m.ticketLife, Pending: pending, Conversation: m.snapshot()}, nil)
}

// withChanges adds what was changed in the settings while nobody was attached.
func (m *core) withChanges(r SessionRequest, now Settings) SessionRequest {
	if m.window != 0 || m.conv == nil {
		return r
	}
	if r.Look == "" && now.Look != m.settings.Look {
		r.Look = now.Look
	}
	if r.Model == "" && now.Model != m.settings.Model {
		r.Model = now.Model
	}
	if r.Workspace == "" && r.Chat == "" && now.Workspace != m.settings.Workspace {
		r.Workspace = now.Workspace
	}
	return r
}

// grant brings the conversation to what a ticket asks for, as far as it can be done now, and tells whether something waits.
func (m *core) grant(t *ticket) (pending bool) {
	m.settings = t.settings
	if m.conv == nil {
		m.begin(*t)
		t.conv = m.conv.id
		return false
	}
	w := m.wishOf(*t)
	if w == nil {
		if t.request.Chat != "" || t.request.Workspace != "" {
			m.conv.wish = nil // what is open is what is wanted after all
		}
		return m.conv.wish != nil
	}
	if m.conv.busy() {
		m.conv.wish = w
		return true
	}
	if w.fresh {
		m.replace(*t)
		t.conv = m.conv.id
		return false
	}
	m.soften(w)
	return false
}

// wishOf is what a ticket asks to be changed, or nil.
func (m *core) wishOf(t ticket) *wish {
	c, r := m.conv, t.request
	w := wish{workspace: t.found.workspace.Name}
	switch {
	case t.conv == c.id: // it was begun for this ticket
	case r.New:
		w.fresh = true
	case r.Chat != "":
		w.chat = r.Chat
		w.fresh = c.books.chatID() != r.Chat || c.workspace.Name != w.workspace
	case r.Workspace != "":
		w.fresh = c.workspace.Name != r.Workspace
	}
	if r.Look != "" && (w.fresh || r.Look != c.look.ID) {
		w.look = &r.Look
	}
	if r.Model != "" && (w.fresh || r.Model != c.model) {
		w.model = &r.Model
	}
	if !w.fresh && w.look == nil && w.model == nil {
		return nil
	}
	return &w
}

// begin makes a conversation.
func (m *core) begin(t ticket) {
	s, r := t.settings, t.request
	c := &conv{
		id: fmt.Sprintf("conversation-%d-%d", m.now.UnixMilli(), m.key()), workspace: t.found.workspace,
		look: m.lookOf(r.Look, s.Look), voice: s.Voice, model: s.Model, floor: floorState{},
	}
	if r.Model != "" {
		c.model = r.Model
	}
	c.books = &ledger{key: m.key(), workspace: c.workspace, saving: s.Save}
	if chat := t.found.chat; chat != nil {
		c.seen = true
		c.books.chat = &echo.ChatRef{ID: chat.ID, Title: chat.Title}
		c.books.carried = true
		c.log = history.NewLog(t.found.messages, t.found.summary)
		for _, shown := range history.Turns(t.found.messages, shownTurns) {
			c.add(&turn{Turn: shown, answer: []byte(shown.Answer)})
			c.lastID = shown.ID
		}
	}
	m.ledgers = append(m.ledgers, c.books)
	m.conv = c
	m.settings = s
}

// replace begins another conversation in place of an idle one. Ids go on where a window may already have used them.
func (m *core) replace(t ticket) {
	last := m.conv.lastID
	m.abandon()
	m.begin(t)
	if m.window != 0 {
		m.conv.lastID = max(m.conv.lastID, last)
	}
}

// soften changes look and model, which leaves the conversation as it is.
func (m *core) soften(w *wish) {
	if w.look != nil {
		m.conv.look = m.lookOf(*w.look, m.conv.look.ID)
	}
	if w.model != nil {
		m.conv.model = *w.model
	}
}

func (m *core) lookOf(ids ...string) echo.Look {
	for _, id := range ids {
		if look, ok := m.looks(id); id != "" && ok {
			return look
		}
	}
	return echo.Look{ID: ids[len(ids)-1], Name: "Echo"}
}

func (m *core) attach(e attached) {
	t, found := m.tickets[e.ticket]
	delete(m.tickets, e.ticket)
	switch {
	case !found || !m.now.Before(t.expires) || m.down:
		m.answer(e.call, nil, echo.Errorf(echo.CodeBadTicket, "This ticket is unknown, used or too old. Ask for another one."))
		return
	case m.window != 0 && !t.request.Take:
		m.answer(e.call, nil, echo.Errorf(echo.CodeHeld, "Another window is talking to Echo. Take the conversation over to go on here."))
		return
	}
	if m.conv != nil && m.conv.closing != "" {
		m.finish()
	}
	handover := m.window != 0
	if handover {
		m.tell(Detached{Reason: "taken"})
		m.do(closeWindow{m.window})
		m.forgetOpenSpeech()
		m.window = 0
	}
	m.grant(&t)
	m.relisten(handover)
	m.window = m.key()
	m.do(openWindow{e.call, m.window})
	m.ready()
}

// ready tells the window how the conversation stands.
func (m *core) ready() {
	m.conv.idleSince = time.Time{}
	m.tell(Ready{State: m.snapshot(), Resumed: m.conv.seen})
	if m.window != 0 {
		m.conv.seen = true
	}
}

// leave detaches a window.
func (m *core) leave(window int) {
	if window == 0 || window != m.window {
		return
	}
	m.do(closeWindow{window})
	m.window = 0
	if m.conv == nil {
		return
	}
	m.forgetOpenSpeech()
	m.silence()
}

// forgetOpenSpeech drops the spoken turn whose end did not come before its window left.
func (m *core) forgetOpenSpeech() {
	if m.conv == nil {
		return
	}
	for _, e := range m.conv.line {
		if e.open {
			m.drop(e)
			break
		}
	}
	m.conv.swallow = 0
}

// change takes changed settings in. Another look, model or workspace takes over while a window is attached; otherwise the next
// session brings it. Saving is only ever turned off for the conversation in progress (H5).
func (m *core) change(now Settings) {
	c := m.conv
	if c == nil || c.closing != "" {
		return
	}
	c.voice = now.Voice
	if !now.Save {
		m.stopSaving("off")
	}
	if m.window == 0 {
		return
	}
	before := m.settings
	m.settings = now
	w := wish{}
	if c.wish != nil {
		w = *c.wish
	}
	if now.Look != before.Look {
		w.look = &now.Look
	}
	if now.Model != before.Model {
		w.model = &now.Model
	}
	if now.Workspace != before.Workspace {
		w = wish{fresh: now.Workspace != c.workspace.Name, workspace: now.Workspace, look: w.look, model: w.model}
	}
	if w != (wish{}) {
		c.wish = &w
	}
}

// refit changes look and model between two replies, where that was wished for.
func (m *core) refit() {
	c := m.conv
	if w := c.wish; w != nil && !w.fresh && c.run == nil {
		c.wish = nil
		m.soften(w)
		m.ready()
	}
}

// takeOver begins another conversation, where that was wished for, once nothing runs or waits. What it needs is read first.
func (m *core) takeOver() {
	c := m.conv
	if w := c.wish; w != nil && w.fresh && !c.busy() && c.loading == 0 {
		c.loading = m.key()
		m.do(load{c.loading, w.workspace, w.chat})
	}
}

// loaded takes over with what was read. A question that came meanwhile is answered first, and the reading is done again.
func (m *core) loaded(e loaded) {
	c := m.conv
	if e.job != c.loading {
		return
	}
	c.loading = 0
	w := c.wish
	if w == nil || c.busy() {
		return
	}
	c.wish = nil
	if e.err != nil {
		m.tell(Refused{Error: e.err})
		return
	}
	t := ticket{settings: m.settings, found: e.found}
	if w.look != nil {
		t.request.Look = *w.look
	}
	if w.model != nil {
		t.request.Model = *w.model
	}
	m.replace(t)
	m.ready()
}
