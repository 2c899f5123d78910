// Package filter judges what a recogniser made of an utterance: a question, noise, Echo hearing itself, a stop or a goodbye
// (Q4 to Q7). It is pure, knows nothing of turns, and speaks English: its word lists are those of the built-in recogniser's
// language. In other languages a phrase that it does not know is a question, which loses nothing.
package filter

import (
	"slices"
	"strings"
)

// Verdict is what an utterance is. Those that ask nothing bear the protocol's names.
type Verdict string

// The verdicts.
const (
	Question Verdict = "question"
	Stop     Verdict = "stop"
	Goodbye  Verdict = "goodbye"
	Empty    Verdict = "empty"
	Filler   Verdict = "filler"
	Sound    Verdict = "sound"
	Echo     Verdict = "echo"
)

// Utterance is what was heard, and when.
type Utterance struct {
	Text    string
	Overlap bool     // it began while Echo's voice played, or just after
	Recent  []string // what Echo said lately, where Overlap
	Woken   bool     // the conversation was opened with "Hey Echo": a goodbye ends it
}

// Judge tells what an utterance is.
func Judge(u Utterance) Verdict {
	said, labels := unlabelled(u.Text)
	words := Words(said)
	switch {
	case len(words) == 0 && (labels || strings.Contains(said, "..")):
		return Sound
	case len(words) == 0:
		return Empty
	case all(words, filler):
		return Filler
	}
	words = slices.DeleteFunc(words, filler)
	switch {
	case isStop(words):
		return Stop
	case hallucinated(words):
		return Sound
	case u.Woken && isGoodbye(words):
		return Goodbye
	case u.Overlap && isEcho(Words(u.Text), u.Recent):
		return Echo
	}
	return Question
}

func all(words []string, is func(string) bool) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !is(word) })
}
