// Package choice is the speech recogniser and synthesiser that the settings name, looked up at each call, so that a change
// takes hold with the next one. It owns the holding of whichever they are.
package choice

import (
	"context"
	"strings"
	"sync"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/speech"
	"echo-companion/backend/speech/local"
	"echo-companion/backend/speech/openai"
)

// Engine says which engine the settings name.
type Engine string

// The engines that can be chosen. Any other word is the built-in one.
const (
	EngineBuiltin Engine = "builtin"
	EngineOpenAI  Engine = "openai"
)

// Recognizer is the part of the settings about recognition.
type Recognizer struct {
	Engine   Engine
	BaseURL  string
	APIKey   string
	Model    string
	Language string // ISO 639-1; empty where the server is to find out
}

// Synthesizer is the part of the settings about synthesis.
type Synthesizer struct {
	Engine  Engine
	BaseURL string
	APIKey  string
	Model   string
	Voice   string // where set, it wins over the voice that is asked for
}

// Settings are what the engines are chosen by.
type Settings struct {
	Recognizer  Recognizer
	Synthesizer Synthesizer
}

// Config is what the choice needs to know.
type Config struct {
	Settings      func() Settings // read at each call; from any goroutine
	EngineTimeout time.Duration   // how long an engine may send nothing; 0 is 60 s
}

// LocalRecognizer is the recogniser of this machine: see speech/local.
type LocalRecognizer interface {
	speech.Recognizer
	speech.Holder
}

// LocalSynthesizer is the synthesiser of this machine: see speech/local.
type LocalSynthesizer interface {
	speech.Synthesizer
	speech.Holder
}

// Engines implement speech.Recognizer and speech.Synthesizer by the settings.
type Engines struct {
	config      Config
	recognizer  LocalRecognizer
	synthesizer LocalSynthesizer
	remote      *openai.Client

	mu      sync.Mutex
	holders int
	local   [2]func() // release the recogniser and synthesiser of this machine, where they are held
}

// The places in Engines.local.
const (
	placeRecognizer = iota
	placeSynthesizer
)

// New makes the choice. The engines of this machine are run by their owner.
func New(config Config, recognizer LocalRecognizer, synthesizer LocalSynthesizer) *Engines {
	return &Engines{
		config: config, recognizer: recognizer, synthesizer: synthesizer,
		remote: openai.New(openai.Config{EngineTimeout: config.EngineTimeout}),
	}
}

// Run waits until ctx ends, then lets go of connections.
func (e *Engines) Run(ctx context.Context) error {
	<-ctx.Done()
	e.remote.Close()
	return nil
}

// Hold holds both engines, whichever they are, until the last release. It never blocks.
func (e *Engines) Hold() (release func()) {
	e.count(1)
	return sync.OnceFunc(func() { e.count(-1) })
}

func (e *Engines) count(by int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.holders += by
	e.settle(e.config.Settings())
}

// Changed is to be called when the settings have changed: what is held is exchanged then.
func (e *Engines) Changed() {
	e.count(0)
}

// settle holds those engines of this machine that the settings name, and lets go of the others. The lock is held.
func (e *Engines) settle(settings Settings) {
	for place, want := range [2]bool{
		placeRecognizer:  e.holders > 0 && settings.Recognizer.Engine != EngineOpenAI,
		placeSynthesizer: e.holders > 0 && settings.Synthesizer.Engine != EngineOpenAI,
	} {
		release := e.local[place]
		switch {
		case want && release == nil && place == placeRecognizer:
			e.local[place] = e.recognizer.Hold()
		case want && release == nil:
			e.local[place] = e.synthesizer.Hold()
		case !want && release != nil:
			release()
			e.local[place] = nil
		}
	}
}

// Recognize implements speech.Recognizer.
func (e *Engines) Recognize(ctx context.Context, pcm []int16) (string, error) {
	settings := e.config.Settings().Recognizer
	if settings.Engine != EngineOpenAI {
		return e.recognizer.Recognize(ctx, pcm)
	}
	server := openai.Server{BaseURL: settings.BaseURL, APIKey: settings.APIKey, Model: settings.Model}
	return e.remote.Recognize(ctx, server, settings.Language, pcm)
}

// Synthesize implements speech.Synthesizer. It works unheld too: the engine is then held for as long as it speaks. The voice of
// the settings, where there is one, wins.
func (e *Engines) Synthesize(ctx context.Context, text, voice string, emit func(pcm []int16) error) error {
	settings := e.config.Settings().Synthesizer
	if settings.Voice != "" {
		voice = settings.Voice
	}
	return e.speak(ctx, settings, text, voice, emit)
}

// Preview speaks with the voice that is asked for, whatever the settings say. An empty one is the settings'.
func (e *Engines) Preview(ctx context.Context, text, voice string, emit func(pcm []int16) error) error {
	settings := e.config.Settings().Synthesizer
	if voice == "" {
		voice = settings.Voice
	}
	return e.speak(ctx, settings, text, voice, emit)
}

func (e *Engines) speak(ctx context.Context, settings Synthesizer, text, voice string, emit func(pcm []int16) error) error {
	if settings.Engine != EngineOpenAI {
		return e.synthesizer.Synthesize(ctx, text, voice, emit)
	}
	server := openai.Server{BaseURL: settings.BaseURL, APIKey: settings.APIKey, Model: settings.Model}
	return e.remote.Synthesize(ctx, server, e.remoteVoice(settings, voice), text, emit)
}

// remoteVoice gives the voice that a server is asked for. The voices of looks are those of this machine, which no server knows.
func (e *Engines) remoteVoice(settings Synthesizer, voice string) string {
	if voice != settings.Voice && (voice == local.VoiceJenny || voice == local.VoiceAlan) {
		return settings.Voice
	}
	return voice
}

// Recognition tells how the recogniser is. It starts nothing.
func (e *Engines) Recognition() echo.Engine {
	settings := e.config.Settings().Recognizer
	if settings.Engine != EngineOpenAI {
		return e.recognizer.Engine()
	}
	return e.server(settings.Model, settings.BaseURL)
}

// Synthesis tells how the synthesiser is. It starts nothing.
func (e *Engines) Synthesis() echo.Engine {
	settings := e.config.Settings().Synthesizer
	if settings.Engine != EngineOpenAI {
		return e.synthesizer.Engine()
	}
	return e.server(settings.Model, settings.BaseURL)
}

// server tells how a server is: one that is held counts as ready, for nothing is started there.
func (e *Engines) server(model, address string) echo.Engine {
	engine := echo.Engine{Name: strings.TrimSpace(model + " at " + address), State: echo.EngineStopped}
	e.mu.Lock()
	held := e.holders > 0
	e.mu.Unlock()
	switch {
	case strings.TrimSpace(address) == "":
		engine.Name, engine.State = "OpenAI-compatible server", echo.EngineFailed
		engine.Problem = "It has no address. Give its base URL in Settings, under Speech."
	case held:
		engine.State = echo.EngineReady
	}
	return engine
}
