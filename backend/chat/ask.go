package chat

import (
	"context"
	"strings"
	"unicode/utf8"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
)

// remembered is how many chats' last replies are held in memory.
const remembered = 200

// waitingForChat is what a reply says that waits for its turn.
const waitingForChat = "Waiting for the reply in another chat to finish…"

// Question is a typed question.
type Question struct {
	Chat   string // empty: a new one
	Text   string
	Model  string // empty: as the settings say
	Key    string // the request's Idempotency-Key; empty where there is none
	Digest string // of the request's body
}

// Ask asks a question and watches its reply, which goes on whatever becomes of the watching. It returns once the question is
// stored, or cannot be. Errors: invalid, unknown_chat, replying, idempotency_mismatch.
func (c *Chats) Ask(ctx context.Context, question Question) (*Watch, error) {
	switch {
	case strings.TrimSpace(question.Text) == "":
		return nil, echo.Errorf(echo.CodeInvalid, "message: say something; it is empty")
	case utf8.RuneCountInString(question.Text) > MaxQuestion:
		return nil, echo.Errorf(echo.CodeInvalid, "message: it has more than %d characters; shorten it", MaxQuestion)
	}
	if question.Key == "" {
		r, err := c.ask(ctx, question)
		if err != nil {
			return nil, err
		}
		return watch(r.record, 0), nil
	}
	return c.askOnce(ctx, question)
}

// ask stores a question and starts its reply.
func (c *Chats) ask(ctx context.Context, question Question) (*run, error) {
	select {
	case <-c.ended:
		return nil, echo.Stopping()
	default:
	}
	release := func() {}
	if question.Chat != "" {
		var free bool
		if release, free = c.ports.Floor.TryTake(question.Chat); !free {
			return nil, c.taken(ctx, question.Chat)
		}
	}
	entry, err := c.book.begin(ctx, echo.Question{
		Chat: question.Chat, Kind: echo.KindChat, Text: question.Text, Source: echo.SourceTyped, AskedAt: c.config.Now().UTC(),
		Key: question.Key, Digest: question.Digest,
	})
	if err != nil {
		release()
		return nil, err
	}
	if question.Chat == "" {
		if free, ok := c.ports.Floor.TryTake(entry.chat.ID); ok {
			release = free
		}
	}
	r := &run{entry: entry, model: question.Model, record: newRecord(), release: release, done: make(chan struct{})}
	c.register(r)
	r.record.add(Event{Kind: KindSession, Chat: echo.ChatRef{ID: entry.chat.ID, Title: entry.chat.Title}})
	var first bool
	if r.place, first = c.ports.Turns.join(); !first {
		r.record.wait(waitingForChat)
	}
	select {
	case c.jobs <- func(ctx context.Context) { c.answer(ctx, r) }:
	case <-c.ended:
		c.conclude(ctx, r, echo.Outcome{State: echo.StateInterrupted, Code: echo.CodeInterrupted, Reason: echo.CutOff().Message, At: c.config.Now().UTC()})
	}
	return r, nil
}

// taken is why a chat cannot be asked in: it is being answered in, or it is not there at all.
func (c *Chats) taken(ctx context.Context, chat string) error {
	if _, err := c.ports.Archive.Chat(ctx, chat); echo.CodeOf(err) == echo.CodeUnknownChat && !c.active(chat) {
		return err
	}
	return echo.Errorf(echo.CodeReplying, "Echo is still answering in this chat. Wait for the answer, or stop it, and ask again.")
}

// active tells whether a typed question runs or waits in a chat.
func (c *Chats) active(chat string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.runs[chat]
	return r != nil && r.phase != over
}

// register makes a reply the last one of its chat, and lets go of the oldest that are over.
func (c *Chats) register(r *run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.runs, r.entry.chat.ID)
	for len(c.runs) >= remembered {
		oldest := ""
		for chat, other := range c.runs {
			if other.phase == over && (oldest == "" || other.entry.question.AskedAt.Before(c.runs[oldest].entry.question.AskedAt)) {
				oldest = chat
			}
		}
		if oldest == "" {
			break
		}
		delete(c.runs, oldest)
	}
	c.runs[r.entry.chat.ID] = r
}

// Watch watches the reply in progress of a chat, or its last one, from the event after a number. Errors: unknown_chat, and
// not_found where no reply is known.
func (c *Chats) Watch(ctx context.Context, chat string, after int) (*Watch, error) {
	c.mu.Lock()
	r := c.runs[chat]
	c.mu.Unlock()
	if r != nil {
		return watch(r.record, after), nil
	}
	if _, err := c.ports.Archive.Chat(ctx, chat); err != nil {
		return nil, err
	}
	return nil, echo.Errorf(echo.CodeNotFound, "No reply is known in this chat. Ask something first.")
}

// Stop stops the reply of a chat, or withdraws it from the queue, and returns when it has ended. It tells whether there was one
// to stop. What was written is kept.
func (c *Chats) Stop(ctx context.Context, chat string) (bool, error) {
	c.mu.Lock()
	r := c.runs[chat]
	c.mu.Unlock()
	if r == nil {
		_, err := c.ports.Archive.Chat(ctx, chat)
		return false, err
	}
	stopped := c.end(r, errStopped)
	if stopped {
		select {
		case <-r.done:
		case <-ctx.Done(): // it is stopped all the same
		}
	}
	return stopped, nil
}

// Retry asks the last question of a chat again, if its reply was stopped, failed or interrupted. Errors: unknown_chat, replying,
// not_retryable.
func (c *Chats) Retry(ctx context.Context, chat string) (*Watch, error) {
	if c.ports.Floor.Taken(chat) {
		return nil, c.taken(ctx, chat)
	}
	messages := c.book.last(chat)
	if len(messages) == 0 {
		if _, err := c.ports.Archive.Chat(ctx, chat); err != nil {
			return nil, err
		}
		var err error
		if messages, err = c.ports.Archive.Page(ctx, chat, 0, DefaultPage); err != nil { // an exchange is far shorter
			return nil, err
		}
	}
	question, ok := history.Retryable(messages)
	if !ok {
		return nil, echo.Errorf(echo.CodeNotRetryable, "The last question of this chat was answered. Ask another one.")
	}
	model := ""
	c.mu.Lock()
	if last := c.runs[chat]; last != nil && last.entry.question.Text == question.Text {
		model = last.model
	}
	c.mu.Unlock()
	return c.Ask(ctx, Question{Chat: chat, Text: question.Text, Model: model})
}

// Activity counts the typed questions that are being answered, and those that wait.
func (c *Chats) Activity() (active, queued int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.runs {
		switch r.phase {
		case replying:
			active++
		case waiting:
			queued++
		case over:
		}
	}
	return active, queued
}
