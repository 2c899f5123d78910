package filter

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func judged(t *testing.T, want Verdict, texts ...string) {
	t.Helper()
	for _, text := range texts {
		require.Equal(t, want, Judge(Utterance{Text: text}), "%q", text)
	}
}

func TestQ4_NoiseAsksNothing(t *testing.T) {
	judged(t, Empty, "", "  ", "\n", "?", ".")
	judged(t, Filler, "um", "Uh.", "Hmm…", "Um, uh.", "UM", "Um, [cough] uh...", "Ahem.", "Mm-hmm.", "uhhhh", "Er, ah", "Hmmmmm.", "ummm... uh", "Mm.", "Mhm", "[cough] um")
	judged(t, Sound, "[COUGH]", "(coughs)", "♪", "*sneeze*", "...", "…", "[cough] (music)", "♪ music ♪", "[BLANK_AUDIO]", "<unk>", "(door slams shut)",
		"{noise}", "【笑】", "（音楽）", "♪♪♪", "[Music playing in the background]", "*laughs* *coughs*", strings.Repeat("you ", 70),
		strings.Repeat("Thank you for watching. ", 12),
		"[ Silence ]", "(inaudible)", "<|nospeech|>", "[MUSIC PLAYING] [APPLAUSE]", "* cough *", "**coughs**", "[cough].", "- [cough]", "[cough", "...!", "（咳）", "♬ ♩")
}

func TestQ4_ShortQuestionsAreQuestions(t *testing.T) {
	judged(t, Question, "Why?", "Um, who?", "[cough] What is that?", "What?", "So?", "Huh?", "2 * 3 * 4 is what?", "No", "Yes", "Go on", "Uh, no", "Um yes", "Uh-huh.", "Oh no",
		"(what is the time?)", "*is this it?*", "no no no no", "What is (the thing) called?", "为什么？", "Ça va ?")
}

func TestQ6_StopSaidAloneStops(t *testing.T) {
	judged(t, Stop, "Stop.", "Stop, please.", "cancel", "Never mind.", "okay stop", "Enough!", "please stop talking", "STOP STOP STOP", "Stop it, Echo.",
		"Be quiet", "that's enough", "That’s enough, thank you.", "Um, stop", "stop that", "Hey Echo, stop", "stop, stop, stop, please", "Shut up!", "Okay, never mind that.",
		"Could you stop talking please?", "No, stop.", "nevermind", "Stop now", "just stop", "cancel it", "Cancel, please, Echo.", "Silence!", "forget it", "stop stop stop stop stop stop stop stop stop stop stop stop",
		"[cough] stop", "Stop everything.", "Enough of that.", "quiet please", "Wait, stop", "Actually, never mind.", "Stop, thank you very much.", "Let's stop.", "Shh!", "Quit it.", "(sighs) Stop.", "“Stop.”",
		"Stop—please", "Would you please stop talking?", "You can stop talking now.", "Please, Echo, stop that talking", "Cancel. Stop. Never mind.", "Oh stop it",
		"Stop talking, stop talking", "Okay, that is enough now, please")
}

func TestQ6_LongerQuestionsThatContainAStopAreQuestions(t *testing.T) {
	judged(t, Question, "How do I stop a bleeding nose?", "cancel culture", "never mind the gap", "What is a stop sign?", "Stop the music at noon", "Is that enough?",
		"When does the bus stop?", "stop and think about it", "Cancel my appointment", "What does enough mean?", "Be quiet as a mouse", "please", "okay", "Echo", "it", "thanks",
		"full stop", "pit stop", "Never", "mind", "wait", "Actually", "Stop, what is the time?", "Never mind, what is two plus two?", "don't stop", "Never stop", "stop the music",
		"enough is enough", "Is that all?", "no thanks", "no more heroes", "stop right now, thank you very much is a song", "How quiet is it?")
}

func TestQ7_GoodbyeEndsAWokenConversation(t *testing.T) {
	for _, text := range []string{"Goodbye.", "Bye", "bye bye!", "Okay, goodbye Echo.", "Thanks, bye.", "Good night", "See you later", "that's all, thank you", "Um, bye"} {
		require.Equal(t, Goodbye, Judge(Utterance{Text: text, Woken: true}), text)
		require.Equal(t, Question, Judge(Utterance{Text: text}), text)
	}
	for _, text := range []string{"How do you say goodbye in French?", "bye the way", "Good", "Goodbye Lenin is a film", "thanks"} {
		require.Equal(t, Question, Judge(Utterance{Text: text, Woken: true}), text)
	}
}

const mountain = "The tallest mountain in the world is Mount Everest. It lies between Nepal and Tibet, 8,849 metres high; twenty-five people don’t agree."

func TestQ5_EchoAtItsEdges(t *testing.T) {
	cases := []struct {
		name, text string
		want       Verdict
	}{
		{"the same words", "mountain in the world is mount everest", Echo},
		{"with punctuation", "Mountain, in the world... is Mount Everest!", Echo},
		{"two words", "Mount Everest?", Question},
		{"three words", "is Mount Everest", Echo},
		{"80 %: four of five", "mountain in the world why", Echo},
		{"81 %: 13 of 16", "the tallest mountain in the world is mount everest it lies between nepal but why oh", Echo},
		{"79 %: 11 of 14", "the tallest mountain in the world is mount everest it lies why so high", Question},
		{"75 %: three of four", "the tallest mountain please", Question},
		{"scattered words", "the world mountain in tallest everest is", Question},
		{"curly apostrophe", "people don't agree", Echo},
		{"numbers in digits", "25 people don't agree", Echo},
		{"numbers in words", "twenty five people don’t agree", Echo},
		{"grouped digits", "Tibet 8849 metres high", Echo},
		{"a real question", "And which is the second tallest mountain?", Question},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, Judge(Utterance{Text: c.text, Overlap: true, Recent: []string{"Something else.", mountain}}))
			require.Equal(t, Question, Judge(Utterance{Text: c.text, Recent: []string{mountain}}), "nothing was playing")
		})
	}
}

func TestQ5_ShortAnswersMadeOfTheRepliesWords(t *testing.T) {
	u := Utterance{Text: "the green one please", Overlap: true, Recent: []string{"Do you want the red one or the green one?"}}
	require.Equal(t, Question, Judge(u))
}

func TestQ5_EachCharacterIsAWordWhereThereAreNoSpaces(t *testing.T) {
	recent := []string{"今天天气很好，我们去公园。"}
	require.Equal(t, Echo, Judge(Utterance{Text: "天气很好我们", Overlap: true, Recent: recent}))
	require.Equal(t, Question, Judge(Utterance{Text: "天气", Overlap: true, Recent: recent}))
	require.Equal(t, Question, Judge(Utterance{Text: "明天天气怎么样", Overlap: true, Recent: recent}))
}

func TestNumbersAreTheSameEitherWay(t *testing.T) {
	for words, digits := range map[string]string{
		"twenty five": "25", "two hundred and five": "205", "nineteen eighty four": "1984", "three thousand four hundred": "3400", "ten": "10",
		"one two three": "1 2 3", "zero": "0", "one hundred": "100", "twelve people and two dogs": "12 people and 2 dogs", "twenty twenty six": "2026",
		"and": "and", "hundred": "hundred", "five and six": "5 and 6",
	} {
		require.Equal(t, strings.Fields(digits), numbered(strings.Fields(words)), words)
	}
}

func FuzzJudge(f *testing.F) {
	for _, text := range []string{"", "Stop.", "[cough", "*a*b*", "♪", "天气", "don’t", "1.5.", "um\xff", "((((", "twenty and"} {
		f.Add(text, mountain)
	}
	verdicts := []Verdict{Question, Stop, Goodbye, Empty, Filler, Sound, Echo}
	f.Fuzz(func(t *testing.T, text, recent string) {
		verdict := Judge(Utterance{Text: text, Overlap: true, Woken: true, Recent: []string{recent}})
		require.True(t, slices.Contains(verdicts, verdict))
		require.Equal(t, verdict, Judge(Utterance{Text: " " + text + " ", Overlap: true, Woken: true, Recent: []string{recent}}))
	})
}
