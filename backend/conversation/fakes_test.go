package conversation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
	"echo-companion/backend/reason"
)

// script is what the fake model does with a question. It waits at gates until they are opened.
type script struct {
	deltas []string
	gate   string // waits there…
	after  int    // …after that many deltas
	err    error  // at the end, in place of the end
	tool   *reason.Call
}

func words(n int) script {
	var s script
	for i := range n {
		word := fmt.Sprintf("word%d", i+1)
		if i%8 == 0 {
			word = "W" + word[1:]
		}
		if (i+1)%8 == 0 || i+1 == n {
			word += "."
		}
		if i > 0 {
			word = " " + word
		}
		s.deltas = append(s.deltas, word)
	}
	return s
}

func (s script) answer() string { return strings.Join(s.deltas, "") }

// gated is an answer of 20 words that stops after n words until the gate "go" is opened.
func gated(n int) script {
	s := words(20)
	s.gate, s.after = "go", n
	return s
}

type gates struct {
	mu   sync.Mutex
	open map[string]chan struct{}
}

func (g *gates) gate(name string) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = map[string]chan struct{}{}
	}
	if g.open[name] == nil {
		g.open[name] = make(chan struct{})
	}
	return g.open[name]
}

func (g *gates) Open(name string) { close(g.gate(name)) }

func (g *gates) pass(ctx context.Context, name string) error {
	if name == "" {
		return ctx.Err()
	}
	select {
	case <-g.gate(name):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fakeModel answers by script; without one, with eight words.
type fakeModel struct {
	gates
	mu        sync.Mutex
	scripts   map[string]script
	requests  []reason.Request
	running   int
	peak      int
	cancelled int
	summary   func(ctx context.Context, emit func(reason.Chunk) error) error
}

func (m *fakeModel) Script(question string, s script) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scripts[question] = s
}

func (m *fakeModel) Requests() []reason.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Seen is the transcript of the last request that asked the question.
func (m *fakeModel) Seen(question string) string {
	requests := m.Requests()
	for _, r := range slices.Backward(requests) {
		if lastUser(r.Messages) != question {
			continue
		}
		var all strings.Builder
		for _, message := range r.Messages {
			fmt.Fprintf(&all, "%s: %s\n", message.Role, message.Text)
		}
		return all.String()
	}
	return ""
}

func lastUser(messages []reason.Message) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == reason.RoleUser {
			return m.Text
		}
	}
	return ""
}

func (m *fakeModel) Reason(ctx context.Context, r reason.Request, emit func(reason.Chunk) error) error {
	m.mu.Lock()
	if len(r.Tools) == 0 && strings.Contains(r.Messages[0].Text, "running summary") {
		summary := m.summary
		m.mu.Unlock()
		if summary == nil {
			return emit(reason.Chunk{Text: "They talked."})
		}
		return summary(ctx, emit)
	}
	m.requests = append(m.requests, r)
	m.running++
	m.peak = max(m.peak, m.running)
	s, found := m.scripts[lastUser(r.Messages)]
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		m.running--
		if ctx.Err() != nil {
			m.cancelled++
		}
		m.mu.Unlock()
	}()
	if !found {
		s = words(8)
	}
	if s.tool != nil && r.Messages[len(r.Messages)-1].Role == reason.RoleUser {
		return emit(reason.Chunk{Calls: []reason.Call{*s.tool}})
	}
	for i, delta := range s.deltas {
		if i == s.after {
			if err := m.pass(ctx, s.gate); err != nil {
				return err
			}
		}
		if err := emit(reason.Chunk{Text: delta}); err != nil {
			return err
		}
	}
	if s.after >= len(s.deltas) {
		if err := m.pass(ctx, s.gate); err != nil {
			return err
		}
	}
	return s.err
}

// fakeEars hear what was arranged for an utterance, which is known by its first sample.
type fakeEars struct {
	gates
	mu    sync.Mutex
	heard []int16
	texts map[int16]hearing
}

type hearing struct {
	text, gate string
	err        error
}

func (e *fakeEars) Recognize(ctx context.Context, pcm []int16) (string, error) {
	e.mu.Lock()
	e.heard = append(e.heard, pcm[0])
	h := e.texts[pcm[0]]
	e.mu.Unlock()
	if err := e.pass(ctx, h.gate); err != nil {
		return "", err
	}
	return h.text, h.err
}

// fakeVoice speaks 40 ms a word, or what it is told.
type fakeVoice struct {
	gates
	mu     sync.Mutex
	wordMS int
	gate   string
	err    error
	texts  []string
}

func (v *fakeVoice) Behave(wordMS int, gate string, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.wordMS, v.gate, v.err = wordMS, gate, err
}

func (v *fakeVoice) Texts() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.texts)
}

func (v *fakeVoice) Synthesize(ctx context.Context, text, _ string, emit func([]int16) error) error {
	v.mu.Lock()
	v.texts = append(v.texts, text)
	gate, problem, ms := v.gate, v.err, v.wordMS
	v.mu.Unlock()
	if ms == 0 {
		ms = 40
	}
	if err := v.pass(ctx, gate); err != nil {
		return err
	}
	if problem != nil {
		return problem
	}
	for range strings.Fields(text) {
		if err := emit(make([]int16, ms*24)); err != nil {
			return err
		}
	}
	return nil
}

// fakeArchive keeps chats in memory. It implements Archive and Chats.
type fakeArchive struct {
	gates
	mu        sync.Mutex
	err       error // of every call, while it is set
	gate      string
	next      int64
	chats     map[string]*fakeChat
	exchanges map[int64]*fakeExchange
	calls     []string
}

type fakeChat struct {
	row      echo.Chat
	messages []echo.Message
	summary  *echo.Summary
	carried  bool
}

type fakeExchange struct {
	chat     string
	question echo.Question
	number   int
	answer   string
}

func newArchive() *fakeArchive {
	return &fakeArchive{chats: map[string]*fakeChat{}, exchanges: map[int64]*fakeExchange{}}
}

func (a *fakeArchive) Fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = err
}

// begin passes the gate and locks.
func (a *fakeArchive) begin(ctx context.Context, call string) error {
	a.mu.Lock()
	gate := a.gate
	a.mu.Unlock()
	if err := a.pass(ctx, gate); err != nil {
		return err
	}
	a.mu.Lock()
	a.calls = append(a.calls, call)
	return a.err
}

func (a *fakeArchive) Accept(ctx context.Context, q echo.Question) (echo.Exchange, error) {
	err := a.begin(ctx, "accept "+q.Text)
	defer a.mu.Unlock()
	if err != nil {
		return echo.Exchange{}, err
	}
	a.next++
	if q.Chat == "" {
		q.Chat = fmt.Sprintf("chat-%d", a.next)
		a.chats[q.Chat] = &fakeChat{row: echo.Chat{ID: q.Chat, Title: q.Text, Kind: echo.KindVoice}}
	}
	chat := a.chats[q.Chat]
	if chat == nil {
		return echo.Exchange{}, echo.Errorf(echo.CodeUnknownChat, "no such chat")
	}
	a.exchanges[a.next] = &fakeExchange{chat: q.Chat, question: q}
	return echo.Exchange{ID: a.next, Chat: chat.row}, nil
}

func (a *fakeArchive) Start(ctx context.Context, id int64) (int, error) {
	err := a.begin(ctx, "start")
	defer a.mu.Unlock()
	x := a.exchanges[id]
	switch {
	case err != nil:
		return 0, err
	case x == nil:
		return 0, echo.Errorf(echo.CodeUnknownChat, "no such exchange")
	}
	chat := a.chats[x.chat]
	chat.messages = append(chat.messages, a.numbered(chat, history.QuestionMessage(x.question)))
	x.number = len(chat.messages)
	return x.number, nil
}

func (a *fakeArchive) numbered(chat *fakeChat, m echo.Message) echo.Message {
	m.Number = len(chat.messages) + 1
	return m
}

func (a *fakeArchive) Journal(ctx context.Context, id int64, answer string, _ []echo.ToolCall) error {
	err := a.begin(ctx, "journal "+answer)
	defer a.mu.Unlock()
	if err == nil {
		a.exchanges[id].answer = answer
	}
	return err
}

func (a *fakeArchive) Finish(ctx context.Context, id int64, o echo.Outcome) (int, error) {
	err := a.begin(ctx, "finish "+string(o.State))
	defer a.mu.Unlock()
	x := a.exchanges[id]
	switch {
	case err != nil:
		return 0, err
	case x == nil:
		return 0, echo.Errorf(echo.CodeUnknownChat, "no such exchange")
	}
	chat := a.chats[x.chat]
	for _, m := range history.OutcomeMessages(o, x.question.Source) {
		chat.messages = append(chat.messages, a.numbered(chat, m))
	}
	delete(a.exchanges, id)
	return len(chat.messages), nil
}

func (a *fakeArchive) Withdraw(ctx context.Context, id int64) error {
	err := a.begin(ctx, "withdraw")
	defer a.mu.Unlock()
	x := a.exchanges[id]
	switch {
	case err != nil:
		return err
	case x == nil:
		return echo.Errorf(echo.CodeUnknownChat, "no such exchange")
	}
	delete(a.exchanges, id)
	chat := a.chats[x.chat]
	if x.number > 0 {
		chat.messages = chat.messages[:x.number-1]
	}
	for _, other := range a.exchanges {
		if other.chat == x.chat {
			return nil
		}
	}
	if len(chat.messages) == 0 && !chat.carried {
		delete(a.chats, x.chat)
	}
	return nil
}

func (a *fakeArchive) Chat(_ context.Context, id string) (echo.Chat, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if chat := a.chats[id]; chat != nil {
		return chat.row, nil
	}
	return echo.Chat{}, echo.Errorf(echo.CodeUnknownChat, "There is no such chat.")
}

func (a *fakeArchive) Transcript(_ context.Context, id string) ([]echo.Message, *echo.Summary, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if chat := a.chats[id]; chat != nil {
		return slices.Clone(chat.messages), chat.summary, nil
	}
	return nil, nil, echo.Errorf(echo.CodeUnknownChat, "There is no such chat.")
}

func (a *fakeArchive) SetSummary(_ context.Context, id string, s echo.Summary) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.chats[id].summary = &s
	return nil
}

// Put makes a chat of pairs of question and answer.
func (a *fakeArchive) Put(id string, texts ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	chat := &fakeChat{row: echo.Chat{ID: id, Title: texts[0], Kind: echo.KindChat}, carried: true}
	a.chats[id] = chat
	for i, text := range texts {
		m := echo.Message{Role: echo.RoleUser, Text: text, State: echo.StateComplete, Source: echo.SourceTyped}
		if i%2 == 1 {
			m.Role = echo.RoleAssistant
		}
		chat.messages = append(chat.messages, a.numbered(chat, m))
	}
}

// Delete deletes a chat, as the user does.
func (a *fakeArchive) Delete(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.chats, id)
	for x, exchange := range a.exchanges {
		if exchange.chat == id {
			delete(a.exchanges, x)
		}
	}
}

// Said are the messages of all chats, each as "role/state: text", by their chat's order.
func (a *fakeArchive) Said() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var ids []string
	for id := range a.chats {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	said := []string{}
	for _, id := range ids {
		for _, m := range a.chats[id].messages {
			text := string(m.Role)
			if m.State != echo.StateComplete {
				text += "/" + string(m.State)
			}
			said = append(said, text+": "+m.Text)
		}
	}
	return said
}

func (a *fakeArchive) Chats() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.chats)
}
