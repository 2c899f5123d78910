package conversation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
)

func TestTickets(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		refused := func(ticket string, code echo.Code) {
			t.Helper()
			_, err := r.c.Attach(t.Context(), ticket)
			require.Equal(t, code, echo.CodeOf(err))
		}
		refused("", echo.CodeBadTicket)
		refused("made-up", echo.CodeBadTicket)
		first, second, third := r.reserve(SessionRequest{}), r.reserve(SessionRequest{}), r.reserve(SessionRequest{Take: true})
		w := r.open(first)
		refused(first.Ticket, echo.CodeBadTicket)
		refused(second.Ticket, echo.CodeHeld)
		must[Done](w, w.ask("Am I still attached?"))
		_, err := r.c.Reserve(t.Context(), SessionRequest{})
		require.Equal(t, echo.CodeHeld, echo.CodeOf(err))
		next := r.open(third)
		require.Equal(t, "taken", must[Detached](w, 0).Reason)
		w.requireEOF()
		w.send(Ask{ID: 9, Text: "Who hears me?"})
		require.Equal(t, 1, r.state().LastID)
		must[Done](next, next.ask("Am I attached now?"))
		next.leave()
		late := r.reserve(SessionRequest{})
		pass(31 * time.Second)
		refused(late.Ticket, echo.CodeBadTicket)
		_, err = r.c.Reserve(t.Context(), SessionRequest{Chat: "none"})
		require.Equal(t, echo.CodeUnknownChat, echo.CodeOf(err))
		_, err = r.c.Reserve(t.Context(), SessionRequest{Look: "none"})
		require.Equal(t, echo.CodeInvalid, echo.CodeOf(err))
		_, err = r.c.Reserve(t.Context(), SessionRequest{Workspace: "none"})
		require.Equal(t, echo.CodeUnknownWorkspace, echo.CodeOf(err))
	})
}

func TestR8_LookAndModelTakeOverAfterTheReply(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("First?", gated(5))
		w := r.attach()
		id := w.ask("First?")
		w.leave()
		grant := r.reserve(SessionRequest{Model: "two", Look: "ember"})
		require.True(t, grant.Pending)
		w = r.open(grant)
		require.Equal(t, "one", w.ready().Model)
		second := w.ask("Second?")
		r.model.Open("go")
		pass(0)
		require.Equal(t, 2, count[Ready](w))
		ready := w.ready()
		require.Equal(t, "two", ready.Model)
		require.Equal(t, "ember", ready.Look)
		require.Equal(t, grant.Conversation.ID, ready.ID)
		must[Done](w, second)
		require.Equal(t, echo.StatusAnswered, r.turn(id).Status)
		requests := r.model.Requests()
		require.Equal(t, "one", requests[0].Model)
		require.Equal(t, "two", requests[1].Model)
		require.Contains(t, r.model.Seen("Second?"), "First?")
		w.leave()
		require.False(t, r.reserve(SessionRequest{Look: "aurora"}).Pending)
		require.Equal(t, "aurora", r.state().Look)
	})
}

func TestR8_AnotherChatWaitsForEverythingThatWaits(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.archive.Put("old", "In the chat?", "Yes.")
		r.model.Script("First?", gated(5))
		w := r.attach()
		running, waiting := w.ask("First?"), w.ask("Second?")
		w.leave()
		grant := r.reserve(SessionRequest{Chat: "old"})
		require.True(t, grant.Pending)
		w = r.open(grant)
		require.Equal(t, grant.Conversation.ID, w.ready().ID)
		r.model.Open("go")
		pass(0)
		must[Done](w, running)
		must[Done](w, waiting)
		require.Equal(t, 2, count[Ready](w))
		ready := w.ready()
		require.Equal(t, "old", ready.Chat.ID)
		require.NotEqual(t, grant.Conversation.ID, ready.ID)
		require.True(t, ready.Resumed)
		require.Len(t, ready.Turns, 1)
		require.Equal(t, echo.SourceChat, ready.Turns[0].Source)
		require.GreaterOrEqual(t, ready.LastID, waiting, "numbers in flight stay good")
		w.last = ready.LastID
		w.ask("Next?")
		require.Contains(t, r.model.Seen("Next?"), "In the chat?")
		require.NotContains(t, r.model.Seen("Next?"), "First?")
	})
}

func TestR8_IdleGivesWayAtOnce(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		before := w.ready().ID
		w.ask("Before?")
		w.leave()
		w = r.attachTo(SessionRequest{New: true})
		require.NotEqual(t, before, w.ready().ID)
		require.False(t, w.ready().Resumed)
		require.Empty(t, w.ready().Turns)
		must[Done](w, w.ask("Now?"))
		require.NotContains(t, r.model.Seen("Now?"), "Before?")
		require.Equal(t, 2, r.archive.Chats())
		w.leave()
		w = r.attachTo(SessionRequest{Workspace: "lab"})
		require.Equal(t, "lab", w.ready().Workspace)
		must[Done](w, w.ask("In the lab?"))
		require.Equal(t, 1, r.lab.Chats())
	})
}

func TestR8_ChangedSettingsTakeOverUnderAnAttachedWindow(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		first := w.ready().ID
		w.ask("Before?")
		r.set(func(s *Settings) { s.Look = "ember" })
		require.Equal(t, 2, count[Ready](w))
		require.Equal(t, "ember", w.ready().Look)
		require.Equal(t, first, w.ready().ID)
		r.set(func(*Settings) {})
		require.Equal(t, 2, count[Ready](w), "nothing had changed")
		r.set(func(s *Settings) { s.Workspace = "lab" })
		require.Equal(t, 3, count[Ready](w))
		require.Equal(t, "lab", w.ready().Workspace)
		require.NotEqual(t, first, w.ready().ID)
		must[Done](w, w.ask("In the lab?"))
		require.Equal(t, 1, r.lab.Chats())
	})
}

func TestR8_SettingsChangedWhileDetachedApplyToTheNextSession(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		w.ask("Before?")
		w.leave()
		r.set(func(s *Settings) { s.Model, s.Look = "two", "ember" })
		require.Equal(t, "one", r.state().Model)
		w = r.attach()
		require.Equal(t, "two", w.ready().Model)
		require.Equal(t, "ember", w.ready().Look)
		require.True(t, w.ready().Resumed)
	})
}

func TestH9_AChatIsCarriedOn(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		var texts []string
		for i := range 10 {
			texts = append(texts, string(rune('A'+i))+"?", "Yes.")
		}
		r.archive.Put("old", texts...)
		w := r.attachTo(SessionRequest{Chat: "old"})
		require.True(t, w.ready().Resumed)
		require.Len(t, w.ready().Turns, 8)
		require.Equal(t, "C?", w.ready().Turns[0].Question)
		require.Equal(t, 8, w.ready().LastID)
		must[Done](w, w.ask("Next?"))
		require.Contains(t, r.model.Seen("Next?"), "A?")
		require.Len(t, r.archive.Said(), 22)
	})
}

func TestH3_AChatThatGrewElsewhereIsReadAgain(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.archive.Put("old", "A?", "Yes.")
		w := r.attachTo(SessionRequest{Chat: "old"})
		must[Done](w, w.ask("B?"))
		chat := r.archive.chats["old"]
		chat.messages = append(chat.messages,
			echo.Message{Number: 5, Role: echo.RoleUser, Text: "Typed?", State: echo.StateComplete},
			echo.Message{Number: 6, Role: echo.RoleAssistant, Text: "Typed.", State: echo.StateComplete})
		must[Done](w, w.ask("C?"))
		require.Contains(t, r.model.Seen("C?"), "Typed?")
		must[Done](w, w.ask("D?"))
		require.Len(t, r.archive.Said(), 10)
	})
}

func TestC4_AQuestionForAChatThatIsReplyingWaits(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		w.ask("First?")
		release, ok := r.floor.TryTake(r.state().Chat.ID)
		require.True(t, ok, "the floor is free between replies")
		waiting := w.ask("Second?")
		require.Equal(t, 1, must[Queued](w, waiting).Position)
		for range 3 {
			w.ask("More?")
		}
		require.Equal(t, 4, must[Queued](w, w.last).Position)
		require.Equal(t, echo.CodeQueueFull, must[Refused](w, w.ask("Too much?")).Error.Code)
		require.Equal(t, []int{1}, w.started())
		w.send(Cancel{ID: waiting})
		must[Cancelled](w, waiting)
		require.Equal(t, []int{1}, w.started())
		release()
		pass(0)
		require.Equal(t, []int{1, 3, 4, 5}, w.started())
		must[Done](w, 5)
		w.send(Cancel{})
		require.False(t, r.floor.Taken(r.state().Chat.ID))
	})
}
