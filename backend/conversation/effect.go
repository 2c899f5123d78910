package conversation

import (
	"echo-companion/backend/echo"
	"echo-companion/backend/history"
	"echo-companion/backend/reason"
)

// effect is what the machine wants done. The loop carries effects out in their order; none of them blocks it.
type effect interface{ effect() }

// answeredCall gives a call its answer.
type answeredCall struct {
	call  int
	value any
	err   *echo.Error
}

// openWindow makes the window of a handshake.
type openWindow struct{ call, window int }

// tell gives a window a notice.
type tell struct {
	window int
	notice Notice
}

// closeWindow ends a window's notices.
type closeWindow struct{ window int }

// hold takes hold of the speech engines, or lets go of them.
type hold struct{ on bool }

// recognise writes down what was said; stopRecognising gives it up.
type (
	recognise struct {
		job int
		pcm []int16
	}
	stopRecognising struct{ job int }
)

// claim asks for what a reply needs before it begins: the floor of its chat, unless it is nil, and the desk. Unclaim gives them
// back, or the asking up.
type (
	claim struct {
		claim int
		floor Floor
		chat  string
	}
	unclaim struct{ claim int }
)

// startRun has a reply written; stopRun gives it up.
type (
	startRun struct {
		run      int
		claim    int // what was claimed for it, or 0
		model    string
		messages []reason.Message
		tools    toolset
	}
	stopRun struct{ run int }
)

// answerQuestion gives a reply what its user said to its question.
type answerQuestion struct {
	run, call int
	text      string
}

// synthesise has a sentence spoken; stopSynthesis gives it up.
type (
	synthesise struct {
		job         int
		text, voice string
	}
	stopSynthesis struct{ job int }
)

// write is one call of the archive.
type write struct {
	ledger  int
	archive Archive
	do      writing
}

// load reads what a takeover needs.
type load struct {
	job             int
	workspace, chat string
}

// readAgain reads a chat again that had grown elsewhere.
type readAgain struct {
	run   int
	chats Chats
	chat  string
}

// summarise writes a running summary; stopSummary gives it up.
type (
	summarise struct {
		job     int
		model   string
		log     history.Log
		through int
	}
	stopSummary struct{ job int }
)

// keepSummary stores a summary.
type keepSummary struct {
	chats   Chats
	chat    string
	summary echo.Summary
}

func (answeredCall) effect()    {}
func (openWindow) effect()      {}
func (tell) effect()            {}
func (closeWindow) effect()     {}
func (hold) effect()            {}
func (recognise) effect()       {}
func (stopRecognising) effect() {}
func (claim) effect()           {}
func (unclaim) effect()         {}
func (startRun) effect()        {}
func (stopRun) effect()         {}
func (answerQuestion) effect()  {}
func (synthesise) effect()      {}
func (stopSynthesis) effect()   {}
func (write) effect()           {}
func (load) effect()            {}
func (readAgain) effect()       {}
func (summarise) effect()       {}
func (stopSummary) effect()     {}
func (keepSummary) effect()     {}
