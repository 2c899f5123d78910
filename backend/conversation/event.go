package conversation

import (
	"echo-companion/backend/echo"
	"echo-companion/backend/reply"
)

// event is what happens to the machine: a call from outside, a command of a window, a step of a worker, or time that passes.
// The types below are all there are.
type event interface{ event() }

// asked is a call that waits for an answered effect with the same key.
type asked struct{ call int }

// stateAsked asks for the state.
type stateAsked struct{ asked }

// reserved asks for a ticket. What had to be read for it was read before.
type reserved struct {
	asked
	ticket   string // a fresh random name, should one be granted
	request  SessionRequest
	settings Settings
	found    material
}

// attached is a handshake.
type attached struct {
	asked
	ticket string
}

// stopAsked asks to stop everything from outside of a window.
type stopAsked struct{ asked }

// endAsked asks to end the conversation from outside of a window.
type endAsked struct{ asked }

// changed tells that settings may have changed.
type changed struct{ settings Settings }

// deleted tells that a chat was deleted.
type deleted struct{ workspace, chat string }

// commanded is a window's command.
type commanded struct {
	window  int
	command Command
}

// malformed is a window's frame that its border refused.
type malformed struct {
	window int
	err    *echo.Error
}

// left tells that a window went away.
type left struct{ window int }

// ticked tells that time passed.
type ticked struct{}

// shut tells that the process ends.
type shut struct{}

// recognised ends a recognition.
type recognised struct {
	job  int
	text string
	err  *echo.Error
}

// claimWaits tells that a floor is taken, and claimed that it is now ours.
type (
	claimWaits struct{ claim int }
	claimed    struct{ claim int }
)

// stepped is a step of a reply, and ran its end; err is nil where it is answered.
type (
	stepped struct {
		run  int
		step reply.Step
	}
	ran struct {
		run int
		err *echo.Error
	}
)

// putQuestion tells that a reply asks its user something.
type putQuestion struct {
	run      int
	call     int
	question string
}

// spoke is more audio of a sentence, and spoken its end.
type (
	spoke struct {
		job int
		pcm []int16
	}
	spoken struct {
		job int
		err *echo.Error
	}
)

// wrote ends an archive call.
type wrote struct {
	ledger   int
	exchange echo.Exchange
	number   int
	err      error
}

// loaded ends the reading of what a takeover needs.
type loaded struct {
	job   int
	found material
	err   *echo.Error
}

// reread ends the reading of a chat that had grown elsewhere.
type reread struct {
	run     int
	history material
	err     error
}

// summed ends the writing of a summary.
type summed struct {
	job     int
	summary echo.Summary
	err     error
}

func (stateAsked) event()  {}
func (reserved) event()    {}
func (attached) event()    {}
func (stopAsked) event()   {}
func (endAsked) event()    {}
func (changed) event()     {}
func (deleted) event()     {}
func (commanded) event()   {}
func (malformed) event()   {}
func (left) event()        {}
func (ticked) event()      {}
func (shut) event()        {}
func (recognised) event()  {}
func (claimWaits) event()  {}
func (claimed) event()     {}
func (stepped) event()     {}
func (ran) event()         {}
func (putQuestion) event() {}
func (spoke) event()       {}
func (spoken) event()      {}
func (wrote) event()       {}
func (loaded) event()      {}
func (reread) event()      {}
func (summed) event()      {}

// material is what a conversation is begun from: its workspace, and the chat that it carries on.
type material struct {
	workspace Workspace
	chat      *echo.Chat
	messages  []echo.Message
	summary   *echo.Summary
}
