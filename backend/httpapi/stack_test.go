package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/chat"
	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
	"echo-companion/backend/httpapi"
	"echo-companion/backend/protocol"
	"echo-companion/backend/reason"
	"echo-companion/backend/reply"
	"echo-companion/backend/settings"
	"echo-companion/backend/store"
)

const (
	token    = "a-token-of-more-than-128-bits-in-base64"
	patience = 10 * time.Second
)

// scripted answers "You said: " and the question, word by word. A question with "[wait]" waits after the first word until the
// gate opens.
type scripted struct{ gate chan struct{} }

func (s scripted) Reason(ctx context.Context, request reason.Request, emit func(reason.Chunk) error) error {
	question := request.Messages[len(request.Messages)-1].Text
	for i, word := range strings.SplitAfter("You said: "+question, " ") {
		if err := emit(reason.Chunk{Text: word}); err != nil {
			return err
		}
		if i > 0 || !strings.Contains(question, "[wait]") {
			continue
		}
		select {
		case <-s.gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// tone recognises everything as one question and speaks everything as a tenth of a second.
type tone struct{}

func (tone) Recognize(context.Context, []int16) (string, error) { return "What was said?", nil }

func (tone) Synthesize(_ context.Context, _, _ string, emit func([]int16) error) error {
	return emit(make([]int16, protocol.OutputRate/10))
}

// noTools offers nothing.
type noTools struct{}

func (noTools) Offer() []reason.Tool { return nil }

func (noTools) Call(context.Context, reason.Call) (string, error) {
	return "", errors.New("there are no tools")
}

// folders are workspaces in memory.
type folders struct {
	mu    sync.Mutex
	names []string
}

func (f *folders) List(context.Context) ([]httpapi.Workspace, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []httpapi.Workspace
	for _, name := range f.names {
		list = append(list, httpapi.Workspace{Name: name, Folder: "/data/" + name})
	}
	return list, nil
}

func (f *folders) Create(_ context.Context, name string) (httpapi.Workspace, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.Contains(f.names, name) {
		return httpapi.Workspace{}, echo.Errorf(echo.CodeInvalid, "name: there is a workspace %q already.", name)
	}
	f.names = append(f.names, name)
	return httpapi.Workspace{Name: name, Folder: "/data/" + name}, nil
}

func (f *folders) SetFolder(_ context.Context, name, folder string) (httpapi.Workspace, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Contains(f.names, name) {
		return httpapi.Workspace{}, echo.Errorf(echo.CodeUnknownWorkspace, "There is no workspace %q.", name)
	}
	return httpapi.Workspace{Name: name, Folder: folder}, nil
}

// stack is a server with everything behind it but the engines, which are scripted.
type stack struct {
	t      testing.TB
	base   string
	server *httpapi.Server
	gate   chan struct{} // closed: the model goes on
	stop   func()        // as the program stops: HTTP, then the conversation, then the windows
}

type option func(*httpapi.Config, *httpapi.Ports)

func withUI(files fs.FS) option { return func(_ *httpapi.Config, p *httpapi.Ports) { p.UI = files } }

func builtUI() fs.FS {
	return fstest.MapFS{
		"index.html":           {Data: []byte("<!doctype html><title>Echo</title><script type=module src=/assets/app-1a2b.js></script>")},
		"assets/app-1a2b.js":   {Data: []byte("console.log('echo')")},
		"favicon.svg":          {Data: []byte("<svg xmlns='http://www.w3.org/2000/svg'/>")},
		".gitkeep":             {Data: nil},
		"assets/inner/font.js": {Data: []byte("1")},
	}
}

func start(tb testing.TB, options ...option) *stack {
	tb.Helper()
	return startWith(tb, func(*conversation.Ports) {}, options...)
}

// startWith is start with other ports of the conversation.
func startWith(tb testing.TB, talking func(*conversation.Ports), options ...option) *stack {
	tb.Helper()
	logger := slog.New(slog.DiscardHandler)
	kept, err := settings.Open(filepath.Join(tb.TempDir(), "settings.json"))
	require.NoError(tb, err)
	archive, err := store.Open(tb.Context(), filepath.Join(tb.TempDir(), "chat.db"), logger)
	require.NoError(tb, err)
	s := &stack{t: tb, gate: make(chan struct{})}
	floor, model := reply.NewFloor(), scripted{s.gate}
	voice := conversation.Ports{
		Settings: func() conversation.Settings {
			now := kept.Get()
			return conversation.Settings{Workspace: now.Workspace, Look: now.Look, Model: now.Reasoning.Model, Save: now.Voice.SaveConversations}
		},
		Look: settings.Look,
		Workspace: func(_ context.Context, name string) (conversation.Workspace, error) {
			return conversation.Workspace{Name: name, Archive: archive, Chats: archive, Floor: floor, Tools: func(conversation.History) reply.Tools { return noTools{} }}, nil
		},
		Reasoner: model, Recognizer: tone{}, Synthesizer: tone{},
	}
	talking(&voice)
	talk := conversation.New(conversation.Config{}, voice, logger)
	chats := chat.New(chat.Config{}, chat.Ports{Archive: archive, Search: archive, Floor: floor, Turns: chat.NewTurns(), Reasoner: model, Tools: func(func(int, int) []echo.Message) reply.Tools { return noTools{} }}, logger)
	config := httpapi.Config{Addr: "127.0.0.1:0", Token: token, Version: "test", Data: "/data", Logger: logger}
	ports := httpapi.Ports{
		Conversation: talk,
		Chats:        func(context.Context) (*chat.Chats, error) { return chats, nil },
		Settings:     kept,
		Workspaces:   &folders{names: []string{"default"}},
		Models: func(context.Context) ([]reason.Model, []echo.Engine) {
			return []reason.Model{{ID: "one", Provider: "ollama", Name: "One", Local: true}}, nil
		},
		Engines: func() httpapi.Engines {
			return httpapi.Engines{Recognizer: echo.Engine{Name: "Built in", State: echo.EngineStopped}}
		},
		Preview: func(context.Context, string, string) ([]int16, error) { return []int16{1, 2, 3}, nil },
		UI:      builtUI(),
	}
	for _, apply := range options {
		apply(&config, &ports)
	}
	s.server = httpapi.New(config, ports)
	s.run(talk, chats, archive)
	return s
}

// run starts the parts, and stops them with the test in the order in which the program does.
func (s *stack) run(talk *conversation.Conversation, chats *chat.Chats, archive *store.Store) {
	listener, err := new(net.ListenConfig).Listen(s.t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(s.t, err)
	s.base = "http://" + listener.Addr().String()
	begin := func(run func(context.Context) error) func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
		ended := make(chan error, 1)
		go func() { ended <- run(ctx) }()
		return func() {
			cancel()
			select {
			case err := <-ended:
				if err != nil && !errors.Is(err, context.Canceled) {
					s.t.Error(err)
				}
			case <-time.After(patience):
				s.t.Error("a part does not end")
			}
		}
	}
	parts := []func(){
		begin(func(ctx context.Context) error { return s.server.Run(ctx, listener) }),
		begin(talk.Run), begin(chats.Run), begin(s.server.RunSockets), func() { _ = archive.Close() },
	}
	s.stop = sync.OnceFunc(func() {
		for _, end := range parts {
			end()
		}
	})
	s.t.Cleanup(s.stop)
}

// answer is a whole response.
type answer struct {
	t      testing.TB
	call   string
	status int
	header http.Header
	body   string
}

type change func(*http.Request)

func header(name, value string) change {
	return func(r *http.Request) {
		if name == "Host" {
			r.Host = value
			return
		}
		r.Header.Set(name, value)
	}
}

func bare(r *http.Request) { r.Header.Del("Authorization") }

func (s *stack) open(ctx context.Context, method, path string, body any, changes ...change) (*http.Response, error) {
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	case io.Reader:
		content = b
	default:
		data, err := json.Marshal(b)
		require.NoError(s.t, err)
		content = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.base+path, content)
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	for _, apply := range changes {
		apply(request)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return client.Do(request)
}

func (s *stack) call(method, path string, body any, changes ...change) answer {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	response, err := s.open(ctx, method, path, body, changes...)
	require.NoError(s.t, err, "%s %s", method, path)
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	require.NoError(s.t, err, "%s %s", method, path)
	return answer{t: s.t, call: method + " " + path, status: response.StatusCode, header: response.Header, body: string(data)}
}

func (a answer) must(status int) answer {
	a.t.Helper()
	require.Equal(a.t, status, a.status, "%s: %s", a.call, a.body)
	return a
}

// refused is an error in the one form that errors have.
func (a answer) refused(status int, code string) protocol.Problem {
	a.t.Helper()
	a.must(status)
	var body protocol.ErrorBody
	require.NoError(a.t, json.Unmarshal([]byte(a.body), &body), "%s: %s", a.call, a.body)
	require.NotEmpty(a.t, body.Error.Message, a.call)
	require.Equal(a.t, code, body.Error.Code, a.call)
	return body.Error
}

func into[T any](a answer) T {
	a.t.Helper()
	var value T
	require.NoError(a.t, json.Unmarshal([]byte(a.body), &value), "%s: %s", a.call, a.body)
	return value
}
