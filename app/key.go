package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"echo-companion/app/hotkey"
)

// talkKey is the key that talks from anywhere: held, Echo listens. It follows the setting.
type talkKey struct {
	chosen  func() string // the setting; "" is none
	listen  func(ctx context.Context, name string, on func(down bool)) error
	press   func(ctx context.Context)
	release func(ctx context.Context)
	tell    func(problem string) // to the page
	changed chan struct{}        // the setting may have
	logger  *slog.Logger
}

// Choose has the setting read again; it never blocks.
func (k *talkKey) Choose() {
	select {
	case k.changed <- struct{}{}:
	default:
	}
}

// Run listens for the key until ctx ends. A key that cannot be had is said, and the next choice is waited for.
func (k *talkKey) Run(ctx context.Context) error {
	told := ""
	for first := true; ctx.Err() == nil; first = false {
		name := k.chosen()
		err := k.hear(ctx, name)
		if err == nil {
			continue // another was chosen
		}
		k.logger.LogAttrs(ctx, slog.LevelWarn, "the key that talks is not heard", slog.String("key", name), slog.Any("error", err))
		if problem := keyProblem(name, err); problem != told && (!first || errors.Is(err, hotkey.ErrTaken)) {
			told = problem // a desktop that never gives one is no news at each start
			k.tell(problem)
		}
		k.await(ctx, name)
	}
	return nil
}

// hear listens for one key until another is chosen or ctx ends.
func (k *talkKey) hear(ctx context.Context, name string) error {
	if name == "" {
		k.await(ctx, name)
		return nil
	}
	own, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	wg.Go(func() {
		defer stop()
		k.await(own, name)
	})
	return k.listen(own, name, func(down bool) {
		if down {
			k.press(own)
		} else {
			k.release(own)
		}
	})
}

// await waits until another key than name is chosen.
func (k *talkKey) await(ctx context.Context, name string) {
	for k.chosen() == name {
		select {
		case <-ctx.Done():
			return
		case <-k.changed:
		}
	}
}

func keyProblem(name string, err error) string {
	switch {
	case errors.Is(err, hotkey.ErrTaken):
		return "Another program holds " + name + ", so that it does not open Echo. Choose another key in Settings, or none."
	case errors.Is(err, hotkey.ErrUnknown):
		return "This keyboard has no " + name + ". Choose another key in Settings."
	case errors.Is(err, hotkey.ErrNone):
		return "This desktop lets no program hear a key from anywhere. Use Talk in the menu of Echo's icon instead."
	}
	return "Echo no longer hears " + name + ". Choose it again in Settings, or start Echo again."
}
