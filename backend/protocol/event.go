package protocol

import "encoding/json"

// VoiceEvent is what the server sends as a text frame. The types below are all there are.
type VoiceEvent interface{ voiceEvent() }

// IgnoredReason says why a spoken turn asked nothing.
type IgnoredReason string

// The reasons for which a spoken turn is ignored.
const (
	IgnoredShort  IgnoredReason = "short" // under 12 voiced frames
	IgnoredEmpty  IgnoredReason = "empty"
	IgnoredFiller IgnoredReason = "filler"
	IgnoredSound  IgnoredReason = "sound"
	IgnoredEcho   IgnoredReason = "echo" // Echo hearing itself
)

// SavingReason says why saving changed.
type SavingReason string

// The reasons for which saving changes.
const (
	SavingOff     SavingReason = "off"
	SavingDeleted SavingReason = "deleted"
	SavingError   SavingReason = "error"
)

// EndedReason says why the conversation ended.
type EndedReason string

// The reasons for which a conversation ends.
const (
	EndedUser      EndedReason = "user"
	EndedGoodbye   EndedReason = "goodbye"
	EndedForgotten EndedReason = "forgotten"
	EndedShutdown  EndedReason = "shutdown"
)

// DetachedReason says why a window was detached.
type DetachedReason string

// DetachedTaken is the one reason: another window took over.
const DetachedTaken DetachedReason = "taken"

// AudioFormat is one direction's audio: s16le, mono.
type AudioFormat struct {
	SampleRate int `json:"sample_rate"`
}

// AudioFormats are the formats of both directions, as the window sees them.
type AudioFormats struct {
	Input  AudioFormat `json:"input"`
	Output AudioFormat `json:"output"`
}

// Limits are those of the conversation.
type Limits struct {
	Waiting     int `json:"waiting"`
	Text        int `json:"text"`
	UtteranceMS int `json:"utterance_ms"`
}

// ReadyEvent is the first event of every connection, and comes again after a takeover. ID is the conversation's.
type ReadyEvent struct {
	Type      string       `json:"type" const:"ready"`
	ID        string       `json:"id"`
	Resumed   bool         `json:"resumed"`
	Busy      bool         `json:"busy"`
	LastID    int          `json:"last_id"`
	Turns     []Turn       `json:"turns"`
	Saving    bool         `json:"saving"`
	Chat      *ChatRef     `json:"chat"`
	Look      string       `json:"look"`
	Model     string       `json:"model"`
	Workspace string       `json:"workspace"`
	Audio     AudioFormats `json:"audio"`
	Limits    Limits       `json:"limits"`
}

// HeardEvent tells what a spoken turn was recognised as.
type HeardEvent struct {
	Type string `json:"type" const:"heard"`
	ID   int    `json:"id"`
	Text string `json:"text"`
}

// IgnoredEvent tells that a spoken turn asked nothing.
type IgnoredEvent struct {
	Type   string        `json:"type" const:"ignored"`
	ID     int           `json:"id"`
	Reason IgnoredReason `json:"reason"`
	Text   string        `json:"text"`
}

// QueuedEvent tells that a turn waits, from position 1.
type QueuedEvent struct {
	Type     string `json:"type" const:"queued"`
	ID       int    `json:"id"`
	Position int    `json:"position"`
}

// StartEvent tells that a turn's reply begins.
type StartEvent struct {
	Type     string `json:"type" const:"start"`
	ID       int    `json:"id"`
	Question string `json:"question"`
}

// DeltaEvent is more of an answer.
type DeltaEvent struct {
	Type string `json:"type" const:"delta"`
	ID   int    `json:"id"`
	Text string `json:"text"`
}

// ToolEvent is a tool call: running, then done or failed.
type ToolEvent struct {
	Type      string          `json:"type" const:"tool"`
	ID        int             `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Status    ToolStatus      `json:"status"`
	Result    string          `json:"result"`
}

// AskingEvent tells that the reply asks its user something.
type AskingEvent struct {
	Type     string `json:"type" const:"asking"`
	ID       int    `json:"id"`
	Question string `json:"question"`
}

// TakenEvent tells that turn ID was taken as the answer to what turn Of asked; it is no turn of its own.
type TakenEvent struct {
	Type string `json:"type" const:"taken"`
	ID   int    `json:"id"`
	Of   int    `json:"of"`
}

// SentenceEvent tells what the audio frames that follow speak.
type SentenceEvent struct {
	Type  string `json:"type" const:"sentence"`
	ID    int    `json:"id"`
	Index int    `json:"index"`
	Text  string `json:"text"`
}

// AnsweredEvent tells that an answer is complete and in the history, and whether it is on disk.
type AnsweredEvent struct {
	Type   string   `json:"type" const:"answered"`
	ID     int      `json:"id"`
	Answer string   `json:"answer"`
	Saved  bool     `json:"saved"`
	Chat   *ChatRef `json:"chat"`
}

// DoneEvent tells that a turn's audio has all been sent or skipped.
type DoneEvent struct {
	Type string `json:"type" const:"done"`
	ID   int    `json:"id"`
}

// FailedEvent tells why a turn failed.
type FailedEvent struct {
	Type    string `json:"type" const:"failed"`
	ID      int    `json:"id"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// CancelledEvent tells that a turn was stopped or withdrawn.
type CancelledEvent struct {
	Type string `json:"type" const:"cancelled"`
	ID   int    `json:"id"`
}

// StoppedEvent tells that nothing runs and nothing waits.
type StoppedEvent struct {
	Type string `json:"type" const:"stopped"`
}

// ReplayedEvent tells that a replay is over.
type ReplayedEvent struct {
	Type     string `json:"type" const:"replayed"`
	ID       int    `json:"id"`
	Complete bool   `json:"complete"`
}

// SavingEvent tells that saving changed.
type SavingEvent struct {
	Type   string       `json:"type" const:"saving"`
	Saving bool         `json:"saving"`
	Reason SavingReason `json:"reason"`
}

// EndingEvent tells that the conversation will end when turn After is over; null: none runs.
type EndingEvent struct {
	Type  string `json:"type" const:"ending"`
	After *int   `json:"after"`
}

// EndedEvent tells that the conversation has ended.
type EndedEvent struct {
	Type   string      `json:"type" const:"ended"`
	Reason EndedReason `json:"reason"`
}

// DetachedEvent tells that another window took over; do not reconnect by yourself.
type DetachedEvent struct {
	Type   string         `json:"type" const:"detached"`
	Reason DetachedReason `json:"reason"`
}

// ErrorEvent tells that a message was refused. ID is that of its turn, where there is one.
type ErrorEvent struct {
	Type    string `json:"type" const:"error"`
	Code    string `json:"code"`
	Message string `json:"message"`
	ID      int    `json:"id,omitempty"`
}

func (ReadyEvent) voiceEvent()     {}
func (HeardEvent) voiceEvent()     {}
func (IgnoredEvent) voiceEvent()   {}
func (QueuedEvent) voiceEvent()    {}
func (StartEvent) voiceEvent()     {}
func (DeltaEvent) voiceEvent()     {}
func (ToolEvent) voiceEvent()      {}
func (AskingEvent) voiceEvent()    {}
func (TakenEvent) voiceEvent()     {}
func (SentenceEvent) voiceEvent()  {}
func (AnsweredEvent) voiceEvent()  {}
func (DoneEvent) voiceEvent()      {}
func (FailedEvent) voiceEvent()    {}
func (CancelledEvent) voiceEvent() {}
func (StoppedEvent) voiceEvent()   {}
func (ReplayedEvent) voiceEvent()  {}
func (SavingEvent) voiceEvent()    {}
func (EndingEvent) voiceEvent()    {}
func (EndedEvent) voiceEvent()     {}
func (DetachedEvent) voiceEvent()  {}
func (ErrorEvent) voiceEvent()     {}
