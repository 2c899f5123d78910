package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"echo-companion/backend/audio/wav"
	"echo-companion/backend/echo"
	"echo-companion/backend/speech/frame"
	"echo-companion/backend/speech/openai"
)

// serving plays a server with one handler.
func serving(t *testing.T, handler http.HandlerFunc) openai.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return openai.Server{BaseURL: server.URL + "/v1/", APIKey: "sk-key", Model: "small"}
}

func client(t *testing.T, patience time.Duration) *openai.Client {
	t.Helper()
	c := openai.New(openai.Config{EngineTimeout: patience})
	t.Cleanup(c.Close)
	return c
}

func spoken(t *testing.T, c *openai.Client, server openai.Server) ([]int16, error) {
	t.Helper()
	var pcm []int16
	err := c.Synthesize(t.Context(), server, "nova", "Hello.", func(piece []int16) error {
		pcm = append(pcm, piece...)
		return nil
	})
	return pcm, err
}

func ramp(n int) []int16 {
	pcm := make([]int16, n)
	for i := range pcm {
		pcm[i] = int16(i)
	}
	return pcm
}

func TestSpeechIsUploadedAsTheProtocolSays(t *testing.T) {
	server := serving(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/v1/audio/transcriptions", r.URL.Path)
		assert.Equal(t, "Bearer sk-key", r.Header.Get("Authorization"))
		assert.Equal(t, "small", r.FormValue("model"))
		assert.Equal(t, "de", r.FormValue("language"))
		assert.Equal(t, "json", r.FormValue("response_format"))
		file, header, err := r.FormFile("file")
		if !assert.NoError(t, err) {
			return
		}
		assert.Equal(t, "speech.wav", header.Filename)
		format, length, err := wav.ReadHeader(file)
		assert.NoError(t, err)
		assert.Equal(t, wav.Format{Rate: 16000, Channels: 1}, format)
		assert.EqualValues(t, 2000, length)
		_, _ = io.WriteString(w, `{"text": " Guten Tag. ", "usage": {}}`)
	})
	text, err := client(t, time.Minute).Recognize(t.Context(), server, "de", ramp(1000))
	require.NoError(t, err)
	require.Equal(t, "Guten Tag.", text)
}

func TestNothingIsAskedForNothing(t *testing.T) {
	text, err := client(t, time.Minute).Recognize(t.Context(), openai.Server{}, "", nil)
	require.NoError(t, err)
	require.Empty(t, text)
}

func TestTextIsAskedForAsTheProtocolSays(t *testing.T) {
	server := serving(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/v1/audio/speech", r.URL.Path)
		assert.Equal(t, "Bearer sk-key", r.Header.Get("Authorization"))
		var body map[string]string
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&body))
		assert.Equal(t, map[string]string{"model": "small", "voice": "alloy", "input": "Hi.", "response_format": "pcm"}, body)
		_, _ = w.Write(frame.PCM(ramp(30000)))
	})
	var pcm []int16
	require.NoError(t, client(t, time.Minute).Synthesize(t.Context(), server, "", "Hi.", func(piece []int16) error {
		pcm = append(pcm, piece...)
		return nil
	}))
	require.Equal(t, ramp(30000), pcm)
}

func TestEveryFormOfSoundIsRead(t *testing.T) {
	stereo := wav.Encode(ramp(2000), 24000)
	stereo[22], stereo[32] = 2, 4
	endless := wav.Encode(ramp(1000), 24000)
	copy(endless[40:], "\xff\xff\xff\xff")
	for name, c := range map[string]struct {
		kind    string
		body    []byte
		samples int
	}{
		"pcm":             {"audio/pcm", frame.PCM(ramp(1000)), 1000},
		"pcm, unnamed":    {"application/octet-stream", frame.PCM(ramp(1000)), 1000},
		"pcm, half a one": {"audio/pcm", append(frame.PCM(ramp(1000)), 7), 1000},
		"wav":             {"audio/wav", wav.Encode(ramp(1000), 24000), 1000},
		"wav at 16 kHz":   {"audio/wav", wav.Encode(ramp(16000), 16000), 24000},
		"wav at 44.1 kHz": {"audio/x-wav", wav.Encode(ramp(22050), 44100), 12000},
		"wav in stereo":   {"audio/wav", stereo, 1000},
		"wav as it comes": {"audio/wav", endless, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			server := serving(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				for len(c.body) > 0 { // in pieces that split samples
					n := min(333, len(c.body))
					_, _ = w.Write(c.body[:n])
					c.body = c.body[n:]
					if n%2 == 1 && len(c.body) > 30000 {
						w.(http.Flusher).Flush()
					}
				}
			})
			pcm, err := spoken(t, client(t, time.Minute), server)
			require.NoError(t, err)
			require.Len(t, pcm, c.samples)
		})
	}
}

func TestSoundIsGivenAsItComes(t *testing.T) {
	heard := make(chan struct{})
	server := serving(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(frame.PCM(ramp(100)))
		w.(http.Flusher).Flush()
		select {
		case <-heard:
		case <-r.Context().Done():
		}
		_, _ = w.Write(frame.PCM(ramp(100)))
	})
	total := 0
	require.NoError(t, client(t, 10*time.Second).Synthesize(t.Context(), server, "", "Hi.", func(pcm []int16) error {
		if total == 0 {
			close(heard)
		}
		total += len(pcm)
		return nil
	}))
	require.Equal(t, 200, total)
}

// failures are the ways in which a server fails, and what both kinds of calls make of them.
func failures() map[string]struct {
	handler http.HandlerFunc
	code    echo.Code
	says    string
} {
	type failure = struct {
		handler http.HandlerFunc
		code    echo.Code
		says    string
	}
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	return map[string]failure{
		"500":          {status(500, "oh"), echo.CodeEngineError, "500"},
		"401":          {status(401, `{"error": {"message": "bad key"}}`), echo.CodeEngineError, "bad key"},
		"404":          {status(404, `{"detail": "no such model"}`), echo.CodeEngineError, `"small"`},
		"garbage":      {status(200, `<html>hello</html>`), echo.CodeEngineError, "cannot read"},
		"other object": {status(200, `{"error": "x"}`), echo.CodeEngineError, "cannot read"},
		"no HTTP":      {raw("SSH-2.0-OpenSSH\r\n\r\n"), echo.CodeEngineError, "cannot read"},
		"hangs up":     {raw(""), echo.CodeEngineUnreachable, "cannot be reached"},
		"hangs":        {func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() }, echo.CodeEngineTimeout, "sent nothing for 0.2 s"},
		"hangs midway": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "audio/pcm")
			_, _ = io.WriteString(w, `{"te`)
			w.(http.Flusher).Flush()
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, echo.CodeEngineTimeout, "sent nothing"},
	}
}

// raw answers with bytes that are no HTTP, and closes.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

func TestFailuresAreNamed(t *testing.T) {
	for name, failure := range failures() {
		t.Run(name, func(t *testing.T) {
			server := serving(t, failure.handler)
			c := client(t, 200*time.Millisecond)
			_, err := c.Recognize(t.Context(), server, "", ramp(100))
			require.Equal(t, failure.code, echo.CodeOf(err), "%v", err)
			require.Contains(t, echo.AsError(err).Message, failure.says)
			_, err = spoken(t, c, server)
			require.Equal(t, failure.code, echo.CodeOf(err), "%v", err)
			require.Contains(t, echo.AsError(err).Message, failure.says)
			require.Contains(t, echo.AsError(err).Message, "voice at "+strings.TrimRight(server.BaseURL, "/"))
		})
	}
}

func TestSoundThatIsNoneIsRefused(t *testing.T) {
	for kind, body := range map[string]string{"audio/mpeg": "ID3", "audio/pcm": "", "text/plain": "hello", "audio/wav": "RIFF\x00\x00\x00\x00AVI LIST"} {
		server := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, body)
		})
		_, err := spoken(t, client(t, time.Minute), server)
		require.Equal(t, echo.CodeEngineError, echo.CodeOf(err), "%s: %v", kind, err)
	}
}

func TestCutOffSoundIsAnError(t *testing.T) {
	server := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "audio/pcm")
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write(make([]byte, 500))
	})
	pcm, err := spoken(t, client(t, time.Minute), server)
	require.Equal(t, echo.CodeEngineError, echo.CodeOf(err), "%v", err)
	require.Len(t, pcm, 250)
}

func TestServerThatIsDownIsUnreachableAndComesBack(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"text": "up"}`)
	})
	up := func(listener net.Listener) *http.Server {
		server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
		go func() { _ = server.Serve(listener) }()
		return server
	}
	server := up(listener)
	c, target := client(t, 10*time.Second), openai.Server{BaseURL: "http://" + address + "/v1"}
	_, err = c.Recognize(t.Context(), target, "", ramp(10))
	require.NoError(t, err)
	require.NoError(t, server.Close())
	_, err = c.Recognize(t.Context(), target, "", ramp(10))
	require.Equal(t, echo.CodeEngineUnreachable, echo.CodeOf(err), "%v", err)
	require.Contains(t, echo.AsError(err).Message, address)

	listener, err = net.Listen("tcp", address)
	require.NoError(t, err)
	server = up(listener)
	_, err = c.Recognize(t.Context(), target, "", ramp(10))
	require.NoError(t, err)
	// Restarted between two calls: the idle connection is dead, the server is not.
	require.NoError(t, server.Close())
	listener, err = net.Listen("tcp", address)
	require.NoError(t, err)
	defer up(listener).Close()
	_, err = c.Recognize(t.Context(), target, "", ramp(10))
	require.NoError(t, err)
}

func TestNoAddressIsNamed(t *testing.T) {
	for _, address := range []string{"", "  "} {
		_, err := client(t, time.Minute).Recognize(t.Context(), openai.Server{BaseURL: address}, "", ramp(10))
		require.Equal(t, echo.CodeEngineUnreachable, echo.CodeOf(err))
		require.Contains(t, echo.AsError(err).Message, "Settings")
	}
	_, err := client(t, time.Minute).Recognize(t.Context(), openai.Server{BaseURL: "http://[bad"}, "", ramp(10))
	require.Equal(t, echo.CodeEngineUnreachable, echo.CodeOf(err))
}

func TestCancelEndsTheRequest(t *testing.T) {
	gone := make(chan struct{})
	server := serving(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := client(t, time.Minute).Recognize(ctx, server, "", ramp(10))
	require.ErrorIs(t, err, context.Canceled)
	<-gone
}

func TestEmitsErrorComesBackAsItIs(t *testing.T) {
	server := serving(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(frame.PCM(ramp(1000))) })
	full := errors.New("the window is gone")
	require.Equal(t, full, client(t, time.Minute).Synthesize(t.Context(), server, "", "Hi.", func([]int16) error { return full }))
}

func TestTimeThatEmitTakesIsNotTheServers(t *testing.T) {
	server := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 3 {
			_, _ = w.Write(frame.PCM(ramp(20000)))
			w.(http.Flusher).Flush()
		}
	})
	slow := time.NewTicker(150 * time.Millisecond)
	defer slow.Stop()
	require.NoError(t, client(t, 100*time.Millisecond).Synthesize(t.Context(), server, "", "Hi.", func([]int16) error {
		<-slow.C
		return nil
	}))
}
