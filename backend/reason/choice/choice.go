// Package choice is the reasoner that the settings name: the built-in skills, Ollama, or any OpenAI-compatible server. It
// follows the settings from one request to the next, and keeps nothing else.
package choice

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reason/ollama"
	"echo-companion/backend/reason/openai"
)

// The providers that settings name beside ollama.Provider and openai.Provider.
const (
	Auto    = "auto" // Ollama where one answers on this machine with a model, else the built-in skills
	Builtin = "builtin"
)

// BuiltinModel is the id of the built-in skills among the models.
const BuiltinModel = "builtin"

const (
	probeTime   = 400 * time.Millisecond // for "is Ollama there": on this machine it answers in a few
	probeAge    = 10 * time.Second       // how long the answer holds
	absentAge   = 3 * time.Second        // a shorter time, so that an Ollama that was started is soon found
	builtinName = "Built-in skills"
)

// Settings are the user's choice.
type Settings struct {
	Provider, BaseURL, APIKey, Model string
}

// Config says where the choice is read, and how long an engine may send nothing.
type Config struct {
	Settings      func() Settings // the current ones; cheap, from any goroutine
	EngineTimeout time.Duration
	Ollama        string       // where "auto" looks; empty: ollama.DefaultBase
	HTTP          *http.Client // nil: one of its own
}

// Reasoner is the chosen reasoner. It is safe for use from several goroutines and starts none.
type Reasoner struct {
	config  Config
	builtin reason.Reasoner

	mu      sync.Mutex
	current Settings
	client  provider // for the current settings; nil for the built-in skills
	probe   probe
}

// provider is a client of a server.
type provider interface {
	reason.Reasoner
	reason.Lister
	Local() bool
}

// probe is what a server told of its models.
type probe struct {
	model   string // the first of Ollama's; empty where there is none
	problem string // why it is empty
	at      time.Time
}

// New returns the reasoner that config's settings name from request to request. Builtin answers where no model does.
func New(config Config, builtin reason.Reasoner) *Reasoner {
	config.Ollama = cmp.Or(config.Ollama, ollama.DefaultBase)
	if config.HTTP == nil {
		config.HTTP = openai.NewHTTP()
	}
	return &Reasoner{config: config, builtin: builtin}
}

// Reason implements reason.Reasoner. The model "builtin" is the built-in skills, whatever the settings say.
func (r *Reasoner) Reason(ctx context.Context, request reason.Request, emit func(reason.Chunk) error) error {
	settings := r.settings()
	request.Model = cmp.Or(request.Model, settings.Model)
	if request.Model == BuiltinModel {
		return r.skills(ctx, request, emit)
	}
	server := r.server(ctx, settings)
	if server == nil {
		return r.skills(ctx, request, emit)
	}
	written := false
	err := server.Reason(ctx, request, func(chunk reason.Chunk) error {
		written = true
		return emit(chunk)
	})
	if settings.Provider == Auto && !written && ctx.Err() == nil && err != nil && echo.CodeOf(err) == echo.CodeEngineUnreachable {
		r.remember(server, probe{at: time.Now(), problem: echo.AsError(err).Message}) // it has gone since it was last seen
		return r.skills(ctx, request, emit)
	}
	return err
}

// skills has the built-in skills answer.
func (r *Reasoner) skills(ctx context.Context, request reason.Request, emit func(reason.Chunk) error) error {
	request.Model = BuiltinModel
	return r.builtin.Reason(ctx, request, emit)
}

// Models lists what can be chosen now, and tells what could not be asked and why.
func (r *Reasoner) Models(ctx context.Context) ([]reason.Model, []echo.Engine) {
	skills := reason.Model{ID: BuiltinModel, Provider: Builtin, Name: builtinName, Local: true}
	settings := r.settings()
	server := r.clientFor(settings)
	if server == nil {
		return []reason.Model{skills}, nil
	}
	models, err := server.Models(ctx)
	problem := problemOf(server, models, err)
	models = append(models, skills)
	if problem == "" || settings.Provider == Auto && err != nil && echo.CodeOf(err) == echo.CodeEngineUnreachable {
		return models, nil // with "auto" nobody asked for an Ollama
	}
	return models, []echo.Engine{{Name: server.Engine().Name, State: echo.EngineFailed, Problem: problem}}
}

// problemOf says what is wrong with a list of models.
func problemOf(server provider, models []reason.Model, err error) string {
	switch _, isOllama := server.(*ollama.Client); {
	case err != nil:
		return echo.AsError(err).Message
	case len(models) > 0:
		return ""
	case isOllama:
		return "Ollama has no model yet. Install one, for example with: ollama pull llama3.2"
	}
	return server.Engine().Name + " has no model. Install one there, or choose another in Settings."
}

// Engine tells what is known of the reasoner that would answer now. It starts nothing, asks a server for its list of models at
// most, and waits for that no longer than half a second.
func (r *Reasoner) Engine() echo.Engine {
	settings := r.settings()
	server := r.server(context.Background(), settings)
	if server == nil || settings.Model == BuiltinModel {
		return echo.Engine{Name: builtinName, State: echo.EngineReady}
	}
	found := r.found(context.Background(), server)
	engine := server.Engine() // an OpenAI-compatible server need not list models, and may be far away: only what it told counts
	if _, isOllama := server.(*ollama.Client); isOllama && found.problem != "" {
		engine.State, engine.Problem = echo.EngineFailed, found.problem
	}
	return engine
}

// Summarizes tells whether the reasoner can sum a chat up: the built-in skills cannot. It waits as Engine does.
func (r *Reasoner) Summarizes() bool {
	settings := r.settings()
	return settings.Model != BuiltinModel && r.server(context.Background(), settings) != nil
}

// Local tells whether the reasoner is a model on this machine, which writes one reply at a time. Only of Ollama is that known.
// It waits as Engine does.
func (r *Reasoner) Local() bool {
	settings := r.settings()
	if settings.Model == BuiltinModel {
		return false
	}
	server := r.server(context.Background(), settings)
	_, isOllama := server.(*ollama.Client)
	return isOllama && server.Local()
}

// settings are the current ones, without a gap.
func (r *Reasoner) settings() Settings {
	settings := r.config.Settings()
	settings.Provider = cmp.Or(settings.Provider, Auto)
	return settings
}

// server is the client that would answer now; nil stands for the built-in skills.
func (r *Reasoner) server(ctx context.Context, settings Settings) provider {
	server := r.clientFor(settings)
	if settings.Provider == Auto && r.found(ctx, server).model == "" {
		return nil
	}
	return server
}

// clientFor is the client for the settings, the same one as long as they stay; nil for the built-in skills.
func (r *Reasoner) clientFor(settings Settings) provider {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == settings {
		return r.client
	}
	r.current, r.client, r.probe = settings, r.newClient(settings), probe{}
	return r.client
}

func (r *Reasoner) newClient(settings Settings) provider {
	switch settings.Provider {
	case openai.Provider:
		return openai.New(openai.Config{
			BaseURL: settings.BaseURL, APIKey: settings.APIKey, Model: settings.Model,
			EngineTimeout: r.config.EngineTimeout, HTTP: r.config.HTTP,
		})
	case ollama.Provider:
		return ollama.New(ollama.Config{
			BaseURL: settings.BaseURL, APIKey: settings.APIKey, Model: settings.Model,
			EngineTimeout: r.config.EngineTimeout, HTTP: r.config.HTTP,
		})
	case Auto:
		return ollama.New(ollama.Config{BaseURL: r.config.Ollama, Model: settings.Model, EngineTimeout: r.config.EngineTimeout, HTTP: r.config.HTTP})
	}
	return nil
}

// found is what the server told of its models, as of a few seconds ago.
func (r *Reasoner) found(ctx context.Context, server provider) probe {
	r.mu.Lock()
	last := r.probe
	r.mu.Unlock()
	age := probeAge
	if last.model == "" {
		age = absentAge
	}
	if !last.at.IsZero() && time.Since(last.at) < age {
		return last
	}
	bounded, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	models, err := server.Models(bounded)
	if err != nil && bounded.Err() != nil {
		err = echo.Errorf(echo.CodeEngineTimeout, "%s did not answer in time. Check that it runs well.", server.Engine().Name)
	}
	now := probe{at: time.Now(), problem: problemOf(server, models, err)}
	if now.problem == "" {
		now.model = models[0].ID
	}
	if ctx.Err() == nil {
		r.remember(server, now)
	}
	return now
}

// remember keeps what was found, unless the settings have changed meanwhile.
func (r *Reasoner) remember(server provider, found probe) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.client == server {
		r.probe = found
	}
}
