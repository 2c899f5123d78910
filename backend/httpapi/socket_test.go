package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"echo-companion/backend/httpapi"
	"echo-companion/backend/protocol"
)

func (s *stack) ticket() string {
	s.t.Helper()
	return into[protocol.Grant](s.call("POST", "/api/voice/sessions", `{}`).must(200)).Ticket
}

// window is an attached window.
type window struct {
	*stack
	conn *websocket.Conn
}

func (s *stack) attach() window { s.t.Helper(); return s.dial(s.ticket(), nil) }

// dial attaches a window with a ticket; client may be nil.
func (s *stack) dial(ticket string, client *http.Client) window {
	s.t.Helper()
	conn, _, err := websocket.Dial(s.t.Context(), //nolint:bodyclose // a handshake has none
		"ws"+strings.TrimPrefix(s.base, "http")+"/api/voice/stream?ticket="+ticket,
		&websocket.DialOptions{HTTPClient: client, HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.CloseNow() })
	conn.SetReadLimit(16 << 20)
	return window{s, conn}
}

func (w window) send(text string) {
	w.t.Helper()
	require.NoError(w.t, w.conn.Write(w.t.Context(), websocket.MessageText, []byte(text)))
}

// read gives the next frame: an event, or the samples of an audio frame.
func (w window) read() (protocol.VoiceEvent, []int16, error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	kind, data, err := w.conn.Read(ctx)
	if err != nil {
		return nil, nil, err
	}
	if kind == websocket.MessageBinary {
		_, _, pcm, err := protocol.DecodeAudio(data)
		require.NoError(w.t, err)
		return nil, pcm, nil
	}
	event, err := protocol.DecodeVoiceEvent(data)
	require.NoError(w.t, err, string(data))
	return event, nil, nil
}

// await reads until an event of that type.
func await[T protocol.VoiceEvent](w window) T {
	w.t.Helper()
	for {
		event, _, err := w.read()
		require.NoError(w.t, err)
		if found, is := event.(T); is {
			return found
		}
	}
}

func (w window) held() bool {
	return strings.Contains(w.call("GET", "/api/status", nil).must(200).body, `"held":true`)
}

func (w window) awaitDetached() {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return !w.held() }, patience, 10*time.Millisecond)
}

func TestATypedQuestionIsAnsweredAndSpoken(t *testing.T) {
	s := start(t)
	w := s.attach()
	ready := await[protocol.ReadyEvent](w)
	require.Equal(t, protocol.Limits{Waiting: 4, Text: 8000, UtteranceMS: 60000}, ready.Limits)
	require.Equal(t, 16000, ready.Audio.Input.SampleRate)
	require.Equal(t, 24000, ready.Audio.Output.SampleRate)
	require.NotEmpty(t, ready.ID)
	require.True(t, w.held())
	w.send(`{"type":"ask","id":1,"text":"Who is there?"}`)
	var heard []int16
	for over := false; !over; {
		event, pcm, err := w.read()
		require.NoError(t, err)
		heard = append(heard, pcm...)
		if answered, is := event.(protocol.AnsweredEvent); is {
			require.Equal(t, "You said: Who is there?", answered.Answer)
			require.True(t, answered.Saved)
		}
		_, over = event.(protocol.DoneEvent)
	}
	require.NotEmpty(t, heard)
	state := into[protocol.Conversation](s.call("GET", "/api/voice/conversation", nil))
	require.Len(t, state.Turns, 1)
	require.Equal(t, 1, state.LastID)

	w.send(`{"type":"end"}`)
	require.Equal(t, protocol.EndedUser, await[protocol.EndedEvent](w).Reason)
	require.JSONEq(t, `{"active":false,"busy":false,"held":false,"last_id":0,"turns":[]}`, s.call("GET", "/api/voice/conversation", nil).body)
}

func TestASpokenQuestion(t *testing.T) {
	s := start(t)
	w := s.attach()
	w.send(`{"type":"speech","id":1}`)
	for range 30 {
		require.NoError(t, w.conn.Write(t.Context(), websocket.MessageBinary, make([]byte, 640)))
	}
	w.send(`{"type":"speech_end","id":1,"voiced":30}`)
	require.Equal(t, "What was said?", await[protocol.HeardEvent](w).Text)
	await[protocol.DoneEvent](w)
}

func TestMalformedFramesAreRefusedAndTheConnectionGoesOn(t *testing.T) {
	s := start(t)
	w := s.attach()
	for _, frame := range []string{`{`, `["ask"]`, `{"type":"ask","id":7,"text":7}`, `{"type":"dance"}`, `{"type":"ask","id":99999999999,"text":"x"}`} {
		w.send(frame)
		refusal := await[protocol.ErrorEvent](w)
		require.Equal(t, "bad_message", refusal.Code, frame)
		require.NotEmpty(t, refusal.Message)
	}
	require.NoError(t, w.conn.Write(t.Context(), websocket.MessageBinary, make([]byte, 641)))
	require.Equal(t, "bad_message", await[protocol.ErrorEvent](w).Code)
	require.NoError(t, w.conn.Write(t.Context(), websocket.MessageBinary, make([]byte, 640)))
	require.Equal(t, "no_speech_open", await[protocol.ErrorEvent](w).Code)
	w.send(`{"type":"played","id":"whatever"}`)
	w.send(`{"type":"ask","id":1,"text":"Still there?"}`)
	await[protocol.DoneEvent](w)
}

func TestAMessageOverOneMiBClosesTheWindow(t *testing.T) {
	s := start(t)
	w := s.attach()
	await[protocol.ReadyEvent](w)
	frame, err := json.Marshal(protocol.AskCommand{Type: "ask", ID: 1, Text: strings.Repeat("x", 1<<20)})
	require.NoError(t, err)
	w.send(string(frame))
	for err = nil; err == nil; {
		_, _, err = w.read()
	}
	require.Equal(t, websocket.StatusMessageTooBig, websocket.CloseStatus(err))
	w.awaitDetached()
}

func TestAWindowThatIsLostIsNoticed(t *testing.T) {
	s := start(t, func(c *httpapi.Config, _ *httpapi.Ports) {
		c.Ping, c.Patience = 20*time.Millisecond, 100*time.Millisecond
	})
	dropped := s.attach()
	await[protocol.ReadyEvent](dropped)
	require.NoError(t, dropped.conn.CloseNow())
	dropped.awaitDetached()
	silent := s.attach() // it reads nothing more, so it answers no ping
	await[protocol.ReadyEvent](silent)
	silent.awaitDetached()
	left := s.attach()
	require.NoError(t, left.conn.Close(websocket.StatusNormalClosure, ""))
	left.awaitDetached()
}

func TestWindowsHearThatEchoStops(t *testing.T) {
	s := start(t)
	w := s.attach()
	await[protocol.ReadyEvent](w)
	stream, _ := s.watchStream("POST", "/api/chat", `{"message":"[wait] and see"}`)
	s.next(stream)
	began := time.Now()
	done := make(chan struct{})
	go func() { defer close(done); s.stop() }()
	s.all(stream) // it ends
	require.Equal(t, protocol.EndedShutdown, await[protocol.EndedEvent](w).Reason)
	_, _, err := w.read()
	require.Equal(t, websocket.StatusNormalClosure, websocket.CloseStatus(err), "%v", err)
	<-done
	require.Less(t, time.Since(began), 4*time.Second)
	_, err = s.open(t.Context(), "GET", "/healthz", nil) //nolint:bodyclose // there is no answer
	require.Error(t, err, "it still listens")
}

func TestASecondWindowNeedsTake(t *testing.T) {
	s := start(t)
	spare := s.ticket()
	w := s.attach()
	s.call("POST", "/api/voice/sessions", nil).refused(409, "held")
	s.call("POST", "/api/voice/conversation/end", nil).refused(409, "held")
	_, response, err := websocket.Dial(t.Context(), //nolint:bodyclose // a handshake has none
		"ws"+strings.TrimPrefix(s.base, "http")+"/api/voice/stream?ticket="+spare,
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	require.Error(t, err)
	require.Equal(t, 403, response.StatusCode)
	require.NoError(t, w.conn.CloseNow())
	w.awaitDetached()
	require.JSONEq(t, `{"ended":true}`, s.call("POST", "/api/voice/conversation/end", nil).must(200).body)
	require.JSONEq(t, `{"ended":false}`, s.call("POST", "/api/voice/conversation/end", nil).must(200).body)
}

func TestAHandshakeThatIsNoneUsesNoTicketAndDetachesNobody(t *testing.T) {
	s := start(t)
	w := s.attach()
	await[protocol.ReadyEvent](w)
	ticket := into[protocol.Grant](s.call("POST", "/api/voice/sessions", `{"take":true}`).must(200)).Ticket
	whole := map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg=="}
	for name, value := range map[string]string{"Connection": "close", "Upgrade": "h2c", "Sec-WebSocket-Version": "8", "Sec-WebSocket-Key": "short"} {
		var changes []change
		for other, right := range whole {
			changes = append(changes, header(other, right))
		}
		s.call("GET", "/api/voice/stream?ticket="+ticket, nil, append(changes, header(name, value))...).refused(403, "bad_ticket")
	}
	w.send(`{"type":"ask","id":1,"text":"Still there?"}`)
	await[protocol.DoneEvent](w)
	again := s.dial(ticket, nil)
	await[protocol.ReadyEvent](again)
}
