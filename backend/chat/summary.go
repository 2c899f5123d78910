package chat

import (
	"context"
	"strings"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
	"echo-companion/backend/reason"
)

// summarize writes the running summary of a chat as far as one is due. It runs after a reply, on its own; a summary that fails
// is tried again after the next one.
func (c *Chats) summarize(parent context.Context, r *run) {
	if c.ports.Summarizes == nil || !c.ports.Summarizes() {
		return
	}
	chat := r.entry.chat.ID
	ctx, cancel := context.WithTimeout(parent, 2*c.config.EngineTimeout)
	defer cancel()
	c.mu.Lock()
	_, busy := c.summaries[chat]
	if !busy {
		c.summaries[chat] = cancel
	}
	c.mu.Unlock()
	if busy {
		return
	}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.summaries, chat)
	}()
	for {
		further, err := c.summarizeOnce(ctx, chat, r.model)
		if err != nil && ctx.Err() == nil {
			c.log.WarnContext(ctx, "a chat could not be summed up", "chat", chat, "error", err)
		}
		if err != nil || !further {
			return
		}
	}
}

// summarizeOnce writes one summary if it is due, and tells whether it did.
func (c *Chats) summarizeOnce(ctx context.Context, chat, model string) (bool, error) {
	messages, summary, err := c.ports.Archive.Tail(ctx, chat)
	if err != nil {
		return false, err
	}
	known := history.NewLog(messages, summary)
	through, due := known.Due()
	if !due {
		return false, nil
	}
	within := ctx
	if c.local() { // whoever waits for a reply there goes first, by voice or here
		spare, release, err := c.ports.Desk.Spare(ctx)
		if err != nil {
			return false, err
		}
		defer release()
		within = spare
	}
	var written strings.Builder
	err = c.ports.Reasoner.Reason(within, reason.Request{Model: model, Messages: known.SummaryRequest(through)}, func(chunk reason.Chunk) error {
		written.WriteString(chunk.Text)
		if written.Len() > history.SummaryLimit {
			_, err := history.CheckSummary(written.String())
			return err
		}
		return nil
	})
	if within.Err() != nil && ctx.Err() == nil {
		return false, nil // it gave way, and is tried again after the next reply
	}
	if err != nil {
		return false, err
	}
	text, err := history.CheckSummary(written.String())
	if err != nil {
		return false, err
	}
	return true, c.ports.Archive.SetSummary(ctx, chat, echo.Summary{Text: text, Through: through})
}

// local tells whether replies are written at the desk.
func (c *Chats) local() bool {
	return c.ports.Desk != nil && (c.ports.Local == nil || c.ports.Local())
}
