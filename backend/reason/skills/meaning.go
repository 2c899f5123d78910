package skills

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"time"

	"echo-companion/backend/passage"
	"echo-companion/backend/speech"
)

//go:embed examples.tsv
var exampleTable string

// What counts as alike. docs/skills.md says how these were measured.
const (
	leastMeaning = 0.55 // a dot product of unit vectors
	leastDirect  = 0.62 // the same, for what is answered without looking anything up: a wrong answer costs more there
	leastWords   = 0.6  // a share of common words
	// patience bounds how long a question waits for its meaning. An embedder that is asked for the first time loads its model for a
	// second or more; it goes on loading, and the words decide until it is there.
	patience = 3 * time.Second
)

// meaning finds the intent of a question by its likeness to kept examples: by their vectors where there is an embedder that works,
// else by their words. It may be used from several goroutines.
type meaning struct {
	embedder speech.Embedder
	intents  []intent
	texts    []string
	stems    [][]string

	mu      sync.Mutex // held while the examples are embedded, each once
	vectors [][]float32
}

func newMeaning(embedder speech.Embedder) *meaning {
	m := &meaning{embedder: embedder}
	for line := range strings.Lines(exampleTable) {
		as, text, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if ok && !strings.HasPrefix(line, "#") {
			m.intents, m.texts, m.stems = append(m.intents, intent(as)), append(m.texts, text), append(m.stems, strings.Fields(text))
		}
	}
	return m
}

// of gives the intent of the nearest example, empty where none is near. The error is the context's.
func (m *meaning) of(ctx context.Context, q question) (intent, error) {
	if m.embedder != nil {
		bounded, cancel := context.WithTimeout(ctx, patience)
		scores, err := m.likeness(bounded, q.text)
		cancel()
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err == nil {
			return m.nearest(scores, leastMeaning, leastDirect), nil
		}
	}
	words := strings.Fields(q.text)
	scores := make([]float64, len(m.texts))
	for n, stems := range m.stems {
		scores[n] = common(words, stems)
	}
	return m.nearest(scores, leastWords, leastWords), nil
}

// nearest gives the intent with the best score, the first where several have it; direct is the least that an intent needs which is
// answered without a search.
func (m *meaning) nearest(scores []float64, least, direct float64) intent {
	best := intent("")
	for n, score := range scores {
		if score >= least {
			best, least = m.intents[n], score+1e-9
		}
	}
	searched := []intent{intentNotes, intentChats, intentNone, intentSum, ""}
	if least < direct && !slices.Contains(searched, best) {
		return ""
	}
	return best
}

// likeness compares a text with every example by meaning.
func (m *meaning) likeness(ctx context.Context, text string) ([]float64, error) {
	examples, err := m.examples(ctx)
	if err != nil {
		return nil, err
	}
	vectors, err := passage.Embed(ctx, m.embedder, []string{text})
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(examples))
	for n, example := range examples {
		scores[n] = passage.Likeness(vectors[0], example)
	}
	return scores, nil
}

// examples gives the vectors of all examples. They are embedded a part at a time, and what was embedded is kept where the time runs
// out: the next question goes on.
func (m *meaning) examples(ctx context.Context) ([][]float32, error) {
	const part = 16
	m.mu.Lock()
	defer m.mu.Unlock()
	for done := len(m.vectors); done < len(m.texts); done = len(m.vectors) {
		vectors, err := passage.Embed(ctx, m.embedder, m.texts[done:min(done+part, len(m.texts))])
		if err != nil {
			return nil, err
		}
		m.vectors = append(m.vectors, vectors...)
	}
	return m.vectors, nil
}

// common is the share of words that two texts have in common, of all that either has.
func common(a, b []string) float64 {
	counts := map[string]int{}
	for _, word := range a {
		counts[word]++
	}
	both := 0
	for _, word := range b {
		if counts[word] > 0 {
			counts[word]--
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}
