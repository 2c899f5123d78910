package trouble_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// pace is how fast the scripted model writes a word.
const pace = 4 * time.Millisecond

// answerTo is what the scripted model answers: 25 words, and 1000 to what is asked at length.
func answerTo(question string) string {
	words := 25
	if strings.Contains(question, "at length") {
		words = 1000
	}
	var answer strings.Builder
	fmt.Fprintf(&answer, "You asked %q.", question)
	for n := range words {
		fmt.Fprintf(&answer, " word%d", n)
	}
	return answer.String()
}

// spokenText is what the sound of a number is recognised as.
func spokenText(number int) string { return fmt.Sprintf("What about the spoken question %d?", number) }

// soundOf is the sound of a number: no speech, but the scripted recogniser knows it.
func soundOf(number int) []byte {
	pcm := make([]byte, 0, 32_000)
	for len(pcm) < 32_000 {
		pcm = binary.LittleEndian.AppendUint16(pcm, uint16(number))
	}
	return pcm
}

// engines serves a model, a recogniser and a synthesiser, the way OpenAI does, and gives their base URL.
func engines(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object": "list", "data": [{"id": "scripted", "object": "model"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", complete)
	mux.HandleFunc("POST /v1/audio/transcriptions", transcribe)
	mux.HandleFunc("POST /v1/audio/speech", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "audio/pcm")
		_, _ = w.Write(make([]byte, 480))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func transcribe(w http.ResponseWriter, r *http.Request) {
	file, _, err := r.FormFile("file")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	data, err := io.ReadAll(file)
	if err != nil || len(data) < 46 {
		http.Error(w, "no sound", http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]string{"text": spokenText(int(binary.LittleEndian.Uint16(data[len(data)-2:])))})
}

// complete answers one request: every third question after a call of a tool.
func complete(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []struct{ Role, Content string } `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	question := ""
	for _, m := range request.Messages {
		if m.Role == "user" {
			question = m.Content
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if last := request.Messages[len(request.Messages)-1]; last.Role == "user" && len(question)%3 == 0 {
		chunk(w, map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": "call", "type": "function", "function": map[string]any{"name": "calculate", "arguments": `{"expression":"6*7"}`},
		}}}, nil)
		chunk(w, map[string]any{}, "tool_calls")
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
		return
	}
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	for _, word := range strings.SplitAfter(answerTo(question), " ") {
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return
		}
		chunk(w, map[string]any{"content": word}, nil)
	}
	chunk(w, map[string]any{}, "stop")
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func chunk(w http.ResponseWriter, delta map[string]any, finish any) {
	data, err := json.Marshal(map[string]any{
		"id": "scripted", "object": "chat.completion.chunk", "model": "scripted",
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	})
	if err != nil {
		return
	}
	_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
	_ = http.NewResponseController(w).Flush()
}
