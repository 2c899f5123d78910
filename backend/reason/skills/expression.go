package skills

import (
	"regexp"
	"strings"

	"echo-companion/backend/tools/arithmetic"
)

// own is what an expression consists of as the skills write one; the calculator knows more, such as the constant e.
var own = regexp.MustCompile(`^(?:[-+*/%^(),.\d ]|sqrt\(|cbrt\(|mod\()*$`)

// wellFormed tells whether a text is an expression that the calculator can read: numbers, + - * / % ^, brackets, sqrt and mod.
func wellFormed(text string) bool {
	// What is plainly none is told here, which spares the parser most of a long text: other words, a bracket that does not
	// close, two numbers side by side.
	if !own.MatchString(text) || strings.Count(text, "(") != strings.Count(text, ")") {
		return false
	}
	for words, n := strings.Fields(text), 1; n < len(words); n++ {
		if isNumber(words[n-1]) && isNumber(words[n]) {
			return false
		}
	}
	return arithmetic.WellFormed(unmod(strings.ReplaceAll(text, " ", "")))
}
