package trouble_test

import (
	"context"
	"database/sql"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/protocol"
)

// lock has another connection hold the write lock of the chats until release.
func lock(t *testing.T, data string) (release func()) {
	t.Helper()
	conn, err := database(t, data).Conn(t.Context())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "PRAGMA busy_timeout = 10000")
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	return sync.OnceFunc(func() { unlock(t, conn) })
}

func unlock(t *testing.T, conn *sql.Conn) {
	t.Helper()
	_, err := conn.ExecContext(context.WithoutCancel(t.Context()), "ROLLBACK")
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

// listen hands on what a window is told until it is closed.
func (w *window) listen(ctx context.Context) <-chan event {
	events := make(chan event, 10_000) // more than a test has
	go func() {
		defer close(events)
		for {
			e, err := w.read(ctx)
			if err != nil {
				return
			}
			events <- e
		}
	}()
	return events
}

// until waits for an event that it is.
func until(t *testing.T, events <-chan event, what string, is func(event) bool) event {
	t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case e, open := <-events:
			require.True(t, open, "the window was lost before %s", what)
			if is(e) {
				return e
			}
		case <-timer.C:
			require.Fail(t, "there is no "+what)
		}
	}
}

// kind tells whether an event is of a kind, and of a turn where it is not 0.
func kind(kind string, turn int) func(event) bool {
	return func(e event) bool { return e.Type == kind && (turn == 0 || e.turn() == turn) }
}

// post asks in Chat, and gives the reply's events as they come.
func (s *server) post(ctx context.Context, session, question string) <-chan event {
	events := make(chan event, 10_000)
	go func() {
		defer close(events)
		_ = s.follow(ctx, "/api/chat", asked{session, question}, "", func(e event) bool {
			events <- e
			return e.Type != "done" && e.Type != "failed" && e.Type != "stopped"
		})
	}()
	return events
}

// everything reads all chats.
func everything(t *testing.T, s *server) *library {
	t.Helper()
	has := &library{chats: map[string]protocol.ChatPage{}, exchanges: map[string][]exchange{}}
	for _, row := range s.chats(t) {
		has.read(t, s.chat(t, row.ID))
	}
	return has
}

// stays requires that each question has its whole answer, once.
func stays(t *testing.T, s *server, questions ...string) {
	t.Helper()
	has := everything(t, s)
	for _, question := range questions {
		require.Len(t, has.exchanges[question], 1, question)
		require.Equal(t, answerTo(question), has.exchanges[question][0].answer.Text)
	}
}

// TestRepliesRunOnWhileAnotherProgramHoldsTheDatabase has another process hold the write lock for three seconds while Echo answers by
// voice and in Chat, and asks further questions meanwhile.
func TestRepliesRunOnWhileAnotherProgramHoldsTheDatabase(t *testing.T) {
	data, base := t.TempDir(), engines(t)
	s := launch(t, data)
	s.use(t, base)
	w, _, err := s.attach(t.Context(), map[string]any{})
	require.NoError(t, err)
	defer w.close()
	told := w.listen(t.Context())
	first, second := "What is said at length?", "What waits?"
	one, err := w.ask(t.Context(), first)
	require.NoError(t, err)
	until(t, told, "reply by voice", kind("delta", one))
	typed := s.post(t.Context(), "", "What is typed at length?")
	until(t, typed, "reply in Chat", kind("delta", 0))

	release := lock(t, data)
	held := time.AfterFunc(3*time.Second, release)
	defer held.Stop()
	two, err := w.ask(t.Context(), second)
	require.NoError(t, err)
	another := s.post(t.Context(), "", "What else is typed?")
	saving := until(t, told, "trouble that is told", kind("saving", 0))
	require.False(t, saving.Saving)
	require.Equal(t, "error", saving.Reason)
	until(t, told, "reply that runs on", kind("delta", one))
	until(t, typed, "reply in Chat that runs on", kind("delta", 0))

	until(t, told, "saving again", func(e event) bool { return e.Type == "saving" && e.Saving })
	until(t, told, "answer", kind("answered", one))
	until(t, told, "answer to what waited", kind("answered", two))
	until(t, typed, "end in Chat", kind("done", 0))
	until(t, another, "end in Chat of what was asked meanwhile", kind("done", 0))
	require.Eventually(t, func() bool { return !s.troubled(t) }, patience, 50*time.Millisecond, "what could not be saved is tried again")
	s.kill() // what is saved is on disk
	s = launch(t, data)
	stays(t, s, first, second, "What is typed at length?", "What else is typed?")
	sound(t, data)
}

// troubled tells whether there is a chat that could not be saved yet.
func (s *server) troubled(t *testing.T) bool {
	t.Helper()
	for _, row := range s.chats(t) {
		if row.Problem != "" {
			return true
		}
	}
	return false
}

// TestAStopWhileTheDatabaseIsHeldIsQuickAndLosesNothing ends Echo in the midst of replies while another program never lets go.
func TestAStopWhileTheDatabaseIsHeldIsQuickAndLosesNothing(t *testing.T) {
	data, base := t.TempDir(), engines(t)
	s := launch(t, data)
	s.use(t, base)
	w, _, err := s.attach(t.Context(), map[string]any{})
	require.NoError(t, err)
	defer w.close()
	told := w.listen(t.Context())
	questions := []string{"What is said at length?", "What waits?", "What is typed at length?"}
	for _, question := range questions[:2] {
		_, err := w.ask(t.Context(), question)
		require.NoError(t, err)
	}
	until(t, told, "question that waits", kind("queued", 0))
	typed := s.post(t.Context(), "", questions[2])
	until(t, typed, "reply in Chat", kind("delta", 0))

	release := lock(t, data)
	defer release()
	began := time.Now()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	_ = s.cmd.Wait() // it may say that not all could be saved
	require.Less(t, time.Since(began), 5*time.Second)
	release()

	s = launch(t, data)
	has := everything(t, s)
	for _, question := range questions {
		require.Len(t, has.exchanges[question], 1, question)
		require.EqualValues(t, "interrupted", has.exchanges[question][0].answer.State)
	}
}

// TestRepliesRunOnWhileTheDiskIsFull has the disk fill up in the midst of a reply by voice and of one in Chat, and become free again.
func TestRepliesRunOnWhileTheDiskIsFull(t *testing.T) {
	data, base := t.TempDir(), engines(t)
	s := launch(t, data)
	s.use(t, base)
	w, _, err := s.attach(t.Context(), map[string]any{})
	require.NoError(t, err)
	defer w.close()
	told := w.listen(t.Context())
	one, err := w.say(t.Context(), 1)
	require.NoError(t, err)
	until(t, told, "answer that is saved", func(e event) bool { return e.Type == "answered" && *e.Saved })

	require.NoError(t, s.cmd.Process.Signal(syscall.SIGUSR1))
	two, err := w.say(t.Context(), 2)
	require.NoError(t, err)
	saving := until(t, told, "trouble that is told", kind("saving", 0))
	require.False(t, saving.Saving)
	require.Equal(t, "error", saving.Reason)
	answered := until(t, told, "answer all the same", kind("answered", two))
	require.False(t, *answered.Saved)
	require.Equal(t, answerTo(spokenText(2)), answered.Answer)
	typed := s.post(t.Context(), "", "What is typed?")
	until(t, typed, "answer in Chat all the same", kind("done", 0))
	require.True(t, s.troubled(t), "and Chat says what is wrong")

	require.NoError(t, s.cmd.Process.Signal(syscall.SIGUSR2))
	until(t, told, "saving again", func(e event) bool { return e.Type == "saving" && e.Saving })
	require.NoError(t, w.send(t.Context(), map[string]any{"type": "retry", "id": w.next, "of": one}))
	until(t, told, "refusal, since it was answered", func(e event) bool { return e.Code == "not_retryable" })
	require.Eventually(t, func() bool { return !s.troubled(t) }, patience, 50*time.Millisecond, "what could not be saved is tried again")
	s.kill() // what is saved is on disk
	s = launch(t, data)
	stays(t, s, spokenText(1), spokenText(2), "What is typed?")
	sound(t, data)
}
