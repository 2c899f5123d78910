package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isWithin tells whether the dot that a text ends with does not end its sentence: it belongs to an abbreviation, an initial or
// the number of a list item, given what follows.
func isWithin(text, rest string, stop rune) bool {
	if stop != '.' {
		return false
	}
	word := lastWord(text)
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case rest != "" && unicode.IsLower(next):
		return true // no sentence begins in lower case; names that do lose a pause at most
	case abbreviated(word):
		return true
	case ends(word):
		return rest != "" && !unicode.IsUpper(next)
	}
	return initial(word) || itemNumber(text, word)
}

// doubtful tells whether only the word after the text's last dot tells what the dot is.
func doubtful(text string) bool {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	word := lastWord(text)
	return abbreviated(word) || ends(word) || initial(word)
}

// lastWord is the word before a text's last dot, in lower case where it is no initial, without opening brackets.
func lastWord(text string) string {
	text = strings.TrimRight(text, `"'”’»)]*_`)
	text = strings.TrimSuffix(text, ".")
	if at := strings.LastIndexFunc(text, unicode.IsSpace); at >= 0 {
		_, size := utf8.DecodeRuneInString(text[at:])
		text = text[at+size:]
	}
	return strings.TrimLeft(text, `("'“‘«[*_`)
}

// abbreviated tells whether a word is an abbreviation that a name or number follows.
func abbreviated(word string) bool {
	switch strings.ToLower(word) {
	case "mr", "mrs", "ms", "dr", "prof", "st", "sr", "rev", "gen", "col", "capt", "lt", "sgt", "hon", "gov", "sen", "rep", "mt", "ft",
		"vs", "e.g", "i.e", "eg", "ie", "cf", "viz", "nos", "vol", "fig", "figs", "eq", "sec", "ch", "pp", "ed", "eds", "al", "approx", "ca",
		"dept", "univ", "est", "tel", "z.b", "d.h", "u.a", "bzw", "nr", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct",
		"nov", "dec":
		return true
	}
	return false
}

// ends tells whether a word is an abbreviation with which a sentence may end.
func ends(word string) bool {
	switch strings.ToLower(word) {
	case "etc", "inc", "ltd", "co", "corp", "jr", "a.m", "p.m", "u.s", "u.k", "u.s.a", "e.u", "u.n", "ph.d", "b.c", "a.d", "d.c", "no", "min", "max", "usw", "hr", "hrs", "ave",
		"blvd", "rd":
		return true
	}
	return false
}

// initial tells whether a word is one capital letter, as in "J. S. Bach"; "I" ends sentences.
func initial(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return size > 0 && size == len(word) && unicode.IsUpper(r) && r != 'I'
}

// itemNumber tells whether a text is nothing but the number of a list item.
func itemNumber(text, word string) bool {
	if strings.TrimSpace(strings.TrimSuffix(text, ".")) != word || len(word) > 3 || word == "" {
		return false
	}
	return strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// clause is where a text that goes on without a stop is cut: after a clause, else after a word, else where it gets too long.
func clause(text string) int {
	limit, word, mark := 0, 0, 0
	count := 0
	for i, r := range text {
		if count == pieceMost {
			limit = i
			break
		}
		count++
		end := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			end = i + 1
		}
		switch {
		case unicode.IsSpace(r):
			word = end
			if prev, _ := utf8.DecodeLastRuneInString(text[:i]); strings.ContainsRune(",;:–—)", prev) {
				mark = end
			}
		case strings.ContainsRune("、，；：", r):
			mark = end
		}
	}
	switch {
	case mark > limit/3:
		return mark
	case word > 0:
		return word
	}
	return limit
}
