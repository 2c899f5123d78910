// Package arithmetic works out sums that are written as people and models write them. Numbers are exact fractions as far as
// that goes, so that 0.1 + 0.2 is 0.3; roots and broken powers are worked out to forty digits. It is bounded in time and size.
package arithmetic

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

const maxLength = 1000 // characters of an expression

// percent stands for a % that means hundredths, where the sign alone means the remainder.
const percent = "‰"

// Evaluate works an expression out and writes the result as a decimal number. It understands + - * / ^, % as remainder and as
// hundredths, parentheses, factorials, pi, e, and the functions sqrt, cbrt, abs, round, floor, ceil, ln, log and exp. Its errors
// are for people.
func Evaluate(expression string) (string, error) {
	tree, err := read(expression)
	if err != nil {
		return "", err
	}
	result, err := tree.value()
	if err != nil {
		return "", err
	}
	return result.String(), nil
}

// WellFormed tells whether a text is an expression that Evaluate understands, whatever comes of it.
func WellFormed(expression string) bool {
	_, err := read(expression)
	return err == nil
}

func read(expression string) (*sum, error) {
	if strings.TrimSpace(expression) == "" {
		return nil, errors.New("there is no expression: give one like 3*(4+5)")
	}
	if utf8.RuneCountInString(expression) > maxLength {
		return nil, fmt.Errorf("the expression is longer than %d characters: work it out in parts", maxLength)
	}
	parser, err := grammar()
	if err != nil {
		return nil, fmt.Errorf("build the parser: %w", err)
	}
	tree, err := parser.ParseString("", normalize(expression))
	if err != nil {
		return nil, explain(err)
	}
	return tree, nil
}

// The grammar, from the loosest binding to the tightest.
type (
	sum struct {
		First *product `parser:"@@"`
		Rest  []*term  `parser:"@@*"`
	}
	term struct {
		Op    string   `parser:"@('+' | '-')"`
		Value *product `parser:"@@"`
	}
	product struct {
		First *unary    `parser:"@@"`
		Rest  []*factor `parser:"@@*"`
	}
	factor struct {
		Op    string `parser:"@('*' | '/' | '%' | 'x' | 'of' | 'mod')"`
		Value *unary `parser:"@@"`
	}
	unary struct {
		Signs []string `parser:"@('+' | '-')*"`
		Value *power   `parser:"@@"`
	}
	power struct {
		Base     *postfix `parser:"@@"`
		Exponent *unary   `parser:"('^' @@)?"`
	}
	postfix struct {
		Value *atom    `parser:"@@"`
		Marks []string `parser:"@('!' | '‰')*"`
	}
	atom struct {
		Number   string `parser:"  @Number"`
		Constant string `parser:"| @('pi' | 'e')"`
		Function string `parser:"| @('sqrt' | 'cbrt' | 'abs' | 'round' | 'floor' | 'ceil' | 'ln' | 'log' | 'exp')"`
		Argument *atom  `parser:"  @@"`
		Inner    *sum   `parser:"| '(' @@ ')'"`
	}
)

// grammar is the parser, which takes longer to build than a sum to work out. It may be used from several goroutines.
var grammar = sync.OnceValues(newParser) //nolint:gochecknoglobals // built once, never changed

func newParser() (*participle.Parser[sum], error) {
	tokens, err := lexer.NewSimple([]lexer.SimpleRule{
		{Name: "Number", Pattern: `(\d{1,3}(,\d{3})+|\d+)(\.\d*)?([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?`},
		{Name: "Word", Pattern: `[a-z]+`},
		{Name: "Sign", Pattern: `[-+*/%^!‰()]`},
		{Name: "Space", Pattern: `\s+`},
	})
	if err != nil {
		return nil, err
	}
	return participle.Build[sum](participle.Lexer(tokens), participle.Elide("Space"))
}

// normalize rewrites the many signs for one operation as one, and tells hundredths from remainders.
func normalize(expression string) string {
	text := strings.NewReplacer(
		"**", "^", "×", "*", "·", "*", "⋅", "*", "∗", "*", "÷", "/", "∶", "/", "⁄", "/", "−", "-", "–", "-", "—", "-",
		"²", "^2", "³", "^3", "√", " sqrt ", "π", " pi ", "_", "", "[", "(", "]", ")", "\u00a0", " ", "\u202f", " ", percent, "",
	).Replace(expression)
	text = strings.TrimRightFunc(strings.ToLower(text), func(r rune) bool { return unicode.IsSpace(r) || r == '=' || r == '?' })
	var out strings.Builder
	for i, r := range text {
		if r == '%' && hundredths(text[i+1:]) {
			out.WriteString(percent)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// hundredths tells what a % means by what follows it: an operand makes it a remainder. "10 % -3" has one, "15% - 3" has none.
func hundredths(after string) bool {
	rest := strings.TrimLeftFunc(after, unicode.IsSpace)
	if rest == "" || strings.HasPrefix(rest, "of ") || strings.HasPrefix(rest, "x ") {
		return true
	}
	if rest[0] == '-' || rest[0] == '+' {
		operand := len(rest) < len(after) && len(rest) > 1 && !unicode.IsSpace(rune(rest[1]))
		return !operand
	}
	return strings.ContainsRune(")*/^!%", rune(rest[0]))
}

// explain says in plain words what the parser stumbled over.
func explain(err error) error {
	if unexpected, ok := errors.AsType[*participle.UnexpectedTokenError](err); ok {
		switch token := unexpected.Unexpected; {
		case token.EOF():
			return errors.New("the expression is incomplete: something is missing at its end")
		case token.Value == ")":
			return errors.New("the expression has a ) where a number is missing, or one too many")
		case token.Value == percent:
			return errors.New("the expression has a % where a number is missing")
		default:
			return fmt.Errorf("the expression is not understood at %q: use numbers, + - * / ^ %% and parentheses", token.Value)
		}
	}
	if _, ok := errors.AsType[*lexer.Error](err); ok {
		return errors.New("the expression has a sign that is not understood: use numbers (with a point for decimals), + - * / ^ % and parentheses")
	}
	return fmt.Errorf("the expression is not understood: %w", err)
}
