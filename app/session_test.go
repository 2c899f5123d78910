package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
	"echo-companion/backend/playback"
	"echo-companion/backend/protocol"
)

// fakeWindow is an attached window whose notices a test writes.
type fakeWindow struct {
	mu      sync.Mutex
	sent    []conversation.Command
	notices chan conversation.Notice
	closed  chan struct{}
	once    sync.Once
}

func newFakeWindow(first conversation.Notice) *fakeWindow {
	w := &fakeWindow{notices: make(chan conversation.Notice, 100), closed: make(chan struct{})}
	w.notices <- first
	return w
}

func (w *fakeWindow) Send(_ context.Context, c conversation.Command) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, c)
	return nil
}

func (w *fakeWindow) Next(ctx context.Context) (conversation.Notice, error) {
	select {
	case n, open := <-w.notices:
		if !open {
			return nil, io.EOF
		}
		return n, nil
	case <-w.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *fakeWindow) Close() { w.once.Do(func() { close(w.closed) }) }

// fakeTalk gives its windows one after another.
type fakeTalk struct {
	windows  []*fakeWindow
	reserved []conversation.SessionRequest
	refuse   error
}

func (f *fakeTalk) State(context.Context) (conversation.State, error) {
	return conversation.State{}, nil
}

func (f *fakeTalk) Reserve(_ context.Context, r conversation.SessionRequest) (conversation.Grant, error) {
	f.reserved = append(f.reserved, r)
	return conversation.Grant{Ticket: "t"}, f.refuse
}

func (f *fakeTalk) Attach(context.Context, string) (attached, error) {
	w := f.windows[0]
	f.windows = f.windows[1:]
	return w, nil
}

func (f *fakeTalk) End(context.Context) (bool, error) { return true, nil }

// journal writes down what the loudspeaker and the page are told.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(format string, values ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, values...))
}

func (j *journal) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := j.lines
	j.lines = nil
	return lines
}

func (j *journal) Play(_ context.Context, p playback.Piece) {
	j.add("play %d/%d @%d", p.Turn, p.Sentence, p.Offset)
}
func (j *journal) Hush(_ context.Context, turn int)   { j.add("hush %d", turn) }
func (j *journal) Settle(_ context.Context, turn int) { j.add("settle %d", turn) }
func (j *journal) Allow(_ context.Context, turn int)  { j.add("allow %d", turn) }

func newTestSession(windows ...*fakeWindow) (*session, *fakeTalk, *journal) {
	j, f := &journal{}, &fakeTalk{windows: windows}
	return &session{talk: f, out: j, changed: func() {}, logger: slog.New(slog.DiscardHandler), emit: func(name string, data any) {
		if event, is := data.(protocol.VoiceEvent); is {
			j.add("%s %T", name, event)
			return
		}
		j.add("%s", name)
	}}, f, j
}

func TestTypedAndSpokenTurnsShareTheirNumbers(t *testing.T) {
	w := newFakeWindow(conversation.Ready{State: conversation.State{LastID: 7}})
	s, _, _ := newTestSession(w)
	v := &Voice{session: s, logger: s.logger}
	_, err := v.Ask("too early")
	require.Equal(t, echo.CodeNoWindow, echo.CodeOf(err))
	_, err = v.Open(protocol.SessionRequest{})
	require.NoError(t, err)
	defer s.Leave(t.Context())
	id, err := v.Ask("typed")
	require.NoError(t, err)
	require.Equal(t, 8, id)
	id, err = listener{s}.Begin(t.Context(), true)
	require.NoError(t, err)
	require.Equal(t, 9, id)
	require.NoError(t, listener{s}.End(t.Context(), 9, 20))
	id, err = v.Retry(8)
	require.NoError(t, err)
	require.Equal(t, 10, id)
	require.Equal(t, []conversation.Command{
		conversation.Ask{ID: 8, Text: "typed"},
		conversation.Speech{ID: 9, Overlap: true},
		conversation.SpeechEnd{ID: 9, Voiced: 20},
		conversation.Retry{ID: 10, Of: 8},
	}, w.sent)
}

func TestThePageIsToldOnceAnUtteranceWasSent(t *testing.T) {
	w := newFakeWindow(conversation.Ready{})
	s, _, j := newTestSession(w)
	require.Error(t, listener{s}.End(t.Context(), 1, 20), "not attached")
	require.Empty(t, j.take())
	_, err := s.Open(t.Context(), conversation.SessionRequest{})
	require.NoError(t, err)
	defer s.Leave(t.Context())
	j.take()
	require.NoError(t, listener{s}.End(t.Context(), 1, 20))
	require.Equal(t, []string{"echo:spoken"}, j.take())
}

func TestNoticesReachThePageAndTheLoudspeakerInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFakeWindow(conversation.Ready{})
		s, _, j := newTestSession(w)
		v := &Voice{session: s, logger: s.logger}
		_, err := v.Open(protocol.SessionRequest{})
		require.NoError(t, err)
		require.Equal(t, []string{"settle 0", "echo:voice protocol.ReadyEvent"}, j.take(), "before Open returns")
		for _, n := range []conversation.Notice{
			conversation.Start{ID: 1},
			conversation.Sentence{ID: 1, Index: 3},
			conversation.Voice{ID: 1, Offset: 480},
			conversation.Answered{ID: 1},
			conversation.Done{ID: 1},
		} {
			w.notices <- n
		}
		synctest.Wait()
		require.Equal(t, []string{
			"echo:voice protocol.StartEvent", "echo:voice protocol.SentenceEvent", "play 1/3 @480",
			"echo:voice protocol.AnsweredEvent", "allow 1", "echo:voice protocol.DoneEvent",
		}, j.take())

		require.NoError(t, v.Cancel())
		require.Equal(t, []string{"hush 0"}, j.take(), "silent before the conversation has answered")
		w.notices <- conversation.Cancelled{ID: 2}
		w.notices <- conversation.Stopped{}
		synctest.Wait()
		require.Equal(t, []string{"settle 2", "echo:voice protocol.CancelledEvent", "settle 0", "echo:voice protocol.StoppedEvent"}, j.take())
		s.Leave(t.Context())
		require.Equal(t, []string{"settle 0"}, j.take())
		require.Error(t, v.Cancel())
		require.Equal(t, []string{"hush 0", "settle 0"}, j.take(), "nothing will answer")
	})
}

func TestAWindowThatIsTakenIsToldAndOneThatIsLostAsWell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		taken, lost := newFakeWindow(conversation.Ready{}), newFakeWindow(conversation.Ready{})
		s, _, j := newTestSession(taken, lost)
		require.NoError(t, s.Ensure(t.Context(), false))
		j.take()
		taken.notices <- conversation.Detached{Reason: "taken"}
		close(taken.notices)
		synctest.Wait()
		require.Equal(t, []string{"settle 0", "echo:voice protocol.DetachedEvent"}, j.take())
		require.Nil(t, s.current())

		require.NoError(t, s.Ensure(t.Context(), true))
		j.take()
		close(lost.notices)
		synctest.Wait()
		require.Equal(t, []string{"settle 0", "echo:lost"}, j.take())
	})
}

func TestOpeningAgainLetsGoFirst(t *testing.T) {
	one, two := newFakeWindow(conversation.Ready{}), newFakeWindow(conversation.Ready{State: conversation.State{LastID: 40}})
	s, f, j := newTestSession(one, two)
	require.NoError(t, s.Ensure(t.Context(), false))
	require.NoError(t, s.Ensure(t.Context(), false), "attached already")
	_, err := s.Open(t.Context(), conversation.SessionRequest{Chat: "c"})
	require.NoError(t, err)
	select {
	case <-one.closed:
	default:
		t.Fatal("the first window is still open")
	}
	id, err := s.Issue(t.Context(), func(id int) conversation.Command { return conversation.Ask{ID: id} })
	require.NoError(t, err)
	require.Equal(t, 41, id)
	j.take()
	f.refuse = echo.Errorf(echo.CodeUnknownChat, "There is no such chat.")
	_, err = s.Open(t.Context(), conversation.SessionRequest{Chat: "gone"})
	require.Equal(t, echo.CodeUnknownChat, echo.CodeOf(err))
	require.Equal(t, []string{"settle 0", "echo:lost"}, j.take())
}

func TestAPanicInABoundCallIsAnError(t *testing.T) {
	_, err := guard(slog.New(slog.DiscardHandler), func(context.Context) (int, error) { panic("no") })
	require.Equal(t, echo.CodeInternal, echo.CodeOf(err))
	require.JSONEq(t, `{"code":"unknown_chat","message":"There is no such chat."}`, wireError(echo.Errorf(echo.CodeUnknownChat, "There is no such chat.")).(string))
	require.NotContains(t, wireError(errors.New("secret detail")), "secret")
}
