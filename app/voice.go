package app

import (
	"context"
	"log/slog"

	"echo-companion/backend/conversation"
	"echo-companion/backend/present"
	"echo-companion/backend/protocol"
)

// Voice is the conversation, for the page of the window.
type Voice struct {
	session *session
	logger  *slog.Logger
}

// State tells of the conversation, and starts nothing.
func (v *Voice) State() (protocol.Conversation, error) {
	return guard(v.logger, func(ctx context.Context) (protocol.Conversation, error) {
		state, err := v.session.talk.State(ctx)
		return present.State(state), err
	})
}

// Open reserves and attaches. Events flow from then on.
func (v *Voice) Open(request protocol.SessionRequest) (protocol.Grant, error) {
	return guard(v.logger, func(ctx context.Context) (protocol.Grant, error) {
		grant, err := v.session.Open(ctx, present.SessionRequest(request))
		return present.Grant(grant), err
	})
}

// Leave detaches.
func (v *Voice) Leave() error {
	return act(v.logger, func(ctx context.Context) error { v.session.Leave(ctx); return nil })
}

// EndConversation ends and forgets the conversation from a window that is not attached.
func (v *Voice) EndConversation() (bool, error) { return guard(v.logger, v.session.talk.End) }

// Ask puts a typed question and returns the number of its turn.
func (v *Voice) Ask(text string) (int, error) {
	return guard(v.logger, func(ctx context.Context) (int, error) {
		return v.session.Issue(ctx, func(id int) conversation.Command { return conversation.Ask{ID: id, Text: text} })
	})
}

// Retry asks a failed or stopped turn again and returns the number of the new turn.
func (v *Voice) Retry(of int) (int, error) {
	return guard(v.logger, func(ctx context.Context) (int, error) {
		return v.session.Issue(ctx, func(id int) conversation.Command { return conversation.Retry{ID: id, Of: of} })
	})
}

// Replay reads a finished answer aloud again.
func (v *Voice) Replay(id int) error {
	return act(v.logger, func(ctx context.Context) error { return v.session.Send(ctx, conversation.Replay{ID: id}) })
}

// Cancel stops the reply and everything that waits. Its voice is silent before the conversation has answered.
func (v *Voice) Cancel() error { return v.CancelTurn(0) }

// CancelTurn withdraws a waiting question, or stops one reply.
func (v *Voice) CancelTurn(id int) error {
	return act(v.logger, func(ctx context.Context) error {
		v.session.out.Hush(ctx, id)
		err := v.session.Send(ctx, conversation.Cancel{ID: id})
		if err != nil { // nothing will answer
			v.session.out.Settle(ctx, id)
		}
		return err
	})
}

// End ends and forgets the conversation, at once.
func (v *Voice) End() error {
	return act(v.logger, func(ctx context.Context) error { return v.session.Send(ctx, conversation.End{}) })
}
