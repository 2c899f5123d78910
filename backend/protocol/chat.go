package protocol

import (
	"encoding/json"
	"time"
)

// Kind tells a typed chat from a saved voice conversation.
type Kind string

// The kinds of chat.
const (
	KindChat  Kind = "chat"
	KindVoice Kind = "voice"
)

// Role is who said a message.
type Role string

// The speakers of a chat.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// MessageState is how a message ended.
type MessageState string

// The ends of a message.
const (
	MessageComplete    MessageState = "complete"
	MessageStopped     MessageState = "stopped"
	MessageFailed      MessageState = "failed"
	MessageInterrupted MessageState = "interrupted"
)

// Message is one message of a chat. Name and Arguments are those of a tool call; Error is why an answer failed, where it is known.
type Message struct {
	Number    int             `json:"number"`
	Role      Role            `json:"role"`
	Text      string          `json:"text"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	State     MessageState    `json:"state"`
	Source    Source          `json:"source"`
	CreatedAt time.Time       `json:"created_at"`
	Error     *Problem        `json:"error,omitempty"`
}

// ChatRow is one row of the chat list.
type ChatRow struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Kind      Kind      `json:"kind"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Messages  int       `json:"messages"`
	Replying  bool      `json:"replying"`
	Waiting   bool      `json:"waiting"`
	Problem   string    `json:"problem,omitempty"` // why what is said in it is not saved yet, and what to do
}

// Summary stands in for the messages 1 to Through.
type Summary struct {
	Text    string `json:"text"`
	Through int    `json:"through"`
}

// ChatPage is a chat with a page of its messages.
type ChatPage struct {
	ChatRow
	Items   []Message `json:"items"`
	Summary *Summary  `json:"summary"`
}

// ChatList is a page of the chat list, newest first. Next is the next page's before, or null.
type ChatList struct {
	Sessions []ChatRow `json:"sessions"`
	Next     *string   `json:"next"`
}

// ChatQuestion is the body of POST /api/chat. No session: a new chat.
type ChatQuestion struct {
	Session string `json:"session,omitempty"`
	Message string `json:"message"`
	Model   string `json:"model,omitempty"`
}

// ChatTitle is the body of the calls that name a chat.
type ChatTitle struct {
	Title string `json:"title"`
}

// StoppedAnswer answers POST /api/chat/sessions/{sid}/stop.
type StoppedAnswer struct {
	Stopped bool `json:"stopped"`
}

// Hit is a message that a search found.
type Hit struct {
	Session string `json:"session"`
	Title   string `json:"title"`
	Number  int    `json:"number"`
	Snippet string `json:"snippet"`
}

// Hits answers a search.
type Hits struct {
	Hits []Hit `json:"hits"`
}

// ChatEvent is an event of a chat's reply. The types below are all there are; its number is the event's id.
type ChatEvent interface{ chatEvent() }

// ChatSessionEvent names the chat.
type ChatSessionEvent struct {
	Type  string `json:"type" const:"session"`
	ID    string `json:"id"`
	Title string `json:"title"`
}

// ChatWaitingEvent tells what the reply waits for.
type ChatWaitingEvent struct {
	Type    string `json:"type" const:"waiting"`
	Message string `json:"message"`
}

// ChatStartEvent tells that the reply begins.
type ChatStartEvent struct {
	Type     string `json:"type" const:"start"`
	Question string `json:"question"`
}

// ChatDeltaEvent is more of the answer.
type ChatDeltaEvent struct {
	Type string `json:"type" const:"delta"`
	Text string `json:"text"`
}

// ChatToolEvent is a tool call: running, then done or failed.
type ChatToolEvent struct {
	Type      string          `json:"type" const:"tool"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Status    ToolStatus      `json:"status"`
	Result    string          `json:"result"`
}

// ChatDoneEvent tells that the answer is complete, as that message.
type ChatDoneEvent struct {
	Type   string `json:"type" const:"done"`
	Number int    `json:"number"`
}

// ChatStoppedEvent tells that the reply was stopped; what was written is that message.
type ChatStoppedEvent struct {
	Type   string `json:"type" const:"stopped"`
	Number int    `json:"number"`
}

// ChatFailedEvent tells why the reply failed.
type ChatFailedEvent struct {
	Type    string `json:"type" const:"failed"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (ChatSessionEvent) chatEvent() {}
func (ChatWaitingEvent) chatEvent() {}
func (ChatStartEvent) chatEvent()   {}
func (ChatDeltaEvent) chatEvent()   {}
func (ChatToolEvent) chatEvent()    {}
func (ChatDoneEvent) chatEvent()    {}
func (ChatStoppedEvent) chatEvent() {}
func (ChatFailedEvent) chatEvent()  {}
