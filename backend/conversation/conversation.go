// Package conversation is the voice conversation: its turns, its queue, its voice and its windows. The machine in it is pure;
// one loop owns its state and carries out what it decides. It knows no transport and no database.
package conversation

import (
	"context"
	"errors"
	"log/slog"
)

// ErrSlow ends a window that did not read its notices in time. It may attach again and loses nothing.
var ErrSlow = errors.New("the window was too slow to follow the conversation")

// Conversation is the one voice conversation of this process. Its methods may be used from several goroutines while Run runs.
type Conversation struct{}

// New wires a conversation. It starts nothing.
func New(_ Config, _ Ports, _ *slog.Logger) *Conversation { return &Conversation{} }

// Run owns the conversation until ctx ends; then it tells the window, journals what stands, and waits for all that it started.
func (c *Conversation) Run(ctx context.Context) error { <-ctx.Done(); return nil }

// State tells of the conversation. It starts nothing.
func (c *Conversation) State(_ context.Context) (State, error) { return State{}, nil }

// Reserve grants a ticket for one Attach. Errors are *echo.Error: held, unknown_chat, unknown_workspace, invalid.
func (c *Conversation) Reserve(_ context.Context, _ SessionRequest) (Grant, error) {
	return Grant{}, nil
}

// Attach makes a window of a ticket. Errors are *echo.Error: bad_ticket, held.
func (c *Conversation) Attach(_ context.Context, _ string) (*Window, error) { return &Window{}, nil }

// End ends and forgets the conversation, and tells whether there was one. While a window is attached it is refused as held.
func (c *Conversation) End(_ context.Context) (bool, error) { return false, nil }

// Changed tells the conversation that its settings may have changed.
func (c *Conversation) Changed(_ context.Context) error { return nil }

// Forget tells the conversation that a chat was deleted.
func (c *Conversation) Forget(_ context.Context, _, _ string) error { return nil }
