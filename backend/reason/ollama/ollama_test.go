package ollama_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reason/ollama"
)

func TestOllamaListsAndAnswers(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"nomic-embed-text:latest"},{"name":"llama3.2:latest","details":{"parameter_size":"3.2B"}},{"name":"qwen3:8b"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"`+r.URL.Path+" "+body.Model+`"},"finish_reason":"stop"}]}`)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	for _, base := range []string{server.URL, server.URL + "/", server.URL + "/v1", server.URL + "/v1/"} {
		client := ollama.New(ollama.Config{BaseURL: base})
		models, err := client.Models(t.Context())
		require.NoError(t, err)
		require.Equal(t, []reason.Model{
			{ID: "llama3.2:latest", Provider: "ollama", Name: "llama3.2 (3.2B)", Local: true},
			{ID: "qwen3:8b", Provider: "ollama", Name: "qwen3:8b", Local: true},
		}, models)
		text := ""
		require.NoError(t, client.Reason(t.Context(), reason.Request{Model: "qwen3:8b"}, func(chunk reason.Chunk) error { text += chunk.Text; return nil }))
		require.Equal(t, "/v1/chat/completions qwen3:8b", text)
	}
}

func TestOllamaThatIsDownIsNamed(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	client := ollama.New(ollama.Config{BaseURL: server.URL, Model: "m"})
	_, err := client.Models(t.Context())
	require.Equal(t, echo.CodeEngineUnreachable, echo.CodeOf(err))
	require.Contains(t, echo.AsError(err).Message, "Ollama cannot be reached")
}
