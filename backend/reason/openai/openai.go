// Package openai asks any server that speaks the OpenAI HTTP API for answers: a model in the cloud, or one behind Ollama,
// llama.cpp, LM Studio, vLLM and the like. It owns the wire: requests, streams, deadlines and what failed. It keeps no history
// and runs no tools.
package openai

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
)

const (
	// Provider is the name of this provider in settings.
	Provider = "openai"

	defaultTimeout = 60 * time.Second
	listTimeout    = 5 * time.Second // nobody waits longer for a list of models
	modelAge       = time.Minute     // how long the server's first model is remembered
	idleTimeout    = 90 * time.Second
)

// Config says which server is asked, and how.
type Config struct {
	Name          string // how errors call the server; empty: by its address
	Provider      string // of the models that it lists; empty: "openai"
	BaseURL       string // ends in /v1
	APIKey        string // may be empty
	Model         string // for requests that name none; empty: the first that the server lists
	EngineTimeout time.Duration
	HTTP          *http.Client // nil: one of its own
}

// Client is a reasoner behind the OpenAI HTTP API. It is safe for use from several goroutines and starts none that outlive a
// call, save idle connections.
type Client struct {
	config Config
	http   *http.Client
	secret *strings.Replacer

	mu       sync.Mutex
	problem  *echo.Error // of the last request; nil if it went well
	first    string      // the first model that the server listed
	listedAt time.Time
}

// New returns a client for the server that config names. It asks nothing yet.
func New(config Config) *Client {
	config.BaseURL = strings.TrimRight(strings.TrimSpace(config.BaseURL), "/")
	config.APIKey = strings.TrimSpace(config.APIKey) // as it is pasted
	config.Provider = cmp.Or(config.Provider, Provider)
	config.Name = cmp.Or(config.Name, strings.TrimSuffix("The reasoning server at "+hostOf(config.BaseURL), " at "))
	if config.EngineTimeout <= 0 {
		config.EngineTimeout = defaultTimeout
	}
	client := &Client{config: config, http: config.HTTP, secret: strings.NewReplacer()}
	if client.http == nil {
		client.http = NewHTTP()
	}
	if len(config.APIKey) > 3 {
		client.secret = strings.NewReplacer(config.APIKey, "********")
	}
	return client
}

// NewHTTP returns an HTTP client as this package needs it: without a time limit on a whole answer, and without following
// redirects, which would carry a question to a server that nobody chose.
func NewHTTP() *http.Client {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 4, // a voice reply, a typed one, a summary, a list
		IdleConnTimeout:     idleTimeout,
		DisableCompression:  true, // a compressed stream may be held back
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Reason implements reason.Reasoner.
func (c *Client) Reason(ctx context.Context, request reason.Request, emit func(reason.Chunk) error) error {
	var refused error // by emit, which says nothing of the server
	err := c.reason(ctx, request, func(chunk reason.Chunk) error {
		refused = emit(chunk)
		return refused
	})
	if refused == nil {
		c.note(ctx, err)
	}
	return err
}

func (c *Client) reason(ctx context.Context, request reason.Request, emit func(reason.Chunk) error) error {
	model, err := c.model(ctx, request.Model)
	if err != nil {
		return err
	}
	request.Model = model
	reply, err := c.send(ctx, http.MethodPost, "/chat/completions", encode(request))
	if refusesTools(err) && len(request.Tools) > 0 {
		reply, err = c.send(ctx, http.MethodPost, "/chat/completions", encode(withoutTools(request)))
	}
	if err != nil {
		return err
	}
	defer reply.close()
	return c.read(reply, emit)
}

// model is the model to ask: the named one, the configured one, or the first that the server lists.
func (c *Client) model(ctx context.Context, named string) (string, error) {
	if named = cmp.Or(named, c.config.Model); named != "" {
		return named, nil
	}
	c.mu.Lock()
	first, fresh := c.first, time.Since(c.listedAt) < modelAge
	c.mu.Unlock()
	if first != "" && fresh {
		return first, nil
	}
	models, err := c.list(ctx)
	if err != nil {
		return "", err
	}
	if len(models) == 0 {
		return "", c.fail(echo.CodeEngineError, "%s has no model. Install one there, or choose another in Settings.", c.config.Name)
	}
	return models[0].ID, nil
}

// Models lists what the server offers, without models that cannot converse.
func (c *Client) Models(ctx context.Context) ([]reason.Model, error) {
	bounded, cancel := context.WithTimeout(ctx, min(listTimeout, c.config.EngineTimeout))
	defer cancel()
	models, err := c.list(bounded)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		err = c.fail(echo.CodeEngineTimeout, "%s did not list its models in time. Check that it runs.", c.config.Name)
	}
	c.noteList(ctx, err)
	return models, err
}

func (c *Client) list(ctx context.Context) ([]reason.Model, error) {
	var listed struct {
		Data []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"data"`
	}
	if err := c.Get(ctx, "/models", &listed); err != nil {
		return nil, err
	}
	models := make([]reason.Model, 0, len(listed.Data))
	for _, model := range listed.Data {
		if model.ID == "" || !Converses(model.ID) {
			continue
		}
		models = append(models, reason.Model{ID: model.ID, Provider: c.config.Provider, Name: cmp.Or(model.Name, model.ID), Local: c.Local()})
	}
	if len(models) > 0 {
		c.mu.Lock()
		c.first, c.listedAt = models[0].ID, time.Now()
		c.mu.Unlock()
	}
	return models, nil
}

// Engine implements reason.Lister: what the last request told. It asks nothing.
func (c *Client) Engine() echo.Engine {
	engine := echo.Engine{Name: title(c.config.Name), State: echo.EngineReady}
	if problem := c.addressProblem(); problem != nil {
		engine.State, engine.Problem = echo.EngineFailed, problem.Message
		return engine
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.problem != nil {
		engine.State, engine.Problem = echo.EngineFailed, c.problem.Message
	}
	return engine
}

// Local tells whether the server's address is this machine's own.
func (c *Client) Local() bool {
	address, err := url.Parse(c.config.BaseURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(address.Hostname())
	return address.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// note keeps what a request told of the server. One that its asker gave up tells nothing.
func (c *Client) note(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.problem = nil
	if err != nil {
		c.problem = echo.AsError(err)
		c.first = "" // the server may come back as another
	}
}

// noteList keeps what a list of models told: whether the server is there, but not whether it answers well.
func (c *Client) noteList(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && echo.CodeOf(err) == echo.CodeEngineUnreachable:
		c.problem = echo.AsError(err)
	case err == nil && c.problem != nil && c.problem.Code == echo.CodeEngineUnreachable:
		c.problem = nil
	}
}

// Converses tells models that answer questions from those that, by their names, do something else.
func Converses(model string) bool {
	model = strings.ToLower(model)
	for _, other := range []string{
		"embed", "rerank", "moderation", "whisper", "transcribe", "tts-", "-tts", "gpt-audio", "-realtime",
		"dall-e", "gpt-image", "sora-", "davinci-002", "babbage-002",
	} {
		if strings.Contains(model, other) {
			return false
		}
	}
	return true
}

// title puts a name where no sentence is.
func title(name string) string {
	if rest, found := strings.CutPrefix(name, "The "); found {
		return strings.ToUpper(rest[:1]) + rest[1:]
	}
	return name
}

func hostOf(base string) string {
	if address, err := url.Parse(base); err == nil && address.Host != "" {
		return address.Host
	}
	return base
}
