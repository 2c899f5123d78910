package conversation

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
)

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
