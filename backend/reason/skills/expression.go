package skills

import "strings"

// wellFormed tells whether a text is an expression that the calculator can read: numbers, + - * / % ^, brackets, sqrt and mod.
func wellFormed(text string) bool {
	p := parser{rest: strings.ReplaceAll(text, " ", ""), depth: 50}
	// Two numbers side by side are no expression, though without the space between them they would be one number.
	for words, n := strings.Fields(text), 1; n < len(words); n++ {
		if isNumber(words[n-1]) && isNumber(words[n]) {
			return false
		}
	}
	return p.expression() && p.rest == ""
}

// parser reads an expression and keeps nothing of it. depth bounds its recursion.
type parser struct {
	rest  string
	depth int
}

func (p *parser) expression() bool {
	if p.depth--; p.depth < 0 || !p.operand() {
		return false
	}
	for p.rest != "" && strings.ContainsRune("+-*/%^", rune(p.rest[0])) {
		p.rest = p.rest[1:]
		if !p.operand() {
			return false
		}
	}
	p.depth++
	return true
}

func (p *parser) operand() bool {
	p.skip("-")
	switch {
	case p.skip("sqrt("), p.skip("cbrt("):
		return p.expression() && p.skip(")")
	case p.skip("mod("):
		return p.expression() && p.skip(",") && p.expression() && p.skip(")")
	case p.skip("("):
		return p.expression() && p.skip(")")
	}
	digits := strings.TrimLeft(p.rest, "0123456789.")
	figure := p.rest[:len(p.rest)-len(digits)]
	p.rest = digits
	return isNumber(figure)
}

func (p *parser) skip(text string) bool {
	found := strings.HasPrefix(p.rest, text)
	p.rest = strings.TrimPrefix(p.rest, text)
	return found
}
