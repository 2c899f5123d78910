package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"echo-companion/backend/echo"
)

// counted selects chats with the number of their messages, which is that of the last one.
const counted = "chats.*, (SELECT coalesce(max(number), 0) FROM messages WHERE messages.chat = chats.id) AS messages"

// Chat is one row of the list.
func (s *Store) Chat(ctx context.Context, id string) (echo.Chat, error) {
	row, err := findChat(s.reader.WithContext(ctx), id)
	return row.chat(), s.explain("read a chat", err)
}

// List is a page of chats, newest first, and where the next page begins: empty where there is none.
func (s *Store) List(ctx context.Context, before string, limit int) ([]echo.Chat, string, error) {
	query := s.reader.WithContext(ctx).Select(counted).Order("updated_at DESC, seq DESC").Limit(limit + 1)
	if before != "" {
		updated, seq, ok := parseCursor(before)
		if !ok {
			return nil, "", echo.Errorf(echo.CodeInvalid, "before is not what a page of the list gave as next")
		}
		query = query.Where("(updated_at, seq) < (?, ?)", updated, seq)
	}
	var rows []chatRow
	if err := query.Find(&rows).Error; err != nil {
		return nil, "", s.explain("list chats", err)
	}
	next := ""
	if len(rows) > limit {
		rows = rows[:limit]
		if limit > 0 {
			next = fmt.Sprintf("%d-%d", rows[limit-1].Updated, rows[limit-1].Seq)
		}
	}
	chats := make([]echo.Chat, 0, len(rows))
	for _, row := range rows {
		chats = append(chats, row.chat())
	}
	return chats, next, nil
}

func parseCursor(text string) (updated, seq int64, ok bool) {
	first, second, found := strings.Cut(text, "-")
	updated, err := strconv.ParseInt(first, 10, 64)
	seq, err2 := strconv.ParseInt(second, 10, 64)
	return updated, seq, found && err == nil && err2 == nil
}

// Create makes an empty chat. One without a title gets it from its first question.
func (s *Store) Create(ctx context.Context, title string) (echo.Chat, error) {
	now := stamp(time.Now())
	row := chatRow{ID: echo.NewID(), Title: title, Kind: echo.KindChat, Created: now, Updated: now}
	err := s.write(ctx, "make a chat", func(tx *gorm.DB) error { return tx.Create(&row).Error })
	return row.chat(), err
}

// Import makes a chat with messages, which are numbered from 1 in their order. It keeps its dates, unless they are of the future.
func (s *Store) Import(ctx context.Context, chat echo.Chat, messages []echo.Message, summary *echo.Summary) (echo.Chat, error) {
	row := chatRow{ID: echo.NewID(), Title: chat.Title, Kind: chat.Kind, Created: stamp(chat.CreatedAt), Updated: stamp(chat.UpdatedAt)}
	row.Updated = min(row.Updated, stamp(time.Now()))
	row.Created = min(row.Created, row.Updated)
	err := s.write(ctx, "import a chat", func(tx *gorm.DB) error {
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
		if len(messages) > 0 {
			last, err := add(tx, row.ID, messages...)
			if err != nil {
				return err
			}
			row.Messages = last
		}
		if summary == nil {
			return nil
		}
		return tx.Create(&summaryRow{Chat: row.ID, Text: summary.Text, Through: summary.Through}).Error
	})
	return row.chat(), err
}

// Rename gives a chat another title.
func (s *Store) Rename(ctx context.Context, id, title string) (echo.Chat, error) {
	var row chatRow
	err := s.write(ctx, "rename a chat", func(tx *gorm.DB) (err error) {
		if row, err = findChat(tx, id); err != nil {
			return err
		}
		row.Title = title
		return tx.Model(&chatRow{}).Where("seq = ?", row.Seq).Updates(map[string]any{"title": title, "titled_by": 0}).Error
	})
	return row.chat(), err
}

// Delete removes a chat with all that belongs to it, for good.
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.erase(ctx, "delete a chat", func(tx *gorm.DB) error {
		deleted := tx.Where("id = ?", id).Delete(&chatRow{})
		if deleted.Error == nil && deleted.RowsAffected == 0 {
			return unknownChat()
		}
		return deleted.Error
	})
}

// Page is the newest limit messages before a number (0: the newest of all), in ascending order.
func (s *Store) Page(ctx context.Context, id string, before, limit int) ([]echo.Message, error) {
	query := s.reader.WithContext(ctx).Where("chat = ?", id).Order("number DESC").Limit(limit)
	if before > 0 {
		query = query.Where("number < ?", before)
	}
	var rows []messageRow
	if err := query.Find(&rows).Error; err != nil {
		return nil, s.explain("read messages", err)
	}
	messages := make([]echo.Message, len(rows))
	for i, row := range rows {
		messages[len(rows)-1-i] = row.message()
	}
	return messages, nil
}

// Messages reads the messages numbered from to to, both included.
func (s *Store) Messages(ctx context.Context, id string, from, to int) ([]echo.Message, error) {
	var rows []messageRow
	err := s.reader.WithContext(ctx).Where("chat = ? AND number BETWEEN ? AND ?", id, from, to).Order("number").Find(&rows).Error
	return messagesOf(rows), s.explain("read messages", err)
}

// Transcript is every message of a chat, and its summary.
func (s *Store) Transcript(ctx context.Context, id string) ([]echo.Message, *echo.Summary, error) {
	return s.transcript(ctx, id, false)
}

// Tail is the summary of a chat and the messages that it does not cover.
func (s *Store) Tail(ctx context.Context, id string) ([]echo.Message, *echo.Summary, error) {
	return s.transcript(ctx, id, true)
}

func (s *Store) transcript(ctx context.Context, id string, tail bool) ([]echo.Message, *echo.Summary, error) {
	var rows []messageRow
	var summary *echo.Summary
	err := s.read(ctx, "read a chat", func(tx *gorm.DB) error {
		known, err := exists(tx, id)
		if err != nil {
			return err
		}
		if !known {
			return unknownChat()
		}
		if summary, err = findSummary(tx, id); err != nil {
			return err
		}
		after := 0
		if tail && summary != nil {
			after = summary.Through
		}
		return tx.Where("chat = ? AND number > ?", id, after).Order("number").Find(&rows).Error
	})
	return messagesOf(rows), summary, err
}

// Summary is a chat's running summary, or nil.
func (s *Store) Summary(ctx context.Context, id string) (*echo.Summary, error) {
	summary, err := findSummary(s.reader.WithContext(ctx), id)
	return summary, s.explain("read a summary", err)
}

// SetSummary stores a running summary, unless the present one covers as much.
func (s *Store) SetSummary(ctx context.Context, id string, summary echo.Summary) error {
	return s.write(ctx, "store a summary", func(tx *gorm.DB) error {
		chat, err := findChat(tx, id)
		if err != nil {
			return err
		}
		if summary.Through < 1 || summary.Through > chat.Messages {
			return echo.Errorf(echo.CodeInvalid, "a summary through message %d of %d", summary.Through, chat.Messages)
		}
		return tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "chat"}},
			DoUpdates: clause.AssignmentColumns([]string{"text", "through"}),
			Where:     clause.Where{Exprs: []clause.Expression{clause.Expr{SQL: "summaries.through < excluded.through"}}},
		}).Create(&summaryRow{Chat: id, Text: summary.Text, Through: summary.Through}).Error
	})
}

func findSummary(tx *gorm.DB, id string) (*echo.Summary, error) {
	var row summaryRow
	err := tx.Where("chat = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil //nolint:nilnil // no summary is no error, and nil is what echo calls none
	}
	if err != nil {
		return nil, err
	}
	return &echo.Summary{Text: row.Text, Through: row.Through}, nil
}

func findChat(tx *gorm.DB, id string) (chatRow, error) {
	var row chatRow
	err := tx.Select(counted).Where("id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return row, unknownChat()
	}
	return row, err
}

func exists(tx *gorm.DB, id string) (bool, error) {
	var n int64
	err := tx.Model(&chatRow{}).Where("id = ?", id).Count(&n).Error
	return n > 0, err
}
