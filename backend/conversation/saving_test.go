package conversation

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
)

func TestH5_OffFromTheStartNothingIsWritten(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.set(func(s *Settings) { s.Save = false })
		w := r.attach()
		require.False(t, w.ready().Saving)
		id := w.ask("Secret?")
		require.Equal(t, Answered{ID: id, Answer: words(8).answer()}, must[Answered](w, id))
		require.Empty(t, r.archive.calls)
		must[Done](w, w.ask("Another?"))
		require.Contains(t, r.model.Seen("Another?"), "Secret?")
	})
}

func TestH5_TurnedOffMidReplyNothingOfItIsKept(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("Secret?", gated(5))
		w := r.attach()
		w.ask("Open?")
		id, next := w.ask("Secret?"), w.ask("Waiting?")
		pass(time.Second)
		r.set(func(s *Settings) { s.Save = false })
		require.Equal(t, Saving{Reason: "off"}, must[Saving](w, 0))
		r.model.Open("go")
		pass(0)
		require.False(t, must[Answered](w, id).Saved)
		require.False(t, must[Answered](w, next).Saved)
		r.set(func(s *Settings) { s.Save = true })
		require.False(t, must[Answered](w, w.ask("Still secret?")).Saved)
		require.Len(t, r.archive.Said(), 2)
		require.Empty(t, r.archive.exchanges)
		require.Equal(t, 1, count[Saving](w))
		w.leave()
		w = r.attachTo(SessionRequest{New: true})
		require.True(t, must[Answered](w, w.ask("Open again?")).Saved)
	})
}

func TestH5_TurnedOffBeforeTheFirstAnswerTheChatIsGone(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("Secret?", gated(5))
		w := r.attach()
		id := w.ask("Secret?")
		r.set(func(s *Settings) { s.Save = false })
		r.model.Open("go")
		pass(0)
		must[Done](w, id)
		require.Zero(t, r.archive.Chats())
		require.Nil(t, r.state().Chat)
	})
}

func TestH7_ADeletedChatIsNotRecreated(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("Meanwhile?", gated(5))
		w := r.attach()
		w.ask("Before?")
		id, waiting := w.ask("Meanwhile?"), w.ask("After?")
		chat := r.state().Chat.ID
		r.archive.Delete(chat)
		require.NoError(t, r.c.Forget(t.Context(), "lab", chat))
		pass(0)
		never[Saving](w, 0)
		require.NoError(t, r.c.Forget(t.Context(), "default", chat))
		pass(0)
		require.Equal(t, Saving{Reason: "deleted"}, must[Saving](w, 0))
		r.model.Open("go")
		pass(0)
		require.Equal(t, Answered{ID: id, Answer: gated(5).answer()}, must[Answered](w, id))
		require.False(t, must[Answered](w, waiting).Saved)
		require.Zero(t, r.archive.Chats())
		require.Contains(t, r.model.Seen("After?"), "Before?")
		require.Equal(t, 1, count[Saving](w))
	})
}

func TestH7_ADeletionThatNobodyToldOfIsFoundOut(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		w.ask("Before?")
		r.archive.Delete(r.state().Chat.ID)
		id := w.ask("After?")
		require.False(t, must[Answered](w, id).Saved)
		require.Equal(t, Saving{Reason: "deleted"}, must[Saving](w, 0))
		require.Zero(t, r.archive.Chats())
	})
}

func TestR11_NothingIsSaidBeforeItIsDurable(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.archive.gate = "disk"
		w := r.attach()
		first, second := w.ask("First?"), w.ask("Second?")
		never[Start](w, 0)
		never[Queued](w, 0)
		w.send(Cancel{ID: second})
		must[Cancelled](w, second)
		r.archive.Open("disk")
		pass(0)
		require.True(t, must[Answered](w, first).Saved)
		require.NotContains(t, strings.Join(r.archive.calls, " "), "Second?")
	})
}

func TestR11_TheJournalFollowsWithinASecond(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("What?", gated(5))
		w := r.attach()
		w.ask("What?")
		pass(journalEvery)
		require.Contains(t, r.archive.calls, "journal "+strings.Join(gated(5).deltas[:5], ""))
		calls := len(r.archive.calls)
		pass(10 * time.Second)
		require.Len(t, r.archive.calls, calls, "nothing new, nothing written")
	})
}

func TestR11_AShutdownJournalsWhatStands(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("What?", gated(5))
		w := r.attach()
		w.ask("What?")
		waiting := w.ask("Waiting?")
		r.stop()
		<-r.ended
		pass(0)
		require.Equal(t, "shutdown", must[Ended](w, 0).Reason)
		w.requireEOF()
		never[Cancelled](w, waiting)
		require.Equal(t, strings.Join(gated(5).deltas[:5], ""), r.archive.exchanges[1].answer)
		require.Len(t, r.archive.exchanges, 2)
		_, err := r.c.State(t.Context())
		require.Error(t, err)
		require.Error(t, w.w.Send(t.Context(), End{}))
	})
}

func TestAnArchiveThatCannotWriteCostsTheSavingAlone(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		w.ask("Before?")
		r.archive.Fail(errors.New("the disk is full"))
		id := w.ask("Meanwhile?")
		require.False(t, must[Answered](w, id).Saved)
		must[Done](w, id)
		must[Done](w, w.ask("And?"))
		require.Equal(t, Saving{Reason: "error"}, must[Saving](w, 0))
		require.Equal(t, 1, count[Saving](w))
		require.False(t, r.state().Saving)
		r.archive.Fail(nil)
		pass(20 * time.Second)
		require.Equal(t, Saving{Saving: true}, must[Saving](w, 0))
		require.Len(t, r.archive.Said(), 6, "what could not be written was tried again")
		require.True(t, must[Answered](w, w.ask("After?")).Saved)
	})
}

func TestR12_WhatIsSaidAfterTheQuestionIsItsAnswer(t *testing.T) {
	call := reason.Call{ID: "c1", Name: "ask_user", Arguments: []byte(`{"question": "Which one?"}`)}
	inRoom(t, func(r *room) {
		t := r.t
		s := words(8)
		s.tool = &call
		r.model.Script("Buy it?", s)
		w := r.attach()
		id := w.ask("Buy it?")
		require.Equal(t, "Which one?", must[Asking](w, id).Question)
		require.Equal(t, echo.StatusAsking, r.turn(id).Status)
		text, _ := w.heard(id)
		require.Equal(t, "Which one?", text, "it is put aloud as well")
		pass(time.Hour)
		require.Equal(t, echo.StatusAsking, r.turn(id).Status)
		require.Equal(t, "filler", must[Ignored](w, w.say("Um.")).Reason)
		said := w.say("The green one.")
		require.Equal(t, Taken{ID: said, Of: id}, must[Taken](w, said))
		must[Done](w, id)
		require.Zero(t, r.turn(said).ID)
		require.Equal(t, "The green one.", r.turn(id).Tools[0].Result)
		require.Equal(t, []string{"user: Buy it?", "tool: The green one.", "assistant: " + s.answer()}, r.archive.Said())
		require.Equal(t, []int{id}, w.started())
	})
}

func TestR12_WhatWasBegunBeforeIsTheNextQuestion(t *testing.T) {
	call := reason.Call{ID: "c1", Name: "ask_user", Arguments: []byte(`{"question": "Sure?"}`)}
	inRoom(t, func(r *room) {
		t := r.t
		s := words(8)
		s.tool = &call
		r.model.Script("Do it?", s)
		w := r.attach()
		w.last++
		open := w.last
		w.send(Speech{ID: open})
		w.send(SpeechCancel{ID: open})
		r.archive.gate = "disk" // the reply begins only after the next has been spoken
		id := w.ask("Do it?")
		early := w.speak(Speech{}, hearing{text: "Yes.", gate: "hear"})
		r.archive.Open("disk")
		pass(0)
		must[Asking](w, id)
		typed := w.ask("No.")
		require.Equal(t, id, must[Taken](w, typed).Of)
		r.ears.Open("hear")
		pass(0)
		never[Taken](w, early)
		must[Done](w, early)
	})
}

func TestR12_StopStillStops(t *testing.T) {
	call := reason.Call{ID: "c1", Name: "ask_user", Arguments: []byte(`{"question": "Sure?"}`)}
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("Do it?", script{tool: &call})
		w := r.attach()
		id := w.ask("Do it?")
		must[Asking](w, id)
		w.say("Stop.")
		must[Cancelled](w, id)
		must[Stopped](w, 0)
		must[Done](w, w.ask("And now?"))
		require.Contains(t, r.model.Seen("And now?"), "tool: ", "a call and its result are never parted")
	})
}

func TestC5_ARunningSummaryIsWrittenInTheBackground(t *testing.T) {
	long := strings.Repeat("blah ", 1500)
	fill := func(r *room) *seat {
		r.mu.Lock()
		r.sums = true
		r.mu.Unlock()
		r.model.Script("Long?", script{deltas: []string{long}})
		w := r.attach()
		for range 12 {
			must[Done](w, w.ask("Long?"))
		}
		return w
	}
	inRoom(t, func(r *room) {
		t := r.t
		w := fill(r)
		must[Done](w, w.ask("Next?"))
		require.Contains(t, r.model.Seen("Next?"), "They talked.")
		require.NotNil(t, r.archive.chats["chat-1"].summary)
	})
	for name, summary := range map[string]func(context.Context, emitter) error{
		"nothing": func(context.Context, emitter) error { return nil },
		"100 kB": func(_ context.Context, emit emitter) error {
			return emit(reason.Chunk{Text: strings.Repeat("x", 100_000)})
		},
		"failing": func(context.Context, emitter) error { return errors.New("broken") },
		"hanging": func(ctx context.Context, _ emitter) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			inRoom(t, func(r *room) {
				t := r.t
				r.model.summary = summary
				w := fill(r)
				must[Done](w, w.ask("Next?"))
				require.NotContains(t, r.model.Seen("Next?"), "They talked.")
				require.Equal(t, 12, strings.Count(r.model.Seen("Next?"), "user: Long?"))
				require.Nil(t, r.archive.chats["chat-1"].summary)
			})
		})
	}
}

type emitter = func(reason.Chunk) error
