package chat_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/chat"
	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reply"
	"echo-companion/backend/store"
)

// words writes a long answer, a word a chunk.
type words int

func (w words) Reason(_ context.Context, _ reason.Request, emit func(reason.Chunk) error) error {
	for n := range int(w) {
		if err := emit(reason.Chunk{Text: "word" + strconv.Itoa(n) + " "}); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkWatchers has a hundred watch one reply of 2,000 words from its first event to its last, beside one watcher.
func BenchmarkWatchers(b *testing.B) {
	const answer = 2000
	log := slog.New(slog.DiscardHandler)
	kept, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "chats.db"), log)
	require.NoError(b, err)
	defer func() { require.NoError(b, kept.Close()) }()
	chats := chat.New(chat.Config{}, chat.Ports{
		Archive: kept, Search: kept, Floor: reply.NewFloor(), Turns: chat.NewTurns(), Reasoner: words(answer),
		Tools: func(func(int, int) []echo.Message) reply.Tools { return shouter{} },
	}, log)
	ctx, cancel := context.WithCancel(b.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = chats.Run(ctx) })
	defer running.Wait()
	defer cancel()

	watched := func(watchers int) time.Duration {
		began := time.Now()
		first, err := chats.Ask(ctx, chat.Question{Text: "Tell me more"})
		require.NoError(b, err)
		event, err := first.Next(ctx)
		require.NoError(b, err)
		var all sync.WaitGroup
		for range watchers {
			all.Go(func() {
				w, err := chats.Watch(ctx, event.Chat.ID, 0)
				if err != nil {
					b.Error(err)
					return
				}
				var text strings.Builder
				for err == nil {
					var event chat.Event
					event, err = w.Next(ctx)
					text.WriteString(event.Text)
				}
				if !errors.Is(err, io.EOF) || strings.Count(text.String(), "word") != answer {
					b.Errorf("a watcher saw %d words: %v", strings.Count(text.String(), "word"), err)
				}
			})
		}
		all.Wait()
		return time.Since(began)
	}
	var one, hundred time.Duration
	n := 0
	for b.Loop() {
		n++
		one += watched(1)
		hundred += watched(100)
	}
	b.ReportMetric(hundred.Seconds()*1e3/float64(n), "ms/100-watchers")
	b.ReportMetric(hundred.Seconds()/one.Seconds(), "100-watchers/one")
}
