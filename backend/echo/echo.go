// Package echo holds the words of Echo's domain: turns, messages, chats, tool calls and coded errors. It does no I/O and
// imports the standard library alone, so that every other package may speak in its terms.
package echo

import (
	"encoding/json"
	"time"
)

// Source says how a question was put.
type Source string

// The ways in which a question comes.
const (
	SourceTyped  Source = "typed"
	SourceSpoken Source = "spoken"
	SourceChat   Source = "chat" // carried over from a chat
)

// Status is how far a voice turn has come.
type Status string

// The states of a voice turn.
const (
	StatusQueued    Status = "queued"
	StatusAnswering Status = "answering"
	StatusAsking    Status = "asking" // the reply waits for its user's answer
	StatusAnswered  Status = "answered"
	StatusStopped   Status = "stopped"
	StatusFailed    Status = "failed"
)

// Over tells whether nothing more is written in a turn of that status.
func (s Status) Over() bool {
	return s == StatusAnswered || s == StatusStopped || s == StatusFailed
}

// Role is who said a message.
type Role string

// The speakers of a chat.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// State is how a message ended.
type State string

// The ends of a message.
const (
	StateComplete    State = "complete"
	StateStopped     State = "stopped"
	StateFailed      State = "failed"
	StateInterrupted State = "interrupted" // a crash cut it off
)

// Kind tells a typed chat from a saved voice conversation.
type Kind string

// The kinds of chat.
const (
	KindChat  Kind = "chat"
	KindVoice Kind = "voice"
)

// ToolStatus is how far a tool call has come.
type ToolStatus string

// The states of a tool call.
const (
	ToolRunning ToolStatus = "running"
	ToolDone    ToolStatus = "done"
	ToolFailed  ToolStatus = "failed"
)

// ToolCall is one call that a reply made.
type ToolCall struct {
	ID        string // the model's name for the call; unique within a reply
	Name      string
	Arguments json.RawMessage // a JSON object, as the model wrote it
	Result    string          // what the tool said, or why it failed; empty while it runs
	Status    ToolStatus
}

// Turn is one exchange of the voice conversation.
type Turn struct {
	ID         int
	Source     Source
	Wake       bool // it opened with "Hey Echo"
	Question   string
	Status     Status
	Answer     string
	Tools      []ToolCall
	Away       bool   // it ended while no window was attached
	Error      *Error // of a failed turn
	AskedAt    time.Time
	AnsweredAt time.Time // zero until it ended
}

// Message is one message of a chat. Numbers count from 1 in each chat, without gaps, in the order in which they were said:
// question, tool results, answer.
type Message struct {
	Number    int
	Role      Role
	Text      string
	Name      string          // of a tool
	Arguments json.RawMessage // of a tool call
	State     State
	Source    Source
	Code      Code   // of an answer that failed
	Reason    string // of an answer that failed, for people
	CreatedAt time.Time
}

// Chat is one row of the chat list.
type Chat struct {
	ID        string
	Title     string
	Kind      Kind
	CreatedAt time.Time
	UpdatedAt time.Time
	Messages  int
}

// ChatRef names a chat.
type ChatRef struct {
	ID    string
	Title string
}

// Summary stands in for the messages 1 to Through of a chat.
type Summary struct {
	Text    string
	Through int
}

// Hit is a message that a search found.
type Hit struct {
	Chat    string
	Title   string
	Number  int
	Snippet string
	Text    string // the whole message, for a reply's own use
}

// EngineState is what is known of a speech or reasoning engine.
type EngineState string

// The states of an engine.
const (
	EngineStopped  EngineState = "stopped"
	EngineStarting EngineState = "starting"
	EngineReady    EngineState = "ready"
	EngineFailed   EngineState = "failed"
)

// Engine reports on one engine.
type Engine struct {
	Name    string
	State   EngineState
	Problem string // what is wrong and what to do; empty when nothing is
}

// Look is a face of Echo: its name, voice, accent colour and manner of speaking.
type Look struct {
	ID      string
	Name    string
	Voice   string // a voice id of the built-in synthesiser
	Accent  string // a CSS colour
	Persona string // one or two sentences of manner, for the system prompt
}
