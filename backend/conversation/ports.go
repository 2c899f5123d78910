package conversation

import (
	"context"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reply"
	"echo-companion/backend/speech"
)

// Archive keeps exchanges on disk. Every method returns once the change is durable, or with an error that says why it is not.
type Archive interface {
	// Accept stores a question that waits. Where its chat is empty, a chat is made, of kind voice, titled after the question.
	Accept(ctx context.Context, question echo.Question) (echo.Exchange, error)
	// Start gives a waiting question its number in the chat; the reply's journal begins.
	Start(ctx context.Context, exchange int64) (number int, err error)
	// Journal replaces what is kept of the growing reply.
	Journal(ctx context.Context, exchange int64, answer string, tools []echo.ToolCall) error
	// Finish turns a started exchange into its numbered messages: tool results, answer.
	Finish(ctx context.Context, exchange int64, outcome echo.Outcome) (number int, err error)
	// Withdraw removes an exchange, started or not, without a trace. A chat that it alone had made goes with it.
	Withdraw(ctx context.Context, exchange int64) error
}

// Chats reads a chat that is carried on.
type Chats interface {
	Chat(ctx context.Context, id string) (echo.Chat, error) // unknown_chat
	Transcript(ctx context.Context, id string) ([]echo.Message, *echo.Summary, error)
	SetSummary(ctx context.Context, id string, summary echo.Summary) error
}

// Floor is held by whoever answers in a chat: voice or Chat, one at a time. See reply.Floor.
type Floor interface { // release may be called more than once
	Take(ctx context.Context, chat string) (release func(), err error)
	TryTake(chat string) (release func(), ok bool)
}

// Desk is where a model on this machine writes one reply at a time (P1); a model elsewhere lets all pass. See reply.Desk. Its methods
// may wait for a while even where the desk is free: until it is known where the model is.
type Desk interface { // release may be called more than once
	Take(ctx context.Context, voice bool, waiting func()) (release func(), err error)
	Spare(ctx context.Context) (within context.Context, release func(), err error)
}

// Workspace is what a conversation needs of one workspace.
type Workspace struct {
	Name    string
	Archive Archive
	Chats   Chats
	Floor   Floor
	// Tools are those of a reply in a chat whose messages are read back by number from history.
	Tools func(history History) reply.Tools
}

// History reads messages of the running conversation back by number.
type History interface {
	Messages(from, to int) []echo.Message
}

// Settings is what a conversation reads as it starts, or when told that it changed.
type Settings struct {
	Workspace string
	Look      string
	Model     string // as reasoning.model; empty is the provider's choice
	Save      bool   // voice.save_conversations
	Voice     string // speech.synthesizer.voice: where set, it wins over the look's
}

// Ports is what the conversation reaches the world through.
type Ports struct {
	Settings    func() Settings
	Look        func(id string) (echo.Look, bool)
	Workspace   func(ctx context.Context, name string) (Workspace, error)
	Reasoner    reason.Reasoner
	Recognizer  speech.Recognizer
	Synthesizer speech.Synthesizer
	// Hold holds the speech engines while a window is attached or a question runs (R4).
	Hold func() (release func())
	// Desk is taken for each reply; nil: there is none.
	Desk Desk
	// Summarizes tells whether the reasoner can write a running summary (the built-in skills cannot). It may wait for a while.
	Summarizes func() bool
}

// Config holds what does not change while the conversation runs.
type Config struct {
	Keep          time.Duration // how long a detached, idle conversation is kept; 0 is 30 minutes
	EngineTimeout time.Duration // how long an engine may send nothing; 0 is 60 s
	TicketLife    time.Duration // 0 is 30 s
}
