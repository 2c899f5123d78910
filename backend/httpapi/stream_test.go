package httpapi_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"echo-companion/backend/conversation"
	"echo-companion/backend/httpapi"
	"echo-companion/backend/protocol"
	"echo-companion/backend/reason"
)

// answering is a model that answers as a function does.
type answering func(ctx context.Context, request reason.Request, emit func(reason.Chunk) error) error

// Reason implements reason.Reasoner.
func (a answering) Reason(ctx context.Context, request reason.Request, emit func(reason.Chunk) error) error {
	return a(ctx, request, emit)
}

// takeOver attaches a window in place of the one that is attached, which may be gone without having said so.
func (s *stack) takeOver() window {
	s.t.Helper()
	ticket := into[protocol.Grant](s.call("POST", "/api/voice/sessions", `{"take":true}`).must(200)).Ticket
	return s.dial(ticket, nil)
}

// follow reads until it has a frame of that type, and gives what turn 1's answer is by then.
func (w window) follow(until string) (text string, over bool) {
	w.t.Helper()
	for {
		event, pcm, err := w.read()
		require.NoError(w.t, err)
		kind := "audio"
		switch e := event.(type) {
		case protocol.ReadyEvent:
			text = ""
			for _, turn := range e.Turns {
				text = turn.Answer // there is one
				over = over || turn.Status == protocol.TurnAnswered
				if turn.Status == protocol.TurnAsking {
					w.send(`{"type":"ask","id":2,"text":"The red one."}`)
				}
			}
		case protocol.DeltaEvent:
			text += e.Text
		case protocol.AnsweredEvent:
			require.Equal(w.t, e.Answer, text, "each delta came once")
			over = true
		case protocol.AskingEvent:
			w.send(`{"type":"ask","id":2,"text":"The red one."}`)
		}
		if pcm == nil {
			kind = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", event), "protocol."), "Event"))
		} else {
			w.send(fmt.Sprintf(`{"type":"credit","id":1,"played_ms":%d}`, time.Hour.Milliseconds()))
		}
		if kind == until || over {
			return text, over
		}
	}
}

// paced writes numbered words, a thousand in a second, with a call of ask_user in their middle.
func paced(words int) (model answering, whole string) {
	var all strings.Builder
	word := func(i int) string {
		if i%12 == 0 {
			return fmt.Sprintf("word%d. ", i)
		}
		return fmt.Sprintf("word%d ", i)
	}
	for i := range words {
		all.WriteString(word(i))
	}
	return func(ctx context.Context, request reason.Request, emit func(reason.Chunk) error) error {
		from, to := 0, words/2
		if request.Messages[len(request.Messages)-1].Role == reason.RoleTool {
			from, to = words/2, words
		}
		ticks := time.NewTicker(time.Millisecond)
		defer ticks.Stop()
		for i := from; i < to; i++ {
			select {
			case <-ticks.C:
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := emit(reason.Chunk{Text: word(i)}); err != nil {
				return err
			}
		}
		if from > 0 {
			return nil
		}
		return emit(reason.Chunk{Calls: []reason.Call{{ID: "c", Name: "ask_user", Arguments: []byte(`{"question":"The red one or the green one?"}`)}}})
	}, all.String()
}

func TestR5_WindowsThatComeAndGoAtAnyEventSeeEachDeltaOnce(t *testing.T) {
	kinds := []string{"ready", "start", "delta", "sentence", "audio", "tool", "asking", "taken", "delta"}
	for first := range kinds {
		t.Run(kinds[first], func(t *testing.T) {
			t.Parallel()
			model, whole := paced(1500)
			s := startWith(t, func(p *conversation.Ports) { p.Reasoner = model })
			w := s.attach()
			w.send(`{"type":"ask","id":1,"text":"Count."}`)
			before := ""
			for n := range 6 {
				until := kinds[(first+n)%len(kinds)]
				if n == 5 {
					until = "answered"
				}
				text, over := w.follow(until)
				require.True(t, strings.HasPrefix(text, before), "it lost what the window before had: %q", text[max(0, len(text)-40):])
				require.True(t, strings.HasPrefix(whole, text), "%q", text[max(0, len(text)-40):])
				before = text
				if over {
					break
				}
				if n%2 == 0 {
					require.NoError(t, w.conn.CloseNow())
				}
				w = s.takeOver()
			}
			require.Equal(t, whole, before)
		})
	}
}

func TestAWindowThatNeverReadsIsClosedAsTooSlowAndLosesNothing(t *testing.T) {
	const part, parts = 16 << 10, 800 // more than it may leave unread and its socket holds
	whole := strings.Repeat("```\n"+strings.Repeat("x", part-9)+"\n```\n", parts)
	gone := make(chan struct{})
	s := startWith(t, func(p *conversation.Ports) {
		p.Reasoner = answering(func(ctx context.Context, _ reason.Request, emit func(reason.Chunk) error) error {
			for i := range parts {
				if i == parts-50 {
					select {
					case <-gone:
					case <-ctx.Done():
						return ctx.Err()
					}
				}
				if err := emit(reason.Chunk{Text: whole[i*part : (i+1)*part]}); err != nil {
					return err
				}
			}
			return nil
		})
	}, func(c *httpapi.Config, _ *httpapi.Ports) { c.Patience = time.Minute })
	s.call("PATCH", "/api/settings", `{"voice":{"save_conversations":false}}`).must(200) // a journal of megabytes takes its time
	slow := s.dial(s.ticket(), narrow())
	slow.send(`{"type":"ask","id":1,"text":"Much?"}`)
	require.Eventually(t, func() bool { return !slow.held() }, time.Minute, 50*time.Millisecond)
	close(gone)
	for err := error(nil); err == nil; { // it wakes up and reads what was on its way
		_, _, err = slow.read()
		if err != nil {
			require.Equal(t, websocket.StatusTryAgainLater, websocket.CloseStatus(err), "%v", err)
		}
	}
	again := s.attach()
	again.conn.SetReadLimit(64 << 20)
	text, _ := again.follow("answered")
	require.Len(t, text, len(whole))
}

// narrow is an HTTP client whose sockets take in little unread.
func narrow() *http.Client {
	var dialer net.Dialer
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, addr)
		if tcp, is := conn.(*net.TCPConn); is {
			err = tcp.SetReadBuffer(256 << 10)
		}
		return conn, err
	}}}
}

func TestAWindowThatIsStuckInAWriteIsTakenOver(t *testing.T) {
	s := startWith(t, func(p *conversation.Ports) {
		p.Reasoner = answering(func(ctx context.Context, _ reason.Request, emit func(reason.Chunk) error) error {
			for ctx.Err() == nil {
				if err := emit(reason.Chunk{Text: strings.Repeat("y", 1<<10)}); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	})
	w := s.dial(s.ticket(), narrow())
	w.send(`{"type":"ask","id":1,"text":"Endless?"}`)
	await[protocol.DeltaEvent](w)
	again := s.takeOver() // the old window is blocked in a write
	await[protocol.ReadyEvent](again)
	again.send(`{"type":"cancel"}`)
	await[protocol.StoppedEvent](again)
}
