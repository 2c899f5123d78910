package conversation

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
)

func TestH1_AnAnsweredQuestionIsSaved(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		require.False(t, w.ready().Resumed)
		require.True(t, w.ready().Saving)
		id := w.ask("What?")
		answered := must[Answered](w, id)
		require.True(t, answered.Saved)
		require.Equal(t, words(8).answer(), answered.Answer)
		require.NotNil(t, answered.Chat)
		must[Done](w, id)
		text, samples := w.heard(id)
		require.Equal(t, words(8).answer(), text)
		require.Equal(t, 8*40*24, samples)
		require.Equal(t, []string{"user: What?", "assistant: " + words(8).answer()}, r.archive.Said())
		require.False(t, r.state().Busy)
	})
}

func TestR1_AReplyOutlivesItsWindow(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("What?", gated(5))
		w := r.attach()
		id := w.ask("What?")
		w.leave()
		require.True(t, r.state().Busy)
		r.model.Open("go")
		pass(0)
		turn := r.turn(id)
		require.Equal(t, echo.StatusAnswered, turn.Status)
		require.True(t, turn.Away)
		require.Equal(t, gated(5).answer(), turn.Answer)
		require.Len(t, r.model.Requests(), 1)
		require.False(t, r.state().Busy)
		again := r.attach()
		require.True(t, again.ready().Resumed)
		require.Equal(t, id, again.ready().LastID)
	})
}

func TestR2_NothingIsSpokenWhileNobodyListens(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		s := words(64)
		s.gate, s.after = "go", 20
		r.model.Script("What?", s)
		w := r.attach()
		w.ask("What?")
		w.leave()
		before := len(r.voice.Texts())
		r.model.Open("go")
		pass(0)
		require.Len(t, r.voice.Texts(), before)
		require.False(t, r.state().Busy)
	})
}

func TestR2_CreditIsReleasedWhenTheWindowLeaves(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.voice.Behave(500, "", nil)
		r.model.Script("What?", words(40))
		w := r.attach()
		w.holdCredit()
		first, next := w.ask("What?"), w.ask("And?")
		pass(time.Minute)
		never[Done](w, first)
		w.leave()
		require.Equal(t, echo.StatusAnswered, r.turn(first).Status)
		require.Equal(t, echo.StatusAnswered, r.turn(next).Status)
		require.False(t, r.state().Busy)
	})
}

func TestR3_ForgottenAfterKeepAndNeverWhileAReplyRuns(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		w.ask("What?")
		pass(time.Hour)
		require.True(t, r.state().Active)
		w.leave()
		require.WithinDuration(t, time.Now().Add(30*time.Minute), r.state().ForgetAt, time.Second)
		pass(29 * time.Minute)
		require.True(t, r.state().Active)
		pass(2 * time.Minute)
		require.Equal(t, State{Turns: []echo.Turn{}}, r.state())

		r.model.Script("Long?", gated(5))
		w = r.attach()
		w.ask("Long?")
		w.leave()
		pass(2 * time.Hour)
		require.True(t, r.state().Active)
		r.model.Open("go")
		pass(time.Hour)
		require.False(t, r.state().Active)
	})
}

func TestR3_TurnsAreTheNewestEightAndTheUnfinished(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		for range 10 {
			w.ask("What?")
		}
		require.Len(t, r.state().Turns, 8)
		require.Equal(t, 3, r.state().Turns[0].ID)
		r.model.Script("Long?", gated(5))
		w.ask("Long?")
		w.ask("And?")
		turns := r.state().Turns
		require.Len(t, turns, 8)
		require.Equal(t, 12, turns[7].ID)
	})
}

func TestR4_EnginesAreHeldWhileNeeded(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		held := func() int { r.mu.Lock(); defer r.mu.Unlock(); return r.held }
		r.state()
		require.Zero(t, held())
		r.model.Script("What?", gated(5))
		w := r.attach()
		require.Equal(t, 1, held())
		w.ask("What?")
		w.leave()
		require.Equal(t, 1, held())
		r.model.Open("go")
		pass(0)
		require.Zero(t, held())
	})
}

func TestR5_SpeechGoesOnWithTheNextSentence(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		s := words(40)
		s.gate, s.after = "go", 12
		r.model.Script("What?", s)
		w := r.attach()
		id := w.ask("What?")
		w.leave()
		w = r.attach()
		require.Equal(t, strings.Join(s.deltas[:12], ""), w.answer(id))
		r.model.Open("go")
		pass(0)
		must[Done](w, id)
		text, samples := w.heard(id)
		require.True(t, strings.HasPrefix(text, "Word17 "), text)
		require.Equal(t, 24*40*24, samples)
		require.Equal(t, s.answer(), w.answer(id))
	})
}

func TestR5_AWindowThatTakesOverHearsWhatTheOtherHadNotBegunToHear(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.voice.Behave(500, "", nil)
		r.model.Script("What?", words(24))
		w := r.attach()
		w.holdCredit()
		id := w.ask("What?")
		must[Answered](w, id)
		second := r.attachTo(SessionRequest{Take: true})
		require.Equal(t, "taken", must[Detached](w, 0).Reason)
		w.requireEOF()
		must[Done](second, id)
		text, samples := second.heard(id)
		require.True(t, strings.HasPrefix(text, "Word9 "), text)
		require.Equal(t, 16*500*24, samples)
	})
}

func TestR9_AFailedReplySaysWhyAndTheNextRuns(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		s := gated(5)
		s.deltas = s.deltas[:5]
		s.err = echo.Errorf(echo.CodeEngineError, "The model broke off. Try again.")
		r.model.Script("What?", s)
		w := r.attach()
		id := w.ask("What?")
		next := w.ask("And?")
		require.Equal(t, 1, must[Queued](w, next).Position)
		r.model.Open("go")
		pass(0)
		require.Equal(t, echo.CodeEngineError, must[Failed](w, id).Error.Code)
		must[Done](w, next)
		require.Contains(t, r.model.Seen("And?"), s.answer())
		turn := r.turn(id)
		require.Equal(t, echo.StatusFailed, turn.Status)
		require.Equal(t, s.answer(), turn.Answer)
		r.model.Script("What?", words(8))
		w.last++
		w.send(Retry{ID: w.last, Of: id})
		require.Equal(t, "What?", must[Start](w, w.last).Question)
		must[Done](w, w.last)
		require.Equal(t, []string{
			"user: What?", "assistant/failed: " + s.answer(), "user: And?", "assistant: " + words(8).answer(),
			"user: What?", "assistant: " + words(8).answer(),
		}, r.archive.Said())
		w.last++
		w.send(Retry{ID: w.last, Of: next})
		require.Equal(t, echo.CodeNotRetryable, must[Refused](w, w.last).Error.Code)
	})
}

func TestR10_AnsweredWaitsForNoAudio(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.voice.Behave(0, "never", nil)
		r.model.Script("What?", words(40))
		w := r.attach()
		id := w.ask("What?")
		require.True(t, must[Answered](w, id).Saved)
		never[Done](w, id)
	})
}

func TestP1_AFailingSynthesiserCostsTheVoiceAlone(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.voice.Behave(0, "", echo.Errorf(echo.CodeEngineUnreachable, "The synthesiser cannot be reached."))
		w := r.attach()
		id := w.ask("What?")
		require.Equal(t, echo.CodeEngineUnreachable, must[Refused](w, id).Error.Code)
		must[Done](w, id)
		never[Sentence](w, id)
	})
}

func TestP1_ASilentSynthesiserIsGivenUp(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.voice.Behave(0, "never", nil)
		w := r.attach()
		id := w.ask("What?")
		pass(3 * time.Minute)
		require.Equal(t, echo.CodeEngineTimeout, must[Refused](w, id).Error.Code)
		must[Done](w, id)
	})
}

func TestP1_AFailingRecogniserFailsTheTurn(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		id := w.speak(Speech{}, hearing{err: errors.New("broken")})
		require.Equal(t, echo.CodeEngineError, must[Failed](w, id).Error.Code)
		require.Equal(t, echo.StatusFailed, r.turn(id).Status)
		require.Empty(t, r.archive.Said())
		silent := w.speak(Speech{}, hearing{gate: "never"})
		pass(3 * time.Minute)
		require.Equal(t, echo.CodeEngineTimeout, must[Failed](w, silent).Error.Code)
		w.ask("Does typing work?")
		must[Done](w, w.last)
	})
}

func TestFlow_AtMostFourSecondsAhead(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.voice.Behave(500, "", nil)
		r.model.Script("What?", words(40)) // 20 s
		w := r.attach()
		w.holdCredit()
		id := w.ask("What?")
		seconds := func() float64 { _, n := w.heard(id); return float64(n) / 24000 }
		require.InDelta(t, 4, seconds(), 0.001)
		w.send(Credit{ID: id, PlayedMS: 2000})
		require.InDelta(t, 6, seconds(), 0.001)
		w.send(Credit{ID: id, PlayedMS: 7000})
		require.InDelta(t, 11, seconds(), 0.001)
		w.send(Credit{ID: id, PlayedMS: 3000})
		require.InDelta(t, 11, seconds(), 0.001)
		never[Done](w, id)
		require.LessOrEqual(t, len(r.voice.Texts()), 5, "two sentences ahead")
		w.send(Credit{ID: id, PlayedMS: 30000})
		require.InDelta(t, 20, seconds(), 0.001)
		must[Done](w, id)
	})
}
