package chat_test

import (
	"context"
	"sync"

	"echo-companion/backend/echo"
	"echo-companion/backend/store"
)

// flaky is an archive that can be made to refuse every write.
type flaky struct {
	*store.Store
	mu   sync.Mutex
	down bool
	lags bool // the journal alone is refused
}

func (f *flaky) set(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}

func (f *flaky) lag(lags bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lags = lags
}

func (f *flaky) refuse() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return echo.Errorf(echo.CodeStorage, "the disk is full")
	}
	return nil
}

func (f *flaky) Begin(ctx context.Context, q echo.Question) (echo.Exchange, int, error) {
	if err := f.refuse(); err != nil {
		return echo.Exchange{}, 0, err
	}
	return f.Store.Begin(ctx, q)
}

func (f *flaky) Finish(ctx context.Context, id int64, o echo.Outcome) (int, error) {
	if err := f.refuse(); err != nil {
		return 0, err
	}
	return f.Store.Finish(ctx, id, o)
}

func (f *flaky) Keep(ctx context.Context, u echo.Unsaved) (int, error) {
	if err := f.refuse(); err != nil {
		return 0, err
	}
	return f.Store.Keep(ctx, u)
}

func (f *flaky) Journal(ctx context.Context, id int64, answer string, tools []echo.ToolCall) error {
	f.mu.Lock()
	lags := f.lags
	f.mu.Unlock()
	if lags {
		return echo.Errorf(echo.CodeStorage, "the disk is full")
	}
	return f.Store.Journal(ctx, id, answer, tools)
}
