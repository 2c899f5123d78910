package skills

import (
	"slices"
	"strings"

	"echo-companion/backend/reason"
)

// exchange is an earlier question and its answer.
type exchange struct{ question, answer string }

// question is a request as the skills read it.
type question struct {
	full    string // normalised
	text    string // normalised, without what is merely polite
	digits  string // text with its number words as digits
	earlier []exchange
	results []result // of the calls made for this question
	tools   []string // that are offered; nil: not known, so all are taken to be
}

// read finds the last question of a request, what was said before it and what tools gave since.
func read(request reason.Request) question {
	last := -1
	for n, m := range request.Messages {
		if m.Role == reason.RoleUser {
			last = n
		}
	}
	var q question
	for _, tool := range request.Tools {
		q.tools = append(q.tools, tool.Name)
	}
	if last < 0 {
		return q
	}
	tools := q.tools
	q = asked(request.Messages[last].Text)
	q.tools = tools
	q.earlier = exchanges(request.Messages[:last])
	names := map[string]string{}
	for _, m := range request.Messages[last+1:] {
		for _, c := range m.Calls {
			names[c.ID] = c.Name
		}
		if m.Role == reason.RoleTool {
			name := m.Name
			if name == "" {
				name = names[m.CallID]
			}
			q.results = append(q.results, result{name, m.Text})
		}
	}
	return q
}

// asked reads a question by itself.
func asked(text string) question {
	full := normalize(text)
	polished := polish(full)
	return question{full: full, text: polished, digits: digits(polished)}
}

// exchanges pairs the questions of a conversation with their answers.
func exchanges(messages []reason.Message) []exchange {
	var out []exchange
	for _, m := range messages {
		switch {
		case m.Role == reason.RoleUser:
			out = append(out, exchange{question: m.Text})
		case m.Role == reason.RoleAssistant && m.Text != "" && len(out) > 0:
			last := &out[len(out)-1]
			last.answer = strings.TrimSpace(last.answer + " " + m.Text)
		}
	}
	return out
}

// offers tells whether every call's tool may be called.
func (q question) offers(calls []call) bool {
	for _, c := range calls {
		if !slices.Contains(q.tools, c.tool) {
			return false
		}
	}
	return true
}

// hasWord tells whether the polished question holds one of the words.
func (q question) hasWord(words ...string) bool {
	for word := range strings.FieldsSeq(q.text) {
		if slices.Contains(words, word) {
			return true
		}
	}
	return false
}
