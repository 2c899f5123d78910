// Package protocol holds the wire's structs alone: what HTTP, server-sent events, the voice WebSocket and the desktop window
// carry, as docs/api/openapi.yaml describes it. It knows neither the domain nor a transport, and imports the standard library
// alone. The frontend's types are generated from it (go generate), and the streams in testdata are replayed by both sides.
//
// Slices are never nil when they are sent: a list without entries is [].
package protocol

//go:generate go run ./generate -o ../../frontend/src/protocol/types.gen.ts

import (
	"encoding/json"
	"time"
)

// Limits that every client can count on.
const (
	MaxWaiting     = 4       // questions that may wait
	MaxText        = 8000    // code points of a question in voice
	MaxMessage     = 32000   // code points of a message in Chat
	MaxBody        = 1 << 20 // bytes of a request's body, and of a WebSocket message
	MaxUtteranceMS = 60000
	MaxPage        = 100 // entries of a page
	DefaultPage    = 50
	InputRate      = 16000
	OutputRate     = 24000
	KeptKey        = "********" // what an API key that is set reads as; written back, it keeps the key
)

// Source says how a question was put.
type Source string

// The ways in which a question comes; a message of a chat is typed or spoken.
const (
	SourceTyped  Source = "typed"
	SourceSpoken Source = "spoken"
	SourceChat   Source = "chat"
)

// TurnStatus is how far a voice turn has come.
type TurnStatus string

// The states of a voice turn.
const (
	TurnQueued    TurnStatus = "queued"
	TurnAnswering TurnStatus = "answering"
	TurnAsking    TurnStatus = "asking"
	TurnAnswered  TurnStatus = "answered"
	TurnStopped   TurnStatus = "stopped"
	TurnFailed    TurnStatus = "failed"
)

// ToolStatus is how far a tool call has come.
type ToolStatus string

// The states of a tool call.
const (
	ToolRunning ToolStatus = "running"
	ToolDone    ToolStatus = "done"
	ToolFailed  ToolStatus = "failed"
)

// Problem is an error that a person can act on.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// ErrorBody is the body of every answer that is an error.
type ErrorBody struct {
	Error Problem `json:"error"`
}

// ChatRef names a chat.
type ChatRef struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// ToolCall is one call that a reply made. Arguments is what the model wrote, a JSON object; Result is empty while it runs.
type ToolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Result    string          `json:"result"`
	Status    ToolStatus      `json:"status"`
}

// Turn is one exchange of the voice conversation.
type Turn struct {
	ID         int        `json:"id"`
	Source     Source     `json:"source"`
	Wake       bool       `json:"wake"`
	Question   string     `json:"question"`
	Status     TurnStatus `json:"status"`
	Answer     string     `json:"answer"`
	Tools      []ToolCall `json:"tools"`
	Away       bool       `json:"away"`
	Error      *Problem   `json:"error"`
	AskedAt    time.Time  `json:"asked_at"`
	AnsweredAt *time.Time `json:"answered_at"`
}

// ConversationState is what GET /api/voice/conversation answers.
type ConversationState interface{ conversationState() }

// Conversation is the state of the voice conversation. One that is not active has nothing but busy, held, last_id and turns.
type Conversation struct {
	Active    bool       `json:"active" const:"true"`
	ID        string     `json:"id"`
	Busy      bool       `json:"busy"`
	Held      bool       `json:"held"`
	Saving    bool       `json:"saving"`
	Chat      *ChatRef   `json:"chat"`
	Look      string     `json:"look"`
	Model     string     `json:"model"`
	Workspace string     `json:"workspace"`
	LastID    int        `json:"last_id"`
	Turns     []Turn     `json:"turns"`
	ForgetAt  *time.Time `json:"forget_at"`
}

// NoConversation is Conversation while there is no conversation.
type NoConversation struct {
	Active bool   `json:"active" const:"false"`
	Busy   bool   `json:"busy"`
	Held   bool   `json:"held"`
	LastID int    `json:"last_id"`
	Turns  []Turn `json:"turns"`
}

// MarshalJSON leaves out of a conversation that is not active what it does not have.
func (c Conversation) MarshalJSON() ([]byte, error) {
	if !c.Active {
		return json.Marshal(NoConversation{Busy: c.Busy, Held: c.Held, LastID: c.LastID, Turns: list(c.Turns)})
	}
	type plain Conversation
	c.Turns = list(c.Turns)
	return json.Marshal(plain(c))
}

func (Conversation) conversationState()   {}
func (NoConversation) conversationState() {}

// SessionRequest is the body of POST /api/voice/sessions. Empty fields name nothing.
type SessionRequest struct {
	Chat      string `json:"chat,omitempty"`
	New       bool   `json:"new,omitempty"`
	Look      string `json:"look,omitempty"`
	Model     string `json:"model,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	Take      bool   `json:"take,omitempty"`
}

// Grant answers a SessionRequest.
type Grant struct {
	Ticket       string       `json:"ticket"`
	ExpiresInMS  int64        `json:"expires_in_ms"`
	Pending      bool         `json:"pending"`
	Conversation Conversation `json:"conversation" ts:"ConversationState"`
}

// EndedAnswer answers POST /api/voice/conversation/end.
type EndedAnswer struct {
	Ended bool `json:"ended"`
}

// list gives nil as an empty list.
func list[T any](entries []T) []T {
	if entries == nil {
		return []T{}
	}
	return entries
}
