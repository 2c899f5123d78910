// Package refusal finds what a server says of itself in the body of an answer that is an error. It is pure.
package refusal

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// quoted is how many characters of a server's own words are shown to people.
const quoted = 200

// Words finds the message in an error's body, in the shapes that servers give it. A web page has none.
func Words(body []byte) string {
	var shapes struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &shapes) != nil {
		if bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) {
			return ""
		}
		return string(body)
	}
	for _, raw := range []json.RawMessage{shapes.Error, shapes.Detail} {
		var text string
		var object struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(raw, &text) == nil && text != "" {
			return text
		}
		if json.Unmarshal(raw, &object) == nil && object.Message != "" {
			return object.Message
		}
	}
	return shapes.Message
}

// Short makes one short line of a server's words, without a full stop at its end.
func Short(words string) string {
	words = strings.Join(strings.Fields(strings.ToValidUTF8(words, "\uFFFD")), " ")
	if utf8.RuneCountInString(words) > quoted {
		return string([]rune(words)[:quoted]) + "…"
	}
	return strings.TrimRight(words, ". ")
}
