// Package passage finds the sentences of a person's own texts that fit a question best, by meaning and by words. It owns how
// texts are cut into sentences, how the sentences are ranked and when none is good enough; it reads files of one folder and
// nothing outside it. It does not know what is done with what it finds.
package passage

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"echo-companion/backend/speech"
)

// Passage is a sentence and where it is from.
type Passage struct {
	Text   string
	Source string // a file's path relative to the folder with slashes, or the title of a chat
	Line   int    // in the file, from 1; 0 where there are no lines
	Page   int    // of a PDF file with several, from 1; else 0
	Score  float64
}

// What counts as found. Scores are between 0 and 1; docs/skills.md says how the two thresholds were measured.
const (
	// ThresholdMeaning is the least score that counts as found where meaning was compared.
	ThresholdMeaning = 0.33
	// ThresholdWords is the least score that counts as found by words alone.
	ThresholdWords = 0.33
	// shareMeaning is the part of a score that likeness in meaning has; the rest is the words'.
	shareMeaning = 0.8
)

// sentence is a candidate as it is ranked: its own words, and those of the heading and the file above it.
type sentence struct {
	passage Passage
	context string // what stands above it; helps to find it, is not shown
	stems   []string
}

// said is the text that is compared by meaning.
func (s sentence) said() string {
	if s.context == "" {
		return s.passage.Text
	}
	return s.context + ": " + s.passage.Text
}

// Rank gives at most limit of the candidates, the best first, and only those that are good enough. Where the embedder is nil or
// fails, words alone decide. The candidates are left as they are. The error is the context's.
func Rank(ctx context.Context, embedder speech.Embedder, query string, candidates []Passage, limit int) ([]Passage, error) {
	sentences := make([]sentence, len(candidates))
	for n, candidate := range candidates {
		sentences[n] = sentence{passage: candidate, stems: Stems(candidate.Text)}
	}
	vectors := newMemory(embedder)
	if err := vectors.learn(ctx, sentences); err != nil {
		return nil, err
	}
	return rank(ctx, vectors, query, sentences, limit)
}

// rank scores every sentence and keeps the best.
func rank(ctx context.Context, vectors *memory, query string, sentences []sentence, limit int) ([]Passage, error) {
	terms := Stems(query)
	words := newCorpus(sentences).scores(terms)
	meaning, err := vectors.of(ctx, query)
	if err != nil {
		return nil, err
	}
	var found []Passage
	for n, candidate := range sentences {
		score, least := words[n], ThresholdWords
		if vector := vectors.known(candidate.said()); meaning != nil && vector != nil {
			score, least = fuse(Likeness(meaning, vector), words[n]), ThresholdMeaning
		}
		if score >= least {
			hit := candidate.passage
			hit.Score = score
			found = append(found, hit)
		}
	}
	slices.SortStableFunc(found, func(a, b Passage) int { return cmp.Compare(b.Score, a.Score) })
	found = withoutRepeats(found)
	return found[:min(max(limit, 0), len(found))], nil
}

// fuse joins the two likenesses, each between 0 and 1. A weighted sum keeps the score absolute, so that a threshold can say that
// nothing was found; joining ranks would always name a best.
func fuse(meaning, words float64) float64 {
	return shareMeaning*max(meaning, 0) + (1-shareMeaning)*words
}

// withoutRepeats keeps the first of the passages with the same text and source, as a file that repeats itself has.
func withoutRepeats(passages []Passage) []Passage {
	type key struct{ text, source string }
	seen := make(map[key]bool, len(passages))
	return slices.DeleteFunc(passages, func(p Passage) bool {
		k := key{p.Text, p.Source}
		again := seen[k]
		seen[k] = true
		return again
	})
}

// Embed asks the embedder for the vectors of the texts, and holds it to one a text.
func Embed(ctx context.Context, embedder speech.Embedder, texts []string) ([][]float32, error) {
	vectors, err := embedder.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed %d texts: %w", len(texts), err)
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("embed %d texts: got %d vectors", len(texts), len(vectors))
	}
	return vectors, nil
}

// Likeness is how alike in meaning the texts of two unit vectors are, at most 1.
func Likeness(a, b []float32) float64 {
	var sum float64
	for n := range min(len(a), len(b)) {
		sum += float64(a[n]) * float64(b[n])
	}
	return sum
}
