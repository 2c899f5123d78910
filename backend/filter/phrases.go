package filter

import (
	"slices"
	"strings"
)

// filler tells whether a word is one that only fills a pause, however long it is drawn.
func filler(word string) bool {
	switch squeezed(word) {
	case "um", "uhm", "uh", "hm", "hmm", "er", "erm", "ah", "eh", "mm", "mhm", "em", "uhh", "umm", "ehm", "aah", "ugh", "ahem", "m", "h",
		"euh", "euhm", "äh", "ähm", "öhm", "hä", "oh", "ooh":
		return true
	}
	return false
}

// squeezed writes runs of one letter as one: "hmmmm" and "ummm" are "hm" and "um".
func squeezed(word string) string {
	var out strings.Builder
	var last rune
	for _, r := range word {
		if r != last {
			out.WriteRune(r)
		}
		last = r
	}
	return out.String()
}

// isStop tells whether words ask Echo to stop, and nothing else: one of the phrases, or several, in whatever they are dressed.
func isStop(words []string) bool {
	found := false
	for i := 0; i < len(words); {
		if n := longest(words[i:], stopPhrases()); n > 0 {
			found = true
			i += n
			continue
		}
		if n := longest(words[i:], dress()); n > 0 {
			i += n
			continue
		}
		return false
	}
	return found
}

// longest is how many words the longest phrase has that the words begin with, or 0.
func longest(words []string, phrases []string) int {
	most := 0
	for _, phrase := range phrases {
		parts := strings.Fields(phrase)
		if len(parts) > most && len(words) >= len(parts) && slices.Equal(words[:len(parts)], parts) {
			most = len(parts)
		}
	}
	return most
}

func stopPhrases() []string {
	return []string{
		"stop", "cancel", "never mind", "nevermind", "be quiet", "quiet", "enough", "that's enough", "thats enough", "that is enough",
		"shut up", "silence", "hush", "shush", "abort", "forget it", "forget about it", "stop talking", "stop speaking", "stop reading",
		"stop answering", "no more", "cut it out", "that'll do", "that will do", "stop there", "stop right there", "cancel that", "cancel it",
		"stop it", "stop that", "stop this", "hold it", "halt", "be silent", "keep quiet", "pipe down", "zip it", "quit it", "sh", "shh", "shhh",
	}
}

// dress is what a stop may be dressed in.
func dress() []string {
	return []string{
		"please", "okay", "ok", "o k", "echo", "hey echo", "it", "that", "this", "talking", "speaking", "reading", "answering", "now", "right now", "just",
		"hey", "no", "yes", "yeah", "alright", "all right", "well", "so", "and", "thanks", "thank you", "can you", "could you", "would you", "will you",
		"already", "all", "there", "very much", "so much", "actually", "wait", "let's", "i said", "you can", "for now", "then", "sorry", "right", "everything", "the reply", "the answer", "of that", "of this",
	}
}

// isGoodbye tells whether words say goodbye, and nothing else.
func isGoodbye(words []string) bool {
	found := false
	for i := 0; i < len(words); {
		if n := longest(words[i:], goodbyes()); n > 0 {
			found = true
			i += n
			continue
		}
		if n := longest(words[i:], farewellDress()); n > 0 {
			i += n
			continue
		}
		return false
	}
	return found
}

func goodbyes() []string {
	return []string{
		"goodbye", "good bye", "bye", "bye bye", "goodnight", "good night", "see you", "see you later", "see you soon", "see you tomorrow", "see ya",
		"farewell", "that's all", "thats all", "that is all", "that will be all", "that'll be all", "talk to you later", "i'm done", "we're done", "so long",
		"cheerio", "ciao", "have a good day", "have a nice day",
	}
}

func farewellDress() []string {
	return []string{
		"please", "okay", "ok", "echo", "hey echo", "thanks", "thank you", "thank you very much", "thanks a lot", "many thanks", "well", "alright",
		"all right", "for now", "now", "then", "and", "so", "great", "good", "perfect", "no", "yes", "yeah", "to you", "my friend", "for today",
		"that was", "that's", "it",
	}
}

// echoWords is how many words Echo must have heard of itself at least.
const echoWords = 3

// isEcho tells whether an utterance is mostly one run of something that Echo said: at least three words, and four fifths of it.
func isEcho(words []string, recent []string) bool {
	words = numbered(words)
	if len(words) < echoWords {
		return false
	}
	for _, text := range recent {
		if run := longestRun(words, numbered(Words(text))); run >= echoWords && run*5 >= len(words)*4 {
			return true
		}
	}
	return false
}

// longestRun is how many words in a row both have.
func longestRun(a, b []string) int {
	most := 0
	before := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for i := range a {
		for k := range b {
			row[k+1] = 0
			if a[i] == b[k] {
				row[k+1] = before[k] + 1
				most = max(most, row[k+1])
			}
		}
		before, row = row, before
	}
	return most
}
