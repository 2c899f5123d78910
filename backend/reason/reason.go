// Package reason is the port to whatever writes Echo's answers: a model behind an HTTP API, or the built-in skills. It owns
// the terms of a request; the providers live in packages of their own below it.
package reason

import (
	"context"
	"encoding/json"

	"echo-companion/backend/echo"
)

// Role is who speaks a message of a request.
type Role string

// The speakers of a request.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one message of a request. An assistant's message with Calls is followed by one tool message per call, with the
// call's id: requests never part the two.
type Message struct {
	Role   Role
	Text   string
	Calls  []Call // of an assistant
	CallID string // of a tool: the call that it answers
	Name   string // of a tool
}

// Call is a tool call that the model asks for.
type Call struct {
	ID        string
	Name      string
	Arguments json.RawMessage // a JSON object; what the model wrote is kept even where it is none
}

// Tool is a tool as it is offered to a model.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema of an object
}

// Request asks for one answer, or for the tool calls before it.
type Request struct {
	Model    string // empty: the provider's own choice
	Messages []Message
	Tools    []Tool
}

// Chunk is a piece of an answer: text, or the whole of the tool calls that the model wants made. Text is valid UTF-8 and never
// splits a character.
type Chunk struct {
	Text  string
	Calls []Call
}

// Reasoner writes answers. Reason calls emit in order, from one goroutine, and returns nil once the answer has its end mark;
// otherwise an *echo.Error (engine_unreachable, engine_error, engine_timeout) that names the engine and what to do, or the
// context's error. An error from emit ends the answer and is returned as it is.
type Reasoner interface {
	Reason(ctx context.Context, request Request, emit func(Chunk) error) error
}

// Model is a model that can be chosen.
type Model struct {
	ID       string // what settings and sessions name
	Provider string // "builtin", "ollama" or "openai"
	Name     string
	Local    bool // it runs on this machine
}

// Lister tells what models there are, without starting one.
type Lister interface {
	Models(ctx context.Context) ([]Model, error)
	Engine() echo.Engine
}
