package present

import (
	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
	"echo-companion/backend/protocol"
)

// State tells of the conversation.
func State(state conversation.State) protocol.Conversation {
	if !state.Active {
		return protocol.Conversation{Busy: state.Busy, Held: state.Held, LastID: state.LastID, Turns: Turns(state.Turns)}
	}
	return protocol.Conversation{
		Active: true, ID: state.ID, Busy: state.Busy, Held: state.Held, Saving: state.Saving, Chat: chatRef(state.Chat),
		Look: state.Look, Model: state.Model, Workspace: state.Workspace, LastID: state.LastID, Turns: Turns(state.Turns),
		ForgetAt: moment(state.ForgetAt),
	}
}

// Turns tells of turns.
func Turns(turns []echo.Turn) []protocol.Turn { return each(turns, Turn) }

// Turn tells of a turn.
func Turn(turn echo.Turn) protocol.Turn {
	shown := protocol.Turn{
		ID: turn.ID, Source: protocol.Source(turn.Source), Wake: turn.Wake, Question: turn.Question,
		Status: protocol.TurnStatus(turn.Status), Answer: turn.Answer, Tools: each(turn.Tools, ToolCall), Away: turn.Away,
		AskedAt: turn.AskedAt.UTC(), AnsweredAt: moment(turn.AnsweredAt),
	}
	if turn.Error != nil {
		problem := Problem(turn.Error)
		shown.Error = &problem
	}
	return shown
}

// Grant tells of a granted session.
func Grant(grant conversation.Grant) protocol.Grant {
	return protocol.Grant{
		Ticket: grant.Ticket, ExpiresInMS: grant.ExpiresIn.Milliseconds(), Pending: grant.Pending, Conversation: State(grant.Conversation),
	}
}

// SessionRequest reads the body of a session request.
func SessionRequest(request protocol.SessionRequest) conversation.SessionRequest {
	return conversation.SessionRequest(request)
}

// Command reads a window's command. It is nil for one that is accepted and ignored.
func Command(command protocol.VoiceCommand) conversation.Command {
	switch c := command.(type) {
	case protocol.AskCommand:
		return conversation.Ask{ID: c.ID, Text: c.Text}
	case protocol.SpeechCommand:
		return conversation.Speech{ID: c.ID, Overlap: c.Overlap, Wake: c.Wake}
	case protocol.SpeechEndCommand:
		return conversation.SpeechEnd{ID: c.ID, Voiced: c.Voiced}
	case protocol.SpeechCancelCommand:
		return conversation.SpeechCancel{ID: c.ID}
	case protocol.CancelCommand:
		if c.ID == nil {
			return conversation.Cancel{}
		}
		return conversation.Cancel{ID: *c.ID}
	case protocol.RetryCommand:
		return conversation.Retry{ID: c.ID, Of: c.Of}
	case protocol.ReplayCommand:
		return conversation.Replay{ID: c.ID}
	case protocol.CreditCommand:
		return conversation.Credit{ID: c.ID, PlayedMS: c.PlayedMS}
	case protocol.EndCommand:
		return conversation.End{}
	case protocol.PlayedCommand:
		return nil
	}
	return nil
}

// Audio tells of a notice that goes out as a binary frame.
func Audio(notice conversation.Notice) (frame []byte, is bool) {
	voice, is := notice.(conversation.Voice)
	if !is {
		return nil, false
	}
	return protocol.EncodeAudio(voice.ID, voice.Offset, voice.PCM), true
}

// Event tells of a notice as an event. It is nil for conversation.Voice, which is no text frame: see Audio.
func Event(notice conversation.Notice) protocol.VoiceEvent {
	switch n := notice.(type) {
	case conversation.Ready:
		return ready(n)
	case conversation.Heard:
		return protocol.HeardEvent{Type: "heard", ID: n.ID, Text: n.Text}
	case conversation.Ignored:
		return protocol.IgnoredEvent{Type: "ignored", ID: n.ID, Reason: protocol.IgnoredReason(n.Reason), Text: n.Text}
	case conversation.Queued:
		return protocol.QueuedEvent{Type: "queued", ID: n.ID, Position: n.Position}
	case conversation.Start:
		return protocol.StartEvent{Type: "start", ID: n.ID, Question: n.Question}
	case conversation.Delta:
		return protocol.DeltaEvent{Type: "delta", ID: n.ID, Text: n.Text}
	case conversation.Tool:
		call := ToolCall(n.Call)
		return protocol.ToolEvent{Type: "tool", ID: n.ID, Name: call.Name, Arguments: call.Arguments, Status: call.Status, Result: call.Result}
	case conversation.Asking:
		return protocol.AskingEvent{Type: "asking", ID: n.ID, Question: n.Question}
	case conversation.Taken:
		return protocol.TakenEvent{Type: "taken", ID: n.ID, Of: n.Of}
	case conversation.Sentence:
		return protocol.SentenceEvent{Type: "sentence", ID: n.ID, Index: n.Index, Text: n.Text}
	case conversation.Voice:
		return nil
	}
	return ending(notice)
}

// ending tells of the notices that end something, or refuse it.
func ending(notice conversation.Notice) protocol.VoiceEvent {
	switch n := notice.(type) {
	case conversation.Answered:
		return protocol.AnsweredEvent{Type: "answered", ID: n.ID, Answer: n.Answer, Saved: n.Saved, Chat: chatRef(n.Chat)}
	case conversation.Done:
		return protocol.DoneEvent{Type: "done", ID: n.ID}
	case conversation.Failed:
		problem := Problem(n.Error)
		return protocol.FailedEvent{Type: "failed", ID: n.ID, Code: problem.Code, Message: problem.Message}
	case conversation.Cancelled:
		return protocol.CancelledEvent{Type: "cancelled", ID: n.ID}
	case conversation.Stopped:
		return protocol.StoppedEvent{Type: "stopped"}
	case conversation.Replayed:
		return protocol.ReplayedEvent{Type: "replayed", ID: n.ID, Complete: n.Complete}
	case conversation.Saving:
		return protocol.SavingEvent{Type: "saving", Saving: n.Saving, Reason: protocol.SavingReason(n.Reason)}
	case conversation.Ending:
		after := &n.After
		if n.After == 0 {
			after = nil
		}
		return protocol.EndingEvent{Type: "ending", After: after}
	case conversation.Ended:
		return protocol.EndedEvent{Type: "ended", Reason: protocol.EndedReason(n.Reason)}
	case conversation.Detached:
		return protocol.DetachedEvent{Type: "detached", Reason: protocol.DetachedReason(n.Reason)}
	case conversation.Refused:
		problem := Problem(n.Error)
		return protocol.ErrorEvent{Type: "error", Code: problem.Code, Message: problem.Message, ID: n.ID}
	}
	return nil
}

func ready(n conversation.Ready) protocol.VoiceEvent {
	return protocol.ReadyEvent{
		Type: "ready", ID: n.ID, Resumed: n.Resumed, Busy: n.Busy, LastID: n.LastID, Turns: Turns(n.Turns), Saving: n.Saving,
		Chat: chatRef(n.Chat), Look: n.Look, Model: n.Model, Workspace: n.Workspace,
		Audio: protocol.AudioFormats{
			Input:  protocol.AudioFormat{SampleRate: protocol.InputRate},
			Output: protocol.AudioFormat{SampleRate: protocol.OutputRate},
		},
		Limits: protocol.Limits{Waiting: protocol.MaxWaiting, Text: protocol.MaxText, UtteranceMS: protocol.MaxUtteranceMS},
	}
}
