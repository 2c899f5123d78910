package chat

import (
	"context"
	"fmt"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
)

// keyed is a question that was asked with an idempotency key.
type keyed struct {
	digest string
	at     time.Time
	ready  chan struct{} // closed once record or err is set
	record *record
	err    error
}

// askOnce asks a question with a key, or watches the reply that the key began.
func (c *Chats) askOnce(ctx context.Context, question Question) (*Watch, error) {
	for {
		k, mine := c.claim(question)
		if mine {
			k.record, k.err = c.firstAsked(ctx, question)
			if k.err != nil { // nothing was asked: the key may be used again
				c.mu.Lock()
				delete(c.keys, question.Key)
				c.mu.Unlock()
			}
			close(k.ready)
			if k.err != nil {
				return nil, k.err
			}
			return watch(k.record, 0), nil
		}
		if k.digest != question.Digest {
			return nil, mismatch()
		}
		select {
		case <-k.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if k.err == nil {
			return watch(k.record, 0), nil
		}
	}
}

// claim finds what a key asked, or reserves it for a question that is mine to ask.
func (c *Chats) claim(question Question) (k *keyed, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.config.Now()
	for key, old := range c.keys {
		if now.Sub(old.at) >= echo.KeyLife {
			delete(c.keys, key)
		}
	}
	if k := c.keys[question.Key]; k != nil {
		return k, false
	}
	k = &keyed{digest: question.Digest, at: now, ready: make(chan struct{})}
	c.keys[question.Key] = k
	return k, true
}

// firstAsked asks a question whose key is not known in memory. One that is known on disk was asked before Echo was started.
func (c *Chats) firstAsked(ctx context.Context, question Question) (*record, error) {
	asked, found, err := c.ports.Archive.Key(ctx, question.Key)
	if err != nil {
		c.log.WarnContext(ctx, "a key could not be looked up", "error", err)
	}
	switch {
	case err == nil && found && asked.Digest != question.Digest:
		return nil, mismatch()
	case err == nil && found:
		return c.kept(ctx, asked)
	}
	r, err := c.ask(ctx, question)
	if err != nil {
		return nil, err
	}
	return r.record, nil
}

func mismatch() *echo.Error {
	return echo.Errorf(echo.CodeIdempotencyMismatch, "This Idempotency-Key was used for another question. Use a new key for each question.")
}

// kept writes the events of a reply as what was kept of it tells them.
func (c *Chats) kept(ctx context.Context, asked echo.Asked) (*record, error) {
	chat, err := c.ports.Archive.Chat(ctx, asked.Chat)
	if err != nil {
		return nil, err
	}
	messages, err := c.ports.Archive.Messages(ctx, asked.Chat, asked.Number, asked.Number+DefaultPage)
	if err != nil {
		return nil, err
	}
	exchanges := history.Exchanges(messages)
	if len(exchanges) == 0 || exchanges[0].Answer == nil {
		return nil, fmt.Errorf("no answer to message %d of chat %s", asked.Number, asked.Chat)
	}
	exchange, answer := exchanges[0], exchanges[0].Answer
	r := newRecord()
	r.add(Event{Kind: KindSession, Chat: echo.ChatRef{ID: chat.ID, Title: chat.Title}})
	r.add(Event{Kind: KindStart, Text: exchange.Question.Text})
	for _, tool := range exchange.Tools {
		call := echo.ToolCall{Name: tool.Name, Arguments: tool.Arguments, Result: tool.Text, Status: echo.ToolDone}
		if tool.State != echo.StateComplete {
			call.Status = echo.ToolFailed
		}
		r.add(Event{Kind: KindTool, Tool: call})
	}
	if answer.Text != "" {
		r.add(Event{Kind: KindDelta, Text: answer.Text})
	}
	switch answer.State {
	case echo.StateComplete:
		r.add(Event{Kind: KindDone, Message: answer.Number})
	case echo.StateStopped:
		r.add(Event{Kind: KindStopped, Message: answer.Number})
	case echo.StateFailed:
		r.add(Event{Kind: KindFailed, Error: &echo.Error{Code: answer.Code, Message: answer.Reason}})
	case echo.StateInterrupted:
		r.add(Event{Kind: KindFailed, Error: echo.CutOff()})
	}
	return r, nil
}
