package filter

import (
	"slices"
	"strings"
	"unicode"
)

// The shares of the usual pause after what is finished and after what is not: of 0.9 s they make 0.45 and 1.6 s.
const (
	Short = 0.5
	Long  = 1.8
)

// Pause is how long a pause after a text is to last before the text counts as said, as a share of the usual pause: short after a
// question that is whole, long after one that wants another word. It goes by the last words, for recognisers put a full stop after
// anything.
func Pause(text string) float64 {
	said, _ := unlabelled(text)
	words := Words(said)
	switch {
	case len(words) == 0:
		return 1
	case isStop(words):
		return Short
	case wants(words), dictated(words), strings.HasSuffix(strings.TrimSpace(said), ","):
		return Long
	case asks(words):
		return Short
	}
	return 1
}

// wants tells whether words want another one after them.
func wants(words []string) bool {
	last := words[len(words)-1]
	if slices.ContainsFunc(openings(), func(phrase string) bool { return slices.Equal(words, strings.Fields(phrase)) }) {
		return true
	}
	if stranded(last) { // "Where are you from?" is whole, "What is the way from" is not; which of them cannot be told
		return !question(words[0])
	}
	return slices.Contains(strings.Fields(`
		a an the my your his its our their every each any some no and or but nor because since if unless when while whereas although though than whether
		is are was were am be been has had does did will would shall should could can may might must is um uh er hmm
		very really quite too so also plus minus times divided equals percent
		i we they he she who whose i'm you're we're they're it's that's what's who's where's let's i'll i'd i've
		mr mrs ms dr saint next last first second most more best worst other another many much few several
		called named titled spelled tallest largest biggest longest highest oldest smallest shortest fastest`), last)
}

// stranded tells whether a word is a preposition, with which a question may end.
func stranded(word string) bool {
	return slices.Contains(strings.Fields("of to from in on at by for with about into onto over under between through during before after against without within toward towards near as like"), word)
}

// openings are texts that are no more than a beginning.
func openings() []string {
	return []string{
		"tell me", "remind me", "remind me to", "show me", "give me", "can you", "could you", "would you", "will you", "do you", "can i", "could i", "what about",
		"how about", "how many", "how much", "how long", "how far", "how do you", "how do i", "what is", "who is", "where is", "hey echo", "echo", "okay echo", "please", "well",
		"okay so", "so", "what", "how", "where", "when", "who", "which", "please tell me", "can you tell me", "could you tell me", "i want", "i need", "i'd like", "set a timer",
		"what time", "what day", "what kind", "my name", "my number", "the number",
	}
}

// question tells whether a word begins questions.
func question(word string) bool {
	return slices.Contains(strings.Fields(`what what's who who's whose where where's when when's why how how's which is are was were do does did can could will would should has have am`), word)
}

// wholeWords is how many words a question has at least that is taken for whole at once.
const wholeWords = 4

// asks tells whether words are a question, or a request, that can be whole.
func asks(words []string) bool {
	return len(words) >= wholeWords && !stranded(words[len(words)-1]) && (question(words[0]) || slices.Contains([]string{"tell", "show", "explain", "translate", "give"}, words[0]))
}

// dictated tells whether words end in several numbers, as where somebody reads out one that has not come to its end.
func dictated(words []string) bool {
	numbers := 0
	for _, word := range slices.Backward(words) {
		switch {
		case digits(word):
			numbers += len(word)
		case isSmall(word), word == "oh", word == "double":
			numbers++
		default:
			return numbers >= 2 && !question(words[0])
		}
	}
	return numbers >= 2 && !question(words[0])
}

func digits(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}
