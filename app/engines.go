package app

import (
	"context"
	"log/slog"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/settings"
	"echo-companion/backend/speech"
)

type engines struct{ embedder speech.Embedder }

func newEngines(_ Invocation, _ *settings.Store, _ time.Duration, _ *slog.Logger) (*engines, error) {
	return &engines{}, nil
}
func (e *engines) Run(ctx context.Context) error { <-ctx.Done(); return nil }
func (e *engines) Hold() func()                  { return func() {} }
func (e *engines) Recognition() echo.Engine      { return echo.Engine{Name: "x", State: echo.EngineStopped} }
func (e *engines) Synthesis() echo.Engine        { return echo.Engine{Name: "x", State: echo.EngineStopped} }
func (e *engines) Recognize(context.Context, []int16) (string, error) {
	return "", echo.Errorf(echo.CodeEngineUnreachable, "none")
}
func (e *engines) Synthesize(context.Context, string, string, func([]int16) error) error {
	return echo.Errorf(echo.CodeEngineUnreachable, "none")
}

func enginePath(Invocation) (string, error) { return "", echo.Errorf(echo.CodeEngineUnreachable, "none") }
