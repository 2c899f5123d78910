package openai_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reason/openai"
)

// pipes is a listener of connections in memory, which a synctest bubble can see.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// inBubble asks a server in memory, whose clock is the bubble's.
func inBubble(t *testing.T, handler http.HandlerFunc, test func(t *testing.T, client *openai.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that its client has gone
			handler(w, r)
		}), ReadHeaderTimeout: time.Hour}
		served := make(chan struct{})
		go func() { _ = server.Serve(listener); close(served) }()
		transport := &http.Transport{DialContext: listener.dial, DisableCompression: true}
		test(t, openai.New(openai.Config{Name: "The model", BaseURL: "http://model/v1", Model: "m", EngineTimeout: time.Minute, HTTP: &http.Client{Transport: transport}}))
		transport.CloseIdleConnections()
		require.NoError(t, server.Close())
		<-served
	})
}

func reasonNow(t *testing.T, client *openai.Client) (string, error) {
	t.Helper()
	text := ""
	err := client.Reason(t.Context(), reason.Request{}, func(chunk reason.Chunk) error { text += chunk.Text; return nil })
	return text, err
}

func TestSilenceTimesOut(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	midway := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, data(delta(`"a"`)))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	headers := func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	failing := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(500)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	for name, handler := range map[string]http.HandlerFunc{"from the start": hang, "after the headers": headers, "midway": midway, "in an error": failing} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, handler, func(t *testing.T, client *openai.Client) {
				t.Helper()
				began := time.Now()
				_, err := reasonNow(t, client)
				require.Equal(t, echo.CodeEngineTimeout, echo.CodeOf(err), "%v", err)
				require.Contains(t, echo.AsError(err).Message, "The model sent nothing for 1m0s")
				require.Equal(t, time.Minute, time.Since(began))
			})
		})
	}
	t.Run("a list of models", func(t *testing.T) {
		inBubble(t, hang, func(t *testing.T, client *openai.Client) {
			t.Helper()
			began := time.Now()
			_, err := client.Models(t.Context())
			require.Equal(t, echo.CodeEngineTimeout, echo.CodeOf(err))
			require.Equal(t, 5*time.Second, time.Since(began))
		})
	})
}

func TestSlowIsNotSilent(t *testing.T) {
	inBubble(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 10 {
			<-time.After(59 * time.Second)
			_, _ = io.WriteString(w, data(delta(`"a"`)))
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.WriteString(w, data(stop))
	}, func(t *testing.T, client *openai.Client) {
		t.Helper()
		text, err := reasonNow(t, client)
		require.NoError(t, err)
		require.Equal(t, "aaaaaaaaaa", text)
	})
}

func TestASlowReaderIsNotASilentEngine(t *testing.T) {
	inBubble(t, raw(data(delta(`"a"`), delta(`"b"`), stop)), func(t *testing.T, client *openai.Client) {
		t.Helper()
		err := client.Reason(t.Context(), reason.Request{}, func(reason.Chunk) error { <-time.After(time.Hour); return nil })
		require.NoError(t, err)
	})
}

func TestAnEndMarkIsEnough(t *testing.T) {
	inBubble(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, data(delta(`"a"`), stop))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // neither [DONE] nor the end of the stream
	}, func(t *testing.T, client *openai.Client) {
		t.Helper()
		began := time.Now()
		text, err := reasonNow(t, client)
		require.NoError(t, err)
		require.Equal(t, "a", text)
		require.Less(t, time.Since(began), time.Second)
	})
}
