package store_test

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/store"
)

var update = flag.Bool("update", false, "write the kept databases of versions that have none")

// scripts are the schema changes in their order.
func scripts(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("migrations/*.sql")
	require.NoError(t, err)
	slices.Sort(names)
	return names
}

func schema(t *testing.T, db *sql.DB) string {
	t.Helper()
	rows, err := db.Query("SELECT type || ' ' || name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY type, name")
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	var all []string
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		all = append(all, line)
	}
	require.NoError(t, rows.Err())
	return strings.Join(all, "\n")
}

// TestKeptDatabasesOfOlderVersions opens a database of each older version, as that version left it.
func TestKeptDatabasesOfOlderVersions(t *testing.T) {
	current := filepath.Join(t.TempDir(), "fresh.db")
	require.NoError(t, open(t, current).Close())
	want := schema(t, raw(t, current))
	names := scripts(t)
	for version := 1; version < len(names); version++ {
		t.Run(fmt.Sprintf("version %d", version), func(t *testing.T) {
			kept := fmt.Sprintf("testdata/version-%d.db", version)
			if _, err := os.Stat(kept); *update && os.IsNotExist(err) {
				writeOld(t, kept, names[:version])
			}
			path := filepath.Join(t.TempDir(), "chats.db")
			content, err := os.ReadFile(kept)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, content, 0o600))

			s := open(t, path)
			chat, err := s.Chat(t.Context(), "old-chat")
			require.NoError(t, err)
			require.Equal(t, echo.Chat{
				ID: "old-chat", Title: "Where do penguins live?", Kind: echo.KindChat, Messages: 3,
				CreatedAt: time.UnixMicro(1_700_000_000_000_000).UTC(), UpdatedAt: time.UnixMicro(1_700_000_001_000_000).UTC(),
			}, chat)
			require.Equal(t, []string{"user: Where do penguins live?", "tool: penguin.txt", "assistant: Penguins live in the south."}, texts(t, s, "old-chat"))
			summary, err := s.Summary(t.Context(), "old-chat")
			require.NoError(t, err)
			require.Equal(t, &echo.Summary{Text: "About penguins.", Through: 3}, summary)
			hits, err := s.Search(t.Context(), "penguins", 10)
			require.NoError(t, err)
			require.Len(t, hits, 2, "what was said before there was a search is found")
			exchange(t, s, "old-chat", "And whales?", "Everywhere.")
			require.Len(t, texts(t, s, "old-chat"), 5)
			require.NoError(t, s.Close())

			db := raw(t, path)
			require.Equal(t, want, schema(t, db))
			var check string
			require.NoError(t, db.QueryRow("PRAGMA integrity_check").Scan(&check))
			require.Equal(t, "ok", check)
		})
	}
}

// writeOld makes a database of an older version, with one chat in it.
func writeOld(t *testing.T, path string, names []string) {
	t.Helper()
	db := raw(t, path)
	for _, name := range names {
		script, err := os.ReadFile(name)
		require.NoError(t, err)
		_, err = db.Exec(string(script))
		require.NoError(t, err)
	}
	_, err := db.Exec(fmt.Sprintf(`
		PRAGMA user_version = %d;
		INSERT INTO chats (id, title, created_at, updated_at) VALUES ('old-chat', 'Where do penguins live?', 1700000000000000, 1700000001000000);
		INSERT INTO messages (chat, number, role, text, name, arguments, state, source, created_at) VALUES
		  ('old-chat', 1, 'user', 'Where do penguins live?', '', '', 'complete', 'typed', 1700000000000000),
		  ('old-chat', 2, 'tool', 'penguin.txt', 'search_files', '{"query":"penguin"}', 'complete', 'typed', 1700000001000000),
		  ('old-chat', 3, 'assistant', 'Penguins live in the south.', '', '', 'complete', 'typed', 1700000001000000);
		INSERT INTO summaries (chat, text, through) VALUES ('old-chat', 'About penguins.', 3);`, len(names)))
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func TestNewerDatabaseIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	require.NoError(t, open(t, path).Close())
	_, err := raw(t, path).Exec("PRAGMA user_version = 1000")
	require.NoError(t, err)
	_, err = store.Open(t.Context(), path, nil)
	require.Equal(t, echo.CodeStorage, echo.CodeOf(err))
}
