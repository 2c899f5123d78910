package skills_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/reason"
	"echo-companion/backend/reason/skills"
)

func newReasoner() *skills.Reasoner { return skills.New(skills.Config{Now: noon}, nil) }

func answered(t *testing.T, b *bench, before []reason.Message, text string) string {
	t.Helper()
	answer, err := ask(t.Context(), newReasoner(), b, before, text)
	require.NoError(t, err)
	return answer
}

func TestAnswersAreSaid(t *testing.T) {
	for question, want := range map[string]string{
		"What is twelve times seven?":                        "12 times 7 is 84.",
		"what's half of ninety":                              "Half of 90 is 45.",
		"square root of 2":                                   "The square root of 2 is about 1.41.",
		"what is an 18 percent tip on 50 dollars":            "An 18 percent tip on 50 is 9, which makes 59 in all.",
		"how many feet in a mile":                            "1 mile is 5280 feet.",
		"convert 10 km to miles":                             "10 kilometers is about 6.21 miles.",
		"what's 72 degrees fahrenheit in celsius":            "72 degrees Fahrenheit is about 22.2 degrees Celsius.",
		"how many centimeters is 5 foot 11":                  "5 feet 11 inches is about 180.3 centimeters.",
		"how many minutes are in an hour and a half":         "1.5 hours is 90 minutes.",
		"what time is it":                                    "It is 3:09 PM.",
		"what time is it in Tokyo":                           "It is 12:09 AM on Sunday in Tokyo.",
		"what time is it in Zürich":                          "It is 4:09 PM on Saturday in Zürich.",
		"what time is it in Atlantis":                        `I do not know a place called "atlantis", so I cannot tell its time. Please name a larger city nearby or the country.`,
		"what's the time difference between London and Rome": "London is 1 hour behind Rome now.",
		"how many hours ahead is Tokyo of here":              "Tokyo is 9 hours ahead of the time here now.",
		"what day is tomorrow":                               "Tomorrow is Sunday, March 15.",
		"what's the date in two weeks":                       "In 2 weeks it is Saturday, March 28.",
		"what date is next monday":                           "Next Monday is March 16.",
		"is june 1st a monday":                               "Yes, June 1, 2026 is a Monday.",
		"when is thanksgiving":                               "Thanksgiving is on Thursday, November 26, 2026.",
		"how many days until 2026-03-20":                     "It is 6 days until March 20, 2026.",
		"how many days since christmas":                      "It has been 79 days since Christmas.",
		"hey echo":                                           "Hello. What can I do for you?",
		"":                                                   "I did not hear a question. Please ask me again.",
		"divide 5 by 0":                                      "I could not work that out: division by zero has no result.",
	} {
		t.Run(question, func(t *testing.T) {
			require.Equal(t, want, answered(t, &bench{}, nil, question))
		})
	}
}

func TestEarlierTalkIsToldFromTheRequest(t *testing.T) {
	for question, want := range map[string]string{
		"what did I just ask":          `You asked: "Who lives there?"`,
		"what did you say before that": `I said: "It opened in 1883."`,
		"say that again please":        `I said: "Nobody does."`,
		"what have we talked about":    `You asked "How old is the bridge?" and "Who lives there?".`,
	} {
		require.Equal(t, want, answered(t, &bench{}, earlierTalk(), question), question)
	}
	require.Contains(t, answered(t, &bench{}, nil, "what did I just ask"), "nothing before")
}

func TestShortQuestionsGoOn(t *testing.T) {
	for _, c := range []struct{ before, answer, question, want string }{
		{"what time is it in tokyo", "It is 12:09 AM on Sunday in Tokyo.", "and in Paris?", "It is 4:09 PM on Saturday in Paris."},
		{"what time is it", "It is 3:09 PM.", "what about New York", "It is 11:09 AM on Saturday in New York."},
		{"what is 12 times 7", "12 times 7 is 84.", "times two", "84 times 2 is 168."},
		{"what is 12 times 7", "12 times 7 is 84.", "divide that by four", "84 divided by 4 is 21."},
		{"what is 12 times 7", "12 times 7 is 84.", "squared", "84 squared is 7056."},
		{"what is 12 times 7", "12 times 7 is 84.", "now double it", "Double 84 is 168."},
		{"what day is it", "Today is Saturday, March 14.", "what about tomorrow", "Tomorrow is Sunday, March 15."},
		{"convert 10 km to miles", "10 kilometers is about 6.21 miles.", "and in feet", "10 kilometers is about 32808 feet."},
		{"who wrote hamlet", "I cannot answer that without a model.", "and in Paris?", "I cannot answer that without a model. There are two ways to give me one: run Ollama with a model on this machine, or enter the address of an OpenAI-compatible server in Settings."},
	} {
		before := []reason.Message{{Role: reason.RoleUser, Text: c.before}, {Role: reason.RoleAssistant, Text: c.answer}}
		require.Equal(t, c.want, answered(t, &bench{}, before, c.question), c.question)
	}
}

func TestNotesAreToldWithTheirPlace(t *testing.T) {
	b := &bench{
		files: "health/plan.md, line 3: Dentist on Tuesday at ten.\nnotes.txt, line 9: Water the plants.\n",
		chats: "Chat \"At \\\"home\\\"\", message 4: when is my dentist appointment\nChat \"Teeth\", message 6: The dentist moved the appointment to May. Nothing else.\n",
	}
	require.Equal(t, `In health/plan.md, line 3: "Dentist on Tuesday at ten." In the chat "Teeth": "The dentist moved the appointment to May."`,
		answered(t, b, nil, "When is my dentist appointment?"))
	require.Equal(t, []string{`search_files{"query":"when is my dentist appointment"}`, `search_chats{"query":"dentist appointment"}`}, shown(b.calls))
}

func TestNothingFoundIsSaid(t *testing.T) {
	none := func() *bench {
		return &bench{files: "Nothing in the files fits that.", chats: "No saved chat speaks of that."}
	}
	require.Equal(t, `I found nothing about "garden" in your notes.`, answered(t, none(), nil, "what did I write about the garden"))
	require.Equal(t, `I found nothing about "garden" in our earlier chats.`, answered(t, none(), nil, "what did we say about the garden"))
	answer := answered(t, none(), nil, "when is my dentist appointment")
	require.Contains(t, answer, "I looked in your notes")
	require.Contains(t, answer, "Ollama")
	require.Contains(t, answer, "Settings")
}

func TestFailedToolsAreTold(t *testing.T) {
	b := &bench{files: "files cannot be searched just now", chats: "No saved chat speaks of that."}
	require.Equal(t, "I could not search: files cannot be searched just now.", answered(t, b, nil, "where is my passport"))
}

func TestWithoutModelNamesBothWays(t *testing.T) {
	b := &bench{}
	answer := answered(t, b, nil, "Who wrote Hamlet?")
	require.Empty(t, b.calls)
	require.Contains(t, answer, "without a model")
	require.Contains(t, answer, "run Ollama")
	require.Contains(t, answer, "OpenAI-compatible server")
}

func TestTextComesInPiecesThatJoin(t *testing.T) {
	var pieces []string
	request := reason.Request{Messages: []reason.Message{{Role: reason.RoleUser, Text: "help"}}}
	require.NoError(t, newReasoner().Reason(t.Context(), request, func(c reason.Chunk) error {
		pieces = append(pieces, c.Text)
		return nil
	}))
	require.Greater(t, len(pieces), 3)
	require.True(t, strings.HasPrefix(strings.Join(pieces, ""), "I can tell the time and the date"))
}

func TestWithoutToolsTheClockIsKnownAndNothingElse(t *testing.T) {
	say := func(text string) string {
		var answer strings.Builder
		request := reason.Request{Messages: []reason.Message{{Role: reason.RoleUser, Text: text}}}
		require.NoError(t, newReasoner().Reason(t.Context(), request, func(c reason.Chunk) error {
			require.Empty(t, c.Calls)
			answer.WriteString(c.Text)
			return nil
		}))
		return answer.String()
	}
	require.Equal(t, "It is 12:09 AM on Sunday in Tokyo.", say("what time is it in tokyo"))
	require.Contains(t, say("what is 2 plus 2"), "tool")
}

func TestErrorOfEmitEndsTheAnswer(t *testing.T) {
	stop := errors.New("stop")
	request := reason.Request{Messages: []reason.Message{{Role: reason.RoleUser, Text: "help"}}}
	require.ErrorIs(t, newReasoner().Reason(t.Context(), request, func(reason.Chunk) error { return stop }), stop)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, newReasoner().Reason(ctx, request, func(reason.Chunk) error { return nil }), context.Canceled)
}

// broken is an embedder whose engine is gone.
type broken struct{}

func (broken) Embed(context.Context, []string) ([][]float32, error) { return nil, errors.New("gone") }

func TestEmbedderThatFailsLeavesTheWords(t *testing.T) {
	reasoner := skills.New(skills.Config{Now: noon}, broken{})
	answer, err := ask(t.Context(), reasoner, &bench{}, nil, "what kind of questions are you able to answer")
	require.NoError(t, err)
	require.Contains(t, answer, "I can tell the time")
}

func FuzzReason(f *testing.F) {
	const every = 12 // as seeds a part of the phrasings is enough: each is asked twice
	n := 0
	for line := range strings.Lines(phrasingTable) {
		if cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(cells) == 4 && n%every == 0 {
			f.Add(cells[3])
		}
		n++
	}
	reasoner := newReasoner()
	f.Fuzz(func(t *testing.T, text string) {
		first, second := &bench{}, &bench{}
		answer, err := ask(t.Context(), reasoner, first, earlierTalk(), text)
		require.NoError(t, err)
		require.NotEmpty(t, answer)
		again, err := ask(t.Context(), reasoner, second, earlierTalk(), text)
		require.NoError(t, err)
		require.Equal(t, answer, again)
		require.Equal(t, shown(first.calls), shown(second.calls))
	})
}
