package conversation

import (
	"context"
	"io"

	"echo-companion/backend/echo"
)

// Window is one attached window.
type Window struct{}

// Send gives the conversation a command. It waits for no more than the conversation's inbox. Once the window is detached, a
// command is dropped without an error: Next tells the window.
func (w *Window) Send(_ context.Context, _ Command) error { return nil }

// Refuse has the window told, in order, that a frame of its was refused.
func (w *Window) Refuse(_ context.Context, _ echo.Code, _ string) error { return nil }

// Next returns the next notice. It returns io.EOF after the last, and ErrSlow where the window was closed as too slow.
func (w *Window) Next(_ context.Context) (Notice, error) { return nil, io.EOF }

// Close detaches the window. It may be called more than once.
func (w *Window) Close() {}
