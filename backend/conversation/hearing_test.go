package conversation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
)

func TestR9_WhatCouldNotBeRecognisedIsTriedAgainWithoutBeingSaidAgain(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		id := w.speak(Speech{Wake: true}, hearing{err: errDown, delay: time.Second})
		w.leave() // its end had arrived
		pass(2 * time.Second)
		again := r.attach()
		turn := r.turn(id)
		require.Equal(t, echo.StatusFailed, turn.Status)
		require.Equal(t, errDown, turn.Error)
		require.True(t, turn.Away)
		require.Empty(t, turn.Question)
		sound := r.sounds
		r.ears.texts[sound] = hearing{text: "What was it?"}
		again.last++
		again.send(Retry{ID: again.last, Of: id})
		require.Equal(t, "What was it?", must[Heard](again, again.last).Text)
		require.Equal(t, "What was it?", must[Start](again, again.last).Question)
		must[Done](again, again.last)
		require.True(t, r.turn(again.last).Wake)
		require.Equal(t, []int16{sound, sound}, r.ears.heard)
		require.Equal(t, []string{"user: What was it?", "assistant: " + words(8).answer()}, r.archive.Said())
	})
}

func TestR9_TheNewestUtteranceThatWasNotRecognisedIsKept(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		older, newer := w.speak(Speech{}, hearing{err: errDown}), w.speak(Speech{}, hearing{err: errDown})
		w.last++
		w.send(Retry{ID: w.last, Of: older})
		require.Equal(t, echo.CodeNotRetryable, must[Refused](w, w.last).Error.Code)
		w.last++
		w.send(Retry{ID: w.last, Of: newer})
		must[Failed](w, w.last)
		w.last++
		w.send(Retry{ID: w.last, Of: w.last - 1})
		must[Failed](w, w.last)
		w.send(Replay{ID: newer})
		require.Equal(t, echo.CodeNotFinished, must[Refused](w, newer).Error.Code)
		must[Done](w, w.ask("And now?"))
		require.NotContains(t, r.model.Seen("And now?"), "user: \n")
	})
}

var errDown = echo.Errorf(echo.CodeEngineUnreachable, "The recogniser is down.")

func TestQ5_WhatIsReadAloudAgainIsKnownWhileTheWindowStillPlaysIt(t *testing.T) {
	inRoom(t, func(r *room) {
		r.model.Script("First?", script{deltas: []string{"The tallest mountain in the world is Mount Everest."}})
		w := r.attach()
		first := w.ask("First?")
		for range 3 {
			w.ask("More?")
		}
		r.voice.Behave(300, "", nil)
		w.replay(first)
		require.True(r.t, must[Replayed](w, first).Complete, "all of it is sent, and 2.7 s are still to be heard")
		pass(5 * time.Second)
		require.Equal(r.t, "echo", must[Ignored](w, w.sayOver("the world is Mount Everest")).Reason)
		must[Done](w, w.sayOver("And how high is that?"))
	})
}

func TestQ5_TheTailOfAnAnswerIsKnownThreeSecondsAfterItEnded(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.model.Script("Which?", script{deltas: []string{"Do you want the red one or the green one? Both are made of solid oak."}})
		w := r.attach()
		must[Done](w, w.ask("Which?"))
		late := func(text string) int {
			id := w.speak(Speech{Overlap: true}, hearing{text: text, delay: 3 * time.Second})
			pass(4 * time.Second)
			return id
		}
		require.Equal(t, "echo", must[Ignored](w, late("Are made of solid oak.")).Reason)
		must[Done](w, w.ask("And meanwhile?"))
		must[Done](w, w.ask("And more?"))
		ignored := must[Ignored](w, late("the green one both are made of solid oak"))
		require.Equal(t, "echo", ignored.Reason)
		require.Equal(t, "the green one both are made of solid oak", ignored.Text, "so that it can be asked anyway")
		must[Done](w, late("The green one, please."))
		require.Equal(t, "The green one, please.", r.turn(w.last).Question)
		for range 3 {
			w.ask("Something else?")
		}
		must[Done](w, late("both are made of solid oak")) // that was four answers ago
	})
}

func TestQ5_EchoIsKnownAsItIsReadAloud(t *testing.T) {
	inRoom(t, func(r *room) {
		r.model.Script("Where?", script{deltas: []string{"See [the **manual**](https://example.com/a_b), or https://example.org. Then `run` it."}})
		w := r.attach()
		w.ask("Where?")
		for _, heard := range []string{"see the manual or a link then", "or a link. Then run it.", "the manual, or a link"} {
			require.Equal(r.t, "echo", must[Ignored](w, w.sayOver(heard)).Reason, heard)
		}
		must[Done](w, w.sayOver("Which link is that?"))
	})
}
