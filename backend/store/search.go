package store

import (
	"context"
	"strings"
	"unicode"

	"gorm.io/gorm"

	"echo-companion/backend/echo"
)

const (
	// snippetWords is how many words of a message a hit shows: one or two lines.
	snippetWords = 24
	// ranked is how many messages are ranked, the newest first: words that nearly every message has would otherwise take
	// seconds, and rank nothing.
	ranked = 10_000
	// sought is how many different words of a query are looked for: a page pasted into the search would take a minute.
	sought = 64
)

// Search finds the messages with all words of a query, the best first; the last word may be the beginning of one.
func (s *Store) Search(ctx context.Context, query string, limit int) ([]echo.Hit, error) {
	return s.match(ctx, phrases(query, " AND "), limit)
}

// Find finds the messages with any word of a query, those with most and rarest ones first.
func (s *Store) Find(ctx context.Context, query string, limit int) ([]echo.Hit, error) {
	return s.match(ctx, phrases(query, " OR "), limit)
}

func (s *Store) match(ctx context.Context, match string, limit int) ([]echo.Hit, error) {
	if match == "" {
		return nil, nil
	}
	var hits []echo.Hit
	err := s.read(ctx, "search chats", func(tx *gorm.DB) error {
		var oldest int64 // 0 where there are fewer
		err := tx.Raw("SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?", match, ranked).Scan(&oldest).Error
		if err != nil {
			return err
		}
		return tx.Raw(`
			SELECT chats.id AS chat, chats.title AS title, messages.number AS number, messages.text AS text, found.snippet AS snippet
			FROM (
			  SELECT rowid, rank, snippet(messages_fts, 0, '', '', '…', ?) AS snippet
			  FROM messages_fts WHERE messages_fts MATCH ? AND rowid > ? ORDER BY rank LIMIT ?
			) AS found
			JOIN messages ON messages.id = found.rowid JOIN chats ON chats.id = messages.chat
			ORDER BY found.rank`, snippetWords, match, oldest, limit).Scan(&hits).Error
	})
	return hits, err
}

// phrases writes what a person typed as an FTS5 query. Each word is quoted, so that nothing in it is an operator; what FTS5
// would take for a space is left out.
func phrases(query, operator string) string {
	words := strings.FieldsFunc(query, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co) })
	words = distinct(words)
	short := len(words) > 0 && len(words[len(words)-1]) == 1 // one Latin letter begins too many words
	for i, word := range words {
		words[i] = `"` + word + `"`
	}
	if len(words) == 0 {
		return ""
	}
	if last := []rune(query); !short && !unicode.IsSpace(last[len(last)-1]) {
		words[len(words)-1] += "*"
	}
	return strings.Join(words, operator)
}

// distinct leaves each word once, the last one last, and of many the first.
func distinct(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	last := words[len(words)-1]
	seen := map[string]bool{last: true}
	var kept []string
	for _, word := range words {
		if !seen[word] && len(kept) < sought-1 {
			seen[word] = true
			kept = append(kept, word)
		}
	}
	return append(kept, last)
}
