package skills

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plural writes a count with its noun.
func plural(count float64, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return number2(count) + " " + noun + "s"
}

// number2 writes a number with at most two decimals.
func number2(value float64) string {
	return format(math.Round(value*100) / 100)
}

// capital writes a text's first letter large.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 || first == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// capitals writes each word's first letter large.
func capitals(text string) string {
	words := strings.Fields(text)
	for n, word := range words {
		words[n] = capital(word)
	}
	return strings.Join(words, " ")
}

// quote puts what was said between marks, without those it has and at most so many bytes of it.
func quote(text string) string {
	const most = 400
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " …"
	}
	return `"` + strings.ReplaceAll(text, `"`, "'") + `"`
}

// failed says plainly that a tool did not do what was asked of it, and what it said.
func failed(what, said string) string {
	said = strings.Join(strings.Fields(said), " ")
	if said == "" {
		said = "it gave nothing"
	}
	return "I could not " + what + ": " + strings.TrimSuffix(said, ".") + "."
}

// outcome reads the number that the calculator gave.
func outcome(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if at := strings.LastIndex(text, "="); at >= 0 {
		text = strings.TrimSpace(text[at+1:])
	}
	text = strings.ReplaceAll(text, ",", "")
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil && !math.IsNaN(value) && !math.IsInf(value, 0)
}

// sensible rounds a result to what one would say: whole numbers whole, others to three or four figures. rounded tells whether that
// changed it.
func sensible(value float64) (text string, rounded bool) {
	if whole := math.Round(value); math.Abs(value-whole) < 1e-9*max(1, math.Abs(value)) {
		return spell(whole), false
	}
	var decimals float64
	switch size := math.Abs(value); {
	case size >= 10000:
	case size >= 100:
		decimals = 1
	case size >= 1:
		decimals = 2
	default:
		decimals = 2 - math.Floor(math.Log10(size))
	}
	by := math.Pow(10, decimals)
	if math.IsInf(by, 0) || by == 0 {
		return strconv.FormatFloat(value, 'g', 4, 64), true
	}
	kept := math.Round(value*by) / by
	return spell(kept), math.Abs(kept-value) > 1e-9*math.Abs(value)
}

// spell writes a number in digits; only what is too long to be said has an exponent.
func spell(value float64) string {
	if size := math.Abs(value); size >= 1e15 || size != 0 && size < 1e-6 {
		return strconv.FormatFloat(value, 'g', 6, 64)
	}
	if value == 0 {
		return "0" // not -0
	}
	return format(value)
}

// article is "an" before a number that is said with a vowel first.
func article(number string) string {
	whole, _, _ := strings.Cut(number, ".")
	if strings.HasPrefix(whole, "8") || whole == "11" || whole == "18" || strings.HasPrefix(whole, "11") && len(whole)%3 == 2 || strings.HasPrefix(whole, "18") && len(whole)%3 == 2 {
		return "an"
	}
	return "a"
}
