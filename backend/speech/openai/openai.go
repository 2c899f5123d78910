// Package openai asks servers that speak the OpenAI HTTP API for recognition and synthesis. It owns the requests, how their
// answers are read as they come, and the errors that people read. It keeps no settings: each call says which server it asks.
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"

	"echo-companion/backend/audio/wav"
	"echo-companion/backend/echo"
	"echo-companion/backend/refusal"
	"echo-companion/backend/speech"
)

const (
	maxText = 1 << 20 // of a transcript's JSON
)

// Server is who is asked.
type Server struct {
	BaseURL string // ends in /v1
	APIKey  string // sent as a bearer token, where there is one
	Model   string
}

// Config is what does not change from call to call.
type Config struct {
	EngineTimeout time.Duration // how long a server may send nothing; 0 is 60 s
}

// Client asks servers. It may be used by any number of goroutines.
type Client struct {
	timeout time.Duration
	http    *http.Client
}

// New makes a client.
func New(config Config) *Client {
	if config.EngineTimeout <= 0 {
		config.EngineTimeout = 60 * time.Second
	}
	// Its own connections: what others do with the default transport is no business of speech.
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	}
	return &Client{timeout: config.EngineTimeout, http: &http.Client{Transport: transport}}
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Recognize asks for the text of 16 kHz speech, in a language (ISO 639-1; empty: the server finds out).
func (c *Client) Recognize(ctx context.Context, server Server, language string, pcm []int16) (string, error) {
	if len(pcm) == 0 {
		return "", nil
	}
	body, kind := form(server.Model, language, pcm)
	call := c.begin(ctx, "speech recogniser", server)
	defer call.end()
	response, err := call.post("/audio/transcriptions", kind, body)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(call.reader(response.Body), maxText))
	if err != nil {
		return "", call.failed(err)
	}
	var answer struct {
		Text *string `json:"text"`
	}
	if err := json.Unmarshal(data, &answer); err != nil || answer.Text == nil {
		return "", call.nonsense(errors.Join(err, fmt.Errorf("no text in %q", refusal.Short(string(data)))))
	}
	return strings.TrimSpace(*answer.Text), nil
}

// form makes the upload of an utterance.
func form(model, language string, pcm []int16) (body []byte, kind string) {
	var buffer bytes.Buffer
	writer := multipart.NewWriter(&buffer)
	fields := [][2]string{{"model", model}, {"response_format", "json"}}
	if language != "" {
		fields = append(fields, [2]string{"language", language})
	}
	for _, field := range fields {
		_ = writer.WriteField(field[0], field[1]) // memory does not fail
	}
	if file, err := writer.CreateFormFile("file", "speech.wav"); err == nil {
		_, _ = file.Write(wav.Encode(pcm, speech.InputRate))
	}
	_ = writer.Close()
	return buffer.Bytes(), writer.FormDataContentType()
}

// call is one question to a server, with a watch on its silence.
type call struct {
	client *Client
	server Server
	noun   string
	ctx    context.Context //nolint:containedctx // it lives no longer than the call
	parent context.Context //nolint:containedctx // to tell whose wish it was that ended it
	end    func()
	timer  *time.Timer
}

// errSilent is why a call is given up.
var errSilent = errors.New("the server sent nothing")

func (c *Client) begin(parent context.Context, noun string, server Server) *call {
	ctx, cancel := context.WithCancelCause(parent)
	timer := time.AfterFunc(c.timeout, func() { cancel(errSilent) })
	server.BaseURL = strings.TrimRight(strings.TrimSpace(server.BaseURL), "/")
	return &call{client: c, server: server, noun: noun, ctx: ctx, parent: parent, timer: timer, end: func() {
		timer.Stop()
		cancel(nil)
	}}
}

// reader reads an answer; each piece that comes shows that the server is alive.
func (c *call) reader(body io.Reader) io.Reader { return &watched{body: body, call: c} }

type watched struct {
	body io.Reader
	call *call
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	w.call.timer.Reset(w.call.client.timeout)
	n, err := w.body.Read(p)
	w.call.timer.Stop() // until the next: what is done meanwhile is not the server's time
	return n, err
}

// post asks, and gives an answer of status 200.
func (c *call) post(path, kind string, body []byte) (*http.Response, error) {
	if c.server.BaseURL == "" {
		return nil, echo.Errorf(echo.CodeEngineUnreachable, "The %s has no address. Give its base URL in Settings, under Speech.", c.noun)
	}
	response, reused, err := c.send(path, kind, body)
	if err != nil && reused && c.ctx.Err() == nil {
		response, _, err = c.send(path, kind, body) // the server had closed the idle connection
	}
	if err != nil {
		return nil, c.failed(err)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	data, _ := io.ReadAll(io.LimitReader(c.reader(response.Body), maxText))
	return nil, c.refused(response.StatusCode, refusal.Short(refusal.Words(data)))
}

// send sends the question once. reused: over a connection that had been idle.
func (c *call) send(path, kind string, body []byte) (response *http.Response, reused bool, err error) {
	ctx := httptrace.WithClientTrace(c.ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused }})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.server.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	request.Header.Set("Content-Type", kind)
	if c.server.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+c.server.APIKey)
	}
	response, err = c.client.http.Do(request)
	return response, reused, err
}
