package chat_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/chat"
	"echo-companion/backend/echo"
	"echo-companion/backend/reply"
)

func TestChatsTakeTurns(t *testing.T) {
	turns := chat.NewTurns()
	bubble(t, options{turns: turns}, func(b *bench) {
		t := b.t
		other := start(t, options{turns: turns}) // another workspace
		first := b.ask("", "First, wait at go")
		b.until(first, chat.KindDelta)
		second := other.ask("", "What is second?")
		waiting := other.until(second, chat.KindWaiting)
		require.Equal(t, "Waiting for the reply in another chat to finish…", waiting.Text)
		third := b.ask("", "What is third?")
		b.until(third, chat.KindWaiting)
		replying, queued := b.chats.Activity()
		require.Equal(t, [2]int{1, 1}, [2]int{replying, queued})
		rows, _, err := b.chats.List(t.Context(), "", 0)
		require.NoError(t, err)
		require.True(t, rows[0].Waiting && !rows[0].Replying)
		require.True(t, rows[1].Replying && !rows[1].Waiting)
		_, err = b.chats.Ask(t.Context(), chat.Question{Chat: rows[0].ID, Text: "Too soon?"})
		require.Equal(t, echo.CodeReplying, echo.CodeOf(err))

		b.model.open("go")
		b.rest(first)
		require.Equal(t, "start delta done", kinds(other.rest(second)))
		b.rest(third)
		require.Equal(t, 1, b.model.peak)
		replying, queued = b.chats.Activity()
		require.Zero(t, replying+queued)
	})
}

func TestWaitingQuestionCanBeStopped(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		first := b.ask("", "wait at go")
		b.until(first, chat.KindDelta)
		second := b.ask("", "What is second?")
		id := b.until(second, chat.KindSession).Chat.ID
		stopped, err := b.chats.Stop(t.Context(), id)
		require.NoError(t, err)
		require.True(t, stopped)
		require.Equal(t, "waiting stopped", kinds(b.rest(second)))
		b.model.open("go")
		b.rest(first)
		require.Empty(t, b.model.about("second"))
		require.Equal(t, []string{"user: What is second?", "assistant:  (stopped)"}, b.items(id))
		w, err := b.chats.Retry(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, "session start delta done", kinds(b.rest(w)))
	})
}

func TestTwentyQuestionsAtOnceGiveOneReply(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		id := b.answered("", "What is first?")
		var mu sync.Mutex
		var watches []*chat.Watch
		var asking sync.WaitGroup
		for range 20 {
			asking.Go(func() {
				w, err := b.chats.Ask(t.Context(), chat.Question{Chat: id, Text: "wait at go"})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					watches = append(watches, w)
				} else if echo.CodeOf(err) != echo.CodeReplying {
					t.Errorf("refused with %v", err)
				}
			})
		}
		asking.Wait()
		require.Len(t, watches, 1)
		b.model.open("go")
		b.rest(watches[0])
		require.Len(t, b.items(id), 4)
		b.answered(id, "What is third?")
	})
}

func TestOneAnswersInAChatByVoiceOrByTyping(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		id := b.answered("", "What is first?")
		release, ok := b.floor.TryTake(id) // a voice reply
		require.True(t, ok)
		_, err := b.chats.Ask(t.Context(), chat.Question{Chat: id, Text: "Too soon?"})
		require.Equal(t, echo.CodeReplying, echo.CodeOf(err))
		row, _, _, err := b.chats.Get(t.Context(), id, 0, 0)
		require.NoError(t, err)
		require.True(t, row.Replying)
		release()
		w := b.ask(id, "wait at go")
		require.True(t, b.floor.Taken(id))
		b.model.open("go")
		b.rest(w)
		require.False(t, b.floor.Taken(id))
	})
}

func TestDeletedChatStopsItsReplyAndStaysAway(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		w := b.ask("", "wait at never")
		id := b.until(w, chat.KindSession).Chat.ID
		b.until(w, chat.KindDelta)
		require.NoError(t, b.chats.Delete(t.Context(), id))
		events := b.rest(w)
		require.Equal(t, chat.KindStopped, events[len(events)-1].Kind)
		synctest.Wait()
		require.Equal(t, []string{id}, b.deleted)
		_, err := b.chats.Watch(t.Context(), id, 0)
		require.Equal(t, echo.CodeUnknownChat, echo.CodeOf(err))
		rows, _, err := b.chats.List(t.Context(), "", 0)
		require.NoError(t, err)
		require.Empty(t, rows)
		b.answered("", "What is next?")
	})
}

func TestKeyAsksOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	bubble(t, options{path: path}, func(b *bench) {
		t := b.t
		question := chat.Question{Text: "wait at go", Key: "key", Digest: "digest"}
		var watches [5]*chat.Watch
		var asking sync.WaitGroup
		for i := range watches {
			asking.Go(func() { watches[i], _ = b.chats.Ask(t.Context(), question) })
		}
		asking.Wait()
		b.model.open("go")
		first := b.rest(watches[0])
		for _, w := range watches[1:] {
			require.Equal(t, first, b.rest(w))
		}
		require.Len(t, b.model.about("wait at go"), 1)
		question.Digest = "other"
		_, err := b.chats.Ask(t.Context(), question)
		require.Equal(t, echo.CodeIdempotencyMismatch, echo.CodeOf(err))
		b.stop()

		b = start(t, options{path: path})
		_, err = b.chats.Ask(t.Context(), question)
		require.Equal(t, echo.CodeIdempotencyMismatch, echo.CodeOf(err), "after a restart")
		question.Digest = "digest"
		w, err := b.chats.Ask(t.Context(), question)
		require.NoError(t, err)
		events := b.rest(w)
		require.Equal(t, "session start delta done", kinds(events))
		require.Equal(t, first[0], events[0])
		require.Equal(t, "Word1 word2 word3.", events[2].Text)
		require.Empty(t, b.model.about("wait at go"))

		pass(10*time.Minute + time.Second)
		w, err = b.chats.Ask(t.Context(), chat.Question{Text: "Anew?", Key: "key", Digest: "other"})
		require.NoError(t, err)
		b.rest(w)
		require.Len(t, b.model.about("Anew?"), 1)
	})
}

func TestReplyThatAShutdownCutsOffIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	bubble(t, options{path: path}, func(b *bench) {
		t := b.t
		w, err := b.chats.Ask(t.Context(), chat.Question{Text: "wait at never", Key: "key", Digest: "digest"})
		require.NoError(t, err)
		id := b.until(w, chat.KindSession).Chat.ID
		b.until(w, chat.KindDelta)
		second := b.ask("", "What waits?")
		waitingID := b.until(second, chat.KindSession).Chat.ID
		synctest.Wait()
		b.stop()
		last := b.rest(w)
		require.Equal(t, echo.CodeInterrupted, last[len(last)-1].Error.Code)
		_, err = b.chats.Ask(t.Context(), chat.Question{Text: "Too late?"})
		require.Equal(t, echo.CodeStorage, echo.CodeOf(err))

		b = start(t, options{path: path})
		require.Equal(t, []string{"user: wait at never", "assistant: Word1 word2 (interrupted)"}, b.items(id))
		require.Equal(t, []string{"user: What waits?", "assistant:  (interrupted)"}, b.items(waitingID))
		_, err = b.chats.Watch(t.Context(), id, 0)
		require.Equal(t, echo.CodeNotFound, echo.CodeOf(err))
		again, err := b.chats.Ask(t.Context(), chat.Question{Text: "wait at never", Key: "key", Digest: "digest"})
		require.NoError(t, err)
		events := b.rest(again)
		require.Equal(t, "session start delta failed", kinds(events))
		require.Equal(t, echo.CodeInterrupted, events[len(events)-1].Error.Code)
		b.model.open("never")
		w, err = b.chats.Retry(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, "session start delta done", kinds(b.rest(w)))
	})
}

func TestReplyRunsThoughNothingCanBeSaved(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		before := b.answered("", "What was before?")
		b.archive.set(true)
		events := b.rest(b.ask("", "What is new?"))
		require.Equal(t, "session start delta done", kinds(events))
		id := events[0].Chat.ID
		require.Equal(t, 2, events[len(events)-1].Message)
		events = b.rest(b.ask(id, "And then?"))
		require.Equal(t, 4, events[len(events)-1].Message)
		require.Contains(t, b.model.about("And then?")[0].Messages[1].Text, "What is new?")
		b.answered(before, "What is after?")
		require.Len(t, b.items(id), 4, "what is not stored is shown")
		require.Len(t, b.items(before), 4)
		rows, _, err := b.chats.List(t.Context(), "", 0)
		require.NoError(t, err)
		require.Len(t, rows, 2)
		require.Equal(t, id, rows[0].ID)
		require.Equal(t, 4, rows[0].Messages, "what is not stored is counted")
		require.Equal(t, 4, rows[1].Messages)
		require.Equal(t, []string{"the disk is full", "the disk is full"}, []string{rows[0].Problem, rows[1].Problem})
		_, err = b.chats.Rename(t.Context(), id, "Other")
		require.Equal(t, echo.CodeStorage, echo.CodeOf(err), "it is there, and cannot be changed yet")
		_, err = b.chats.Export(t.Context(), id)
		require.Equal(t, echo.CodeStorage, echo.CodeOf(err))
		_, err = b.chats.Rename(t.Context(), "none", "Other")
		require.Equal(t, echo.CodeUnknownChat, echo.CodeOf(err))

		b.archive.set(false)
		pass(2 * time.Minute)
		require.Equal(t, []string{"user: What is new?", "assistant: Word1 word2 word3.", "user: And then?", "assistant: Word1 word2 word3."}, b.items(id))
		require.Len(t, b.items(before), 4)
		row, _, _, err := b.chats.Get(t.Context(), id, 0, 0)
		require.NoError(t, err)
		require.Equal(t, "What is new?", row.Title)
		require.Empty(t, row.Problem)
	})
}

func TestAnswerThatCouldNotBeSavedIsSavedBeforeTheNext(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		w := b.ask("", "wait at go")
		id := b.until(w, chat.KindSession).Chat.ID
		b.until(w, chat.KindDelta)
		b.archive.set(true)
		b.model.open("go")
		events := b.rest(w)
		require.Equal(t, 2, events[len(events)-1].Message)
		require.Equal(t, []string{"user: wait at go", "assistant: Word1 word2 word3."}, b.items(id))
		require.Equal(t, "session start delta done", kinds(b.rest(b.ask(id, "What is meanwhile?"))))
		require.Len(t, b.model.about("meanwhile")[0].Messages, 4, "the question before is there once")
		require.Len(t, b.items(id), 4)
		b.archive.set(false)
		b.answered(id, "What is next?")
		require.Equal(t, []string{"user: wait at go", "assistant: Word1 word2 word3.", "user: What is meanwhile?", "assistant: Word1 word2 word3.", "user: What is next?", "assistant: Word1 word2 word3."}, b.items(id))
	})
}

func TestUnsavedChatThatIsDeletedStaysAway(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		b.archive.set(true)
		id := b.answered("", "What is new?")
		require.NoError(t, b.chats.Delete(t.Context(), id))
		b.archive.set(false)
		pass(2 * time.Minute)
		rows, _, err := b.chats.List(t.Context(), "", 0)
		require.NoError(t, err)
		require.Empty(t, rows)
	})
}

func TestWaitingIsSaidOnce(t *testing.T) {
	desk := reply.NewDesk()
	bubble(t, options{desk: desk}, func(b *bench) {
		t := b.t
		first := b.ask("", "wait at go")
		b.until(first, chat.KindDelta)
		second := b.ask("", "What is second?")
		b.until(second, chat.KindWaiting)
		var wg sync.WaitGroup
		var release func()
		wg.Go(func() { release, _ = desk.Take(t.Context(), true, nil) }) // a question by voice goes first
		synctest.Wait()
		b.model.open("go")
		b.rest(first)
		wg.Wait()
		release()
		require.Equal(t, "start delta done", kinds(b.rest(second)))
	})
}

func TestP1_ASummaryGivesWayToAReplyByVoice(t *testing.T) {
	desk := reply.NewDesk()
	bubble(t, options{summarizes: true, desk: desk}, func(b *bench) {
		t := b.t
		b.model.hangs = true
		tale := "repeat " + strings.Repeat("woe and wonder ", 140)
		id := ""
		for len(b.model.about("[1] User:")) == 0 {
			id = b.answered(id, tale)
			synctest.Wait()
		}
		release, err := desk.Take(t.Context(), true, nil)
		require.NoError(t, err)
		b.model.mu.Lock()
		b.model.hangs = false
		b.model.mu.Unlock()
		release()
		b.answered(id, tale)
		synctest.Wait()
		_, _, summary, err := b.chats.Get(t.Context(), id, 0, 0)
		require.NoError(t, err)
		require.NotNil(t, summary, "it is tried again")
	})
}

func TestLongChatIsSummedUp(t *testing.T) {
	bubble(t, options{summarizes: true}, func(b *bench) {
		t := b.t
		tale := "repeat " + strings.Repeat("woe and wonder ", 140)
		id := ""
		for range 12 {
			id = b.answered(id, tale)
			synctest.Wait()
		}
		_, _, summary, err := b.chats.Get(t.Context(), id, 0, 0)
		require.NoError(t, err)
		require.NotNil(t, summary)
		require.Equal(t, "SUMMARY", summary.Text)
		b.answered(id, "Recall it.")
		request := b.model.about("Recall it.")[0]
		require.Contains(t, request.Messages[0].Text, "SUMMARY")
		require.Len(t, request.Messages, 2+24-summary.Through)
	})
}

func TestTranscriptIsTakenBack(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		id := b.answered("", "Please use a tool")
		exported, err := b.chats.Export(t.Context(), id)
		require.NoError(t, err)
		text := exported.Markdown()
		require.Contains(t, text, "# Please use a tool")
		require.Less(t, strings.Index(text, "> HI"), strings.Index(text, "Word1 word2 word3."))
		row, err := b.chats.Import(t.Context(), exported)
		require.NoError(t, err)
		require.NotEqual(t, id, row.ID)
		require.Equal(t, b.items(id), b.items(row.ID))
		for _, title := range [][2]string{{"", "Please use a tool"}, {" \x00\n", "Please use a tool"}, {"My\x1b\ntool", "My tool"}} {
			exported.Title = title[0]
			row, err := b.chats.Import(t.Context(), exported)
			require.NoError(t, err)
			require.Equal(t, title[1], row.Title)
		}

		for field, spoil := range map[string]func(*chat.Transcript){
			"echo_chat":     func(t *chat.Transcript) { t.Format = 0 },
			"kind":          func(t *chat.Transcript) { t.Kind = "song" },
			"summary":       func(t *chat.Transcript) { t.Summary = &chat.Covered{Text: "x", Through: 9} },
			"items.1.role":  func(t *chat.Transcript) { t.Items[1].Role = "judge" },
			"items.2.state": func(t *chat.Transcript) { t.Items[2].State = "" },
			"items.0.numb":  func(t *chat.Transcript) { t.Items[0].Number = 4 },
		} {
			bad, err := b.chats.Export(t.Context(), id)
			require.NoError(t, err)
			spoil(&bad)
			_, err = b.chats.Import(t.Context(), bad)
			require.Equal(t, echo.CodeInvalid, echo.CodeOf(err))
			require.Contains(t, err.Error(), field)
		}
	})
}
