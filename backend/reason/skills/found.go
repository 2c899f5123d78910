package skills

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"echo-companion/backend/passage"
)

// findings is what a search was for.
type findings struct {
	where    shelf
	about    string
	question question
}

// excerpt is a passage that a search gave.
type excerpt struct {
	passage.Passage

	chat bool
}

// spokenFiles and spokenChats are how many passages of each kind are told: who hears them keeps no more in mind.
const (
	spokenFiles = 2
	spokenChats = 2
	gathered    = 200 // sentences of chats that are compared
)

// tellFound words what the searches found: the best passages and where each is from.
func (r *Reasoner) tellFound(ctx context.Context, f findings, results []result) string {
	var found []excerpt
	var problems []string
	for _, result := range results {
		passages, problem := readPassages(result)
		if problem != "" {
			problems = append(problems, problem)
		}
		if result.tool == toolChats {
			found = append(found, r.bestOfChats(ctx, f, passages)...)
			continue
		}
		found = append(found, r.bestOfFiles(ctx, f, passages)...)
	}
	if len(found) == 0 {
		switch {
		case len(problems) > 0:
			return failed("search", strings.Join(problems, " "))
		case f.where == inNotes:
			return fmt.Sprintf("I found nothing about %s in your notes.", quote(f.about))
		case f.where == inChats:
			return fmt.Sprintf("I found nothing about %s in our earlier chats.", quote(f.about))
		}
		return nothingFound("your notes and our earlier chats")
	}
	var told []string
	for _, e := range found {
		told = append(told, e.tell())
	}
	return strings.Join(told, " ")
}

// bestOfFiles keeps the best passage, and those after it that fit by themselves too. The search has already left out what does not fit.
func (r *Reasoner) bestOfFiles(ctx context.Context, f findings, passages []passage.Passage) []excerpt {
	if len(passages) == 0 {
		return nil
	}
	out := []excerpt{{Passage: passages[0]}}
	also, err := passage.Rank(ctx, r.meaning.embedder, f.about, passages, spokenFiles)
	if err != nil {
		return out
	}
	for _, p := range also {
		if len(out) < spokenFiles && p.Text != passages[0].Text {
			out = append(out, excerpt{Passage: p})
		}
	}
	return out
}

// bestOfChats ranks the sentences of the messages that a search by words gave, without the question itself and without what the skills
// said of their own searches.
func (r *Reasoner) bestOfChats(ctx context.Context, f findings, messages []passage.Passage) []excerpt {
	var sentences []passage.Passage
	for _, message := range messages {
		for _, sentence := range passage.Sentences(message.Text) {
			same := common(strings.Fields(normalize(sentence.Text)), strings.Fields(f.question.full)) > 0.7
			if same || ownWords.MatchString(sentence.Text) || len(sentences) >= gathered {
				continue
			}
			sentences = append(sentences, passage.Passage{Text: sentence.Text, Source: message.Source})
		}
	}
	ranked, err := passage.Rank(ctx, r.meaning.embedder, f.about, sentences, spokenChats)
	if err != nil {
		return nil
	}
	out := make([]excerpt, len(ranked))
	for n, p := range ranked {
		out[n] = excerpt{Passage: p, chat: true}
	}
	return out
}

// ownWords begin what the skills say about searches: found again, it would say nothing.
var ownWords = regexp.MustCompile(`^(?:I found nothing about|I looked in your notes|I cannot answer that without|There are two ways to give me one|In [^:]+, (?:line|page) \d+:|In the chat "|In an earlier chat:|You asked:|I said:|The first thing)`)

func (e excerpt) tell() string {
	text := quote(e.Text)
	switch {
	case e.chat && e.Source == "":
		return "In an earlier chat: " + text
	case e.chat:
		return fmt.Sprintf("In the chat %s: %s", quote(e.Source), text)
	case e.Page > 0:
		return fmt.Sprintf("In %s, page %d: %s", e.Source, e.Page, text)
	case e.Line > 0:
		return fmt.Sprintf("In %s, line %d: %s", e.Source, e.Line, text)
	}
	return fmt.Sprintf("In %s: %s", e.Source, text)
}

var (
	// The lines that the searches give.
	fileLine = regexp.MustCompile(`^(.+?), line (\d+): (.+)$`)
	filePage = regexp.MustCompile(`^(.+?\.\w+), page (\d+): (.+)$`)
	fileOnly = regexp.MustCompile(`^([^:]+\.\w+): (.+)$`)
	chatLine = regexp.MustCompile(`^Chat ("(?:[^"\\]|\\.)*"), message \d+: (.+)$`)
	nothing  = regexp.MustCompile(`^(?:Nothing in the files fits that|No saved chat speaks of that)`)
)

// readPassages reads what a search gave, a passage a line. problem is what it said where that is none.
func readPassages(r result) (found []passage.Passage, problem string) {
	text := strings.TrimSpace(r.text)
	if text == "" || nothing.MatchString(text) {
		return nil, ""
	}
	for line := range strings.Lines(text) {
		if p, ok := readPassage(strings.TrimSpace(line), r.tool == toolChats); ok {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return nil, text
	}
	return slices.Clip(found), ""
}

func readPassage(line string, chat bool) (passage.Passage, bool) {
	if chat {
		parts := chatLine.FindStringSubmatch(line)
		if parts == nil {
			return passage.Passage{}, false
		}
		title, err := strconv.Unquote(parts[1])
		if err != nil {
			title = strings.Trim(parts[1], `"`)
		}
		return passage.Passage{Text: parts[2], Source: title}, true
	}
	if parts := fileLine.FindStringSubmatch(line); parts != nil {
		number, err := strconv.Atoi(parts[2])
		return passage.Passage{Text: parts[3], Source: parts[1], Line: number}, err == nil
	}
	if parts := filePage.FindStringSubmatch(line); parts != nil {
		number, err := strconv.Atoi(parts[2])
		return passage.Passage{Text: parts[3], Source: parts[1], Page: number}, err == nil
	}
	if parts := fileOnly.FindStringSubmatch(line); parts != nil {
		return passage.Passage{Text: parts[2], Source: parts[1]}, true
	}
	return passage.Passage{}, false
}
