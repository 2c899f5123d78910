package openai

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

var errNoString = errors.New("not a JSON string")

// joiner reads the JSON strings of a stream one after another as if they were one. Servers cut a character in two between
// them, as bytes or as a pair of \u escapes; encoding/json would make replacement characters of both halves.
type joiner struct {
	held []byte // the first bytes of a character
	high rune   // the first half of a surrogate pair; zero if none
}

// add returns the text that is whole by now. Null and nothing add nothing.
func (j *joiner) add(raw json.RawMessage) (string, error) {
	text := string(raw)
	if text == "" || text == "null" {
		return "", nil
	}
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return "", errNoString
	}
	out := j.held
	j.held = nil
	for text = text[1 : len(text)-1]; text != ""; {
		if text[0] != '\\' {
			end := strings.IndexByte(text, '\\')
			if end < 0 {
				end = len(text)
			}
			out = append(j.lone(out), text[:end]...)
			text = text[end:]
			continue
		}
		var err error
		if out, text, err = j.escape(out, text); err != nil {
			return "", err
		}
	}
	whole := len(out) - incomplete(out)
	j.held = append([]byte(nil), out[whole:]...)
	return strings.ToValidUTF8(string(out[:whole]), "\uFFFD"), nil
}

// escape reads one escape, which the text begins with.
func (j *joiner) escape(out []byte, text string) (more []byte, rest string, err error) {
	if len(text) < 2 {
		return nil, "", errNoString
	}
	if text[1] != 'u' {
		at := strings.IndexByte(`"\/bfnrt`, text[1])
		if at < 0 {
			return nil, "", errNoString
		}
		return append(j.lone(out), "\"\\/\b\f\n\r\t"[at]), text[2:], nil
	}
	if len(text) < 6 {
		return nil, "", errNoString
	}
	code, err := strconv.ParseUint(text[2:6], 16, 16)
	if err != nil {
		return nil, "", errNoString
	}
	unit, rest := rune(code), text[6:]
	if pair := utf16.DecodeRune(j.high, unit); j.high != 0 && pair != unicode.ReplacementChar {
		j.high = 0
		return utf8.AppendRune(out, pair), rest, nil
	}
	out = j.lone(out)
	if unit >= 0xD800 && unit < 0xDC00 {
		j.high = unit
		return out, rest, nil
	}
	return utf8.AppendRune(out, unit), rest, nil // a second half alone becomes a replacement character
}

// lone writes a replacement character for a first half that no second one followed.
func (j *joiner) lone(out []byte) []byte {
	if j.high != 0 {
		j.high = 0
		out = utf8.AppendRune(out, unicode.ReplacementChar)
	}
	return out
}

// rest gives what is still held at the end of the stream.
func (j *joiner) rest() string {
	out := j.lone(j.held)
	j.held = nil
	return strings.ToValidUTF8(string(out), "\uFFFD")
}

// incomplete counts the bytes at the end that begin a character and do not end it.
func incomplete(text []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if last := text[len(text)-back]; utf8.RuneStart(last) {
			if last >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-back:]) {
				return back
			}
			return 0
		}
	}
	return 0
}

// thinking takes out what some models write before their answer as <think>…</think>, which nobody wants read aloud.
type thinking struct {
	state   thought
	held    string // what may be the start of a mark
	thought bool   // there was one: the space after it is no part of the answer
}

type thought int

const (
	undecided thought = iota // only space so far, or the start of a mark
	within
	answering
)

const thinkStart, thinkEnd = "<think>", "</think>"

// strip returns the part of the text that belongs to the answer.
func (t *thinking) strip(text string) string {
	if t.state == answering || text == "" {
		return text
	}
	t.held += text
	if t.state == undecided {
		start := strings.TrimLeftFunc(t.held, unicode.IsSpace)
		switch {
		case strings.HasPrefix(start, thinkStart):
			t.state, t.held = within, start[len(thinkStart):]
		case strings.HasPrefix(thinkStart, start):
			return ""
		default:
			return t.rest()
		}
		t.thought = true
	}
	if _, answer, over := strings.Cut(t.held, thinkEnd); over {
		t.state, t.held = undecided, ""
		return t.strip(answer)
	}
	t.held = t.held[max(0, len(t.held)-len(thinkEnd)+1):] // the end mark may be cut in two
	return ""
}

// rest gives what is held at the end, unless it was a thought.
func (t *thinking) rest() string {
	held := t.held
	t.held = ""
	if t.state == within {
		return ""
	}
	t.state = answering
	if t.thought {
		return strings.TrimLeftFunc(held, unicode.IsSpace)
	}
	return held
}
