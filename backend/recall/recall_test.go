package recall_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/recall"
	"echo-companion/backend/speech"
	"echo-companion/backend/store"
)

// topics knows what a few words are about: texts about the same are alike.
type topics struct {
	mu    sync.Mutex
	asked int // texts
	fail  func(ctx context.Context) error
}

func (e *topics) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked += len(texts)
	if e.fail != nil {
		if err := e.fail(ctx); err != nil {
			return nil, err
		}
	}
	vectors := make([][]float32, len(texts))
	for n, text := range texts {
		vectors[n] = make([]float32, 8)
		topic := 7
		for word, about := range map[string]int{"car": 0, "vehicle": 0, "cat": 1, "kitten": 1, "pasta": 2, "noodles": 2} {
			if strings.Contains(strings.ToLower(text), word) {
				topic = about
			}
		}
		vectors[n][topic] = 1
	}
	return vectors, nil
}

func (e *topics) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.asked
}

func (e *topics) failing(fail func(ctx context.Context) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fail = fail
}

type bench struct {
	t     *testing.T
	store *store.Store
	found *recall.Recall
}

// begin opens a store, and runs the search of it until the test ends. It is called in a bubble.
func begin(t *testing.T, embedder speech.Embedder) *bench {
	t.Helper()
	kept, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "chats.db"), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	b := &bench{t: t, store: kept, found: recall.New(kept, embedder, slog.New(slog.DiscardHandler))}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { b.found.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
		require.NoError(t, kept.Close())
	})
	return b
}

func (b *bench) say(text, answer string) string {
	b.t.Helper()
	e, _, err := b.store.Begin(b.t.Context(), echo.Question{Kind: echo.KindChat, Text: text, Source: echo.SourceTyped, AskedAt: time.Now()})
	require.NoError(b.t, err)
	_, err = b.store.Finish(b.t.Context(), e.ID, echo.Outcome{State: echo.StateComplete, Answer: answer, At: time.Now()})
	require.NoError(b.t, err)
	return e.Chat.ID
}

// search gives the hits as "title/number".
func (b *bench) search(query string) []string {
	b.t.Helper()
	hits, err := b.found.Search(b.t.Context(), query, 10)
	require.NoError(b.t, err)
	var all []string
	for _, hit := range hits {
		require.NotEmpty(b.t, hit.Snippet)
		all = append(all, fmt.Sprintf("%s/%d", hit.Title, hit.Number))
	}
	return all
}

func TestChatsAreFoundByMeaningAndByWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := begin(t, &topics{})
		b.say("My car squeaks.", "Oil it.")
		b.say("A vehicle that squeaks?", "Yes.")
		chat := b.say("Do cats purr?", "Mine does.")
		require.Equal(t, []string{"My car squeaks./1", "A vehicle that squeaks?/1"}, b.search("car"), "what has the word comes first")
		require.Equal(t, []string{"A vehicle that squeaks?/1", "My car squeaks./1"}, b.search("vehicle"))
		require.Equal(t, []string{"Do cats purr?/1"}, b.search("kitten"))
		require.Empty(t, b.search("xy"), "two letters mean nothing yet")

		b.say("Where is my kitten?", "Here.")
		require.Contains(t, b.search("cat"), "Where is my kitten?/1", "what was just said is found at once")
		require.NoError(t, b.store.Delete(t.Context(), chat))
		require.NotContains(t, strings.Join(b.search("kitten"), " "), "purr")
	})
}

func TestTheTwoRankingsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := begin(t, &topics{})
		for _, text := range []string{"A blue sky", "A blue sea", "My cat sleeps", "My cat eats"} {
			b.say(text, "I see.")
		}
		hits, err := b.found.Find(t.Context(), "blue kitten", 10)
		require.NoError(t, err)
		var found []string
		for _, hit := range hits {
			found = append(found, hit.Title[:6])
		}
		require.Equal(t, []string{"A blue", "My cat", "A blue", "My cat"}, found)
	})
}

func TestWordsAnswerWhereMeaningCannot(t *testing.T) {
	for name, embedder := range map[string]speech.Embedder{
		"no embedder":     nil,
		"a broken one":    &topics{fail: func(context.Context) error { return errors.New("no engine") }},
		"one that sleeps": &topics{fail: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := begin(t, embedder)
				b.say("My car squeaks.", "Oil it.")
				began := time.Now()
				require.Equal(t, []string{"My car squeaks./1"}, b.search("car"))
				require.LessOrEqual(t, time.Since(began), 3*time.Second)
			})
		})
	}
}

func TestSearchEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := begin(t, &topics{fail: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := b.found.Search(ctx, "car", 10)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// TestEmbedderIsLeftAlone: a few messages do not start it, many do, and one that fails is not tried every minute.
func TestEmbedderIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		embedder := &topics{}
		b := begin(t, embedder)
		for n := range 31 {
			b.say(fmt.Sprint("Question ", n), "Answer.")
		}
		wait(5 * time.Minute)
		require.Zero(t, embedder.count())
		b.say("One more", "Answer.")
		embedder.failing(func(context.Context) error { return errors.New("no engine") })
		wait(10 * time.Minute)
		tried := embedder.count()
		require.Equal(t, 32, tried, "one attempt")
		embedder.failing(nil)
		b.search("question")
		wait(5 * time.Minute)
		require.Equal(t, tried+1+64, embedder.count(), "after a search that succeeded the rest is learnt")
	})
}

// wait lets the bubble's time pass.
func wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestLongMessagesAreLearntInParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := begin(t, &topics{})
		long := strings.Repeat("Nothing of note happened on that day. ", 60) + "\n\nThen my cat came home. " + strings.Repeat("ß", 20_000)
		b.say("Tell me a story", long)
		hits, err := b.found.Search(t.Context(), "kitten", 10)
		require.NoError(t, err)
		require.Len(t, hits, 1)
		require.Contains(t, hits[0].Snippet, "my cat came home")
	})
}

func TestStopWaitsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var embedding atomic.Bool
		b := begin(t, &topics{fail: func(ctx context.Context) error {
			embedding.Store(true)
			<-ctx.Done()
			return ctx.Err()
		}})
		for n := range 40 {
			b.say(fmt.Sprint("Question ", n), "Answer.")
		}
		wait(2 * time.Minute)
		require.True(t, embedding.Load())
	}) // the bubble ends once Run has
}
