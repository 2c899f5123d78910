package conversation

import "time"

// SessionRequest asks to attach. What is empty keeps what the open conversation has, or takes what the settings say.
type SessionRequest struct {
	Chat      string // carry that chat on
	New       bool   // begin afresh
	Look      string
	Model     string
	Workspace string
	Take      bool // detach the window that is attached
}

// Grant answers a SessionRequest.
type Grant struct {
	Ticket       string
	ExpiresIn    time.Duration
	Pending      bool // what was asked for waits until the reply in progress, or all that waits, is answered
	Conversation State
}
