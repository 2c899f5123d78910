package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"echo-companion/backend/echo"
	"echo-companion/backend/filter"
	"echo-companion/backend/logging"
	"echo-companion/backend/settings"
	"echo-companion/backend/speech"
	"echo-companion/backend/speech/choice"
	"echo-companion/backend/speech/local"
)

// engines are the speech engines: those of this machine, which it runs, and the choice between them and a server.
type engines struct {
	*choice.Engines
	local    *local.Engines
	embedder speech.Embedder
	settings *settings.Store
}

func newEngines(in Invocation, chosen *settings.Store, timeout time.Duration, logger *slog.Logger) (*engines, error) {
	models, err := modelsDir()
	if err != nil {
		return nil, err
	}
	path, err := enginePath(in)
	if err != nil {
		path = "echo-engine" // not there: whoever needs it is told so, with what to do
	}
	here := local.New(local.Config{Path: path, Models: models, EngineTimeout: timeout}, logging.For(logger, "speech"))
	e := &engines{local: here, embedder: here.Embedder(), settings: chosen}
	e.Engines = choice.New(choice.Config{Settings: e.choice, EngineTimeout: timeout}, here.Recognizer(), here.Synthesizer())
	return e, nil
}

// Run runs the engines of this machine, and follows the settings, until ctx ends.
func (e *engines) Run(ctx context.Context) error {
	defer e.settings.Watch(func(_, _ settings.Settings) { e.Changed() })()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return e.local.Run(ctx) })
	group.Go(func() error { return e.Engines.Run(ctx) })
	return group.Wait()
}

// detector is the voice detector of this machine.
func (e *engines) detector() detector { return detector{e.local.Detector()} }

// detector implements capture.Detector.
type detector struct{ *local.Detector }

// Ready tells whether it answers at once.
func (d detector) Ready() bool { return d.Engine().State == echo.EngineReady }

// ending judges a pause by what was said before it, as the recogniser of this machine hears it. Where another one is chosen it is
// not asked: nothing leaves this machine before its user has ended.
func (e *engines) ending(ctx context.Context, pcm []int16) (share float64) {
	here := e.local.Recognizer()
	if e.choice().Recognizer.Engine == choice.EngineOpenAI || here.Engine().State != echo.EngineReady {
		return 1
	}
	text, err := here.Recognize(ctx, pcm)
	if err != nil {
		return 1
	}
	return filter.Pause(text)
}

// choice is the settings as the choice between engines reads them.
func (e *engines) choice() choice.Settings {
	s := e.settings.Get().Speech
	return choice.Settings{
		Recognizer: choice.Recognizer{
			Engine: choice.Engine(s.Recognizer.Engine), BaseURL: s.Recognizer.BaseURL, APIKey: s.Recognizer.APIKey,
			Model: s.Recognizer.Model, Language: s.Recognizer.Language,
		},
		Synthesizer: choice.Synthesizer{
			Engine: choice.Engine(s.Synthesizer.Engine), BaseURL: s.Synthesizer.BaseURL, APIKey: s.Synthesizer.APIKey,
			Model: s.Synthesizer.Model, Voice: s.Synthesizer.Voice,
		},
	}
}

// enginePath finds echo-engine: where ECHO_ENGINE says, or beside this program.
func enginePath(in Invocation) (string, error) {
	path := in.Getenv("ECHO_ENGINE")
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf("find this program: %w", err)
		}
		if self, err = filepath.EvalSymlinks(self); err != nil {
			return "", fmt.Errorf("find this program: %w", err)
		}
		path = filepath.Join(filepath.Dir(self), "echo-engine")
		if runtime.GOOS == "windows" {
			path += ".exe"
		}
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("find echo-engine: %w", err)
	}
	return path, nil
}
