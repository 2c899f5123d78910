package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
)

// Accept stores a question that waits. Where it names no chat, one is made, of the question's kind (voice where it has none),
// titled after the question.
func (s *Store) Accept(ctx context.Context, question echo.Question) (echo.Exchange, error) {
	var exchange echo.Exchange
	err := s.write(ctx, "store a question", func(tx *gorm.DB) (err error) {
		exchange, err = accept(tx, question)
		return err
	})
	return exchange, err
}

// Begin stores a question and gives it its number at once, for a chat in which nothing else runs or waits.
func (s *Store) Begin(ctx context.Context, question echo.Question) (exchange echo.Exchange, number int, err error) {
	err = s.write(ctx, "store a question", func(tx *gorm.DB) (err error) {
		if exchange, err = accept(tx, question); err != nil {
			return err
		}
		number, err = start(tx, exchange.ID)
		exchange.Chat.Messages = number
		return err
	})
	return exchange, number, err
}

// Start gives a waiting question its number in the chat; the reply's journal begins.
func (s *Store) Start(ctx context.Context, exchange int64) (number int, err error) {
	err = s.write(ctx, "number a question", func(tx *gorm.DB) (err error) {
		number, err = start(tx, exchange)
		return err
	})
	return number, err
}

// Journal replaces what is kept of the growing reply.
func (s *Store) Journal(ctx context.Context, exchange int64, answer string, tools []echo.ToolCall) error {
	kept, err := json.Marshal(tools)
	if err != nil {
		return fmt.Errorf("write tool calls: %w", err)
	}
	return s.write(ctx, "journal a reply", func(tx *gorm.DB) error {
		update := tx.Model(&exchangeRow{}).Where("id = ?", exchange).
			Updates(map[string]any{"answer": answer, "tools": string(kept), "journaled_at": stamp(time.Now())})
		if update.Error == nil && update.RowsAffected == 0 {
			return unknownChat()
		}
		return update.Error
	})
}

// Finish turns an exchange into its numbered messages: tool results, answer. It returns the answer's number. One that waits is
// started first.
func (s *Store) Finish(ctx context.Context, exchange int64, outcome echo.Outcome) (number int, err error) {
	err = s.write(ctx, "store an answer", func(tx *gorm.DB) (err error) {
		row, err := findExchange(tx, exchange)
		if err != nil {
			return err
		}
		number, err = finish(tx, row, outcome)
		return err
	})
	return number, err
}

// Withdraw removes an exchange, started or not, without a trace. A chat that was made for its question alone goes with it.
func (s *Store) Withdraw(ctx context.Context, exchange int64) error {
	return s.erase(ctx, "withdraw a question", func(tx *gorm.DB) error {
		row, err := findExchange(tx, exchange)
		if err != nil {
			return err
		}
		if err := tx.Delete(&exchangeRow{}, row.ID).Error; err != nil {
			return err
		}
		if row.Number != nil {
			// Nothing but this reply may have added to the chat since: the question is its last message.
			if err := tx.Where("chat = ? AND number = ?", row.Chat, *row.Number).Delete(&messageRow{}).Error; err != nil {
				return err
			}
		}
		if err := tx.Where("exchange = ?", row.ID).Delete(&keyRow{}).Error; err != nil {
			return err
		}
		return forgetTitle(tx, row)
	})
}

// Keep stores a whole exchange at once, and returns its answer's number.
func (s *Store) Keep(ctx context.Context, unsaved echo.Unsaved) (number int, err error) {
	err = s.write(ctx, "store an exchange", func(tx *gorm.DB) error {
		chat := unsaved.Chat
		known, err := exists(tx, chat.ID)
		switch {
		case err != nil:
			return err
		case !known && !unsaved.New:
			return unknownChat()
		case !known:
			row := chatRow{ID: chat.ID, Title: chat.Title, Kind: chat.Kind, Created: stamp(chat.CreatedAt), Updated: stamp(chat.CreatedAt)}
			if err := tx.Create(&row).Error; err != nil {
				return err
			}
		}
		question := unsaved.Question
		question.Chat = chat.ID
		exchange, err := accept(tx, question)
		if err != nil {
			return err
		}
		row, err := findExchange(tx, exchange.ID)
		if err != nil {
			return err
		}
		number, err = finish(tx, row, unsaved.Outcome)
		return err
	})
	return number, err
}

// accept stores a question, and makes its chat where it names none.
func accept(tx *gorm.DB, question echo.Question) (echo.Exchange, error) {
	var chat chatRow
	if question.Chat == "" {
		chat = chatRow{
			ID: echo.NewID(), Title: history.Title(question.Text), Kind: question.Kind, Made: true,
			Created: stamp(question.AskedAt), Updated: stamp(time.Now()),
		}
		if chat.Kind == "" {
			chat.Kind = echo.KindVoice
		}
		if err := tx.Create(&chat).Error; err != nil {
			return echo.Exchange{}, err
		}
	} else {
		var err error
		if chat, err = findChat(tx, question.Chat); err != nil {
			return echo.Exchange{}, err
		}
	}
	row := exchangeRow{
		Chat: chat.ID, Question: question.Text, Source: question.Source, Asked: stamp(question.AskedAt), Tools: "[]",
		Journaled: stamp(question.AskedAt),
	}
	if err := tx.Create(&row).Error; err != nil {
		return echo.Exchange{}, err
	}
	if question.Chat == "" || chat.Title == "" {
		chat.Title = history.Title(question.Text)
		err := tx.Model(&chatRow{}).Where("id = ?", chat.ID).Updates(map[string]any{"title": chat.Title, "titled_by": row.ID}).Error
		if err != nil {
			return echo.Exchange{}, err
		}
	}
	if question.Key != "" {
		if err := keepKey(tx, question, row); err != nil {
			return echo.Exchange{}, err
		}
	}
	return echo.Exchange{ID: row.ID, Chat: chat.chat()}, nil
}

// start numbers an exchange's question. One that has its number keeps it.
func start(tx *gorm.DB, exchange int64) (int, error) {
	row, err := findExchange(tx, exchange)
	if err != nil {
		return 0, err
	}
	if row.Number != nil {
		return *row.Number, nil
	}
	number, err := add(tx, row.Chat, history.QuestionMessage(row.question()))
	if err != nil {
		return 0, err
	}
	if err := tx.Model(&exchangeRow{}).Where("id = ?", exchange).Update("number", number).Error; err != nil {
		return 0, err
	}
	if err := tx.Model(&keyRow{}).Where("exchange = ?", exchange).Update("number", number).Error; err != nil {
		return 0, err
	}
	return number, touch(tx, row.Chat)
}

// finish turns an exchange into messages and drops it.
func finish(tx *gorm.DB, row exchangeRow, outcome echo.Outcome) (int, error) {
	if _, err := start(tx, row.ID); err != nil {
		return 0, err
	}
	number, err := add(tx, row.Chat, history.OutcomeMessages(outcome, row.Source)...)
	if err != nil {
		return 0, err
	}
	if err := tx.Delete(&exchangeRow{}, row.ID).Error; err != nil {
		return 0, err
	}
	return number, touch(tx, row.Chat)
}

// add appends messages to a chat and returns the last one's number.
func add(tx *gorm.DB, chat string, messages ...echo.Message) (int, error) {
	number, err := lastNumber(tx, chat)
	if err != nil {
		return 0, err
	}
	rows := make([]messageRow, 0, len(messages))
	for _, message := range messages {
		number++
		message.Number = number
		rows = append(rows, rowOf(chat, message))
	}
	return number, tx.CreateInBatches(rows, 100).Error // SQLite bounds the variables of a statement
}

func lastNumber(tx *gorm.DB, chat string) (int, error) {
	var number int
	err := tx.Raw("SELECT coalesce(max(number), 0) FROM messages WHERE chat = ?", chat).Scan(&number).Error
	return number, err
}

// touch moves a chat to the front of the list.
func touch(tx *gorm.DB, chat string) error {
	return tx.Model(&chatRow{}).Where("id = ?", chat).Update("updated_at", stamp(time.Now())).Error
}

func findExchange(tx *gorm.DB, id int64) (exchangeRow, error) {
	var row exchangeRow
	err := tx.Where("id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return row, unknownChat()
	}
	return row, err
}

// forgetTitle removes what a withdrawn question left in its chat: the title that it gave, or the whole chat.
func forgetTitle(tx *gorm.DB, withdrawn exchangeRow) error {
	chat, err := findChat(tx, withdrawn.Chat)
	if err != nil {
		return err
	}
	var waiting exchangeRow
	err = tx.Where("chat = ?", chat.ID).Order("id").Take(&waiting).Error
	none := errors.Is(err, gorm.ErrRecordNotFound)
	if err != nil && !none {
		return err
	}
	if none && chat.Made && chat.Messages == 0 {
		return tx.Delete(&chatRow{}, chat.Seq).Error
	}
	if chat.TitledBy != withdrawn.ID {
		return nil
	}
	title := ""
	if !none {
		title = history.Title(waiting.Question)
	}
	return tx.Model(&chatRow{}).Where("seq = ?", chat.Seq).Updates(map[string]any{"title": title, "titled_by": waiting.ID}).Error
}
