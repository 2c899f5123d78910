package chat

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
)

const (
	// retryFirst and retryMost bound how soon, and how seldom, the writing of what could not be saved is tried again.
	retryFirst = 2 * time.Second
	retryMost  = 30 * time.Second
	// closeTime is how long Echo tries to save the rest when it stops.
	closeTime = 2 * time.Second
)

// entry is an exchange in the book.
type entry struct {
	id       int64 // in the archive; 0: the archive does not have it
	chat     echo.Chat
	isNew    bool // the chat is made with it
	question echo.Question
	number   int // of the question
	outcome  echo.Outcome
}

// book writes exchanges into the archive. What the archive cannot take stays in memory and is tried again, in order.
type book struct {
	archive Archive
	log     *slog.Logger
	gate    chan struct{} // holds one while an exchange is stored or a chat deleted: the two must not cross
	kick    chan struct{} // of 1: something is to be tried again

	mu      sync.Mutex
	reason  string              // what the archive said when it last failed
	unsaved map[string][]*entry // by chat, in the order in which they ended
	dead    map[string]bool     // chats that were deleted
}

func newBook(archive Archive, log *slog.Logger) *book {
	return &book{
		archive: archive, log: log, gate: make(chan struct{}, 1), kick: make(chan struct{}, 1),
		unsaved: map[string][]*entry{}, dead: map[string]bool{},
	}
}

// enter waits for the gate.
func (b *book) enter(ctx context.Context) error {
	select {
	case b.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *book) leave() { <-b.gate }

// begin stores a question. Where the archive cannot, the entry lives in memory alone. An unknown chat is refused.
func (b *book) begin(ctx context.Context, question echo.Question) (*entry, error) {
	if err := b.enter(ctx); err != nil {
		return nil, err
	}
	defer b.leave()
	if b.isDead(question.Chat) {
		return nil, echo.Errorf(echo.CodeUnknownChat, "That chat was deleted.")
	}
	if b.save(ctx, question.Chat) {
		exchange, number, err := b.archive.Begin(ctx, question)
		if err == nil {
			return &entry{id: exchange.ID, chat: exchange.Chat, question: question, number: number}, nil
		}
		if ctx.Err() != nil || echo.CodeOf(err) == echo.CodeUnknownChat {
			return nil, err
		}
		b.log.WarnContext(ctx, "a question could not be stored", "error", err)
		b.trouble(err)
	}
	return b.remember(ctx, question)
}

// remember makes an entry that lives in memory.
func (b *book) remember(ctx context.Context, question echo.Question) (*entry, error) {
	e := &entry{question: question}
	if question.Chat == "" {
		e.isNew = true
		e.chat = echo.Chat{
			ID: echo.NewID(), Title: history.Title(question.Text), Kind: question.Kind, CreatedAt: question.AskedAt, UpdatedAt: question.AskedAt,
		}
	} else {
		chat, err := b.archive.Chat(ctx, question.Chat)
		waiting := b.waiting(question.Chat)
		switch {
		case err == nil:
			e.chat = chat
		case len(waiting) > 0: // a chat that is itself not stored yet
			e.chat, e.isNew = waiting[0].chat, waiting[0].isNew
		case echo.CodeOf(err) == echo.CodeUnknownChat:
			return nil, err
		default:
			e.chat = echo.Chat{ID: question.Chat, Kind: echo.KindChat}
		}
	}
	e.question.Chat = e.chat.ID
	e.number = e.chat.Messages + 1
	for _, other := range b.waiting(e.chat.ID) {
		e.number = max(e.number, other.number+2+len(other.outcome.Tools))
	}
	return e, nil
}

// finish stores how an exchange ended and returns the answer's number. It tells whether it is durable; if not, it will be tried
// again.
func (b *book) finish(ctx context.Context, e *entry, outcome echo.Outcome) (number int, saved bool) {
	e.outcome = outcome
	expected := e.number + 1 + len(outcome.Tools)
	if err := b.enter(ctx); err != nil {
		b.keep(e)
		return expected, false
	}
	defer b.leave()
	if b.isDead(e.chat.ID) {
		return expected, false
	}
	if b.save(ctx, e.chat.ID) {
		number, err := b.store(ctx, e)
		if err == nil {
			return number, true
		}
		if echo.CodeOf(err) == echo.CodeUnknownChat { // it was deleted
			return expected, false
		}
		b.log.WarnContext(ctx, "an answer could not be stored", "error", err)
		b.trouble(err)
	}
	b.keep(e)
	return expected, false
}

// store writes an entry that has ended.
func (b *book) store(ctx context.Context, e *entry) (int, error) {
	if e.id != 0 {
		return b.archive.Finish(ctx, e.id, e.outcome)
	}
	return b.archive.Keep(ctx, echo.Unsaved{Chat: e.chat, New: e.isNew, Question: e.question, Outcome: e.outcome})
}

// save stores what waits in a chat, in order, and tells whether nothing waits there any more. The gate is held.
func (b *book) save(ctx context.Context, chat string) bool {
	for {
		waiting := b.waiting(chat)
		if len(waiting) == 0 {
			return true
		}
		if _, err := b.store(ctx, waiting[0]); err != nil && echo.CodeOf(err) != echo.CodeUnknownChat {
			b.log.WarnContext(ctx, "what was to be stored still cannot be", "error", err)
			b.trouble(err)
			return false
		}
		b.mu.Lock()
		if b.unsaved[chat] = b.unsaved[chat][1:]; len(b.unsaved[chat]) == 0 {
			delete(b.unsaved, chat)
		}
		b.mu.Unlock()
	}
}

// trouble keeps why the archive could not take something, for those who look at the chat.
func (b *book) trouble(err error) {
	reason := "Echo could not save this. It keeps the text and tries again."
	if echo.CodeOf(err) == echo.CodeStorage {
		reason = echo.AsError(err).Message
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reason = reason
}

// problem is why the archive could not take something when it last failed.
func (b *book) problem() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reason
}

// keep holds an entry in memory until it can be stored.
func (b *book) keep(e *entry) {
	b.mu.Lock()
	b.unsaved[e.chat.ID] = append(b.unsaved[e.chat.ID], e)
	b.mu.Unlock()
	select {
	case b.kick <- struct{}{}:
	default:
	}
}

// waiting is what could not be stored in a chat yet.
func (b *book) waiting(chat string) []*entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]*entry(nil), b.unsaved[chat]...)
}

// last are the messages of the newest exchange of a chat that could not be stored yet.
func (b *book) last(chat string) []echo.Message {
	waiting := b.waiting(chat)
	if len(waiting) == 0 {
		return nil
	}
	e := waiting[len(waiting)-1]
	return history.Messages(e.question, e.outcome)
}

// unwritten are the messages of a chat that the archive does not have yet, without their numbers.
func (b *book) unwritten(chat string) []echo.Message {
	var all []echo.Message
	for _, e := range b.waiting(chat) {
		if e.id == 0 {
			all = append(all, history.QuestionMessage(e.question))
		}
		all = append(all, history.OutcomeMessages(e.outcome, e.question.Source)...)
	}
	return all
}

// newChats are those that the archive does not have yet.
func (b *book) newChats() []echo.Chat {
	b.mu.Lock()
	defer b.mu.Unlock()
	var chats []echo.Chat
	for _, entries := range b.unsaved {
		if first := entries[0]; first.isNew && first.id == 0 {
			chats = append(chats, first.chat)
		}
	}
	return chats
}

func (b *book) isDead(chat string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dead[chat]
}

// forget deletes a chat for good: nothing that ends later brings it back. Unstored tells that it is a chat that the archive need
// not know.
func (b *book) forget(ctx context.Context, chat string, unstored bool) error {
	if err := b.enter(ctx); err != nil {
		return err
	}
	defer b.leave()
	err := b.archive.Delete(ctx, chat)
	unstored = unstored || len(b.waiting(chat)) > 0
	if err != nil && (!unstored || echo.CodeOf(err) != echo.CodeUnknownChat) {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.unsaved, chat)
	b.dead[chat] = true
	return nil
}

// retry tries again, ever more seldom, what could not be stored, until ctx is over.
func (b *book) retry(ctx context.Context) {
	pause := retryFirst
	for {
		select {
		case <-b.kick:
		case <-ctx.Done():
			return
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		if b.saveAll(ctx) {
			pause = retryFirst
			continue
		}
		pause = min(2*pause, retryMost)
		select {
		case b.kick <- struct{}{}:
		default:
		}
	}
}

// saveAll stores all that waits, and tells whether it could.
func (b *book) saveAll(ctx context.Context) bool {
	if b.enter(ctx) != nil {
		return false
	}
	defer b.leave()
	b.mu.Lock()
	chats := make([]string, 0, len(b.unsaved))
	for chat := range b.unsaved {
		chats = append(chats, chat)
	}
	b.mu.Unlock()
	saved := true
	for _, chat := range chats {
		saved = b.save(ctx, chat) && saved
	}
	return saved
}

// close tries a last time, and says so if something is lost.
func (b *book) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if !b.saveAll(ctx) {
		return errors.New("some replies could not be saved")
	}
	return nil
}
