package store_test

import (
	"database/sql"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/store"
)

// library is how many messages BenchmarkLibrary reads among: 1,000,000 take some minutes to write.
var library = flag.Int("library", 100_000, "how many messages the library of the benchmarks has")

const (
	benchChats = 10_000
	benchLong  = 5_000 // messages of one chat
)

func benchStore(b *testing.B) (*store.Store, string) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "chats.db")
	s, err := store.Open(b.Context(), path, slog.New(slog.DiscardHandler))
	require.NoError(b, err)
	b.Cleanup(func() { _ = s.Close() })
	return s, path
}

// BenchmarkAppendExchange stores one question and its answer: two commits, each on disk.
func BenchmarkAppendExchange(b *testing.B) {
	s, _ := benchStore(b)
	chat, err := s.Create(b.Context(), "bench")
	require.NoError(b, err)
	for b.Loop() {
		e, _, err := s.Begin(b.Context(), question(chat.ID, "What is the answer to this question?"))
		require.NoError(b, err)
		_, err = s.Finish(b.Context(), e.ID, answer("This is the answer to that question."))
		require.NoError(b, err)
	}
}

// BenchmarkRawInserts is the same amount written by hand: two commits with the same pragmas, one row each.
func BenchmarkRawInserts(b *testing.B) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "raw.db")+
		"?_pragma=busy_timeout(1500)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_txlock=immediate")
	require.NoError(b, err)
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(b.Context(), "CREATE TABLE messages (id INTEGER PRIMARY KEY, number INTEGER, role TEXT, text TEXT)")
	require.NoError(b, err)
	for b.Loop() {
		for _, role := range []string{"user", "assistant"} {
			_, err := db.ExecContext(b.Context(), "INSERT INTO messages (number, role, text) VALUES (1, ?, 'This is the answer to that question.')", role)
			require.NoError(b, err)
		}
	}
}

// BenchmarkJournal replaces the journal of a reply of some 2,000 characters.
func BenchmarkJournal(b *testing.B) {
	s, _ := benchStore(b)
	e, _, err := s.Begin(b.Context(), question("", "What is long?"))
	require.NoError(b, err)
	text := strings.Repeat("and so on ", 200)
	for b.Loop() {
		require.NoError(b, s.Journal(b.Context(), e.ID, text, nil))
	}
}

// BenchmarkLibrary reads a workspace of 10,000 chats and many messages.
func BenchmarkLibrary(b *testing.B) {
	s, path := benchStore(b)
	fill(b, path)
	ctx := b.Context()
	b.Run("list the first page", func(b *testing.B) {
		for b.Loop() {
			rows, _, err := s.List(ctx, "", 50)
			require.NoError(b, err)
			require.Len(b, rows, 50)
		}
	})
	b.Run("list all", func(b *testing.B) {
		for b.Loop() {
			n, before := 0, ""
			for {
				rows, next, err := s.List(ctx, before, 100)
				require.NoError(b, err)
				n += len(rows)
				if before = next; next == "" {
					break
				}
			}
			require.Equal(b, benchChats, n)
		}
	})
	b.Run("open a page of a long chat", func(b *testing.B) {
		for b.Loop() {
			page, err := s.Page(ctx, "chat-0", 0, 50)
			require.NoError(b, err)
			require.Len(b, page, 50)
		}
	})
	b.Run("read a long chat", func(b *testing.B) {
		for b.Loop() {
			all, _, err := s.Transcript(ctx, "chat-0")
			require.NoError(b, err)
			require.Len(b, all, benchLong)
		}
	})
	for name, query := range map[string]string{
		"rare word": word(7777), "two common words": word(1) + " " + word(2), "prefix": word(3)[:2], "two rare words": word(7777) + " " + word(7778),
	} {
		b.Run("search "+name, func(b *testing.B) {
			for b.Loop() {
				_, err := s.Search(ctx, query, 50)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkMeaning searches among 100,000 vectors, beside reading one page of a chat.
func BenchmarkMeaning(b *testing.B) {
	const vectors = 100_000
	s, path := benchStore(b)
	chat, err := s.Create(b.Context(), "bench")
	require.NoError(b, err)
	e, _, err := s.Begin(b.Context(), question(chat.ID, "What is the answer?"))
	require.NoError(b, err)
	_, err = s.Finish(b.Context(), e.ID, answer("This."))
	require.NoError(b, err)
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(OFF)&_txlock=immediate")
	require.NoError(b, err)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(b.Context(), `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO vectors (message, part, vector) SELECT 1 + i % 2, 0, randomblob(384) FROM n`, vectors)
	require.NoError(b, err)
	began := time.Now()
	_, err = s.Like(b.Context(), direction(3, 1, 1), 0, 50)
	require.NoError(b, err)
	first := time.Since(began)
	var meaning, page time.Duration
	n := 0
	for b.Loop() {
		n++
		began := time.Now()
		_, err := s.Like(b.Context(), direction(3, 1, uint64(n)), 0, 50)
		require.NoError(b, err)
		meaning += time.Since(began)
		began = time.Now()
		_, err = s.Page(b.Context(), chat.ID, 0, 50)
		require.NoError(b, err)
		page += time.Since(began)
	}
	b.ReportMetric(first.Seconds()*1e3, "ms/first")
	b.ReportMetric(meaning.Seconds()*1e3/float64(n), "ms/search")
	b.ReportMetric(meaning.Seconds()/page.Seconds(), "search/page")
}

// word is the n-th word of a made-up language: syllables in an order that spreads the beginnings.
func word(n uint64) string {
	const first, second = "bcdfghjklmnprstvwz", "aeiou"
	n = n*7919 + 13 // 7919 is prime: neighbours begin differently
	var text strings.Builder
	for range 4 {
		text.WriteByte(first[n%uint64(len(first))])
		n /= uint64(len(first))
		text.WriteByte(second[n%uint64(len(second))])
		n /= uint64(len(second))
	}
	return text.String()
}

// fill writes a library by hand, with words as frequent as those of a language: the n-th comes up as 1/n.
func fill(b *testing.B, path string) {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(OFF)&_txlock=immediate")
	require.NoError(b, err)
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(b.Context(), nil)
	require.NoError(b, err)
	// The index is written at the end, which is far quicker.
	var triggers string
	require.NoError(b, tx.QueryRowContext(b.Context(), "SELECT sql FROM sqlite_schema WHERE name = 'messages_fts_insert'").Scan(&triggers))
	_, err = tx.ExecContext(b.Context(), "DROP TRIGGER messages_fts_insert")
	require.NoError(b, err)
	words := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.07, 4, 50_000)
	insert, err := tx.PrepareContext(b.Context(), `INSERT INTO messages (chat, number, role, text, state, source, created_at) VALUES (?, ?, ?, ?, 'complete', 'typed', 0)`)
	require.NoError(b, err)
	defer func() { _ = insert.Close() }()
	for c := range benchChats {
		id := fmt.Sprintf("chat-%d", c)
		_, err := tx.ExecContext(b.Context(), "INSERT INTO chats (id, title, created_at, updated_at) VALUES (?, 'A chat', ?, ?)", id, c, c)
		require.NoError(b, err)
		count := *library / benchChats
		if c == 0 {
			count = benchLong
		}
		for n := range count {
			var text strings.Builder
			for range 20 {
				text.WriteString(word(words.Uint64()) + " ")
			}
			_, err := insert.ExecContext(b.Context(), id, n+1, []string{"user", "assistant"}[n%2], text.String())
			require.NoError(b, err)
		}
	}
	_, err = tx.ExecContext(b.Context(), "INSERT INTO messages_fts (rowid, text) SELECT id, text FROM messages WHERE role <> 'tool'; "+triggers)
	require.NoError(b, err)
	require.NoError(b, tx.Commit())
}
