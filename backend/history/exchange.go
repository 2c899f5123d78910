package history

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"echo-companion/backend/echo"
)

// CarriedTurns is how many exchanges of a chat that is carried on are shown as turns.
const CarriedTurns = 8

// Exchange is a question, the tool results that its reply gathered, and the answer.
type Exchange struct {
	Question echo.Message
	Tools    []echo.Message
	Answer   *echo.Message // nil: there is none yet
}

// Last is the number of the exchange's last message.
func (e Exchange) Last() int {
	switch {
	case e.Answer != nil:
		return e.Answer.Number
	case len(e.Tools) > 0:
		return e.Tools[len(e.Tools)-1].Number
	}
	return e.Question.Number
}

// Exchanges groups messages. Tool results and answers before the first question belong to no exchange and are left out.
func Exchanges(messages []echo.Message) []Exchange {
	var all []Exchange
	for i, message := range messages {
		if message.Role == echo.RoleUser {
			all = append(all, Exchange{Question: message})
			continue
		}
		if len(all) == 0 {
			continue
		}
		last := &all[len(all)-1]
		if message.Role == echo.RoleTool {
			last.Tools = append(last.Tools, message)
		} else {
			last.Answer = &messages[i]
		}
	}
	return all
}

// Turns are the newest n answered exchanges as turns of a conversation, numbered from 1. An exchange that a crash cut off is
// failed, with the code interrupted. A question whose reply is still being written is no turn yet.
func Turns(messages []echo.Message, n int) []echo.Turn {
	var turns []echo.Turn
	for _, exchange := range Exchanges(messages) {
		if exchange.Answer != nil {
			turns = append(turns, turn(exchange))
		}
	}
	turns = turns[max(0, len(turns)-n):]
	for i := range turns {
		turns[i].ID = i + 1
	}
	return turns
}

func turn(exchange Exchange) echo.Turn {
	answer := exchange.Answer
	t := echo.Turn{
		Source: echo.SourceChat, Question: exchange.Question.Text, Answer: answer.Text, Status: echo.StatusAnswered,
		AskedAt: exchange.Question.CreatedAt, AnsweredAt: answer.CreatedAt,
	}
	switch answer.State {
	case echo.StateComplete:
	case echo.StateStopped:
		t.Status = echo.StatusStopped
	case echo.StateInterrupted:
		t.Status = echo.StatusFailed
		t.Error = echo.CutOff()
	case echo.StateFailed:
		t.Status = echo.StatusFailed
		t.Error = failure(answer)
	}
	for _, tool := range exchange.Tools {
		call := echo.ToolCall{ID: callID(tool), Name: tool.Name, Arguments: tool.Arguments, Result: tool.Text, Status: echo.ToolDone}
		if tool.State != echo.StateComplete {
			call.Status = echo.ToolFailed
		}
		t.Tools = append(t.Tools, call)
	}
	return t
}

// failure is why an answer failed. Answers that failed before the reason was kept have none.
func failure(answer *echo.Message) *echo.Error {
	if answer.Code == "" {
		return echo.Errorf(echo.CodeInternal, "This reply failed. Try again to ask once more.")
	}
	return &echo.Error{Code: answer.Code, Message: answer.Reason}
}

// Retryable tells whether the last question of a chat can be asked again: its reply was stopped, failed or interrupted.
func Retryable(messages []echo.Message) (question echo.Message, ok bool) {
	exchanges := Exchanges(messages)
	if len(exchanges) == 0 {
		return echo.Message{}, false
	}
	last := exchanges[len(exchanges)-1]
	if last.Answer == nil || last.Answer.State == echo.StateComplete {
		return echo.Message{}, false
	}
	return last.Question, true
}

// titleLength is how long a title may be, in code points, before its ellipsis.
const titleLength = 60

// Title is what a chat is called after its first question: the question on one line, cut at a word within 60 characters, with
// an ellipsis where it was cut.
func Title(question string) string {
	words := TitleWords(question)
	var title strings.Builder
	length := 0
	for _, word := range words {
		n := utf8.RuneCountInString(word)
		if title.Len() > 0 {
			n++
		}
		if length+n > titleLength {
			return cut(title.String(), word)
		}
		if title.Len() > 0 {
			title.WriteByte(' ')
		}
		title.WriteString(word)
		length += n
	}
	return title.String()
}

// TitleWords are the words of a title: it is one line, and what only a terminal obeys is no part of it.
func TitleWords(title string) []string {
	return strings.FieldsFunc(title, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

// cut ends a title before the word that no longer fits. A text without spaces is cut inside its first word.
func cut(title, word string) string {
	if title == "" {
		title = string([]rune(word)[:titleLength])
	}
	return title + "…"
}
