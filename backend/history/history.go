// Package history owns what is known of a chat in memory: its numbered messages and the running summary that stands in for its
// beginning. It builds the messages of a model's request from them, decides when a summary is due and over which range, and
// turns messages back into exchanges. Everything in it is pure: it reads no clock, stores nothing and asks no model.
package history

import (
	"slices"
	"sort"

	"echo-companion/backend/echo"
)

// Log holds messages of one chat in ascending order of their numbers, without gaps. It may begin anywhere after message 1,
// where what came before is covered by the summary. It is a value: With and the other methods that return a Log leave the one
// that they are called on as it was. The zero Log is a chat in which nothing has been said.
type Log struct {
	messages []echo.Message
	summary  *echo.Summary
}

// NewLog makes a log of a chat's messages, or of those after its summary. The slice is the log's to keep.
func NewLog(messages []echo.Message, summary *echo.Summary) Log {
	return Log{messages: slices.Clip(messages), summary: summary}
}

// Last is the number of the newest message, 0 in a chat in which nothing has been said.
func (l Log) Last() int {
	if n := len(l.messages); n > 0 {
		return l.messages[n-1].Number
	}
	if l.summary != nil {
		return l.summary.Through
	}
	return 0
}

// Summary is the running summary, or nil.
func (l Log) Summary() *echo.Summary { return l.summary }

// All is every message that the log holds. The slice must not be changed.
func (l Log) All() []echo.Message { return l.messages }

// Messages reads the messages numbered from to to, both included, as far as the log holds them.
func (l Log) Messages(from, to int) []echo.Message {
	first, end := l.index(from), l.index(to+1)
	if first >= end {
		return nil
	}
	return slices.Clone(l.messages[first:end])
}

// With returns the log with messages appended; they get the next numbers, whatever theirs are.
func (l Log) With(messages ...echo.Message) Log {
	next := l.Last() + 1
	all := slices.Clip(l.messages)
	for i, message := range messages {
		message.Number = next + i
		all = append(all, message)
	}
	return Log{messages: all, summary: l.summary}
}

// WithExchange returns the log with a question and what became of it appended.
func (l Log) WithExchange(question echo.Question, outcome echo.Outcome) Log {
	return l.With(Messages(question, outcome)...)
}

// WithSummary returns the log with a newer summary. One that covers less than the present one, or more than was said, is
// ignored.
func (l Log) WithSummary(summary echo.Summary) Log {
	if summary.Through > l.Last() || l.summary != nil && summary.Through <= l.summary.Through {
		return l
	}
	l.summary = &summary
	return l
}

// Before returns the log without the messages from a number on.
func (l Log) Before(number int) Log {
	l.messages = slices.Clip(l.messages[:l.index(number)])
	return l
}

// tail is the messages that the summary does not cover.
func (l Log) tail() []echo.Message {
	if l.summary == nil {
		return l.messages
	}
	return l.messages[l.index(l.summary.Through+1):]
}

// index is where the first message with at least that number is.
func (l Log) index(number int) int {
	return sort.Search(len(l.messages), func(i int) bool { return l.messages[i].Number >= number })
}

// Messages are those of an exchange, in the order in which they were said: question, tool results, answer. They have no
// numbers yet.
func Messages(question echo.Question, outcome echo.Outcome) []echo.Message {
	messages := []echo.Message{QuestionMessage(question)}
	return append(messages, OutcomeMessages(outcome, question.Source)...)
}

// QuestionMessage is a question as a message without a number.
func QuestionMessage(question echo.Question) echo.Message {
	return echo.Message{
		Role: echo.RoleUser, Text: question.Text, State: echo.StateComplete, Source: question.Source, CreatedAt: question.AskedAt.UTC(),
	}
}

// OutcomeMessages are the messages that a reply left: one for each tool call, then the answer, which may be empty.
func OutcomeMessages(outcome echo.Outcome, source echo.Source) []echo.Message {
	messages := make([]echo.Message, 0, len(outcome.Tools)+1)
	for _, call := range outcome.Tools {
		state := outcome.State
		switch call.Status {
		case echo.ToolDone:
			state = echo.StateComplete
		case echo.ToolFailed:
			state = echo.StateFailed
		case echo.ToolRunning:
			if state == echo.StateComplete {
				state = echo.StateInterrupted
			}
		}
		messages = append(messages, echo.Message{
			Role: echo.RoleTool, Name: call.Name, Arguments: call.Arguments, Text: call.Result,
			State: state, Source: source, CreatedAt: outcome.At.UTC(),
		})
	}
	return append(messages, echo.Message{
		Role: echo.RoleAssistant, Text: outcome.Answer, State: outcome.State, Source: source,
		Code: outcome.Code, Reason: outcome.Reason, CreatedAt: outcome.At.UTC(),
	})
}
