package skills_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/passage"
	"echo-companion/backend/passage/recorded"
	"echo-companion/backend/reason"
	"echo-companion/backend/reason/skills"
	"echo-companion/backend/reply"
	"echo-companion/backend/speech"
	"echo-companion/backend/tools"
)

// replied runs a whole reply: the skills, the reply's runner, the real tools and the kept folder of notes.
func replied(t *testing.T, embedder speech.Embedder, text string) (answer string, called []string) {
	t.Helper()
	set := tools.New(tools.Config{Now: noon}, tools.Ports{
		Notes: passage.NewIndex(passage.Config{Root: func() string { return "../../passage/testdata/notes" }}, embedder),
		Search: func(context.Context, string) ([]echo.Hit, error) {
			return []echo.Hit{
				{Title: "Weekend plans", Number: 3, Text: text},
				{Title: "Weekend plans", Number: 4, Text: "We could visit the lake. You wanted to bring the red canoe, because the blue one leaks."},
			}, nil
		},
	})
	history := func(from, _ int) []echo.Message {
		return []echo.Message{{Number: from, Role: echo.RoleUser, Text: "How are the tomatoes?", State: echo.StateComplete}}
	}
	var said strings.Builder
	request := reply.Request{Messages: append(earlierTalk(), reason.Message{Role: reason.RoleUser, Text: text})}
	err := reply.Run(t.Context(), skills.New(skills.Config{Now: noon}, embedder), set.For(history), request, func(s reply.Step) error {
		said.WriteString(s.Text)
		if s.Tool != nil && s.Tool.Status != echo.ToolRunning {
			called = append(called, s.Tool.Name+" "+string(s.Tool.Status))
		}
		return nil
	})
	require.NoError(t, err)
	return said.String(), called
}

func TestWholeReplies(t *testing.T) {
	embedder := recorded.Open(t, "testdata/whole.tsv")
	for question, want := range map[string]struct{ says, called string }{
		"What is twelve times seven?":               {"12 times 7 is 84.", "calculate done"},
		"divide five by zero":                       {"I could not work that out", "calculate failed"},
		"What time is it in Tokyo?":                 {"It is 12:09 AM on Sunday in Tokyo.", "current_time done"},
		"When do I have to see the tooth doctor?":   {`In health/medical.md, line 3: "Dentist: Dr. Wolf, next appointment on Tuesday 14 April at 9.30."`, "search_files done"},
		"Until when is my passport valid?":          {`In people.md, line 9: "Passport is in the grey box in the wardrobe, it expires in October 2028."`, "search_files done"},
		"what did I write about sailing":            {`I found nothing about "sailing" in your notes.`, "search_files done"},
		"what did we say about the canoe":           {`In the chat "Weekend plans": "You wanted to bring the red canoe, because the blue one leaks."`, "search_chats done"},
		"what was the first thing I asked you":      {`The first thing you asked was: "How are the tomatoes?"`, "conversation_history done"},
		"what is my brother's middle name":          {"I looked in your notes and our earlier chats and found nothing that fits", "search_chats done"},
		"which team won the football championship?": {"I cannot answer that without a model.", ""},
	} {
		t.Run(question, func(t *testing.T) {
			answer, called := replied(t, embedder, question)
			require.Contains(t, answer, want.says)
			if want.called == "" {
				require.Empty(t, called)
				return
			}
			require.Contains(t, called, want.called)
		})
	}
}
