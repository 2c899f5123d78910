package choice_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reason/choice"
)

// skills answers as the built-in skills would.
type skills struct{}

func (skills) Reason(_ context.Context, _ reason.Request, emit func(reason.Chunk) error) error {
	return emit(reason.Chunk{Text: "skills"})
}

// model is an Ollama and an OpenAI-compatible server in one. It answers with the model that it was asked for.
func model(t *testing.T, tags string, probes *atomic.Int32) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		probes.Add(1)
		_, _ = io.WriteString(w, tags)
	})
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[{"id":"first"},{"id":"second"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"model `+body.Model+`"},"finish_reason":"stop"}]}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func answer(t *testing.T, r *choice.Reasoner, named string) (string, error) {
	t.Helper()
	text := ""
	err := r.Reason(t.Context(), reason.Request{Model: named}, func(chunk reason.Chunk) error { text += chunk.Text; return nil })
	return text, err
}

const oneModel = `{"models":[{"name":"llama3.2:latest"}]}`

func TestSettingsChooseTheReasoner(t *testing.T) {
	var probes atomic.Int32
	up := model(t, oneModel, &probes)
	empty := model(t, `{"models":[]}`, &probes)
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	for name, test := range map[string]struct {
		settings  choice.Settings
		ollama    string
		named     string
		want      string
		code      echo.Code
		summaries bool
		local     bool
	}{
		"builtin":                        {settings: choice.Settings{Provider: "builtin", Model: "left over"}, want: "skills"},
		"auto, none":                     {settings: choice.Settings{Provider: "auto"}, ollama: down.URL, want: "skills"},
		"nothing set":                    {ollama: down.URL, want: "skills"},
		"auto, without a model":          {settings: choice.Settings{Provider: "auto"}, ollama: empty.URL, want: "skills"},
		"auto":                           {settings: choice.Settings{Provider: "auto"}, ollama: up.URL, want: "model first", summaries: true, local: true},
		"auto, a model named":            {settings: choice.Settings{Provider: "auto", Model: "set"}, ollama: up.URL, want: "model set", summaries: true, local: true},
		"ollama":                         {settings: choice.Settings{Provider: "ollama", BaseURL: up.URL, Model: "set"}, named: "asked", want: "model asked", summaries: true, local: true},
		"ollama down":                    {settings: choice.Settings{Provider: "ollama", BaseURL: down.URL}, code: echo.CodeEngineUnreachable, summaries: true, local: true},
		"openai":                         {settings: choice.Settings{Provider: "openai", BaseURL: up.URL + "/v1", Model: "set"}, want: "model set", summaries: true},
		"openai, first listed":           {settings: choice.Settings{Provider: "openai", BaseURL: up.URL + "/v1"}, want: "model first", summaries: true},
		"openai down":                    {settings: choice.Settings{Provider: "openai", BaseURL: down.URL}, code: echo.CodeEngineUnreachable, summaries: true},
		"openai, the skills asked for":   {settings: choice.Settings{Provider: "openai", BaseURL: up.URL + "/v1", Model: "set"}, named: "builtin", want: "skills", summaries: true},
		"openai, the skills in settings": {settings: choice.Settings{Provider: "openai", BaseURL: up.URL + "/v1", Model: "builtin"}, want: "skills"},
	} {
		t.Run(name, func(t *testing.T) {
			r := choice.New(choice.Config{Settings: func() choice.Settings { return test.settings }, Ollama: test.ollama, EngineTimeout: 5 * time.Second}, skills{})
			before := r.Engine()
			text, err := answer(t, r, test.named)
			if test.code != "" {
				require.Equal(t, echo.EngineFailed, before.State, "before anything was asked")
				require.Equal(t, test.code, echo.CodeOf(err), "%v", err)
				require.Equal(t, echo.EngineFailed, r.Engine().State)
				require.NotEmpty(t, r.Engine().Problem)
			} else {
				require.NoError(t, err)
				require.Equal(t, test.want, text)
				require.Equal(t, echo.EngineReady, r.Engine().State, r.Engine())
			}
			require.Equal(t, test.summaries, r.Summarizes())
			require.Equal(t, test.local, r.Local())
		})
	}
}

func TestSettingsTakeHoldAtTheNextRequest(t *testing.T) {
	var probes atomic.Int32
	up := model(t, oneModel, &probes)
	settings := choice.Settings{Provider: "builtin"}
	r := choice.New(choice.Config{Settings: func() choice.Settings { return settings }}, skills{})
	for _, step := range []struct {
		settings choice.Settings
		want     string
	}{
		{settings, "skills"},
		{choice.Settings{Provider: "openai", BaseURL: up.URL + "/v1", Model: "a"}, "model a"},
		{choice.Settings{Provider: "openai", BaseURL: up.URL + "/v1", Model: "b"}, "model b"},
		{choice.Settings{Provider: "builtin"}, "skills"},
	} {
		settings = step.settings
		text, err := answer(t, r, "")
		require.NoError(t, err)
		require.Equal(t, step.want, text)
	}
}

func TestAutoAsksSeldomAndFallsBack(t *testing.T) {
	var probes atomic.Int32
	up := model(t, oneModel, &probes)
	r := choice.New(choice.Config{Settings: func() choice.Settings { return choice.Settings{} }, Ollama: up.URL}, skills{})
	for range 5 {
		require.Equal(t, "Ollama", r.Engine().Name)
		require.True(t, r.Local())
	}
	require.EqualValues(t, 1, probes.Load())
	up.Close()
	text, err := answer(t, r, "")
	require.NoError(t, err)
	require.Equal(t, "skills", text)
	require.Equal(t, "Built-in skills", r.Engine().Name)
}

func TestModels(t *testing.T) {
	var probes atomic.Int32
	up, empty := model(t, oneModel, &probes), model(t, `{"models":[]}`, &probes)
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	for name, test := range map[string]struct {
		settings choice.Settings
		ollama   string
		ids      []string
		problem  string
	}{
		"builtin":      {choice.Settings{Provider: "builtin"}, up.URL, []string{"builtin"}, ""},
		"auto":         {choice.Settings{}, up.URL, []string{"llama3.2:latest", "builtin"}, ""},
		"auto, none":   {choice.Settings{}, down.URL, []string{"builtin"}, ""},
		"auto, empty":  {choice.Settings{}, empty.URL, []string{"builtin"}, "ollama pull"},
		"openai":       {choice.Settings{Provider: "openai", BaseURL: up.URL + "/v1"}, "", []string{"first", "second", "builtin"}, ""},
		"openai down":  {choice.Settings{Provider: "openai", BaseURL: down.URL}, "", []string{"builtin"}, "cannot be reached"},
		"openai unset": {choice.Settings{Provider: "openai"}, "", []string{"builtin"}, "No address is set"},
		"ollama down":  {choice.Settings{Provider: "ollama", BaseURL: down.URL}, "", []string{"builtin"}, "Ollama cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			r := choice.New(choice.Config{Settings: func() choice.Settings { return test.settings }, Ollama: test.ollama}, skills{})
			models, problems := r.Models(t.Context())
			var ids []string
			for _, m := range models {
				ids = append(ids, m.ID)
			}
			require.Equal(t, test.ids, ids)
			if test.problem == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Equal(t, echo.EngineFailed, problems[0].State)
			require.Contains(t, problems[0].Problem, test.problem)
		})
	}
}

func TestAHangingOllamaHoldsNothingUp(t *testing.T) {
	release := make(chan struct{})
	hang := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hang.Close()
	defer close(release)
	r := choice.New(choice.Config{Settings: func() choice.Settings { return choice.Settings{} }, Ollama: hang.URL}, skills{})
	began := time.Now()
	require.Equal(t, "Built-in skills", r.Engine().Name)
	require.Less(t, time.Since(began), 2*time.Second)
	text, err := answer(t, r, "")
	require.NoError(t, err)
	require.Equal(t, "skills", text)
}
