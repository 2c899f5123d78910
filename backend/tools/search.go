package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"echo-companion/backend/passage"
	"echo-companion/backend/reply"
)

const (
	maxPassages = 8
	maxPassage  = 600 // bytes of one
)

// query reads the one argument of a search.
func query(arguments json.RawMessage) (string, error) {
	asked, err := decode[struct {
		Query word `json:"query"`
	}](arguments)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(asked.Query))
	if text == "" {
		return "", errors.New("say what to look for, as query")
	}
	return reply.Cut(text, 1000), nil
}

// searchChats returns a paragraph for each message that fits, with the chat's title and the message's number.
func (b *bound) searchChats(ctx context.Context, arguments json.RawMessage) (string, error) {
	words, err := query(arguments)
	if err != nil {
		return "", err
	}
	if b.set.ports.Search == nil {
		return "", errors.New("saved chats cannot be searched just now")
	}
	hits, err := b.set.ports.Search(ctx, words)
	if err != nil {
		return "", fmt.Errorf("search the saved chats: %w", err)
	}
	if len(hits) == 0 {
		return "No saved chat speaks of that.", nil
	}
	var text strings.Builder
	for _, hit := range hits[:min(len(hits), maxPassages)] {
		said := hit.Text
		if said == "" {
			said = hit.Snippet
		}
		fmt.Fprintf(&text, "Chat %q, message %d: %s\n", hit.Title, hit.Number, around(said, words))
	}
	return text.String(), nil
}

// searchFiles returns a paragraph for each passage that fits, with its file and line.
func (b *bound) searchFiles(ctx context.Context, arguments json.RawMessage) (string, error) {
	words, err := query(arguments)
	if err != nil {
		return "", err
	}
	if b.set.ports.Notes == nil {
		return "", errors.New("files cannot be searched just now")
	}
	found, err := b.set.ports.Notes.Search(ctx, words, maxPassages)
	if err != nil {
		return "", fmt.Errorf("search the files: %w", err)
	}
	var text strings.Builder
	for _, passage := range found.Passages[:min(len(found.Passages), maxPassages)] {
		fmt.Fprintf(&text, "%s: %s\n", where(passage), around(passage.Text, words))
	}
	if len(found.Passages) == 0 {
		text.WriteString("Nothing in the files fits that.")
	}
	if found.Left > 0 {
		fmt.Fprintf(&text, "\n(Files left out, for they are too large, too many or cannot be read: %d)", found.Left)
	}
	return text.String(), nil
}

// where names the place of a passage.
func where(p passage.Passage) string {
	switch {
	case p.Page > 0:
		return fmt.Sprintf("%s, page %d", p.Source, p.Page)
	case p.Line > 0:
		return fmt.Sprintf("%s, line %d", p.Source, p.Line)
	}
	return p.Source
}

// around makes one line of a text, cut to the part about the first of the words that it has.
func around(text, words string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if len(text) <= maxPassage {
		return text
	}
	lower := strings.ToLower(text)
	at := 0
	for _, word := range strings.FieldsFunc(strings.ToLower(words), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if found := strings.Index(lower, word); len(word) > 2 && found >= 0 {
			at = found
			break
		}
	}
	start := min(max(0, at-maxPassage/3), max(0, len(text)-maxPassage)) // lower case may be of another length: only a hint
	end := min(len(text), start+maxPassage)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	cut := text[start:end]
	if start > 0 {
		cut = "…" + cut
	}
	if end < len(text) {
		cut += "…"
	}
	return cut
}
