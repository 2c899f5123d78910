package supervise_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/supervise"
)

// until waits for its context, then notes its name.
func until(name string, ends *[]string) func(context.Context) error {
	return func(ctx context.Context) error {
		<-ctx.Done()
		*ends = append(*ends, name)
		return ctx.Err()
	}
}

func TestPartsStopInReverseOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ends []string
		g := supervise.New(slog.New(slog.DiscardHandler))
		for _, name := range []string{"store", "conversation", "http"} {
			g.Add(name, 0, until(name, &ends))
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- g.Run(ctx) }()
		synctest.Wait()
		cancel()
		require.NoError(t, <-done)
		require.Equal(t, []string{"http", "conversation", "store"}, ends)
	})
}

func TestAFailureStopsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ends []string
		g := supervise.New(slog.New(slog.DiscardHandler))
		g.Add("store", 0, until("store", &ends))
		g.Add("http", 0, func(context.Context) error { return errors.New("port taken") })
		require.ErrorContains(t, g.Run(t.Context()), "http: port taken")
		require.Equal(t, []string{"store"}, ends)
	})
}

func TestAPartThatHangsIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ends []string
		release := make(chan struct{})
		g := supervise.New(slog.New(slog.DiscardHandler))
		g.Add("store", 0, until("store", &ends))
		g.Add("stuck", 2*time.Second, func(context.Context) error { <-release; return nil })
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorContains(t, g.Run(ctx), "stuck did not end within 2s")
		require.Equal(t, []string{"store"}, ends)
		close(release)
	})
}
