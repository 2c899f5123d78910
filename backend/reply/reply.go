// Package reply writes one reply: it asks the reasoner, runs the tools that it calls, and tells its owner of every step. Voice
// and Chat use the same runner. It stores nothing and knows no transport.
package reply

import (
	"context"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
)

// MaxCalls is how many tool calls a reply may make; after that the model is asked once more, without tools.
const MaxCalls = 16

// Tools is what a reply may call. Call returns the result as the model is to read it. An error's text is the result of a
// failed call, unless it is the context's. Offer and Call may be used from several goroutines.
type Tools interface {
	Offer() []reason.Tool
	Call(ctx context.Context, call reason.Call) (string, error)
}

// Step is one step of a reply: more text, or a tool call that began or ended.
type Step struct {
	Text string
	Tool *echo.ToolCall // Status tells which; the same ID comes as running, then as done or failed
}

// Request is one reply to write.
type Request struct {
	Model    string
	Messages []reason.Message // everything up to and with the question
}
