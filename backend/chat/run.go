package chat

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
	"echo-companion/backend/reply"
)

// Why a reply was ended from outside.
var (
	errStopped = errors.New("stopped")
	errDeleted = errors.New("its chat was deleted")
)

// finishTime bounds the storing of an answer: longer than SQLite waits for a lock.
const finishTime = 10 * time.Second

// phase is how far a reply has come.
type phase int

const (
	waiting phase = iota
	replying
	over
)

// run is one reply.
type run struct {
	entry   *entry
	model   string
	record  *record
	place   *place
	release func()        // of the chat's floor
	done    chan struct{} // closed after the event that ends it

	// The fields below are guarded by Chats.mu.
	phase   phase
	settled bool                    // how it ended is decided: a stop comes too late
	behind  bool                    // its journal could not be written
	cause   error                   // why it was ended from outside
	cancel  context.CancelCauseFunc // once it runs
}

// end ends a reply from outside, and tells whether it was this that ended it.
func (c *Chats) end(r *run, cause error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.settled || r.cause != nil {
		return false
	}
	r.cause = cause
	if r.cancel != nil {
		r.cancel(cause)
	}
	return true
}

// answer writes a reply from its turn to its end, and then the chat's summary if one is due.
func (c *Chats) answer(parent context.Context, r *run) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	c.mu.Lock()
	r.cancel = cancel
	if r.cause != nil {
		cancel(r.cause)
	}
	c.mu.Unlock()

	draft := &draft{dirty: make(chan struct{}, 1)}
	err := c.write(ctx, r, draft)
	outcome := c.settle(parent, r, err)
	outcome.Answer, outcome.Tools = draft.read()
	c.conclude(parent, r, outcome)
	if outcome.State == echo.StateComplete || outcome.State == echo.StateFailed {
		c.summarize(parent, r)
	}
}

// conclude stores how a reply ended, and then tells it.
func (c *Chats) conclude(ctx context.Context, r *run, outcome echo.Outcome) {
	// What was written is stored even while Echo stops, but a stop waits less long.
	patience := finishTime
	if ctx.Err() != nil {
		patience = closeTime
	}
	storing, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	number, _ := c.book.finish(storing, r.entry, outcome)
	c.mu.Lock()
	r.phase = over
	c.mu.Unlock()
	r.place.leave()
	r.release()
	switch outcome.State {
	case echo.StateComplete:
		r.record.add(Event{Kind: KindDone, Message: number})
	case echo.StateStopped:
		r.record.add(Event{Kind: KindStopped, Message: number})
	case echo.StateFailed, echo.StateInterrupted:
		r.record.add(Event{Kind: KindFailed, Error: &echo.Error{Code: outcome.Code, Message: outcome.Reason}})
	}
	close(r.done)
}

// settle decides how a reply ended. What was stopped in time is stopped, even where its last word had come.
func (c *Chats) settle(parent context.Context, r *run, err error) echo.Outcome {
	c.mu.Lock()
	r.settled = true
	cause := r.cause
	c.mu.Unlock()
	outcome := echo.Outcome{State: echo.StateComplete, At: c.config.Now().UTC()}
	switch {
	case cause != nil:
		outcome.State = echo.StateStopped
	case err == nil:
	case parent.Err() != nil: // Echo stops
		outcome.State, outcome.Code, outcome.Reason = echo.StateInterrupted, echo.CodeInterrupted, echo.CutOff().Message
	default:
		coded := echo.AsError(err)
		if coded.Code == echo.CodeInternal {
			c.log.ErrorContext(parent, "a reply failed", "error", err)
		}
		outcome.State, outcome.Code, outcome.Reason = echo.StateFailed, coded.Code, coded.Message
	}
	return outcome
}

// write waits for the reply's turn and has it written into the draft.
func (c *Chats) write(ctx context.Context, r *run, draft *draft) error {
	if err := r.place.wait(ctx); err != nil {
		return err
	}
	if c.local() {
		release, err := c.ports.Desk.Take(ctx, false, func() {
			r.record.wait("Waiting for the model on this machine to finish another reply…")
		})
		if err != nil {
			return err
		}
		defer release()
	}
	c.mu.Lock()
	r.phase = replying
	c.mu.Unlock()
	r.record.add(Event{Kind: KindStart, Text: r.entry.question.Text})

	known, err := c.known(ctx, r)
	if err != nil {
		return err
	}
	request := reply.Request{Model: r.model, Messages: known.Request(c.system(), r.entry.question.Text)}
	tools := c.ports.Tools(func(from, to int) []echo.Message {
		messages, err := c.ports.Archive.Messages(ctx, r.entry.chat.ID, from, to)
		if err != nil {
			c.log.WarnContext(ctx, "messages could not be read", "error", err)
		}
		return messages
	})

	journaling, stop := context.WithCancel(ctx)
	var journal sync.WaitGroup
	journal.Go(func() { c.journal(journaling, r, draft) })
	defer journal.Wait()
	defer stop()
	return reply.Run(ctx, c.ports.Reasoner, tools, request, func(step reply.Step) error {
		draft.add(step)
		if step.Tool != nil {
			r.record.add(Event{Kind: KindTool, Tool: *step.Tool})
		}
		if step.Text != "" {
			r.record.add(Event{Kind: KindDelta, Text: step.Text})
		}
		return ctx.Err()
	})
}

// known is what was said in the chat before the question.
func (c *Chats) known(ctx context.Context, r *run) (history.Log, error) {
	chat := r.entry.chat.ID
	messages, summary, err := c.ports.Archive.Tail(ctx, chat)
	if ctx.Err() != nil {
		return history.Log{}, ctx.Err()
	}
	if err != nil { // the reply goes on without what cannot be read
		c.log.WarnContext(ctx, "a chat could not be read", "error", err)
	}
	known := history.NewLog(messages, summary)
	if r.entry.id != 0 {
		known = known.Before(r.entry.number)
	}
	return known.With(c.book.unwritten(chat)...), nil
}

func (c *Chats) system() string {
	prompt := history.Prompt{Now: c.config.Now()}
	if c.ports.Look != nil {
		look := c.ports.Look()
		prompt.Name, prompt.Persona = look.Name, look.Persona
	}
	return history.System(prompt)
}

// journal writes the draft down as it grows, until ctx is over.
func (c *Chats) journal(ctx context.Context, r *run, draft *draft) {
	if r.entry.id == 0 {
		return // the archive has no question that it could belong to
	}
	for {
		select {
		case <-draft.dirty:
		case <-ctx.Done():
			return
		}
		answer, tools := draft.read()
		err := c.ports.Archive.Journal(ctx, r.entry.id, answer, tools)
		if err != nil && ctx.Err() == nil {
			c.log.WarnContext(ctx, "a reply could not be journaled", "error", err)
			c.book.trouble(err)
			draft.touch()
		}
		c.mu.Lock()
		r.behind = err != nil
		c.mu.Unlock()
		timer := time.NewTimer(journalEvery)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// draft is a reply as far as it is written.
type draft struct {
	dirty chan struct{} // of 1: it grew since it was read

	mu     sync.Mutex
	answer strings.Builder
	tools  []echo.ToolCall
}

func (d *draft) add(step reply.Step) {
	d.mu.Lock()
	d.answer.WriteString(step.Text)
	if step.Tool != nil {
		at := slices.IndexFunc(d.tools, func(call echo.ToolCall) bool { return call.ID == step.Tool.ID })
		if at < 0 {
			d.tools = append(d.tools, *step.Tool)
		} else {
			d.tools[at] = *step.Tool
		}
	}
	d.mu.Unlock()
	d.touch()
}

func (d *draft) touch() {
	select {
	case d.dirty <- struct{}{}:
	default:
	}
}

func (d *draft) read() (string, []echo.ToolCall) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.answer.String(), slices.Clone(d.tools)
}
