// Package conversation is the voice conversation: its turns, its queue, its voice and its windows. The machine in it is pure;
// one loop owns its state and carries out what it decides. It knows no transport and no database.
package conversation

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"echo-companion/backend/echo"
)

// ErrSlow ends a window that did not read its notices in time. It may attach again and loses nothing.
var ErrSlow = errors.New("the window was too slow to follow the conversation")

// Conversation is the one voice conversation of this process. Its methods may be used from several goroutines while Run runs.
type Conversation struct {
	config Config
	ports  Ports
	logger *slog.Logger
	inbox  chan message // 64: so that a window's burst does not wait for each step; beyond, senders wait
	ended  chan struct{}
	calls  atomic.Int64
}

// message is an event on its way to the loop, with what only the loop may hold.
type message struct {
	event   event
	call    int
	reply   chan result   // of a call: holds one
	release func()        // of a floor that was taken
	place   *place        // at the desk, where that was taken
	said    chan<- string // of a question to the user: holds one
}

// result answers a call.
type result struct {
	value any
	err   *echo.Error
}

// New wires a conversation. It starts nothing.
func New(config Config, ports Ports, logger *slog.Logger) *Conversation {
	if config.Keep <= 0 {
		config.Keep = 30 * time.Minute
	}
	if config.EngineTimeout <= 0 {
		config.EngineTimeout = time.Minute
	}
	if config.TicketLife <= 0 {
		config.TicketLife = 30 * time.Second
	}
	if ports.Hold == nil {
		ports.Hold = func() func() { return func() {} }
	}
	if ports.Summarizes == nil {
		ports.Summarizes = func() bool { return false }
	}
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Conversation{config: config, ports: ports, logger: logger, inbox: make(chan message, 64), ended: make(chan struct{})}
}

// State tells of the conversation. It starts nothing.
func (c *Conversation) State(ctx context.Context) (State, error) {
	value, err := c.call(ctx, func(a asked) event { return stateAsked{a} })
	if err != nil {
		return State{}, err
	}
	return value.(State), nil
}

// Reserve grants a ticket for one Attach. Errors are *echo.Error: held, unknown_chat, unknown_workspace, invalid.
func (c *Conversation) Reserve(ctx context.Context, request SessionRequest) (Grant, error) {
	settings := c.ports.Settings()
	if _, known := c.ports.Look(request.Look); request.Look != "" && !known {
		return Grant{}, echo.Errorf(echo.CodeInvalid, "look: there is no look %q.", request.Look)
	}
	workspace := request.Workspace
	if workspace == "" {
		workspace = settings.Workspace
	}
	found, err := c.read(ctx, workspace, request.Chat)
	if err != nil {
		return Grant{}, err
	}
	value, err := c.call(ctx, func(a asked) event {
		return reserved{asked: a, ticket: rand.Text(), request: request, settings: settings, found: found}
	})
	if err != nil {
		return Grant{}, err
	}
	return value.(Grant), nil
}

// Attach makes a window of a ticket. Errors are *echo.Error: bad_ticket, held.
func (c *Conversation) Attach(ctx context.Context, ticket string) (*Window, error) {
	value, err := c.call(ctx, func(a asked) event { return attached{a, ticket} })
	if err != nil {
		return nil, err
	}
	return value.(*Window), nil
}

// Stop stops the reply and everything that waits, as Cancel of a window does, whichever window is attached.
func (c *Conversation) Stop(ctx context.Context) error {
	_, err := c.call(ctx, func(a asked) event { return stopAsked{a} })
	return err
}

// End ends and forgets the conversation, and tells whether there was one. While a window is attached it is refused as held.
func (c *Conversation) End(ctx context.Context) (bool, error) {
	value, err := c.call(ctx, func(a asked) event { return endAsked{a} })
	if err != nil {
		return false, err
	}
	return value.(bool), nil
}

// Changed tells the conversation that its settings may have changed.
func (c *Conversation) Changed(ctx context.Context) error {
	return c.post(ctx, message{event: changed{c.ports.Settings()}})
}

// Forget tells the conversation that a chat was deleted.
func (c *Conversation) Forget(ctx context.Context, workspace, chat string) error {
	return c.post(ctx, message{event: deleted{workspace, chat}})
}

// read reads what a conversation is begun from.
func (c *Conversation) read(ctx context.Context, workspace, chat string) (material, error) {
	found := material{}
	var err error
	if found.workspace, err = c.ports.Workspace(ctx, workspace); err != nil {
		return material{}, err
	}
	found.workspace.Name = workspace
	if chat == "" {
		return found, nil
	}
	row, err := found.workspace.Chats.Chat(ctx, chat)
	if err != nil {
		return material{}, err
	}
	found.chat = &row
	if found.messages, found.summary, err = found.workspace.Chats.Transcript(ctx, chat); err != nil {
		return material{}, err
	}
	return found, nil
}

// call asks the loop something. Only the asking is bounded by ctx: the loop, which never blocks, always answers.
func (c *Conversation) call(ctx context.Context, ask func(asked) event) (any, error) {
	key := int(c.calls.Add(1))
	reply := make(chan result, 1)
	if err := c.post(ctx, message{event: ask(asked{key}), call: key, reply: reply}); err != nil {
		return nil, err
	}
	select {
	case r := <-reply:
		if r.err != nil {
			return nil, r.err
		}
		return r.value, nil
	case <-c.ended:
		return nil, echo.Stopping()
	}
}

// post gives the loop an event.
func (c *Conversation) post(ctx context.Context, m message) error {
	select {
	case <-c.ended: // the inbox may have room, but nobody reads it
		return echo.Stopping()
	default:
	}
	select {
	case c.inbox <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ended:
		return echo.Stopping()
	}
}
