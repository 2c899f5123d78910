package conversation

// Command is what a window asks of the conversation. The types below are all there are; a window's commands are taken in the
// order in which they were sent.
type Command interface{ command() }

// Ask puts a typed question.
type Ask struct {
	ID   int
	Text string
}

// Speech opens a spoken turn; Audio with its samples follows.
type Speech struct {
	ID      int
	Overlap bool // it began while Echo's voice played, or within 1 s after
	Wake    bool // it opened with "Hey Echo"
}

// Audio is more of the open spoken turn, 16 kHz mono. The slice is the conversation's to keep.
type Audio struct{ PCM []int16 }

// SpeechEnd closes the spoken turn. Voiced counts its voiced 20 ms frames.
type SpeechEnd struct {
	ID     int
	Voiced int
}

// SpeechCancel forgets a spoken turn.
type SpeechCancel struct{ ID int }

// Cancel stops everything (ID 0), withdraws a waiting question, or stops one reply.
type Cancel struct{ ID int }

// Retry asks the failed or stopped turn Of again, as turn ID.
type Retry struct{ ID, Of int }

// Replay reads a finished answer aloud again.
type Replay struct{ ID int }

// Credit reports how much of a turn's audio has been played.
type Credit struct{ ID, PlayedMS int }

// End ends and forgets the conversation.
type End struct{}

func (Ask) command()          {}
func (Speech) command()       {}
func (Audio) command()        {}
func (SpeechEnd) command()    {}
func (SpeechCancel) command() {}
func (Cancel) command()       {}
func (Retry) command()        {}
func (Replay) command()       {}
func (Credit) command()       {}
func (End) command()          {}
