package echo

import (
	"crypto/rand"
	"strings"
	"time"
)

// KeyLife is how long an idempotency key is kept.
const KeyLife = 10 * time.Minute

// NewID makes a chat's id.
func NewID() string { return strings.ToLower(rand.Text()) }

// Question is a question as it is accepted, before its reply begins.
type Question struct {
	Chat    string // empty: a new chat is made for it
	Kind    Kind   // of the chat that is made
	Text    string
	Source  Source
	Overlap bool // it was asked while Echo was speaking
	AskedAt time.Time
	Key     string // Idempotency-Key; empty where there is none
	Digest  string // of the request's body, kept with the key
}

// Exchange is a question that is stored, and what is to become of it.
type Exchange struct {
	ID   int64
	Chat Chat
}

// Outcome is how an exchange ended.
type Outcome struct {
	State  State
	Answer string
	Tools  []ToolCall
	Code   Code   // of a failure
	Reason string // of a failure, for people
	At     time.Time
}

// Unsaved is an exchange that could not be stored as it went on, to be stored as a whole.
type Unsaved struct {
	Chat     Chat
	New      bool // the chat is made where it is not there
	Question Question
	Outcome  Outcome
}

// Asked is what a request with an idempotency key asked.
type Asked struct {
	Digest string // of the request's body
	Chat   string
	Number int // of the question; 0 while it waits
}
