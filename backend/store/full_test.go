package store

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
)

// opened is a store with one chat.
func opened(t *testing.T, path string) (*Store, string) {
	t.Helper()
	s, err := Open(t.Context(), path, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s, told(t, s, "", "What was before?")
}

func told(t *testing.T, s *Store, chat, text string) string {
	t.Helper()
	e, _, err := s.Begin(t.Context(), echo.Question{Chat: chat, Kind: echo.KindChat, Text: text, Source: echo.SourceTyped})
	require.NoError(t, err)
	_, err = s.Finish(t.Context(), e.ID, echo.Outcome{State: echo.StateComplete, Answer: "Yes."})
	require.NoError(t, err)
	return e.Chat.ID
}

// TestWriteThatCannotBeDoneIsNamedAndChangesNothing has the disk fill up, or the file become read-only, between two questions.
func TestWriteThatCannotBeDoneIsNamedAndChangesNothing(t *testing.T) {
	for name, trouble := range map[string]struct{ begin, end, message string }{
		"a full disk":      {"PRAGMA max_page_count = 1", "PRAGMA max_page_count = 4294967294", "The disk is full"}, // no less than it has
		"a read-only file": {"PRAGMA query_only = 1", "PRAGMA query_only = 0", "may not write"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "chats.db")
			s, chat := opened(t, path)
			running, _, err := s.Begin(t.Context(), echo.Question{Chat: chat, Text: "Is there room?", Source: echo.SourceTyped})
			require.NoError(t, err)
			require.NoError(t, s.writer.Exec(trouble.begin).Error)
			long := strings.Repeat("a long answer ", 10_000)
			for what, write := range map[string]func() error{
				"question": func() error {
					_, err := s.Accept(t.Context(), echo.Question{Kind: echo.KindChat, Text: long, Source: echo.SourceTyped})
					return err
				},
				"journal": func() error { return s.Journal(t.Context(), running.ID, long, nil) },
				"answer": func() error {
					_, err := s.Finish(t.Context(), running.ID, echo.Outcome{State: echo.StateComplete, Answer: long})
					return err
				},
			} {
				err := write()
				require.Equal(t, echo.CodeStorage, echo.CodeOf(err), what)
				require.Contains(t, echo.AsError(err).Message, trouble.message, what)
				require.Contains(t, echo.AsError(err).Message, path, what)
			}
			before, _, err := s.Transcript(t.Context(), chat)
			require.NoError(t, err, "what is there can be read")
			require.Len(t, before, 3)

			require.NoError(t, s.writer.Exec(trouble.end).Error)
			_, err = s.Finish(t.Context(), running.ID, echo.Outcome{State: echo.StateComplete, Answer: long})
			require.NoError(t, err, "tried again, it is there")
			told(t, s, chat, "And after?")
			after, _, err := s.Transcript(t.Context(), chat)
			require.NoError(t, err)
			require.Len(t, after, 6)
			for n, message := range after {
				require.Equal(t, n+1, message.Number)
			}
		})
	}
}

// TestDamageInsideTheFileIsNamed spoils pages beyond the first: what reads them says so, and nothing panics.
func TestDamageInsideTheFileIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	s, chat := opened(t, path)
	for n := range 200 {
		told(t, s, chat, fmt.Sprint("Question ", n, strings.Repeat(" and more", 50)))
	}
	require.NoError(t, s.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for n := 4096; n < len(content); n++ {
		content[n] = 0xA5
	}
	require.NoError(t, os.WriteFile(path, content, 0o600))
	damaged, err := Open(t.Context(), path, slog.New(slog.DiscardHandler))
	if err == nil {
		defer func() { _ = damaged.Close() }()
		_, _, err = damaged.Transcript(t.Context(), chat)
	}
	require.Equal(t, echo.CodeStorage, echo.CodeOf(err))
	require.Contains(t, echo.AsError(err).Message, "damaged")
}
