package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/present"
)

// callTime bounds a call from the window; what it sets off goes on without it.
const callTime = 30 * time.Second

// guard runs a call from the window: with a time limit, and with a panic turned into an error, since one in a bound method would
// leave its promise open for ever.
func guard[T any](logger *slog.Logger, call func(ctx context.Context) (T, error)) (result T, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	defer func() {
		if caught := recover(); caught != nil {
			logger.LogAttrs(ctx, slog.LevelError, "a call from the window panicked",
				slog.Any("panic", caught), slog.String("stack", string(debug.Stack())))
			err = echo.Errorf(echo.CodeInternal, "internal error").Because(fmt.Errorf("panic: %v", caught))
		}
	}()
	result, err = call(ctx)
	if err != nil && echo.CodeOf(err) == echo.CodeInternal {
		logger.LogAttrs(ctx, slog.LevelError, "a call from the window failed", slog.Any("error", err))
	}
	return result, err
}

// act is guard for a call without a result.
func act(logger *slog.Logger, call func(ctx context.Context) error) error {
	_, err := guard(logger, func(ctx context.Context) (struct{}, error) { return struct{}{}, call(ctx) })
	return err
}

// wireError is how an error of a bound call reaches the page: a JSON string with its code and message.
func wireError(err error) any {
	data, failed := json.Marshal(present.Problem(err))
	if failed != nil {
		return err.Error()
	}
	return string(data)
}
