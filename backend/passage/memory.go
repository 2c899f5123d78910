package passage

import (
	"context"
	"sync"

	"echo-companion/backend/speech"
)

// batch is how many sentences are embedded in one call: a call then takes some 200 ms, so a cancelled search ends soon.
const batch = 64

// memory keeps the vectors of the sentences that were met, by their text. It may be used from several goroutines.
type memory struct {
	embedder speech.Embedder // nil: nothing is ever known

	mu      sync.Mutex
	vectors map[string][]float32
}

func newMemory(embedder speech.Embedder) *memory {
	return &memory{embedder: embedder, vectors: map[string][]float32{}}
}

// learn embeds the sentences that are not known yet. An embedder that fails leaves them unknown; the error is the context's.
func (m *memory) learn(ctx context.Context, sentences []sentence) error {
	if m.embedder == nil {
		return nil
	}
	missing := m.missing(sentences)
	for len(missing) > 0 {
		part := missing[:min(batch, len(missing))]
		missing = missing[len(part):]
		vectors, err := Embed(ctx, m.embedder, part)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return nil //nolint:nilerr // words alone do: the engine that fails reports itself
		}
		m.mu.Lock()
		for n, text := range part {
			m.vectors[text] = vectors[n]
		}
		m.mu.Unlock()
	}
	return nil
}

// missing gives the texts that are not known yet, each once.
func (m *memory) missing(sentences []sentence) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var missing []string
	asked := map[string]bool{}
	for _, s := range sentences {
		if text := s.said(); m.vectors[text] == nil && !asked[text] {
			asked[text] = true
			missing = append(missing, text)
		}
	}
	return missing
}

// of gives a query's vector, which is not kept; nil where the embedder cannot say.
func (m *memory) of(ctx context.Context, query string) ([]float32, error) {
	if m.embedder == nil {
		return nil, nil
	}
	vectors, err := Embed(ctx, m.embedder, []string{query})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, nil //nolint:nilerr // words alone do: the engine that fails reports itself
	}
	return vectors[0], nil
}

// known gives a text's vector, nil where it was not learnt.
func (m *memory) known(text string) []float32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.vectors[text]
}

// keep forgets all but the vectors of these sentences.
func (m *memory) keep(sentences []sentence) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := make(map[string][]float32, len(sentences))
	for _, s := range sentences {
		if text := s.said(); m.vectors[text] != nil {
			kept[text] = m.vectors[text]
		}
	}
	m.vectors = kept
}
