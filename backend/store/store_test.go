package store_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/store"
)

var asked = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func fresh(t *testing.T) *store.Store {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "chats.db"))
}

func question(chat, text string) echo.Question {
	return echo.Question{Chat: chat, Kind: echo.KindChat, Text: text, Source: echo.SourceTyped, AskedAt: asked}
}

func answer(text string, tools ...echo.ToolCall) echo.Outcome {
	return echo.Outcome{State: echo.StateComplete, Answer: text, Tools: tools, At: asked.Add(time.Second)}
}

// exchange asks and answers.
func exchange(t *testing.T, s *store.Store, chat, text, reply string) string {
	t.Helper()
	e, _, err := s.Begin(t.Context(), question(chat, text))
	require.NoError(t, err)
	_, err = s.Finish(t.Context(), e.ID, answer(reply))
	require.NoError(t, err)
	return e.Chat.ID
}

func texts(t *testing.T, s *store.Store, chat string) []string {
	t.Helper()
	messages, _, err := s.Transcript(t.Context(), chat)
	require.NoError(t, err)
	var all []string
	for i, message := range messages {
		require.Equal(t, i+1, message.Number, "numbers have no gaps")
		all = append(all, string(message.Role)+": "+message.Text)
	}
	return all
}

// raw opens the same file beside the store.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=foreign_keys(1)")
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestExchangeBecomesNumberedMessages(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	e, err := s.Accept(ctx, echo.Question{Kind: echo.KindVoice, Text: "How much is 6*7?", Source: echo.SourceSpoken, AskedAt: asked})
	require.NoError(t, err)
	require.Equal(t, "How much is 6*7?", e.Chat.Title)
	require.Empty(t, texts(t, s, e.Chat.ID), "a question that waits has no number")

	number, err := s.Start(ctx, e.ID)
	require.NoError(t, err)
	require.Equal(t, 1, number)
	call := echo.ToolCall{ID: "a", Name: "calculate", Arguments: json.RawMessage(`{"expression":"6*7"}`), Result: "42", Status: echo.ToolDone}
	require.NoError(t, s.Journal(ctx, e.ID, "It", []echo.ToolCall{call}))
	number, err = s.Finish(ctx, e.ID, answer("It is 42.", call))
	require.NoError(t, err)
	require.Equal(t, 3, number)

	messages, summary, err := s.Transcript(ctx, e.Chat.ID)
	require.NoError(t, err)
	require.Nil(t, summary)
	require.Equal(t, []echo.Message{
		{Number: 1, Role: echo.RoleUser, Text: "How much is 6*7?", State: echo.StateComplete, Source: echo.SourceSpoken, CreatedAt: asked},
		{
			Number: 2, Role: echo.RoleTool, Name: "calculate", Arguments: call.Arguments, Text: "42", State: echo.StateComplete,
			Source: echo.SourceSpoken, CreatedAt: asked.Add(time.Second),
		},
		{Number: 3, Role: echo.RoleAssistant, Text: "It is 42.", State: echo.StateComplete, Source: echo.SourceSpoken, CreatedAt: asked.Add(time.Second)},
	}, messages)

	chat, err := s.Chat(ctx, e.Chat.ID)
	require.NoError(t, err)
	require.Equal(t, echo.KindVoice, chat.Kind)
	require.Equal(t, 3, chat.Messages)
	_, err = s.Finish(ctx, e.ID, answer("again"))
	require.Equal(t, echo.CodeUnknownChat, echo.CodeOf(err), "an exchange ends once")
}

func TestFailureKeepsItsReason(t *testing.T) {
	s := fresh(t)
	e, _, err := s.Begin(t.Context(), question("", "What fails?"))
	require.NoError(t, err)
	_, err = s.Finish(t.Context(), e.ID, echo.Outcome{State: echo.StateFailed, Answer: "It", Code: echo.CodeEngineError, Reason: "Ollama stopped.", At: asked})
	require.NoError(t, err)
	messages, err := s.Messages(t.Context(), e.Chat.ID, 2, 2)
	require.NoError(t, err)
	require.Equal(t, echo.CodeEngineError, messages[0].Code)
	require.Equal(t, "Ollama stopped.", messages[0].Reason)
}

func TestWithdrawnQuestionLeavesNoTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	s := open(t, path)
	ctx := t.Context()
	first, err := s.Accept(ctx, question("", "A secret question?"))
	require.NoError(t, err)
	second, err := s.Accept(ctx, question(first.Chat.ID, "An open question?"))
	require.NoError(t, err)
	_, err = s.Start(ctx, first.ID)
	require.NoError(t, err)

	require.NoError(t, s.Withdraw(ctx, first.ID))
	chat, err := s.Chat(ctx, first.Chat.ID)
	require.NoError(t, err)
	require.Equal(t, "An open question?", chat.Title, "the title was the withdrawn question")
	require.Zero(t, chat.Messages)
	hits, err := s.Search(ctx, "secret", 10)
	require.NoError(t, err)
	require.Empty(t, hits)

	require.NoError(t, s.Withdraw(ctx, second.ID))
	_, err = s.Chat(ctx, first.Chat.ID)
	require.Equal(t, echo.CodeUnknownChat, echo.CodeOf(err), "the chat was made for these questions alone")

	made, err := s.Create(ctx, "Plans")
	require.NoError(t, err)
	third, err := s.Accept(ctx, question(made.ID, "What plan?"))
	require.NoError(t, err)
	require.NoError(t, s.Withdraw(ctx, third.ID))
	chat, err = s.Chat(ctx, made.ID)
	require.NoError(t, err)
	require.Equal(t, "Plans", chat.Title)
}

func TestRecoveryKeepsWhatACrashCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	ctx := t.Context()
	s := open(t, path)
	chat := exchange(t, s, "", "What was before?", "This.")
	waiting, err := s.Accept(ctx, question(chat, "What waits?"))
	require.NoError(t, err)
	also, err := s.Accept(ctx, question(chat, "What waits too?"))
	require.NoError(t, err)
	running, err := s.Accept(ctx, question(chat, "What runs?"))
	require.NoError(t, err)
	require.Less(t, waiting.ID, also.ID)
	_, err = s.Start(ctx, running.ID)
	require.NoError(t, err)
	call := echo.ToolCall{ID: "a", Name: "calculate", Status: echo.ToolRunning}
	require.NoError(t, s.Journal(ctx, running.ID, "As far as", []echo.ToolCall{call}))
	require.NoError(t, s.Close())

	for range 2 { // what was recovered once is not recovered again
		s = open(t, path)
		require.Equal(t, []string{
			"user: What was before?", "assistant: This.", "user: What runs?", "tool: ", "assistant: As far as",
			"user: What waits?", "assistant: ", "user: What waits too?", "assistant: ",
		}, texts(t, s, chat))
		messages, err := s.Messages(ctx, chat, 4, 9)
		require.NoError(t, err)
		for _, message := range messages {
			if message.Role != echo.RoleUser {
				require.Equal(t, echo.StateInterrupted, message.State)
			}
		}
		require.NoError(t, s.Close())
	}
}

func TestDeletionIsFinal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	s := open(t, path)
	ctx := t.Context()
	chat := exchange(t, s, "", "Where do penguins live?", "In the south.")
	running, _, err := s.Begin(ctx, question(chat, "And whales?"))
	require.NoError(t, err)
	waiting, err := s.Accept(ctx, question(chat, "And bears?"))
	require.NoError(t, err)
	require.NoError(t, s.SetSummary(ctx, chat, echo.Summary{Text: "Penguins.", Through: 2}))
	require.NoError(t, s.Delete(ctx, chat))

	_, err = s.Finish(ctx, running.ID, answer("Everywhere."))
	require.Equal(t, echo.CodeUnknownChat, echo.CodeOf(err))
	require.Equal(t, echo.CodeUnknownChat, echo.CodeOf(s.Journal(ctx, running.ID, "Every", nil)))
	_, err = s.Start(ctx, waiting.ID)
	require.Equal(t, echo.CodeUnknownChat, echo.CodeOf(err))
	_, err = s.Accept(ctx, question(chat, "Hello?"))
	require.Equal(t, echo.CodeUnknownChat, echo.CodeOf(err))
	_, err = s.Keep(ctx, echo.Unsaved{Chat: echo.Chat{ID: chat}, Question: question(chat, "Hello?"), Outcome: answer("x")})
	require.Equal(t, echo.CodeUnknownChat, echo.CodeOf(err))
	require.Equal(t, echo.CodeUnknownChat, echo.CodeOf(s.Delete(ctx, chat)))
	chats, _, err := s.List(ctx, "", 10)
	require.NoError(t, err)
	require.Empty(t, chats)
	hits, err := s.Search(ctx, "penguins", 10)
	require.NoError(t, err)
	require.Empty(t, hits)
	var left int
	require.NoError(t, raw(t, path).QueryRow(
		"SELECT (SELECT count(*) FROM messages) + (SELECT count(*) FROM exchanges) + (SELECT count(*) FROM summaries) + (SELECT count(*) FROM messages_fts)").Scan(&left))
	require.Zero(t, left)
}

// TestErasedTextIsNowhereOnDisk looks into the files: what was withdrawn or deleted is in no free page, no log and no index.
func TestErasedTextIsNowhereOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	s := open(t, path)
	ctx := t.Context()
	exchange(t, s, "", "An open question?", "An open answer.")
	onDisk := func(word string) bool {
		found := false
		for _, end := range []string{"", "-wal"} {
			content, err := os.ReadFile(path + end)
			require.NoError(t, err)
			found = found || strings.Contains(strings.ToLower(string(content)), word)
		}
		return found
	}
	require.True(t, onDisk("open"))

	e, err := s.Accept(ctx, question("", "Where is the xyzzyquestion?"))
	require.NoError(t, err)
	_, err = s.Start(ctx, e.ID)
	require.NoError(t, err)
	require.NoError(t, s.Journal(ctx, e.ID, strings.Repeat("the xyzzyjournal grows ", 500), nil))
	require.True(t, onDisk("xyzzy"))
	require.NoError(t, s.Withdraw(ctx, e.ID))
	require.False(t, onDisk("xyzzy"))

	chat := exchange(t, s, "", "Where is the xyzzychat?", strings.Repeat("the xyzzyanswer ", 500))
	for range 20 {
		exchange(t, s, "", "An open question?", "An open answer.")
	}
	require.True(t, onDisk("xyzzy"))
	require.NoError(t, s.Delete(ctx, chat))
	require.False(t, onDisk("xyzzy"))
}

func TestKeepStoresWhatCouldNotBeStored(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	chat := echo.Chat{ID: echo.NewID(), Title: "What is late?", Kind: echo.KindChat, CreatedAt: asked}
	number, err := s.Keep(ctx, echo.Unsaved{Chat: chat, New: true, Question: question(chat.ID, "What is late?"), Outcome: answer("This.")})
	require.NoError(t, err)
	require.Equal(t, 2, number)
	number, err = s.Keep(ctx, echo.Unsaved{Chat: chat, New: true, Question: question(chat.ID, "What is later?"), Outcome: answer("That.")})
	require.NoError(t, err)
	require.Equal(t, 4, number)
	require.Equal(t, []string{"user: What is late?", "assistant: This.", "user: What is later?", "assistant: That."}, texts(t, s, chat.ID))
}

func TestIdempotencyKeyOutlivesARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	s := open(t, path)
	ctx := t.Context()
	q := question("", "What is asked once?")
	q.Key, q.Digest = "key", "digest"
	e, err := s.Accept(ctx, q)
	require.NoError(t, err)
	require.NoError(t, s.Close())

	s = open(t, path)
	kept, found, err := s.Key(ctx, "key")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, echo.Asked{Digest: "digest", Chat: e.Chat.ID, Number: 1}, kept, "recovery numbered the question")

	_, err = raw(t, path).Exec("UPDATE keys SET asked_at = asked_at - 601000000")
	require.NoError(t, err)
	_, found, err = s.Key(ctx, "key")
	require.NoError(t, err)
	require.False(t, found, "ten minutes are over")
	_, _, err = s.Begin(ctx, q)
	require.NoError(t, err, "an old key may be used again")
}

func TestListPagesFromNewestToOldest(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	var want []string
	for range 5 {
		want = append([]string{exchange(t, s, "", "What?", "This.")}, want...)
	}
	exchange(t, s, want[4], "And?", "That.")
	want = append([]string{want[4]}, want[:4]...)
	var got []string
	before := ""
	for range 3 {
		page, next, err := s.List(ctx, before, 2)
		require.NoError(t, err)
		for _, chat := range page {
			got = append(got, chat.ID)
		}
		before = next
	}
	require.Empty(t, before)
	require.Equal(t, want, got)
	_, _, err := s.List(ctx, "nonsense", 2)
	require.Equal(t, echo.CodeInvalid, echo.CodeOf(err))
}

func TestPagesOfMessages(t *testing.T) {
	s := fresh(t)
	chat := ""
	for range 4 {
		chat = exchange(t, s, chat, "What?", "This.")
	}
	for _, c := range []struct{ before, limit, from, to int }{{0, 3, 6, 8}, {6, 2, 4, 5}, {3, 50, 1, 2}, {0, 50, 1, 8}} {
		page, err := s.Page(t.Context(), chat, c.before, c.limit)
		require.NoError(t, err)
		require.Len(t, page, c.to-c.from+1)
		require.Equal(t, c.from, page[0].Number)
	}
}

func TestSummaryOnlyGrows(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	chat := ""
	for range 3 {
		chat = exchange(t, s, chat, "What?", "This.")
	}
	require.NoError(t, s.SetSummary(ctx, chat, echo.Summary{Text: "four", Through: 4}))
	require.NoError(t, s.SetSummary(ctx, chat, echo.Summary{Text: "two", Through: 2}))
	summary, err := s.Summary(ctx, chat)
	require.NoError(t, err)
	require.Equal(t, &echo.Summary{Text: "four", Through: 4}, summary)
	require.Error(t, s.SetSummary(ctx, chat, echo.Summary{Text: "seven", Through: 7}))
	messages, _, err := s.Tail(ctx, chat)
	require.NoError(t, err)
	require.Len(t, messages, 2)
	require.Equal(t, 5, messages[0].Number)
}

func TestCreateRenameImport(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	chat, err := s.Create(ctx, "")
	require.NoError(t, err)
	exchange(t, s, chat.ID, "What titles it?", "This.")
	chat, err = s.Chat(ctx, chat.ID)
	require.NoError(t, err)
	require.Equal(t, "What titles it?", chat.Title)
	chat, err = s.Rename(ctx, chat.ID, "Plans")
	require.NoError(t, err)
	require.Equal(t, "Plans", chat.Title)
	require.Equal(t, 2, chat.Messages)

	messages, _, err := s.Transcript(ctx, chat.ID)
	require.NoError(t, err)
	copied, err := s.Import(ctx, chat, messages, &echo.Summary{Text: "x", Through: 2})
	require.NoError(t, err)
	require.NotEqual(t, chat.ID, copied.ID)
	require.Equal(t, 2, copied.Messages)
	require.Equal(t, []time.Time{chat.CreatedAt, chat.UpdatedAt}, []time.Time{copied.CreatedAt, copied.UpdatedAt}, "it keeps its dates")
	require.Equal(t, texts(t, s, chat.ID), texts(t, s, copied.ID))
}

func TestCancelledWriteChangesNothing(t *testing.T) {
	s := fresh(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Accept(ctx, question("", "What?"))
	require.ErrorIs(t, err, context.Canceled)
	chats, _, err := s.List(t.Context(), "", 10)
	require.NoError(t, err)
	require.Empty(t, chats)
}
