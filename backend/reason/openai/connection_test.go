package openai_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reason/openai"
)

func TestStopClosesTheRequest(t *testing.T) {
	for _, name := range []string{"before a word", "midway", "before the headers"} {
		t.Run(name, func(t *testing.T) {
			closed := make(chan struct{})
			begun := make(chan struct{})
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				switch name {
				case "midway":
					_, _ = io.WriteString(w, data(delta(`"a"`)))
					fallthrough
				case "before a word":
					_ = http.NewResponseController(w).Flush()
				}
				close(begun)
				<-r.Context().Done()
				close(closed)
			})
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-begun; cancel() }()
			require.Equal(t, context.Canceled, client.Reason(ctx, reason.Request{}, func(reason.Chunk) error { return nil }))
			select {
			case <-closed:
			case <-time.After(500 * time.Millisecond):
				t.Fatal("the server was kept waiting")
			}
			require.Equal(t, echo.EngineReady, client.Engine().State, "a stop says nothing of the server")
		})
	}
}

func TestAConnectionThatTheServerClosedIsNoFailure(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	body := data(delta(`"a"`), stop, done)
	answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	served := make(chan struct{})
	go func() {
		defer close(served)
		for range 2 { // each connection answers once, and is closed at its second request
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			reader := bufio.NewReader(conn)
			for n := range 2 {
				request, err := http.ReadRequest(reader)
				if err != nil {
					break
				}
				_, _ = io.Copy(io.Discard, request.Body)
				if n == 0 {
					_, _ = io.WriteString(conn, answer)
				}
			}
			_ = conn.Close()
		}
	}()
	transport := openai.NewHTTP()
	client := openai.New(openai.Config{BaseURL: "http://" + listener.Addr().String() + "/v1", Model: "m", EngineTimeout: 5 * time.Second, HTTP: transport})
	for range 2 {
		got := ask(t, client, reason.Request{})
		require.NoError(t, got.err)
		require.Equal(t, "a", got.text)
	}
	require.NoError(t, listener.Close())
	require.Equal(t, echo.EngineReady, client.Engine().State)
	transport.CloseIdleConnections()
	<-served
}
