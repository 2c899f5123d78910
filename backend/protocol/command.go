package protocol

// VoiceCommand is what a window sends as a text frame. The types below are all there are.
type VoiceCommand interface{ voiceCommand() }

// AskCommand puts a typed question.
type AskCommand struct {
	Type string `json:"type" const:"ask"`
	ID   int    `json:"id"`
	Text string `json:"text"`
}

// SpeechCommand opens a spoken turn; binary frames with its audio follow. Overlap: it began while Echo's voice played, or within 1 s
// after. Wake: it opened with "Hey Echo".
type SpeechCommand struct {
	Type    string `json:"type" const:"speech"`
	ID      int    `json:"id"`
	Overlap bool   `json:"overlap,omitempty"`
	Wake    bool   `json:"wake,omitempty"`
}

// SpeechEndCommand closes the spoken turn. Voiced counts its voiced 20 ms frames.
type SpeechEndCommand struct {
	Type   string `json:"type" const:"speech_end"`
	ID     int    `json:"id"`
	Voiced int    `json:"voiced"`
}

// SpeechCancelCommand forgets a spoken turn.
type SpeechCancelCommand struct {
	Type string `json:"type" const:"speech_cancel"`
	ID   int    `json:"id"`
}

// CancelCommand stops everything (no id), withdraws a waiting question, or stops one reply.
type CancelCommand struct {
	Type string `json:"type" const:"cancel"`
	ID   *int   `json:"id,omitempty"`
}

// RetryCommand asks the failed or stopped turn Of again, as turn ID.
type RetryCommand struct {
	Type string `json:"type" const:"retry"`
	ID   int    `json:"id"`
	Of   int    `json:"of"`
}

// ReplayCommand reads a finished answer aloud again.
type ReplayCommand struct {
	Type string `json:"type" const:"replay"`
	ID   int    `json:"id"`
}

// CreditCommand reports how much of a turn's audio has been played.
type CreditCommand struct {
	Type     string `json:"type" const:"credit"`
	ID       int    `json:"id"`
	PlayedMS int    `json:"played_ms"`
}

// PlayedCommand is accepted and ignored.
type PlayedCommand struct {
	Type string `json:"type" const:"played"`
}

// EndCommand ends and forgets the conversation.
type EndCommand struct {
	Type string `json:"type" const:"end"`
}

func (AskCommand) voiceCommand()          {}
func (SpeechCommand) voiceCommand()       {}
func (SpeechEndCommand) voiceCommand()    {}
func (SpeechCancelCommand) voiceCommand() {}
func (CancelCommand) voiceCommand()       {}
func (RetryCommand) voiceCommand()        {}
func (ReplayCommand) voiceCommand()       {}
func (CreditCommand) voiceCommand()       {}
func (PlayedCommand) voiceCommand()       {}
func (EndCommand) voiceCommand()          {}

// TurnID is the turn that a command is about, or 0.
func TurnID(command VoiceCommand) int {
	switch c := command.(type) {
	case AskCommand:
		return c.ID
	case SpeechCommand:
		return c.ID
	case SpeechEndCommand:
		return c.ID
	case SpeechCancelCommand:
		return c.ID
	case CancelCommand:
		if c.ID != nil {
			return *c.ID
		}
	case RetryCommand:
		return c.ID
	case ReplayCommand:
		return c.ID
	case CreditCommand:
		return c.ID
	case PlayedCommand, EndCommand:
	}
	return 0
}
