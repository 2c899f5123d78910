package skills

import (
	"math"
	"strconv"
	"strings"
)

// smallNumber is the value of a word for 0 to 19.
func smallNumber(word string) (float64, bool) {
	for n, name := range [...]string{
		"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
		"twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
	} {
		if word == name {
			return float64(n), true
		}
	}
	return 0, word == "nought" || word == "naught"
}

// tensNumber is the value of a word for 20, 30 and so on.
func tensNumber(word string) (float64, bool) {
	for n, name := range [...]string{"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"} {
		if word == name {
			return float64(20 + 10*n), true
		}
	}
	return 0, false
}

// scaleNumber is the value of a word that multiplies all before it.
func scaleNumber(word string) (float64, bool) {
	switch word {
	case "thousand":
		return 1e3, true
	case "million":
		return 1e6, true
	case "billion":
		return 1e9, true
	case "trillion":
		return 1e12, true
	}
	return 0, false
}

// isNumber tells whether a token is a number in digits.
func isNumber(token string) bool {
	_, err := strconv.ParseFloat(token, 64)
	return err == nil && (token[0] == '.' || token[0] >= '0' && token[0] <= '9')
}

// digits writes the number words of a normalised text as digits: "a hundred and five point two" becomes "105.2". There is no kept
// library for it that could be had; the grammar is the one people speak in, with years in two halves.
func digits(text string) string {
	tokens := strings.Fields(text)
	out := make([]string, 0, len(tokens))
	for n := 0; n < len(tokens); {
		value, used := number(tokens[n:])
		if used == 0 {
			out = append(out, tokens[n])
			n++
			continue
		}
		out = append(out, format(value))
		n += used
	}
	return strings.Join(out, " ")
}

// format writes a number without an exponent and without needless zeros.
func format(value float64) string {
	return strconv.FormatFloat(value, 'f', -1, 64)
}

// reading is a number as it is read, word by word.
type reading struct {
	total   float64 // what scales have closed
	current float64
	scale   float64 // the last, which the next must be below
	last    part
}

// part is the kind of word that was read last.
type part int

const (
	none part = iota
	literal
	small
	tens
	hundred
	scale
	closed // nothing but a scale, a fraction or decimals may follow
)

// number reads the number at the start of the tokens, and says how many it took; 0 where there is none. It takes no more than it is
// sure of: "five six" are two numbers.
func number(tokens []string) (value float64, used int) {
	r := reading{scale: math.Inf(1)}
	for used < len(tokens) {
		took := r.take(tokens[used:])
		if took == 0 {
			break
		}
		used += took
	}
	value = r.total + r.current
	if decimals, took := fraction(tokens[used:], r.last != none); took > 0 {
		value += decimals
		used += took
	}
	if used > 0 && used < len(tokens) {
		if by, ok := scaleNumber(tokens[used]); ok && r.last != scale && value < by { // "1.5 million"
			return value * by, used + 1
		}
		if tokens[used] == "dozen" || tokens[used] == "dozens" {
			return value * 12, used + 1
		}
	}
	return value, used
}

// take reads the next word, and says how many tokens that took.
func (r *reading) take(tokens []string) int {
	word := tokens[0]
	next := ""
	if len(tokens) > 1 {
		next = tokens[1]
	}
	if r.last == hundred && next == "hundred" {
		return 0 // "one hundred two hundred" are two numbers
	}
	if value, ok := smallNumber(word); ok {
		return r.add(value, small)
	}
	if value, ok := tensNumber(word); ok {
		return r.add(value, tens)
	}
	_, scales := scaleNumber(next)
	switch {
	case isNumber(word):
		if r.last != none {
			return 0
		}
		r.current, _ = strconv.ParseFloat(word, 64)
		r.last = literal
		return 1
	case (word == "a" || word == "an") && r.last == none && (next == "hundred" || next == "dozen" || scales):
		r.current, r.last = 1, literal
		return 1
	case word == "hundred" || word == "hundreds":
		return r.hundreds()
	case word == "and" && (r.last == hundred || r.last == scale):
		_, isSmall := smallNumber(next)
		_, isTens := tensNumber(next)
		if isSmall || isTens {
			return 1
		}
		return 0
	}
	if by, ok := scaleNumber(word); ok && by < r.scale && r.last != scale {
		if r.last == none {
			r.current = 1
		}
		r.total, r.current, r.scale, r.last = r.total+r.current*by, 0, by, scale
		return 1
	}
	return 0
}

// add joins a number below a hundred.
func (r *reading) add(value float64, kind part) int {
	switch {
	case r.last == none:
		r.current = value
	case r.last == tens && value >= 1 && value <= 9 && math.Mod(r.current, 10) == 0, r.last == hundred, r.last == scale:
		r.current += value
	case (r.last == small || r.last == tens || r.last == closed) && r.total == 0 && r.current >= 10 && r.current <= 99 && value >= 10: // a year
		r.current = r.current*100 + value
	default:
		return 0
	}
	if kind == small && r.last == tens {
		kind = closed
	}
	if kind == small && value < 10 && r.last != none {
		kind = closed
	}
	r.last = kind
	return 1
}

func (r *reading) hundreds() int {
	switch {
	case r.last == none:
		r.current = 100
	case (r.last == small || r.last == closed || r.last == literal || r.last == tens) && r.current >= 1 && r.current <= 99:
		r.current *= 100
	default:
		return 0
	}
	r.last = hundred
	return 1
}

// fraction reads what follows a whole number: "point one four", "and a half"; and "point five" where none stands before.
func fraction(tokens []string, after bool) (value float64, used int) {
	if len(tokens) >= 3 && after && tokens[0] == "and" {
		switch strings.Join(tokens[1:3], " ") {
		case "a half", "one half":
			return 0.5, 3
		case "a quarter", "one quarter":
			return 0.25, 3
		case "three quarters":
			return 0.75, 3
		}
	}
	if len(tokens) < 2 || tokens[0] != "point" {
		return 0, 0
	}
	text := "0."
	for _, token := range tokens[1:] {
		piece := decimals(token, text == "0.")
		if piece == "" {
			break
		}
		text += piece
		used++
	}
	if used == 0 {
		return 0, 0
	}
	value, _ = strconv.ParseFloat(text, 64)
	return value, used + 1
}

// decimals gives the digits that a word after "point" stands for, empty where it is none.
func decimals(token string, first bool) string {
	small, isSmall := smallNumber(token)
	tens, isTens := tensNumber(token)
	switch {
	case token == "oh" || token == "o":
		return "0"
	case isSmall && small < 10:
		return format(small)
	case isTens && first:
		return format(tens / 10)
	case first && isNumber(token) && !strings.Contains(token, "."):
		return token
	}
	return ""
}
