package history_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
	"echo-companion/backend/reason"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func question(text string) echo.Question {
	return echo.Question{Text: text, Source: echo.SourceTyped, AskedAt: at}
}

func outcome(state echo.State, answer string, tools ...echo.ToolCall) echo.Outcome {
	return echo.Outcome{State: state, Answer: answer, Tools: tools, At: at.Add(time.Second)}
}

func tool(name, result string) echo.ToolCall {
	return echo.ToolCall{ID: "x", Name: name, Arguments: json.RawMessage(`{"a":1}`), Result: result, Status: echo.ToolDone}
}

// long is a log of n exchanges, each of size characters.
func long(n, size int) history.Log {
	var log history.Log
	for i := range n {
		text := fmt.Sprintf("question %d ", i+1)
		log = log.WithExchange(question(text), outcome(echo.StateComplete, strings.Repeat("x", size-len(text))))
	}
	return log
}

func TestLogNumbersMessagesWithoutGaps(t *testing.T) {
	empty := history.Log{}
	require.Zero(t, empty.Last())
	one := empty.WithExchange(question("one"), outcome(echo.StateComplete, "1", tool("calculate", "1")))
	two := one.WithExchange(question("two"), outcome(echo.StateComplete, "2"))
	other := one.WithExchange(question("other"), outcome(echo.StateStopped, ""))
	require.Equal(t, 3, one.Last())
	require.Equal(t, 5, two.Last())
	for i, message := range two.All() {
		require.Equal(t, i+1, message.Number)
	}
	require.Equal(t, "two", two.Messages(4, 4)[0].Text, "a log is a value")
	require.Equal(t, "other", other.Messages(4, 9)[0].Text)
	require.Len(t, other.Messages(-3, 2), 2)
	require.Empty(t, two.Messages(6, 9))
	require.Empty(t, two.Messages(4, 2))
	require.Equal(t, 3, two.Before(4).Last())
	require.Equal(t, 5, two.Last())
}

func TestLogMayBeginAfterItsSummary(t *testing.T) {
	log := history.NewLog(nil, &echo.Summary{Text: "s", Through: 6})
	require.Equal(t, 6, log.Last())
	log = log.WithExchange(question("next"), outcome(echo.StateComplete, "8"))
	require.Equal(t, 8, log.Last())
	require.Len(t, log.Messages(1, 100), 2)
	require.Equal(t, 6, log.WithSummary(echo.Summary{Text: "less", Through: 4}).Summary().Through)
	require.Equal(t, 6, log.WithSummary(echo.Summary{Text: "too much", Through: 9}).Summary().Through)
	require.Equal(t, 8, log.WithSummary(echo.Summary{Text: "more", Through: 8}).Summary().Through)
}

func TestRequestHoldsTheSummaryAndExactlyWhatComesAfter(t *testing.T) {
	log := history.Log{}.
		WithExchange(question("covered"), outcome(echo.StateComplete, "covered too")).
		WithExchange(question("one"), outcome(echo.StateComplete, "1", tool("calculate", "1"), tool("current_time", "noon"))).
		WithExchange(question("stopped"), outcome(echo.StateStopped, "as far as")).
		WithExchange(question("nothing came"), outcome(echo.StateInterrupted, "", echo.ToolCall{Name: "read_file", Status: echo.ToolRunning})).
		WithSummary(echo.Summary{Text: "What was covered.", Through: 2})
	request := log.Request("You are Echo.", "now?")
	require.Equal(t, []reason.Message{
		{Role: reason.RoleSystem, Text: "You are Echo.\n\nSummary of messages 1 to 2 of this chat (conversation_history reads any of them back by number):\nWhat was covered."},
		{Role: reason.RoleUser, Text: "one"},
		{Role: reason.RoleAssistant, Calls: []reason.Call{
			{ID: "call_4", Name: "calculate", Arguments: json.RawMessage(`{"a":1}`)},
			{ID: "call_5", Name: "current_time", Arguments: json.RawMessage(`{"a":1}`)},
		}},
		{Role: reason.RoleTool, CallID: "call_4", Name: "calculate", Text: "1"},
		{Role: reason.RoleTool, CallID: "call_5", Name: "current_time", Text: "noon"},
		{Role: reason.RoleAssistant, Text: "1"},
		{Role: reason.RoleUser, Text: "stopped"},
		{Role: reason.RoleAssistant, Text: "as far as"},
		{Role: reason.RoleUser, Text: "nothing came"},
		{Role: reason.RoleAssistant, Calls: []reason.Call{{ID: "call_10", Name: "read_file", Arguments: json.RawMessage(`{}`)}}},
		{Role: reason.RoleTool, CallID: "call_10", Name: "read_file", Text: "The call was cut off."},
		{Role: reason.RoleUser, Text: "now?"},
	}, request)
}

func TestSystemPromptSaysWhatTheModelMustKnow(t *testing.T) {
	text := history.System(history.Prompt{Name: "Aurora", Persona: "You are calm.", Now: at, Spoken: true, Overlap: true})
	for _, part := range []string{"Aurora", "You are calm.", "Sunday, 1 March 2026, 12:00 UTC", "read aloud", "while Echo was speaking"} {
		require.Contains(t, text, part)
	}
	plain := history.System(history.Prompt{Now: at})
	require.Contains(t, plain, "You are Echo")
	require.NotContains(t, plain, "aloud")
	require.NotContains(t, strings.ToLower(plain), "summar")
}

func TestSummaryIsDueOnceAChatOutgrowsItsWindow(t *testing.T) {
	for name, c := range map[string]struct {
		log     history.Log
		through int
		due     bool
	}{
		"empty":                       {history.Log{}, 0, false},
		"few, though long":            {long(history.Verbatim, 30_000), 0, false},
		"many, though short":          {long(100, 200), 184, false},
		"long enough":                 {long(12, 2400), 8, true},
		"not yet worth it":            {long(9, 4000), 2, false},
		"worth it":                    {long(10, 4200), 4, true},
		"one that is huge":            {long(9, 100_000), 2, true},
		"an import, in several steps": {long(100, 4000), 24, true},
	} {
		t.Run(name, func(t *testing.T) {
			through, due := c.log.Due()
			require.Equal(t, c.due, due)
			if due {
				require.Equal(t, c.through, through)
				require.Zero(t, through%2, "it parts no exchange")
				_, again := c.log.WithSummary(echo.Summary{Text: "s", Through: through}).Due()
				require.Equal(t, name == "an import, in several steps", again)
			}
		})
	}
}

func TestSummaryRequestBringsTheRangeAlone(t *testing.T) {
	log := long(12, 2400).WithSummary(echo.Summary{Text: "EARLIER", Through: 2})
	request := log.SummaryRequest(6)
	require.Len(t, request, 2)
	require.Contains(t, request[0].Text, "summary")
	text := request[1].Text
	require.Contains(t, text, "EARLIER")
	require.NotContains(t, text, "question 1 ")
	require.Contains(t, text, "[3] User: question 2")
	require.Contains(t, text, "[6] Echo: ")
	require.NotContains(t, text, "question 4 ")
}

func TestUselessSummaryIsRejected(t *testing.T) {
	text, err := history.CheckSummary("  It was about zebras.\n")
	require.NoError(t, err)
	require.Equal(t, "It was about zebras.", text)
	for _, bad := range []string{"", " \n ", strings.Repeat("x", history.SummaryLimit+1)} {
		_, err := history.CheckSummary(bad)
		require.Error(t, err)
	}
}

func TestTurnsOfACarriedOnChat(t *testing.T) {
	failed := outcome(echo.StateFailed, "as far", tool("calculate", "1"))
	failed.Code, failed.Reason = echo.CodeEngineError, "It broke."
	log := history.Log{}.
		WithExchange(question("old"), outcome(echo.StateComplete, "0")).
		WithExchange(question("one"), outcome(echo.StateComplete, "1")).
		WithExchange(question("two"), outcome(echo.StateStopped, "2")).
		WithExchange(question("three"), failed).
		WithExchange(question("four"), outcome(echo.StateInterrupted, "")).
		With(history.QuestionMessage(question("still running")))
	turns := history.Turns(log.All(), 4)
	require.Len(t, turns, 4)
	want := []struct {
		status echo.Status
		code   echo.Code
	}{{echo.StatusAnswered, ""}, {echo.StatusStopped, ""}, {echo.StatusFailed, echo.CodeEngineError}, {echo.StatusFailed, echo.CodeInterrupted}}
	for i, turn := range turns {
		require.Equal(t, i+1, turn.ID)
		require.Equal(t, echo.SourceChat, turn.Source)
		require.Equal(t, want[i].status, turn.Status)
		require.Equal(t, at, turn.AskedAt)
		if want[i].code == "" {
			require.Nil(t, turn.Error)
		} else {
			require.Equal(t, want[i].code, turn.Error.Code)
		}
	}
	require.Equal(t, "It broke.", turns[2].Error.Message)
	require.Equal(t, "1", turns[2].Tools[0].Result)
}

func TestOnlyWhatDidNotEndWellIsRetryable(t *testing.T) {
	log := history.Log{}.WithExchange(question("one"), outcome(echo.StateStopped, ""))
	last, ok := history.Retryable(log.All())
	require.True(t, ok)
	require.Equal(t, "one", last.Text)
	_, ok = history.Retryable(log.WithExchange(question("two"), outcome(echo.StateComplete, "2")).All())
	require.False(t, ok)
	_, ok = history.Retryable(log.With(history.QuestionMessage(question("running"))).All())
	require.False(t, ok)
	_, ok = history.Retryable(nil)
	require.False(t, ok)
}

func TestTitleIsTheQuestionCutAtAWord(t *testing.T) {
	for question, want := range map[string]string{
		"What is short?":                "What is short?",
		"  What\nis \t on lines?":       "What is on lines?",
		"What\x00is \x1b[2J\u0085this?": "What is [2J this?",
		"What would the inhabitants of a rather small island in the northern sea have eaten in winter?": "What would the inhabitants of a rather small island in the…",
		strings.Repeat("é", 61):          strings.Repeat("é", 60) + "…",
		strings.Repeat("é", 60):          strings.Repeat("é", 60),
		"a " + strings.Repeat("é", 60):   "a…",
		strings.Repeat("ab ", 19) + "ab": strings.TrimSpace(strings.Repeat("ab ", 20)),
	} {
		require.Equal(t, want, history.Title(question))
	}
}

func FuzzTitle(f *testing.F) {
	f.Add("What would the inhabitants of a rather small island in the northern sea have eaten?")
	f.Fuzz(func(t *testing.T, question string) {
		title := history.Title(question)
		if n := utf8.RuneCountInString(title); n > 61 {
			t.Errorf("%d characters", n)
		}
	})
}
