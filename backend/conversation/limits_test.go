package conversation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
)

func TestIds_MustGrowAndAreUsedUp(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		w.send(Ask{ID: 5, Text: "Five?"})
		must[Done](w, 5)
		for _, id := range []int{5, 4, 0, -1} {
			w.send(Ask{ID: id, Text: "Late?"})
			require.Equal(t, echo.CodeBadID, must[Refused](w, 0).Error.Code)
			w.send(Speech{ID: id})
			require.Equal(t, echo.CodeBadID, must[Refused](w, 0).Error.Code)
		}
		w.send(Ask{ID: 9, Text: strings.Repeat("é", 8001)})
		require.Equal(t, echo.CodeTooLong, must[Refused](w, 9).Error.Code)
		w.send(Ask{ID: 9, Text: "Again?"})
		require.Equal(t, echo.CodeBadID, must[Refused](w, 9).Error.Code)
		w.send(Ask{ID: 10, Text: strings.Repeat("é", 8000)})
		must[Done](w, 10)
		w.send(Ask{ID: 11, Text: " \n"})
		require.Equal(t, echo.CodeBadMessage, must[Refused](w, 11).Error.Code)
		w.send(Retry{ID: 12, Of: 77})
		require.Equal(t, echo.CodeUnknownTurn, must[Refused](w, 12).Error.Code)
		require.Equal(t, 12, r.state().LastID)
	})
}

func TestLimits_AnUtteranceOfMoreThanAMinuteIsTooLong(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		w.last++
		w.send(Speech{ID: 1})
		for range 61 {
			w.send(Audio{PCM: make([]int16, 16000)})
		}
		w.send(SpeechEnd{ID: 1, Voiced: 3000})
		require.Equal(t, echo.CodeTooLong, must[Refused](w, 1).Error.Code)
		require.Equal(t, 1, count[Refused](w))
		must[Done](w, w.ask("What still works?"))
	})
}

func TestLimits_SpeechThatIsCancelledOrWithoutAWindowIsForgotten(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		w := r.attach()
		w.last++
		w.send(Speech{ID: 1})
		w.send(Audio{PCM: make([]int16, 100)})
		w.send(SpeechCancel{ID: 1})
		must[Done](w, w.ask("And?"))
		w.last++
		w.send(Speech{ID: w.last})
		w.leave()
		require.False(t, r.state().Busy)
		w = r.attach()
		ended := w.speak(Speech{}, hearing{text: "Said?", gate: "hear"})
		w.leave()
		r.ears.Open("hear")
		pass(0)
		require.Equal(t, echo.StatusAnswered, r.turn(ended).Status)
		require.True(t, r.turn(ended).Away)
		require.Len(t, r.state().Turns, 2)
	})
}

func TestASlowWindowIsClosedAndLosesNothing(t *testing.T) {
	inRoom(t, func(r *room) {
		t := r.t
		r.voice.Behave(5000, "", nil)
		s := words(100)
		r.model.Script("What?", s)
		grant := r.reserve(SessionRequest{})
		slow, err := r.c.Attach(t.Context(), grant.Ticket)
		require.NoError(t, err)
		require.NoError(t, slow.Send(t.Context(), Ask{ID: 1, Text: "What?"}))
		pass(0)
		require.NoError(t, slow.Send(t.Context(), Credit{ID: 1, PlayedMS: 1 << 30}))
		pass(0)
		for {
			if _, err = slow.Next(t.Context()); err != nil {
				break
			}
		}
		require.ErrorIs(t, err, ErrSlow)
		require.False(t, r.state().Held)
		w := r.attach()
		require.Equal(t, s.answer(), w.answer(1))
	})
}
