package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/conversation"
	"echo-companion/backend/protocol"
	"echo-companion/backend/reason"
	"echo-companion/backend/reason/openai"
	"echo-companion/backend/reply"
)

// strict is an OpenAI-compatible server that refuses what a strict one refuses. "Short…" it answers at once; with "Silent…" it says
// nothing, with "Endless…" it never ends, with "Look…" it calls a tool.
type strict struct {
	mu      sync.Mutex
	faults  []string
	said    []strictMessage // of the newest request
	open    int             // requests that are being answered
	stopped time.Time       // when the last stop was sent
	longest time.Duration   // how long a request outlived its stop
}

type strictMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Calls   []struct {
		ID string `json:"id"`
	} `json:"tool_calls"`
	CallID string `json:"tool_call_id"`
}

// faultsOf finds what a strict server refuses.
func faultsOf(messages []strictMessage) (faults []string) {
	owed := map[string]bool{}
	fault := func(i int, what string) { faults = append(faults, fmt.Sprintf("message %d: %s", i, what)) }
	for i, m := range messages {
		switch {
		case i == 0 && m.Role != "system":
			fault(i, "no system prompt")
		case m.Role == "tool" && !owed[m.CallID]:
			fault(i, "a result that nobody asked for")
		case m.Role == "tool":
			delete(owed, m.CallID)
		case len(owed) > 0:
			fault(i, "it comes before the result of a call")
		case m.Content == "" && len(m.Calls) == 0:
			fault(i, "it is empty")
		}
		for _, call := range m.Calls {
			if call.ID == "" || owed[call.ID] {
				fault(i, "a call without an id of its own")
			}
			owed[call.ID] = true
		}
	}
	if len(owed) > 0 {
		fault(len(messages), "a call has no result")
	}
	return faults
}

func (s *strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Messages []strictMessage }
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		return // it was stopped while it asked
	}
	faults := faultsOf(body.Messages)
	s.mu.Lock()
	s.open++
	s.faults = append(s.faults, faults...)
	s.said = body.Messages
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.open--; s.mu.Unlock() }()
	if len(faults) > 0 {
		http.Error(w, faults[0], http.StatusBadRequest)
		return
	}
	s.answer(r.Context(), w, body.Messages[len(body.Messages)-1].Content)
}

func (s *strict) answer(ctx context.Context, w http.ResponseWriter, question string) {
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(choice string, values ...any) {
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,%s}]}\n\n", fmt.Sprintf(choice, values...))
		_ = http.NewResponseController(w).Flush()
	}
	end := func(reason string) {
		say(`"delta":{},"finish_reason":%q`, reason)
		_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
	}
	kind, _, _ := strings.Cut(question, " ")
	switch kind {
	case "Short":
		for _, word := range strings.SplitAfter("The answer to "+question, " ") {
			say(`"delta":{"content":%q}`, word)
		}
		end("stop")
		return
	case "Look":
		say(`"delta":{"content":"STALE. ","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"look","arguments":"{}"}}]}`)
		end("tool_calls")
		return
	}
	for kind == "Endless" && ctx.Err() == nil {
		say(`"delta":{"content":"STALE. "}`)
	}
	<-ctx.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.longest = max(s.longest, time.Since(s.stopped))
}

// slowTools offers a tool that ends with its reply.
type slowTools struct{}

func (slowTools) Offer() []reason.Tool { return []reason.Tool{{Name: "look", Description: "Looks."}} }

func (slowTools) Call(ctx context.Context, _ reason.Call) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func TestS1_StopThenAskInTheSameMillisecondAHundredTimes(t *testing.T) {
	model := &strict{}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	s := startWith(t, func(p *conversation.Ports) {
		p.Reasoner = openai.New(openai.Config{BaseURL: server.URL + "/v1", Model: "m"})
		open := p.Workspace
		p.Workspace = func(ctx context.Context, name string) (conversation.Workspace, error) {
			found, err := open(ctx, name)
			found.Tools = func(conversation.History) reply.Tools { return slowTools{} }
			return found, err
		}
	})
	w := s.attach()
	var asked []string
	for i := range 100 {
		id := 2*i + 1
		long := []string{"Silent", "Endless", "Look"}[i%3] + fmt.Sprint(" ", i)
		w.send(fmt.Sprintf(`{"type":"ask","id":%d,"text":%q}`, id, long))
		switch i % 4 { // how far it is when it is stopped
		case 0: // it is on its way
		case 1, 2:
			await[protocol.StartEvent](w)
		case 3:
			if i%3 == 0 {
				await[protocol.StartEvent](w)
				require.Eventually(t, func() bool { model.mu.Lock(); defer model.mu.Unlock(); return model.open > 0 }, patience, time.Millisecond)
			} else {
				await[protocol.DeltaEvent](w)
			}
		}
		model.mu.Lock()
		model.stopped = time.Now()
		model.mu.Unlock()
		short := fmt.Sprintf("Short %d", i)
		w.send(`{"type":"cancel"}`)
		w.send(fmt.Sprintf(`{"type":"ask","id":%d,"text":%q}`, id+1, short))
		answer, started := "", false
		for over := false; !over; {
			event, _, err := w.read()
			require.NoError(t, err)
			switch e := event.(type) {
			case protocol.StartEvent:
				started = started || e.ID == id
			case protocol.DeltaEvent:
				require.Equal(t, e.ID == id+1, !strings.Contains(e.Text, "STALE"), "%+v", e)
				if e.ID == id+1 {
					answer += e.Text
				}
			case protocol.AnsweredEvent:
				require.Equal(t, id+1, e.ID)
				require.Equal(t, "The answer to "+short, e.Answer)
			case protocol.DoneEvent:
				over = true
			}
		}
		require.Equal(t, "The answer to "+short, answer)
		if i%4 != 0 || started || saidOf(model, long) {
			asked = append(asked, long)
		}
		asked = append(asked, short)
	}
	model.mu.Lock()
	defer model.mu.Unlock()
	require.Empty(t, model.faults)
	var questions []string
	for _, m := range model.said {
		if m.Role == "user" {
			questions = append(questions, m.Content)
		}
	}
	require.Equal(t, asked, questions, "the model sees the full history")
	require.Less(t, model.longest, 500*time.Millisecond)
}

// saidOf tells whether the newest request has a question.
func saidOf(model *strict, question string) bool {
	model.mu.Lock()
	defer model.mu.Unlock()
	for _, m := range model.said {
		if m.Content == question {
			return true
		}
	}
	return false
}
