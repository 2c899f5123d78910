package prose

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	namedLink = regexp.MustCompile(`!?\[([^\]]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+"[^"]*")?\)`)
	bareLink  = regexp.MustCompile(`<?(?:[a-z][a-z0-9+.-]*://|www\.)[^\s<>"]*[^\s<>".,;:!?)\]'*_]>?`)
	htmlTag   = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)
)

// Spoken is a piece of text as it is read aloud; empty where nothing in it can be.
func Spoken(raw string) string {
	var lines []string
	for line := range strings.Lines(raw) {
		if text := spokenLine(line); text != "" {
			lines = append(lines, text)
		}
	}
	text := strings.Join(lines, " ")
	if strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) < 0 {
		return ""
	}
	return text
}

func spokenLine(line string) string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "|") || strings.Trim(line, "-=_*| :") == "" {
		return "" // a row of a table, or a rule
	}
	line = strings.TrimLeft(line, "> \t")
	line = strings.TrimSpace(strings.TrimLeft(line, "#"))
	for _, bullet := range []string{"- [ ] ", "- [x] ", "- ", "* ", "+ ", "• ", "– "} {
		if rest, found := strings.CutPrefix(line, bullet); found {
			line = rest
			break
		}
	}
	return strings.Join(strings.Fields(unmarked(unlinked(line))), " ")
}

// unlinked leaves what links are called, and says of the bare ones that they are there.
func unlinked(line string) string {
	if strings.Contains(line, "](") {
		line = namedLink.ReplaceAllString(line, "$1")
	}
	if strings.Contains(line, "://") || strings.Contains(line, "www.") {
		line = bareLink.ReplaceAllString(line, "a link")
	}
	if strings.Contains(line, "<") {
		line = htmlTag.ReplaceAllString(line, " ")
	}
	return line
}

// codeMost is how long code inside of a sentence may be to be read: a name or a word.
const codeMost = 40

// unmarked takes the marks of emphasis and code away, and what is no text.
func unmarked(line string) string {
	var out strings.Builder
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '`':
			text, end := inlineCode(runes, i)
			out.WriteString(text)
			i = end
		case (r == '*' || r == '_' || r == '~') && isMark(runes, i):
		case isEmoji(r):
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	return tidy(out.String())
}

// inlineCode reads code between backquotes: a name or word is read, all else is left out.
func inlineCode(runes []rune, at int) (text string, end int) {
	open := at
	for at < len(runes) && runes[at] == '`' {
		at++
	}
	for end = at; end < len(runes) && runes[end] != '`'; end++ {
	}
	code := strings.TrimSpace(string(runes[at:end]))
	for end < len(runes) && runes[end] == '`' && end-open < len(runes) {
		end++
	}
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" .-_'/", r)
	}
	if len(code) > codeMost || strings.IndexFunc(code, odd) >= 0 {
		return "", end - 1
	}
	return code, end - 1
}

// isMark tells whether a rune marks emphasis: a star between spaces is none, nor an underscore inside of a name.
func isMark(runes []rune, i int) bool {
	word := func(at int) bool {
		return at >= 0 && at < len(runes) && (unicode.IsLetter(runes[at]) || unicode.IsDigit(runes[at]))
	}
	space := func(at int) bool { return at < 0 || at >= len(runes) || unicode.IsSpace(runes[at]) }
	same := func(at int) bool { return at >= 0 && at < len(runes) && runes[at] == runes[i] }
	switch runes[i] {
	case '_':
		return !word(i-1) || !word(i+1)
	case '~':
		return same(i-1) || same(i+1)
	}
	return (!space(i-1) || !space(i+1)) && (!digit(runes, i-1) || !digit(runes, i+1))
}

func digit(runes []rune, at int) bool {
	return at >= 0 && at < len(runes) && unicode.IsDigit(runes[at])
}

// isEmoji tells whether a rune is a picture, or belongs to one.
func isEmoji(r rune) bool {
	switch {
	case r >= 0x1F000 && r <= 0x1FAFF, r >= 0x2600 && r <= 0x27BF, r >= 0x2B00 && r <= 0x2BFF, r >= 0x2190 && r <= 0x21FF && r != '→':
		return true
	case r == 0x200D, r == 0xFE0F, r == 0x20E3, r >= 0xE0020 && r <= 0xE007F, r >= 0x2300 && r <= 0x23FF:
		return true
	}
	return false
}

// tidy removes what the taking away left: empty brackets, and spaces before stops.
func tidy(text string) string {
	text = strings.NewReplacer("()", "", "[]", "", "( )", "").Replace(text)
	text = strings.Join(strings.Fields(text), " ")
	for _, stop := range []string{".", ",", "!", "?", ";", ":"} {
		text = strings.ReplaceAll(text, " "+stop+" ", stop+" ")
		if rest, found := strings.CutSuffix(text, " "+stop); found {
			text = rest + stop
		}
	}
	return text
}
