package history

import (
	"fmt"
	"strings"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
)

// Prompt says what the system prompt of a request tells the model.
type Prompt struct {
	Name    string    // what Echo is called; empty is Echo
	Persona string    // its manner of speaking
	Now     time.Time // in the user's time zone
	Spoken  bool      // the answer is read aloud
	Overlap bool      // the question was asked while Echo was speaking
}

// System writes the system prompt.
func System(p Prompt) string {
	name := p.Name
	if name == "" {
		name = "Echo"
	}
	lines := []string{fmt.Sprintf("You are %s, a companion that lives on its user's own computer.", name)}
	if p.Persona != "" {
		lines = append(lines, p.Persona)
	}
	lines = append(lines,
		"It is "+p.Now.Format("Monday, 2 January 2006, 15:04 MST")+".",
		"Answer in the language of the question, and say plainly what you do not know. Use the tools where they help; never make up what a tool could tell.")
	if p.Spoken {
		lines = append(lines, "Your answer is read aloud: speak in short, plain sentences, without markup, tables, code or lists of links, unless they are asked for.")
	}
	if p.Overlap {
		lines = append(lines, "The last question was asked while Echo was speaking: it may be about what Echo was just saying.")
	}
	return strings.Join(lines, "\n")
}

// Request builds the messages of a model's request: the system prompt, the summary, exactly the messages that the summary does
// not cover, and the question, which is not yet in the log. Tool results follow the calls that they answer, and an answer that
// was cut off is there as far as it got; one that is empty is left out.
func (l Log) Request(system, question string) []reason.Message {
	if l.summary != nil {
		system += fmt.Sprintf("\n\nSummary of messages 1 to %d of this chat (conversation_history reads any of them back by number):\n%s",
			l.summary.Through, l.summary.Text)
	}
	messages := []reason.Message{{Role: reason.RoleSystem, Text: system}}
	for _, exchange := range Exchanges(l.tail()) {
		messages = append(messages, asked(exchange)...)
	}
	return append(messages, reason.Message{Role: reason.RoleUser, Text: question})
}

// asked are the messages of one exchange as a model reads them.
func asked(exchange Exchange) []reason.Message {
	messages := []reason.Message{{Role: reason.RoleUser, Text: exchange.Question.Text}}
	if len(exchange.Tools) > 0 {
		messages = append(messages, reason.Message{Role: reason.RoleAssistant})
		calls := len(messages) - 1
		for _, tool := range exchange.Tools {
			id := callID(tool)
			arguments := tool.Arguments
			if len(arguments) == 0 {
				arguments = []byte("{}")
			}
			messages[calls].Calls = append(messages[calls].Calls, reason.Call{ID: id, Name: tool.Name, Arguments: arguments})
			messages = append(messages, reason.Message{Role: reason.RoleTool, CallID: id, Name: tool.Name, Text: toolText(tool)})
		}
	}
	if exchange.Answer != nil && exchange.Answer.Text != "" {
		messages = append(messages, reason.Message{Role: reason.RoleAssistant, Text: exchange.Answer.Text})
	}
	return messages
}

// callID names the call of a tool result in a request. It need only be unique there.
func callID(tool echo.Message) string { return fmt.Sprintf("call_%d", tool.Number) }

// toolText is a tool's result; a call that was cut off has none, and models want a word.
func toolText(tool echo.Message) string {
	if tool.Text == "" && tool.State != echo.StateComplete {
		return "The call was cut off."
	}
	return tool.Text
}
