package conversation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reply"
)

// TestWhateverIsDoneEachQuestionEndsOnce does at random, seeded, all that users, windows, engines and disks may do. Then each
// accepted question must have ended exactly once and be on disk as it ended, a refused or withdrawn one nowhere; the windows'
// notices must be in order; and nothing that was begun may be left.
func TestWhateverIsDoneEachQuestionEndsOnce(t *testing.T) {
	const seeds, steps = 60, 150
	for seed := range seeds {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			desk := reply.NewDesk()
			inRoom(t, func(r *room) {
				c := &chaos{
					room: r, t: r.t, rand: rand.New(rand.NewPCG(1, uint64(seed))), desk: desk,
					reckless: seed%5 == 0, unseen: seed%2 == 0, asked: map[string]script{},
				}
				for range steps {
					c.step()
				}
				c.check()
			}, func(p *Ports) {
				if seed%3 == 0 {
					p.Desk = desk
				}
			})
		})
	}
}

// chaos does things at random, and knows what must become of each question.
type chaos struct {
	t     *testing.T
	room  *room
	rand  *rand.Rand
	seat  *seat             // nil: nobody is attached
	asked map[string]script // by the question, which is asked once
	tried []string          // what was tried again
	gone  []string          // chats that were deleted
	desk  *reply.Desk
	typed func() // gives the desk back, where Chat has it

	reckless bool // it deletes chats and turns saving off: then what is kept is not known
	unseen   bool // it says "stop" and has replies ask: then questions may end while nobody is there
}

func (c *chaos) chance(percent int) bool { return c.rand.IntN(100) < percent }

// question makes one that was never asked, with what the model will do.
func (c *chaos) question() string {
	text := fmt.Sprintf("Question %d?", len(c.asked)+1)
	s := words(1 + c.rand.IntN(30))
	if c.chance(60) {
		s.delay = time.Duration(c.rand.IntN(200)) * time.Millisecond
	}
	if c.chance(15) {
		s.err = echo.Errorf(echo.CodeEngineError, "It broke.")
	}
	if c.unseen && c.chance(10) {
		s.tool = &reason.Call{ID: "call", Name: "ask_user", Arguments: []byte(`{"question": "Which one?"}`)}
	}
	c.room.model.Script(text, s)
	c.asked[text] = s
	return text
}

func (c *chaos) step() {
	r := c.room
	if c.seat != nil && c.seat.closed() != nil {
		c.seat = nil
	}
	switch n := c.rand.IntN(100); {
	case n < 12:
		pass(time.Duration(c.rand.IntN(3000)) * time.Millisecond)
	case n < 14:
		r.archive.Fail([]error{nil, errors.New("full")}[c.rand.IntN(2)])
	case n < 17:
		r.voice.Behave(c.rand.IntN(400), "", []error{nil, nil, errors.New("hoarse")}[c.rand.IntN(3)])
	case n < 19:
		c.settings()
	case n < 20 && c.reckless:
		c.destroy()
	case c.seat == nil:
		c.seat = r.attachTo(SessionRequest{New: c.chance(5), Look: []string{"", "ember"}[c.rand.IntN(2)]})
		if c.chance(30) {
			c.seat.holdCredit()
		}
	case n < 26:
		c.seat.leave()
		c.seat = nil
	case n < 30:
		c.seat = r.attachTo(SessionRequest{Take: true, New: c.chance(10)})
	default:
		c.act()
	}
}

// settings changes one, or who has the model on this machine.
func (c *chaos) settings() {
	pick := func(one, other string) string { return []string{one, other}[c.rand.IntN(2)] }
	switch n := c.rand.IntN(100); {
	case n < 25:
		c.room.set(func(s *Settings) { s.Look = pick("aurora", "ember") })
	case n < 50:
		c.room.set(func(s *Settings) { s.Model = pick("one", "two") })
	case n < 65:
		c.room.set(func(s *Settings) { s.Workspace = pick("default", "lab") })
	case c.typed != nil:
		c.typed()
		c.typed = nil
	default:
		ctx, cancel := context.WithTimeout(c.t.Context(), time.Second)
		defer cancel()
		if release, err := c.desk.Take(ctx, false, nil); err == nil {
			c.typed = release
		}
	}
	synctest.Wait()
}

// destroy deletes the conversation's chat, or turns saving off.
func (c *chaos) destroy() {
	state := c.room.state()
	if c.chance(30) {
		c.room.set(func(s *Settings) { s.Save = !s.Save })
		return
	}
	if state.Chat != nil {
		c.room.archive.Delete(state.Chat.ID)
		require.NoError(c.t, c.room.c.Forget(c.t.Context(), state.Workspace, state.Chat.ID))
		synctest.Wait()
		c.gone = append(c.gone, state.Chat.ID)
	}
}

// act does something in the attached window.
func (c *chaos) act() {
	s := c.seat
	s.last = max(s.last, c.room.state().LastID)
	switch n := c.rand.IntN(100); {
	case n < 35:
		s.ask(c.question())
	case n < 55:
		said := hearing{text: c.question(), delay: time.Duration(c.rand.IntN(2000)) * time.Millisecond}
		if c.chance(10) {
			said.err = errDown
		}
		s.speak(Speech{Overlap: c.chance(50)}, said)
	case n < 60:
		noise := []string{"um", "[cough]", "", "Stop."}[c.rand.IntN(4)]
		if noise == "Stop." && !c.unseen {
			noise = "Um."
		}
		s.speak(Speech{}, hearing{text: noise, delay: time.Duration(c.rand.IntN(900)) * time.Millisecond})
	case n < 64:
		s.last++
		s.send(Speech{ID: s.last})
		s.send(Audio{PCM: make([]int16, 50)})
		if c.chance(30) {
			s.send(SpeechCancel{ID: s.last})
		}
	case n < 70:
		s.send(Cancel{})
	case n < 80:
		s.send(Cancel{ID: 1 + c.rand.IntN(s.last+1)})
	case n < 86:
		c.retry()
	case n < 92:
		c.replay()
	case n < 98:
		s.send(Credit{ID: s.last, PlayedMS: c.rand.IntN(20000)})
	case n < 99:
		require.NoError(c.t, c.room.c.Stop(c.t.Context()))
		synctest.Wait()
	default:
		s.send(End{})
	}
}

func (c *chaos) retry() {
	for _, turn := range c.room.state().Turns {
		if turn.Status == echo.StatusFailed || turn.Status == echo.StatusStopped {
			c.tried = append(c.tried, turn.Question)
			c.seat.last++
			c.seat.send(Retry{ID: c.seat.last, Of: turn.ID})
			return
		}
	}
}

// replay asks for one, where nothing refuses it: the order is checked by what was asked for.
func (c *chaos) replay() {
	state := c.room.state()
	for _, turn := range state.Turns {
		if _, refused := got[replayAsked](c.seat, turn.ID); turn.Status == echo.StatusAnswered && !state.Busy && !refused {
			c.seat.replay(turn.ID)
			return
		}
	}
}

// check lets all come to rest and compares what is on disk with what the windows were told.
func (c *chaos) check() {
	r := c.room
	r.archive.Fail(nil)
	if c.typed != nil {
		c.typed()
		synctest.Wait()
	}
	if c.seat != nil {
		c.heardOut()
		c.seat.leave()
	}
	for pass(time.Minute); r.state().Busy; pass(time.Minute) { // a reply waits for its user
		s := r.attach()
		s.ask(c.question())
		s.leave()
	}
	pass(10 * time.Minute)
	require.False(c.t, r.state().Busy)
	require.Zero(c.t, r.held, "the engines are released")
	require.Empty(c.t, r.archive.exchanges, "all is written")
	require.Empty(c.t, r.lab.exchanges, "all is written")
	for _, id := range c.gone {
		require.NotContains(c.t, r.archive.chats, id, "a deleted chat was recreated")
	}
	if c.reckless {
		return
	}
	told := c.told()
	kept := c.kept()
	for text, s := range c.asked {
		if strings.Contains(strings.Join(c.tried, " "), text) {
			continue // it was asked more than once, and ended more than once
		}
		end := told[text]
		switch {
		case end == nil && len(kept[text]) == 0: // it was stopped or dropped before it was recognised
		case end == nil: // it was recognised, answered and scrolled away while nobody was there
			require.Len(c.t, kept[text], 1, text)
		case end.taken || end.refused || end.cancelled && !end.started:
			require.Empty(c.t, kept[text], text)
		case c.unseen && !end.cancelled && !end.answered: // it was stopped or taken while nobody was there
			require.LessOrEqual(c.t, len(kept[text]), 1, text)
		case end.cancelled && !end.answered:
			require.Equal(c.t, []string{"stopped"}, kept[text], text)
		case s.err != nil:
			require.Equal(c.t, []string{"failed"}, kept[text], text)
		default:
			require.Equal(c.t, []string{"complete"}, kept[text], text)
		}
	}
}

// heardOut checks that what was said in the last window came to something, given its time.
func (c *chaos) heardOut() {
	pass(10 * time.Minute)
	if c.seat.closed() != nil {
		return
	}
	owed := map[int]bool{}
	for _, n := range c.seat.Notices() {
		switch n := n.(type) {
		case spokenPut:
			owed[n.ID] = true
		case Heard, Ignored, Failed, Refused, Cancelled:
			delete(owed, turnOf(n))
		}
	}
	require.Empty(c.t, owed, "%s", c.seat)
}

// fate is what the windows were told of a question.
type fate struct{ taken, refused, started, answered, cancelled bool }

// told follows each question through all windows.
func (c *chaos) told() map[string]*fate {
	fates := map[string]*fate{}
	of := func(text string) *fate {
		if fates[text] == nil {
			fates[text] = &fate{}
		}
		return fates[text]
	}
	texts := map[string]string{} // by conversation and turn
	for _, s := range c.room.seats {
		conversation := ""
		name := func(id int) string { return fmt.Sprint(conversation, " ", id) }
		for _, n := range s.Notices() {
			switch n := n.(type) {
			case Ready:
				conversation = n.ID
				for _, turn := range n.Turns {
					texts[name(turn.ID)] = turn.Question
					f := of(turn.Question)
					f.started = f.started || turn.Status != echo.StatusQueued
					f.answered = f.answered || turn.Status == echo.StatusAnswered
				}
			case questionPut:
				texts[name(n.ID)] = n.Text
				of(n.Text)
			case Heard:
				texts[name(n.ID)] = n.Text
				of(n.Text)
			case Start:
				of(n.Question).started = true
			case Answered:
				of(texts[name(n.ID)]).answered = true
			case Taken:
				of(texts[name(n.ID)]).taken = true
			case Cancelled:
				of(texts[name(n.ID)]).cancelled = true
			case Refused:
				if code := n.Error.Code; code == echo.CodeQueueFull || code == echo.CodeBadID {
					of(texts[name(n.ID)]).refused = true
				}
			}
		}
	}
	return fates
}

// kept are the states of the answers on disk, by their questions. An answer must be as far as it got, of its own question.
func (c *chaos) kept() map[string][]string {
	kept := map[string][]string{}
	for _, chat := range append(slices.Collect(maps.Values(c.room.archive.chats)), slices.Collect(maps.Values(c.room.lab.chats))...) {
		question := ""
		for i, m := range chat.messages {
			require.Equal(c.t, i+1, m.Number)
			if m.Role == echo.RoleUser {
				question = m.Text
			}
			if m.Role != echo.RoleAssistant {
				continue
			}
			kept[question] = append(kept[question], string(m.State))
			want := c.asked[question].answer()
			require.True(c.t, m.Text == want || m.State != echo.StateComplete && strings.HasPrefix(want, m.Text), "%s: %q", question, m.Text)
		}
	}
	synctest.Wait()
	return kept
}
