package store

import (
	"encoding/json"

	"echo-companion/backend/echo"
)

// The rows below mirror the tables; their schema is in migrations.

type chatRow struct {
	Seq      int64 `gorm:"primaryKey"`
	ID       string
	Title    string
	Kind     echo.Kind
	Made     bool
	TitledBy int64
	Created  int64 `gorm:"column:created_at"`
	Updated  int64 `gorm:"column:updated_at"`
	Messages int   `gorm:"->;-:migration"` // counted by the query
}

func (chatRow) TableName() string { return "chats" }

func (r chatRow) chat() echo.Chat {
	return echo.Chat{
		ID: r.ID, Title: r.Title, Kind: r.Kind, CreatedAt: moment(r.Created), UpdatedAt: moment(r.Updated), Messages: r.Messages,
	}
}

type messageRow struct {
	ID        int64 `gorm:"primaryKey"`
	Chat      string
	Number    int
	Role      echo.Role
	Text      string
	Name      string
	Arguments string
	State     echo.State
	Source    echo.Source
	Code      echo.Code
	Reason    string
	Created   int64 `gorm:"column:created_at"`
}

func (messageRow) TableName() string { return "messages" }

func (r messageRow) message() echo.Message {
	m := echo.Message{
		Number: r.Number, Role: r.Role, Text: r.Text, Name: r.Name, State: r.State, Source: r.Source,
		Code: r.Code, Reason: r.Reason, CreatedAt: moment(r.Created),
	}
	if r.Arguments != "" {
		m.Arguments = json.RawMessage(r.Arguments)
	}
	return m
}

func rowOf(chat string, m echo.Message) messageRow {
	return messageRow{
		Chat: chat, Number: m.Number, Role: m.Role, Text: m.Text, Name: m.Name, Arguments: string(m.Arguments), State: m.State,
		Source: m.Source, Code: m.Code, Reason: m.Reason, Created: stamp(m.CreatedAt),
	}
}

func messagesOf(rows []messageRow) []echo.Message {
	messages := make([]echo.Message, 0, len(rows))
	for _, row := range rows {
		messages = append(messages, row.message())
	}
	return messages
}

type exchangeRow struct {
	ID        int64 `gorm:"primaryKey"`
	Chat      string
	Number    *int // of the question, once its reply has begun
	Question  string
	Source    echo.Source
	Asked     int64 `gorm:"column:asked_at"`
	Answer    string
	Tools     string
	Journaled int64 `gorm:"column:journaled_at"`
}

func (exchangeRow) TableName() string { return "exchanges" }

func (r exchangeRow) question() echo.Question {
	return echo.Question{Chat: r.Chat, Text: r.Question, Source: r.Source, AskedAt: moment(r.Asked)}
}

type summaryRow struct {
	Chat    string `gorm:"primaryKey"`
	Text    string
	Through int
}

func (summaryRow) TableName() string { return "summaries" }

type keyRow struct {
	Key      string `gorm:"primaryKey"`
	Digest   string
	Chat     string
	Exchange int64
	Number   int
	Asked    int64 `gorm:"column:asked_at"`
}

func (keyRow) TableName() string { return "keys" }
