package filter

import (
	"strings"
	"unicode"
)

// Words are the words of a text, in lower case and without punctuation. An apostrophe stays inside a word, whichever it was. In
// scripts without spaces each character is a word. A number is one word, its digits in their plain form.
func Words(text string) []string {
	var (
		words []string
		word  strings.Builder
	)
	flush := func() {
		if w := strings.Trim(word.String(), "'"); w != "" {
			words = append(words, w)
		}
		word.Reset()
	}
	runes := []rune(strings.ToLower(text))
	for i, r := range runes {
		switch {
		case apostrophe(r):
			if word.Len() > 0 {
				word.WriteByte('\'')
			}
		case unspaced(r):
			flush()
			words = append(words, string(r))
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
			word.WriteRune(r)
		case (r == ',' || r == '.') && between(runes, i, unicode.IsDigit):
			if r == '.' {
				word.WriteRune(r) // a decimal; a comma only groups
			}
		case unicode.Is(unicode.Cf, r): // soft hyphens, joiners and marks of direction are not heard
		default:
			flush()
		}
	}
	flush()
	return words
}

func apostrophe(r rune) bool { return strings.ContainsRune("'’‘ʼ`´′＇", r) }

// between tells whether the runes on both sides of i are of a kind.
func between(runes []rune, i int, is func(rune) bool) bool {
	return i > 0 && i+1 < len(runes) && is(runes[i-1]) && is(runes[i+1])
}

// unspaced tells whether a rune belongs to a script that puts no spaces between its words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) &&
		!unicode.IsMark(r)
}

// brackets are the pairs in which recognisers print what is no speech.
const brackets = "[](){}<>**♪♪♫♫（）【】［］〈〉《》"

// unlabelled is a text without its sound labels, and whether there were any. What stands outside of them is what was said.
func unlabelled(text string) (said string, labels bool) {
	runes := []rune(text)
	var out strings.Builder
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if end := labelEnd(runes, i); end > 0 {
			labels = true
			out.WriteByte(' ')
			i = end
			continue
		}
		if mark(r) {
			labels = true
			out.WriteByte(' ')
			continue
		}
		out.WriteRune(r)
	}
	return out.String(), labels
}

// mark tells whether a rune by itself stands for a sound or for silence.
func mark(r rune) bool { return strings.ContainsRune("♪♫♬♩🎵🎶…", r) }

// labelMost is how long a label may be, in words: longer ones are an aside of the speaker.
const labelMost = 6

// labelCut is how long one may be that is never closed.
const labelCut = 3

// labelEnd is where the label ends that begins at i, or 0.
func labelEnd(runes []rune, i int) int {
	pairs := []rune(brackets)
	for p := 0; p < len(pairs); p += 2 {
		if runes[i] != pairs[p] {
			continue
		}
		for end := i + 1; end < len(runes); end++ {
			if runes[end] == pairs[p+1] {
				text := string(runes[i+1 : end])
				inside := Words(text)
				spoken := len(inside) > labelMost && !mark(runes[i]) || strings.ContainsAny(text, "?？")
				if spoken || len(inside) == 0 && runes[i] == '*' {
					return 0
				}
				return end
			}
		}
		if inside := len(Words(string(runes[i+1:]))); runes[i] == '[' && inside > 0 && inside <= labelCut {
			return len(runes) - 1 // a recogniser ran out of room in it
		}
	}
	return 0
}

// hallucinated tells whether it is one phrase over and over, which recognisers make of noise.
func hallucinated(words []string) bool {
	const times, least = 6, 10 // so many times, and so many words in all: more than anybody says
	for length := 1; length <= 4; length++ {
		if len(words) < max(times*length, least) {
			break
		}
		same := true
		for i := length; i < len(words) && same; i++ {
			same = words[i] == words[i%length]
		}
		if same {
			return true
		}
	}
	return false
}
