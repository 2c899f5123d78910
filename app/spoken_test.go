package app

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/protocol"
	"echo-companion/backend/speech"
	"echo-companion/backend/speech/resample"
	"echo-companion/backend/store"
)

// patience is how long a step of a conversation may take on a loaded machine.
const patience = 60 * time.Second

// running is an Echo of this process, with the real engines, that runs until the test ends.
type running struct {
	*backend
	t    testing.TB
	base string
	stop func()
}

func start(tb testing.TB, configure func(*Options)) *running {
	tb.Helper()
	engine, err := filepath.Abs(filepath.Join("..", "build", "bin", "echo-engine"))
	require.NoError(tb, err)
	require.FileExists(tb, engine, "the speech engine is missing: run `make build`")
	in := Invocation{
		Version: "test", UI: fstest.MapFS{}, Stdout: io.Discard, Stderr: tb.Output(),
		Getenv: func(key string) string { return map[string]string{"ECHO_ENGINE": engine}[key] },
	}
	options := Options{Addr: "127.0.0.1:0", AddrChosen: true, Data: tb.TempDir(), Keep: time.Minute, EngineTimeout: time.Minute}
	if configure != nil {
		configure(&options)
	}
	b, err := compose(tb.Context(), in, options, nil, slog.New(slog.NewTextHandler(tb.Output(), nil)))
	require.NoError(tb, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	ended := make(chan error, 1)
	go func() { ended <- b.run(ctx) }()
	stop := func() {
		cancel()
		require.NoError(tb, <-ended)
	}
	return &running{backend: b, t: tb, base: "http://" + b.listener.Addr().String(), stop: stop}
}

// call sends JSON to the API and decodes its answer.
func (r *running) call(method, path string, body, answer any) {
	r.t.Helper()
	data, err := json.Marshal(body)
	require.NoError(r.t, err)
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.base+path, bytes.NewReader(data))
	require.NoError(r.t, err)
	request.Header.Set("Authorization", "Bearer "+r.dir.Token())
	response, err := http.DefaultClient.Do(request)
	require.NoError(r.t, err)
	defer func() { _ = response.Body.Close() }()
	data, err = io.ReadAll(response.Body)
	require.NoError(r.t, err)
	require.Less(r.t, response.StatusCode, 300, "%s %s: %s", method, path, data)
	require.NoError(r.t, json.Unmarshal(data, answer))
}

// say gives a synthesised voice as a microphone hears it: 16 kHz, with quiet before and after.
func (r *running) say(text string) []int16 {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	var spoken []int16
	require.NoError(r.t, r.engines.Synthesize(ctx, text, "alan", func(pcm []int16) error {
		spoken = append(spoken, pcm...)
		return nil
	}))
	quiet := make([]int16, speech.InputRate/2)
	return slices.Concat(quiet, resampled(r.t, spoken), quiet)
}

// resampled brings what a synthesiser gives to what a recogniser takes.
func resampled(tb testing.TB, pcm []int16) []int16 {
	tb.Helper()
	r, err := resample.New(speech.OutputRate, speech.InputRate)
	require.NoError(tb, err)
	samples := resample.Floats(pcm)
	return resample.PCM(append(r.Write(samples), r.Flush()...))
}

// hear recognises what a loudspeaker played.
func (r *running) hear(pcm []int16) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	text, err := r.engines.Recognize(ctx, resampled(r.t, pcm))
	require.NoError(r.t, err)
	return text
}

// spoken is what came of one spoken turn.
type spoken struct {
	heard, answer string
	tools         []string
	audio         []int16
	endedAt       time.Time // speech_end was sent
	heardAt       time.Time
	answeringAt   time.Time // the first delta
	speakingAt    time.Time // the first audio
}

// converse attaches a window, speaks one question, and follows the reply to its end.
func (r *running) converse(pcm []int16) spoken {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	var grant protocol.Grant
	r.call("POST", "/api/voice/sessions", map[string]any{"take": true}, &grant) // the window before may not be gone yet
	header := http.Header{"Authorization": {"Bearer " + r.dir.Token()}}
	conn, _, err := websocket.Dial(ctx, r.base+"/api/voice/stream?ticket="+grant.Ticket, &websocket.DialOptions{HTTPHeader: header}) //nolint:bodyclose // coder/websocket closes it
	require.NoError(r.t, err)
	defer func() { _ = conn.CloseNow() }()
	send := func(message string) { require.NoError(r.t, conn.Write(ctx, websocket.MessageText, []byte(message))) }
	id := grant.Conversation.LastID + 1
	send(fmt.Sprintf(`{"type": "speech", "id": %d}`, id))
	raw := make([]byte, 0, 2*len(pcm))
	for _, sample := range pcm {
		raw = binary.LittleEndian.AppendUint16(raw, uint16(sample))
	}
	require.NoError(r.t, conn.Write(ctx, websocket.MessageBinary, raw))
	send(fmt.Sprintf(`{"type": "speech_end", "id": %d, "voiced": 60}`, id))
	result := spoken{endedAt: time.Now()}
	conn.SetReadLimit(1 << 20)
	for {
		kind, data, err := conn.Read(ctx)
		require.NoError(r.t, err)
		if kind == websocket.MessageBinary {
			result.listen(data)
			continue
		}
		if result.follow(r.t, data) {
			return result
		}
	}
}

func (s *spoken) listen(frame []byte) {
	if s.speakingAt.IsZero() {
		s.speakingAt = time.Now()
	}
	for samples := frame[8:]; len(samples) > 1; samples = samples[2:] {
		s.audio = append(s.audio, int16(binary.LittleEndian.Uint16(samples)))
	}
}

// follow takes an event in, and tells whether it is the turn's last.
func (s *spoken) follow(tb testing.TB, data []byte) bool {
	tb.Helper()
	var event struct {
		Type, Text, Answer, Name, Status, Code, Message string
	}
	if json.Unmarshal(data, &event) != nil {
		return false // ready: its id is text, and nothing in it is needed here
	}
	switch event.Type {
	case "heard":
		s.heard, s.heardAt = event.Text, time.Now()
	case "delta":
		if s.answeringAt.IsZero() {
			s.answeringAt = time.Now()
		}
	case "tool":
		s.tools = append(s.tools, event.Name+" "+event.Status)
	case "answered":
		s.answer = event.Answer
	case "done":
		return true
	case "failed", "ignored", "cancelled", "error":
		require.Fail(tb, "the turn ended otherwise", "%s", data)
	}
	return false
}

// TestAskAloudHearTheAnswer holds a spoken conversation over the WebSocket, offline, with the real engines.
func TestAskAloudHearTheAnswer(t *testing.T) {
	r := start(t, nil)
	result := r.converse(r.say("What is twelve times seven?"))
	require.Contains(t, result.heard, "twelve times seven")
	require.Equal(t, []string{"calculate running", "calculate done"}, result.tools)
	require.Contains(t, result.answer, "84")
	heard := strings.ToLower(strings.ReplaceAll(r.hear(result.audio), "-", " "))
	require.Regexp(t, "84|eighty four", heard)

	database := r.dir.Database("default")
	r.stop()
	expectSaved(t, database)
}

// expectSaved reads the chat database as the next start would.
func expectSaved(t *testing.T, database string) {
	t.Helper()
	require.FileExists(t, database)
	kept, err := store.Open(t.Context(), database, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer func() { require.NoError(t, kept.Close()) }()
	chats, _, err := kept.List(t.Context(), "", 10)
	require.NoError(t, err)
	require.Len(t, chats, 1)
	require.Equal(t, echo.KindVoice, chats[0].Kind)
	messages, _, err := kept.Transcript(t.Context(), chats[0].ID)
	require.NoError(t, err)
	require.Len(t, messages, 3)
	require.Equal(t, []echo.Role{echo.RoleUser, echo.RoleTool, echo.RoleAssistant}, []echo.Role{messages[0].Role, messages[1].Role, messages[2].Role})
	require.Equal(t, echo.SourceSpoken, messages[0].Source)
	require.Equal(t, "84", messages[1].Text)
	require.Contains(t, messages[2].Text, "84")
}

// TestEnginesAreReleased looks for the engines' processes once the window has gone (R4).
func TestEnginesAreReleased(t *testing.T) {
	r := start(t, nil)
	defer r.stop()
	r.converse(r.say("What time is it?"))
	deadline := time.Now().Add(patience)
	for r.engines.Recognition().State != echo.EngineStopped || r.engines.Synthesis().State != echo.EngineStopped {
		require.True(t, time.Now().Before(deadline), "the engines are still held: %+v, %+v", r.engines.Recognition(), r.engines.Synthesis())
		var status protocol.Status
		r.call("GET", "/api/status", nil, &status) // a moment's work between two looks
	}
}
