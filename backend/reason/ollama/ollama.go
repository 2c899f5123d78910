// Package ollama asks the models of an Ollama on this machine, or elsewhere: answers through its OpenAI-compatible endpoint,
// the list of models and whether it is there through its own API, which loads no model.
package ollama

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reason/openai"
)

const (
	// Provider is the name of this provider in settings.
	Provider = "ollama"

	// DefaultBase is where Ollama listens unless told otherwise.
	DefaultBase = "http://127.0.0.1:11434"

	listTimeout = 5 * time.Second
)

// Config says which Ollama is asked, and how.
type Config struct {
	BaseURL       string // with or without /v1; empty: DefaultBase
	APIKey        string // of a proxy before it; usually empty
	Model         string // for requests that name none; empty: the first that is installed
	EngineTimeout time.Duration
	HTTP          *http.Client // nil: one of its own
}

// Client is a reasoner behind Ollama. It is safe for use from several goroutines.
type Client struct {
	*openai.Client
	tags *openai.Client
	wait time.Duration
}

// New returns a client for the Ollama that config names. It asks nothing yet.
func New(config Config) *Client {
	base := cmp.Or(strings.TrimRight(strings.TrimSpace(config.BaseURL), "/"), DefaultBase)
	base = strings.TrimRight(strings.TrimSuffix(base, "/v1"), "/")
	shared := openai.Config{
		Name: "Ollama", Provider: Provider, BaseURL: base + "/v1", APIKey: config.APIKey, Model: config.Model,
		EngineTimeout: config.EngineTimeout, HTTP: config.HTTP,
	}
	if shared.HTTP == nil {
		shared.HTTP = openai.NewHTTP()
	}
	api := shared
	api.BaseURL = base + "/api"
	client := &Client{Client: openai.New(shared), tags: openai.New(api), wait: listTimeout}
	if config.EngineTimeout > 0 {
		client.wait = min(listTimeout, config.EngineTimeout)
	}
	return client
}

// Models lists the installed models that can converse, the last used or changed first, as Ollama does.
func (c *Client) Models(ctx context.Context) ([]reason.Model, error) {
	bounded, cancel := context.WithTimeout(ctx, c.wait)
	defer cancel()
	var listed struct {
		Models []struct {
			Name    string `json:"name"`
			Details struct {
				Size string `json:"parameter_size"`
			} `json:"details"`
		} `json:"models"`
	}
	if err := c.tags.Get(bounded, "/tags", &listed); err != nil {
		if ctx.Err() == nil && bounded.Err() != nil {
			return nil, echo.Errorf(echo.CodeEngineTimeout, "Ollama did not list its models in time. Check that it runs well.")
		}
		return nil, err
	}
	models := make([]reason.Model, 0, len(listed.Models))
	for _, model := range listed.Models {
		if model.Name == "" || !openai.Converses(model.Name) {
			continue
		}
		name := strings.TrimSuffix(model.Name, ":latest")
		if model.Details.Size != "" {
			name += " (" + model.Details.Size + ")"
		}
		models = append(models, reason.Model{ID: model.Name, Provider: Provider, Name: name, Local: c.Local()})
	}
	return models, nil
}
