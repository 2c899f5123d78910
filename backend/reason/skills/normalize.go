package skills

import (
	"regexp"
	"strings"
)

// longestQuestion is how many bytes of a question are looked at: what skills understand is short.
const longestQuestion = 2000

var (
	isoDate   = regexp.MustCompile(`\b(\d{4})-(\d{2})-(\d{2})\b`)
	thousands = regexp.MustCompile(`(\d),(\d{3})\b`)
	// piece is one token: a number with its ordinal ending, a word, or a sign.
	piece    = regexp.MustCompile(`\d+(?:st|nd|rd|th)\b|\d+(?:\.\d+)?|\.\d+|[\pL]+|[-+*/^()=]`)
	betweenL = regexp.MustCompile(`(\pL)[-–—](\pL)`)
)

// marks turns signs into words, or into one sign.
func marks(text string) string {
	return strings.NewReplacer("’", "'", "‘", "'", "`", "'", "×", " x ", "÷", " / ", "−", "-", "·", " x ", "²", " squared", "³", " cubed", "√", " square root of ",
		"°c", " celsius", "°f", " fahrenheit", "°", " degrees ", "%", " percent ", "½", " and a half", "km/h", "kph", "kmh", "kph", "m/s", "mps", "mi/h", "mph",
		"**", "^", "wi-fi", "wifi", "wi fi", "wifi", "per cent", "percent", "o'clock", "oclock", "e-mail", "email").Replace(text)
}

// contraction gives the long form of a word, or the word itself.
func contraction(word string) string {
	switch word {
	case "what's", "whats":
		return "what is"
	case "where's", "wheres":
		return "where is"
	case "when's", "whens":
		return "when is"
	case "who's", "whos":
		return "who is"
	case "how's", "hows":
		return "how is"
	case "it's":
		return "it is"
	case "that's", "thats":
		return "that is"
	case "there's", "theres":
		return "there is"
	case "i'm", "im":
		return "i am"
	case "i've", "ive":
		return "i have"
	case "i'd":
		return "i would"
	case "what're":
		return "what are"
	case "we've":
		return "we have"
	case "you're":
		return "you are"
	case "didn't", "didnt":
		return "did not"
	case "don't", "dont":
		return "do not"
	case "can't", "cant":
		return "can not"
	case "todays":
		return "today"
	case "tomorrows":
		return "tomorrow"
	case "yesterdays":
		return "yesterday"
	}
	return strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "'")
}

// normalize brings a question to lower case words, numbers and signs with one space between them.
func normalize(text string) string {
	if len(text) > longestQuestion {
		text = text[:longestQuestion]
	}
	text = strings.ToLower(strings.ToValidUTF8(text, " "))
	text = isoDate.ReplaceAllStringFunc(text, func(date string) string {
		parts := isoDate.FindStringSubmatch(date)
		return ordinalDay(parts[3]) + " " + monthName(parts[2]) + " " + parts[1]
	})
	for thousands.MatchString(text) {
		text = thousands.ReplaceAllString(text, "$1$2")
	}
	text = betweenL.ReplaceAllString(marks(text), "$1 $2")
	words := strings.Fields(text)
	for n, word := range words {
		words[n] = contraction(strings.Trim(strings.TrimRight(word, ".?!,"), `,;:!?"“”„…'[]{}<>`))
	}
	return strings.Join(piece.FindAllString(strings.Join(words, " "), -1), " ")
}

// leading and trailing are what is merely polite. The longest come first where one begins another.
const (
	leading = `^(?:(?:hey|hi|hello|ok|okay) echo|echo|please|now|then|um+|uh+|uhm|er+m?|hmm*|well|so|okay|ok|alright|right|and|but|sorry|excuse me|quick question|wait|oh|listen|hang on|hold on|` +
		`i was not listening|i did not hear you|i (?:totally |just )?forgot|i have no idea|i do not know|i do not remember|i can not remember|no idea|not sure|` +
		`can you please|could you please|would you please|can you|could you|would you|will you|can i ask|please|just|quickly|` +
		`tell me|let me know|remind me again|remind me|do you happen to know|do you know|any idea|i want to know|i would like to know|i wonder|i need to know|i was wondering|i mean|` +
		`give me|show me|say me|hey|hi|hello|yo) `
	trailing = ` (?:please|for me|thanks|thank you|echo|right now|just now|now|at the moment|exactly|then|actually|real quick|if you can|if you know|or what|love|mate|dear|buddy|honey|my friend|man|again for me)$`
)

var (
	leadingWords  = regexp.MustCompile(leading)
	trailingWords = regexp.MustCompile(trailing)
)

// polish takes off what is merely polite around a question, unless that is all there is.
func polish(text string) string {
	for {
		next := trailingWords.ReplaceAllString(leadingWords.ReplaceAllString(text, ""), "")
		if next == text || next == "" {
			return text
		}
		text = next
	}
}
