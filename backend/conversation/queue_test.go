package conversation

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
)

func TestQ2_QuestionsWaitInOrder(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("First?", gated(5))
		w := r.attach()
		asked := []int{w.ask("First?")}
		for i := range 4 {
			if i%2 == 0 {
				asked = append(asked, w.ask("Next?"))
			} else {
				asked = append(asked, w.say("Next?"))
			}
			require.Equal(t, i+1, must[Queued](w, w.last).Position)
		}
		typed := w.ask("Too much?")
		require.Equal(t, echo.CodeQueueFull, must[Refused](w, typed).Error.Code)
		said := w.say("Said too much?")
		require.Equal(t, echo.CodeQueueFull, must[Refused](w, said).Error.Code)
		require.Equal(t, said, r.state().LastID)
		require.Len(t, r.state().Turns, 5)
		r.model.Open("go")
		pass(0)
		require.Equal(t, asked, w.started())
		require.Equal(t, 1, r.model.peak)
		must[Done](w, w.ask("Is there room?"))
	})
}

func TestQ2_FiveAtOnceAreOneRunningAndFourWaiting(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("0?", gated(5))
		w := r.attach()
		for i := range 6 {
			require.NoError(t, w.w.Send(t.Context(), Ask{ID: i + 1, Text: "0?"}))
		}
		pass(0)
		require.Equal(t, echo.CodeQueueFull, must[Refused](w, 6).Error.Code)
		require.Equal(t, 1, count[Refused](w))
		r.model.Open("go")
		pass(0)
		require.Equal(t, []int{1, 2, 3, 4, 5}, w.started())
	})
}

func TestQ2_ATypedQuestionWaitsForWhatWasSaidBefore(t *testing.T) {
	for said, question := range map[string]bool{"First?": true, "[cough]": false} {
		inRoom(t, func(r *room) {
			t := r.t
			w := r.attach()
			spoken := w.speak(Speech{}, hearing{text: said, gate: "hear"})
			require.True(t, r.state().Busy)
			typed := w.ask("Second?")
			require.Equal(t, 1, must[Queued](w, typed).Position)
			never[Start](w, 0)
			r.ears.Open("hear")
			pass(0)
			want := []int{typed}
			if question {
				want = []int{spoken, typed}
			}
			require.Equal(t, want, w.started())
			must[Done](w, typed)
		})
	}
}

func TestQ2_AnOpenSpeechIsWaitedForAndGivenUpAfterTenSeconds(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		w.last++
		open := w.last
		w.send(Speech{ID: open})
		w.send(Audio{PCM: make([]int16, 100)})
		typed := w.ask("Second?")
		pass(9 * time.Second)
		never[Start](w, 0)
		pass(2 * time.Second)
		require.Equal(t, "empty", must[Ignored](w, open).Reason)
		must[Done](w, typed)
		w.send(Audio{PCM: make([]int16, 100)})
		w.send(SpeechEnd{ID: open, Voiced: 100})
		never[Refused](w, 0)
		w.send(Audio{PCM: make([]int16, 100)})
		require.Equal(t, echo.CodeNoSpeechOpen, must[Refused](w, 0).Error.Code)
	})
}

func TestQ2_WithdrawnLeavesNoTrace(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("First?", gated(5))
		w := r.attach()
		w.ask("First?")
		second, third := w.ask("Second?"), w.ask("Third?")
		w.send(Cancel{ID: second})
		must[Cancelled](w, second)
		require.Zero(t, r.turn(second).ID)
		r.model.Open("go")
		pass(0)
		must[Done](w, third)
		require.NotContains(t, strings.Join(r.archive.Said(), " "), "Second?")
		w.send(Cancel{ID: 99})
		require.Equal(t, echo.CodeUnknownTurn, must[Refused](w, 99).Error.Code)
	})
}

func TestQ3_ShortUtterancesAreNotRecognised(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		w.last++
		w.send(Speech{ID: 1})
		w.send(Audio{PCM: make([]int16, 100)})
		w.send(SpeechEnd{ID: 1, Voiced: 11})
		require.Equal(t, "short", must[Ignored](w, 1).Reason)
		require.Empty(t, r.ears.heard)
		require.False(t, r.state().Busy)
	})
}

func TestQ5_EchoIsIgnoredAndSaidWithItsText(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("Which?", script{deltas: []string{"The tallest mountain in the world is Mount Everest. ", "It is high."}, gate: "go", after: 1})
		w := r.attach()
		w.ask("Which?")
		said := w.sayOver("mountain in the world is mount everest")
		require.Equal(t, Ignored{ID: said, Reason: "echo", Text: "mountain in the world is mount everest"}, must[Ignored](w, said))
		must[Queued](w, w.sayOver("And which is the second tallest mountain?"))
		r.model.Open("go")
		pass(0)
		must[Done](w, w.last)
		require.Contains(t, r.model.Seen("And which is the second tallest mountain?"), "while Echo was speaking")
	})
}

func TestQ6_ASpokenStopStopsEverything(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("First?", gated(5))
		w := r.attach()
		running, waiting := w.ask("First?"), w.ask("Second?")
		said := w.sayOver("Stop, please.")
		must[Heard](w, said)
		must[Cancelled](w, running)
		must[Cancelled](w, waiting)
		must[Stopped](w, 0)
		require.False(t, r.state().Busy)
		require.Zero(t, r.turn(said).ID)
		require.Equal(t, 1, r.model.cancelled)
		require.Equal(t, []string{"user: First?", "assistant/stopped: " + strings.Join(gated(5).deltas[:5], "")}, r.archive.Said())
		w.sayOver("Stop")
		require.Equal(t, 2, count[Stopped](w), "also where nothing runs")
	})
}

func TestQ6_WhatIsAskedAfterASpokenStopIsAnswered(t *testing.T) {
	inRoom(t, func(r *room) {
		r.model.Script("First?", gated(5))
		w := r.attach()
		running := w.ask("First?")
		w.speak(Speech{Overlap: true}, hearing{text: "Stop", gate: "hear"})
		after := w.ask("And this?")
		must[Queued](w, after)
		r.ears.Open("hear")
		pass(0)
		must[Cancelled](w, running)
		must[Done](w, after)
	})
}

func TestQ7_AGoodbyeEndsAWokenConversation(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("What time?", gated(5))
		w := r.attach()
		id := w.speak(Speech{Wake: true}, hearing{text: "What time?"})
		require.True(t, r.turn(id).Wake)
		said := w.say("Goodbye.")
		must[Heard](w, said)
		require.Equal(t, id, must[Ending](w, 0).After)
		never[Ended](w, 0)
		r.model.Open("go")
		pass(0)
		must[Done](w, id)
		require.Equal(t, "goodbye", must[Ended](w, 0).Reason)
		w.requireEOF()
		require.False(t, r.state().Active)
	})
}

func TestQ8_AReplayLeavesTheHistoryAlone(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		id := w.ask("What?")
		_, before := w.heard(id)
		said := r.archive.Said()
		w.replay(id)
		require.True(t, must[Replayed](w, id).Complete)
		_, after := w.heard(id)
		require.Equal(t, 2*before, after)
		require.Equal(t, said, r.archive.Said())
		require.Len(t, r.model.Requests(), 1)
		r.voice.Behave(0, "never", nil)
		w.replay(id)
		w.send(Cancel{})
		require.False(t, must[Replayed](w, id).Complete)
		must[Stopped](w, 0)
		require.Equal(t, echo.StatusAnswered, r.turn(id).Status)
		w.send(Replay{ID: 77})
		require.Equal(t, echo.CodeUnknownTurn, must[Refused](w, 77).Error.Code)
	})
}

func TestQ8_NoReplayWhileAReplyRuns(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("Long?", gated(5))
		w := r.attach()
		id, running := w.ask("What?"), w.ask("Long?")
		w.send(Replay{ID: id})
		require.Equal(t, echo.CodeBusy, must[Refused](w, id).Error.Code)
		w.send(Replay{ID: running})
		require.Equal(t, echo.CodeBusy, must[Refused](w, running).Error.Code)
		w.send(Cancel{})
		w.send(Replay{ID: running})
		require.Equal(t, echo.CodeNotFinished, must[Refused](w, running).Error.Code)
	})
}

func TestQ8_AQuestionAskedDuringAReplayIsAnsweredAndSpokenAfterIt(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.voice.Behave(500, "", nil)
		r.model.Script("What?", words(40))
		w := r.attach()
		id := w.ask("What?")
		w.holdCredit()
		w.replay(id)
		next := w.ask("And?")
		must[Answered](w, next)
		never[Done](w, next)
		w.send(Credit{ID: id, PlayedMS: 60000})
		require.True(t, must[Replayed](w, id).Complete)
		must[Done](w, next)
	})
}

func TestQ9_AStopIsHeardMidSynthesis(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.voice.Behave(0, "never", nil)
		r.model.Script("What?", words(40))
		w := r.attach()
		id := w.ask("What?")
		must[Answered](w, id)
		w.sayOver("Stop!")
		must[Cancelled](w, id)
		must[Stopped](w, 0)
		require.Equal(t, echo.StatusAnswered, r.turn(id).Status)
	})
}

func TestS1_StopThenAskAHundredTimes(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("Long?", gated(3))
		w := r.attach()
		for range 100 {
			w.ask("Long?")
			require.NoError(t, w.w.Send(t.Context(), Cancel{}))
			w.last++
			require.NoError(t, w.w.Send(t.Context(), Ask{ID: w.last, Text: "And?"}))
			pass(0)
			require.Equal(t, words(8).answer(), w.answer(w.last))
			must[Done](w, w.last)
		}
		require.Equal(t, 1, r.model.peak)
		require.Len(t, r.model.Requests()[199].Messages, 1+1+4*99+2, "the model sees the full history")
	})
}

func TestS1_StoppingOneReplyStartsTheNext(t *testing.T) {
	inRoom(t, func(r *room) {
		r.model.Script("First?", gated(5))
		w := r.attach()
		running, waiting := w.ask("First?"), w.ask("Second?")
		w.send(Cancel{ID: running})
		must[Cancelled](w, running)
		must[Done](w, waiting)
		never[Stopped](w, 0)
	})
}

func TestS1_StopFromOutsideStopsAllAndTheWindowStays(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		require.NoError(t, r.c.Stop(t.Context()), "there is nothing to stop")
		r.model.Script("First?", gated(5))
		w := r.attach()
		running, waiting := w.ask("First?"), w.ask("Second?")
		require.NoError(t, r.c.Stop(t.Context()))
		synctest.Wait()
		must[Cancelled](w, running)
		must[Cancelled](w, waiting)
		must[Stopped](w, 0)
		require.False(t, r.state().Busy)
		w.ask("Third?")
		must[Done](w, w.last)
		w.leave()
		w = r.attach()
		w.ask("First?")
		w.leave()
		require.NoError(t, r.c.Stop(t.Context()))
		synctest.Wait()
		require.False(t, r.state().Busy, "also where no window is attached")
	})
}

func TestS2_EndStopsAtOnceAndForgets(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("First?", gated(5))
		w := r.attach()
		w.ask("First?")
		w.ask("Second?")
		_, err := r.c.End(t.Context())
		require.Equal(t, echo.CodeHeld, echo.CodeOf(err))
		w.send(End{})
		require.Equal(t, "user", must[Ended](w, 0).Reason)
		w.requireEOF()
		require.False(t, r.state().Active)
		require.Equal(t, []string{"user: First?", "assistant/stopped: " + strings.Join(gated(5).deltas[:5], "")}, r.archive.Said())
		again := r.attach()
		require.False(t, again.ready().Resumed)
		require.Empty(t, again.ready().Turns)
		again.leave()
		ended, err := r.c.End(t.Context())
		require.NoError(t, err)
		require.True(t, ended)
		ended, err = r.c.End(t.Context())
		require.NoError(t, err)
		require.False(t, ended)
	})
}
