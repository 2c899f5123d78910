package conversation

import (
	"time"

	"echo-companion/backend/echo"
)

// Notice is what the conversation tells its window. The types below are all there are; protocol.md, section 3, says what each
// means and in which order they come.
type Notice interface{ notice() }

// State is the conversation as GET /api/voice/conversation reports it. The zero State says that there is none.
type State struct {
	Active    bool
	ID        string
	Busy      bool
	Held      bool
	Saving    bool
	Chat      *echo.ChatRef
	Look      string
	Model     string
	Workspace string
	LastID    int
	Turns     []echo.Turn // ascending; the newest eight exchanges, and every unfinished one
	ForgetAt  time.Time   // zero: it is not about to be forgotten
}

// Ready is the first notice of every window, and comes again after a takeover.
type Ready struct {
	State
	Resumed bool
}

// Heard tells what a spoken turn was recognised as.
type Heard struct {
	ID   int
	Text string
}

// Ignored tells that a spoken turn asked nothing: Reason is short, empty, filler, sound or echo.
type Ignored struct {
	ID     int
	Reason string
	Text   string
}

// Queued tells that a turn waits, from position 1.
type Queued struct{ ID, Position int }

// Start tells that a turn's reply begins.
type Start struct {
	ID       int
	Question string
}

// Delta is more of an answer.
type Delta struct {
	ID   int
	Text string
}

// Tool is a tool call that began or ended.
type Tool struct {
	ID   int
	Call echo.ToolCall
}

// Asking tells that a reply asks its user something.
type Asking struct {
	ID       int
	Question string
}

// Taken tells that turn ID was taken as the answer to what turn Of asked.
type Taken struct{ ID, Of int }

// Sentence tells what the audio that follows speaks.
type Sentence struct {
	ID    int
	Index int
	Text  string
}

// Voice is audio of a turn, 24 kHz mono, from sample Offset on.
type Voice struct {
	ID     int
	Offset int
	PCM    []int16
}

// Answered tells that an answer is complete and in the history, and whether it is on disk.
type Answered struct {
	ID     int
	Answer string
	Saved  bool
	Chat   *echo.ChatRef
}

// Done tells that a turn's audio has all been sent or skipped.
type Done struct{ ID int }

// Failed tells why a turn failed.
type Failed struct {
	ID    int
	Error *echo.Error
}

// Cancelled tells that a turn was stopped or withdrawn.
type Cancelled struct{ ID int }

// Stopped tells that nothing runs and nothing waits.
type Stopped struct{}

// Replayed tells that a replay is over.
type Replayed struct {
	ID       int
	Complete bool
}

// Saving tells that saving changed: Reason is off, deleted or error.
type Saving struct {
	Saving bool
	Reason string
}

// Ending tells that the conversation will end when turn After is over (0: none runs).
type Ending struct{ After int }

// Ended tells that the conversation has ended: Reason is user, goodbye, forgotten or shutdown.
type Ended struct{ Reason string }

// Detached tells that another window took over; it is the last notice.
type Detached struct{ Reason string }

// Refused tells that a command was refused. ID is 0 where the refusal is of no turn.
type Refused struct {
	ID    int
	Error *echo.Error
}

func (Ready) notice()     {}
func (Heard) notice()     {}
func (Ignored) notice()   {}
func (Queued) notice()    {}
func (Start) notice()     {}
func (Delta) notice()     {}
func (Tool) notice()      {}
func (Asking) notice()    {}
func (Taken) notice()     {}
func (Sentence) notice()  {}
func (Voice) notice()     {}
func (Answered) notice()  {}
func (Done) notice()      {}
func (Failed) notice()    {}
func (Cancelled) notice() {}
func (Stopped) notice()   {}
func (Replayed) notice()  {}
func (Saving) notice()    {}
func (Ending) notice()    {}
func (Ended) notice()     {}
func (Detached) notice()  {}
func (Refused) notice()   {}
