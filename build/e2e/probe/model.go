package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// mountains is what the scripted model knows.
const mountains = "**Mount Everest** is the tallest mountain above sea level, at 8,849 metres. From base to summit, though, *Mauna Kea* in Hawaii " +
	"is taller.\n\n| Mountain | Metres | From |\n| --- | --- | --- |\n| Everest | 8,849 | sea level |\n| Mauna Kea | 10,205 | its base |\n\n" +
	"Shall I tell you how they are measured?"

// model serves a model that is scripted, the way OpenAI does, at a free port of this machine: it writes slowly or quickly, thinks for a
// minute, or fails, as the question asks it to.
func model(ctx context.Context, out io.Writer) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object": "list", "data": [{"id": "scripted", "object": "model"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", complete)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: patience}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if _, err := fmt.Fprintf(out, "http://%s/v1\n", listener.Addr()); err != nil {
		return err
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// complete answers one request.
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
	if strings.Contains(question, "think") {
		thinks := patience
		if strings.Contains(question, "fail") {
			thinks = 3 * time.Second
		}
		select {
		case <-time.After(thinks):
		case <-r.Context().Done():
			return
		}
	}
	if strings.Contains(question, "fail") {
		http.Error(w, `{"error": {"message": "the model has no memory left"}}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	write(r.Context(), w, question)
}

// write streams the answer, token by token.
func write(ctx context.Context, w http.ResponseWriter, question string) {
	tokens, pace := script(question)
	ticker := time.NewTicker(time.Second / time.Duration(pace))
	defer ticker.Stop()
	for _, token := range tokens {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		chunk(w, map[string]any{"content": token}, nil)
	}
	chunk(w, map[string]any{}, "stop")
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// script is what the model writes, and how fast, in tokens a second.
func script(question string) (tokens []string, pace int) {
	const going = "And on it goes, one word after the other, for a while. "
	switch {
	case strings.Contains(question, "slowly"):
		return strings.SplitAfter(strings.Repeat(going, 20), " "), 4
	case strings.Contains(question, "quickly"):
		return strings.SplitAfter(strings.Repeat(going, 1000), " "), 200
	case strings.Contains(question, "mountain"):
		return strings.SplitAfter(mountains, " "), 20
	}
	return strings.SplitAfter("This is a short answer.", " "), 100
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
