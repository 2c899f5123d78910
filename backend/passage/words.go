package passage

import (
	"math"
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// Okapi BM25 is written out here, forty lines of it: the index is small and lives in memory, and a search library (bleve: some
// thirty modules, segments on disk) would be far more than that. The usual parameters.
const (
	saturation   = 1.2
	lengthWeight = 0.5 // sentences differ little in what their length says
)

// stopWords carry no meaning of their own in a question.
//
//nolint:gosec // these are words of English, no credentials
const stopWords = ` a about all also am an and any are as at be been being but by can could did do does doing done for from get got had has
have having he her here him his how i if in into is it its just like may me might mine more most must my no not now of on or our ours
out over say said shall she should so some such than that the their them then there these they this those to too under up us very was
we were what when where which while who whom whose why will with would you your yours please tell know note notes file files much many
`

// isStop tells whether a word of a question carries no meaning of its own.
func isStop(word string) bool {
	return strings.Contains(stopWords, " "+word+" ") || strings.Contains(stopWords, "\n"+word+" ") || strings.Contains(stopWords, " "+word+"\n")
}

// Words cuts a text into lower-case words and numbers.
func Words(text string) []string {
	text = strings.NewReplacer("'s ", " ", "’s ", " ", "'", "", "’", "").Replace(strings.ToLower(text) + " ")
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Keywords gives the words of a text that carry meaning, all where none does.
func Keywords(text string) []string {
	words := Words(text)
	kept := make([]string, 0, len(words))
	for _, word := range words {
		if !isStop(word) {
			kept = append(kept, word)
		}
	}
	if len(kept) == 0 {
		return words
	}
	return kept
}

// Stems gives the stems of those words of a text that carry meaning, in order; words that differ in their ending alone have one
// stem. Where every word is a stop word all are kept.
func Stems(text string) []string {
	words := Keywords(text)
	stems := make([]string, len(words))
	for n, word := range words {
		stems[n] = stem(word)
	}
	return stems
}

func stem(word string) string {
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// corpus counts the words of a set of sentences.
type corpus struct {
	sentences []sentence
	holding   map[string]int // in how many sentences a stem stands
	length    float64        // of a sentence on average, in stems
}

func newCorpus(sentences []sentence) corpus {
	c := corpus{sentences: sentences, holding: map[string]int{}}
	total := 0
	for _, s := range sentences {
		seen := map[string]bool{}
		for _, word := range s.stems {
			if !seen[word] {
				seen[word] = true
				c.holding[word]++
			}
		}
		total += len(s.stems)
	}
	c.length = max(1, float64(total)/float64(max(1, len(sentences))))
	return c
}

// weight is how much a stem tells apart, BM25's inverse document frequency.
func (c corpus) weight(word string) float64 {
	holding := float64(c.holding[word])
	return math.Log1p((float64(len(c.sentences)) - holding + 0.5) / (holding + 0.5))
}

// scores gives each sentence's BM25 score for the terms, divided by the most that any sentence could have: between 0 and 1. A
// term that no sentence holds weighs most, so that a question of which little is found scores low everywhere.
func (c corpus) scores(terms []string) []float64 {
	weights := make(map[string]float64, len(terms))
	var most float64
	for _, term := range terms {
		if _, counted := weights[term]; !counted {
			weights[term] = c.weight(term)
			most += weights[term]
		}
	}
	scores := make([]float64, len(c.sentences))
	if most == 0 {
		return scores
	}
	for n, s := range c.sentences {
		counts := map[string]float64{}
		for _, word := range s.stems {
			if _, wanted := weights[word]; wanted {
				counts[word]++
			}
		}
		norm := saturation * (1 - lengthWeight + lengthWeight*float64(len(s.stems))/c.length)
		for _, term := range terms { // in their order: sums of floats depend on it, and answers are to be the same each time
			if count := counts[term]; count > 0 {
				scores[n] += weights[term] * min(1, count*(1+saturation*0.5)/(count+norm))
				delete(counts, term)
			}
		}
		scores[n] /= most
	}
	return scores
}
