package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"echo-companion/app/hotkey"
)

func TestTheKeyFollowsItsSetting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &journal{}
		var name atomic.Value
		name.Store("Ctrl+Alt+Space")
		keys := make(chan bool)
		k := &talkKey{
			chosen: func() string { s, _ := name.Load().(string); return s },
			listen: func(ctx context.Context, name string, on func(bool)) error {
				j.add("listen %s", name)
				switch name {
				case "Ctrl+A":
					return hotkey.ErrTaken
				case "Ctrl+B":
					return errors.New("gone")
				}
				for {
					select {
					case <-ctx.Done():
						j.add("let go of %s", name)
						return nil
					case down := <-keys:
						on(down)
					}
				}
			},
			press: func(context.Context) { j.add("press") }, release: func(context.Context) { j.add("release") },
			tell: func(problem string) { j.add("%s", problem) }, changed: make(chan struct{}, 1), logger: slog.New(slog.DiscardHandler),
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { require.NoError(t, k.Run(ctx)) })
		choose := func(s string) []string {
			name.Store(s)
			k.Choose()
			synctest.Wait()
			return j.take()
		}
		require.Equal(t, []string{"listen Ctrl+Alt+Space"}, choose("Ctrl+Alt+Space"))
		keys <- true
		keys <- false
		require.Equal(t, []string{"press", "release"}, choose("Ctrl+Alt+Space"), "another setting changed")
		require.Equal(t, []string{
			"let go of Ctrl+Alt+Space", "listen Ctrl+A", "Another program holds Ctrl+A, so that it does not open Echo. Choose another key in Settings, or none.",
		}, choose("Ctrl+A"))
		require.Equal(t, []string{"listen Ctrl+B", "Echo no longer hears Ctrl+B. Choose it again in Settings, or start Echo again."}, choose("Ctrl+B"))
		require.Empty(t, choose(""))
		require.Equal(t, []string{"listen Ctrl+C"}, choose("Ctrl+C"))
		cancel()
		wg.Wait()
		require.Equal(t, []string{"let go of Ctrl+C"}, j.take())
	})
}
