package conversation

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reply"
)

// atDesk is a room whose model is on this machine, and its desk.
func atDesk(t *testing.T, test func(r *room, desk *reply.Desk)) {
	t.Helper()
	desk := reply.NewDesk()
	inRoom(t, func(r *room) {
		test(r, desk)
		pass(time.Minute)
		release, err := desk.Take(r.t.Context(), false, func() { r.t.Error("the desk is still taken") })
		require.NoError(r.t, err)
		release()
	}, func(p *Ports) { p.Desk = desk })
}

// typing takes the desk as Chat does.
func typing(r *room, desk *reply.Desk) (release func()) {
	r.t.Helper()
	release, err := desk.Take(r.t.Context(), false, func() { r.t.Error("the desk is taken") })
	require.NoError(r.t, err)
	return release
}

func TestP1_AReplyThatWaitsForTheModelOnThisMachineSaysSo(t *testing.T) {
	for _, saves := range []bool{true, false} {
		atDesk(t, func(r *room, desk *reply.Desk) {
			t := r.t
			r.set(func(s *Settings) { s.Save = saves })
			w := r.attach()
			must[Done](w, w.ask("Free?"))
			never[Queued](w, 0)
			release := typing(r, desk)
			waiting := w.ask("Taken?")
			require.Equal(t, 1, must[Queued](w, waiting).Position)
			never[Start](w, waiting)
			next := w.ask("Next?")
			require.Equal(t, 2, must[Queued](w, next).Position)
			require.Equal(t, echo.StatusQueued, r.turn(waiting).Status)
			require.True(t, r.state().Busy)
			release()
			synctest.Wait()
			must[Done](w, next)
			require.Equal(t, []int{1, waiting, next}, w.started())
		})
	}
}

func TestP1_VoiceGoesFirstAndCanBeStoppedWhileItWaits(t *testing.T) {
	atDesk(t, func(r *room, desk *reply.Desk) {
		t := r.t
		release := typing(r, desk)
		w := r.attach()
		waiting, next := w.ask("First?"), w.ask("Second?")
		var typed func()
		go func() { typed, _ = desk.Take(t.Context(), false, nil) }()
		synctest.Wait()
		w.send(Cancel{ID: waiting})
		must[Cancelled](w, waiting)
		never[Start](w, next)
		release()
		synctest.Wait()
		must[Done](w, next)
		require.NotNil(t, typed, "Chat's turn came")
		w.ask("Third?")
		w.send(Cancel{})
		must[Stopped](w, 0)
		typed()
	})
}

func TestP1_AReplyThatAsksItsUserLeavesTheModelToOthers(t *testing.T) {
	asks := script{tool: &reason.Call{ID: "call", Name: "ask_user", Arguments: []byte(`{"question": "Which one?"}`)}, deltas: []string{"That", " one."}}
	atDesk(t, func(r *room, desk *reply.Desk) {
		r.model.Script("Choose?", asks)
		r.model.Script("Red.", asks)
		w := r.attach()
		id := w.ask("Choose?")
		must[Asking](w, id)
		release := typing(r, desk)
		w.ask("Red.")
		must[Taken](w, w.last)
		never[Answered](w, id)
		release()
		synctest.Wait()
		must[Done](w, id)
	})
	atDesk(t, func(r *room, desk *reply.Desk) { // it is stopped meanwhile, and the next one writes at the desk all the same
		t := r.t
		r.model.Script("Choose?", asks)
		r.model.Script("Long?", gated(3))
		w := r.attach()
		id := w.ask("Choose?")
		must[Asking](w, id)
		w.last++
		w.send(Retry{ID: w.last, Of: id}) // refused: it runs
		require.Equal(t, echo.CodeNotRetryable, must[Refused](w, w.last).Error.Code)
		w.send(Cancel{})
		long := w.ask("Long?")
		must[Delta](w, long)
		taken := false
		go func() {
			if release, err := desk.Take(t.Context(), false, nil); err == nil {
				taken = true
				release()
			}
		}()
		synctest.Wait()
		require.False(t, taken, "voice writes")
		r.model.Open("go")
		synctest.Wait()
		require.True(t, taken)
	})
}

func TestC5_ASummaryGivesWayToAReplyAndIsTriedAgain(t *testing.T) {
	atDesk(t, func(r *room, desk *reply.Desk) {
		t := r.t
		r.sums = true
		tries := 0
		r.model.summary = func(ctx context.Context, emit emitter) error {
			if tries++; tries > 1 {
				return emit(reason.Chunk{Text: "They talked."})
			}
			<-ctx.Done()
			return ctx.Err()
		}
		r.model.Script("Long?", script{deltas: []string{strings.Repeat("blah ", 1500)}})
		w := r.attach()
		for tries == 0 {
			must[Done](w, w.ask("Long?"))
		}
		release, err := desk.Take(t.Context(), false, nil)
		require.NoError(t, err, "Chat waits no longer than the summary needs to give way")
		synctest.Wait()
		require.Equal(t, 1, tries)
		release()
		synctest.Wait()
		require.Equal(t, 2, tries)
		must[Done](w, w.ask("Next?"))
		require.Contains(t, r.model.Seen("Next?"), "They talked.")
	})
}
