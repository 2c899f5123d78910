// Package trouble_test has the whole server, in a process of its own, killed at random moments, its database locked by another
// process and its disk full, while typed and spoken questions are asked over HTTP and WebSockets.
package trouble_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/app"
	"echo-companion/backend/protocol"
	"echo-companion/backend/workspace"
)

// patience is how long a step may take on a loaded machine.
const patience = 60 * time.Second

// isServer makes this test's program the server, which takes the rest from its arguments.
const isServer = "ECHO_TROUBLE_TEST_SERVER"

// TestMain is that server where it is started as one.
func TestMain(m *testing.M) {
	if os.Getenv(isServer) == "" {
		os.Exit(m.Run())
	}
	go func() { // the test holds the other end
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	fillDiskWhenTold()
	os.Exit(app.Main(context.Background(), app.Invocation{
		Args: os.Args[1:], Version: "test", UI: fstest.MapFS{}, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: func(key string) string {
			return map[string]string{"ECHO_ENGINE": "/nowhere/echo-engine", "ECHO_LOG": os.Getenv("ECHO_LOG")}[key]
		},
	}))
}

// server is one that runs on a data folder.
type server struct {
	data  string
	base  string
	token string
	cmd   *exec.Cmd
	http  *http.Client
}

// fillDiskWhenTold has every write to a file fail after SIGUSR1, as on a full disk, until SIGUSR2.
func fillDiskWhenTold() {
	signal.Ignore(syscall.SIGXFSZ) // it would end the process
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		var limit syscall.Rlimit
		err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit)
		for which := range told {
			limit.Cur = limit.Max
			if which == syscall.SIGUSR1 {
				limit.Cur = 0
			}
			if err = errors.Join(err, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)); err != nil {
				panic(err)
			}
		}
	}()
}

// launch starts a server on a data folder.
func launch(t *testing.T, data string) *server {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], "serve", "--addr", "127.0.0.1:0", "--data", data)
	cmd.Env = append(os.Environ(), isServer+"=1")
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	_, err = cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	s := &server{data: data, cmd: cmd, http: &http.Client{Transport: &http.Transport{}}}
	t.Cleanup(s.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	base, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, found, line)
	s.base = base
	s.token, err = workspace.ReadToken(data)
	require.NoError(t, err)
	return s
}

// kill ends it as a crash does. It may be called again.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed
	s.http.CloseIdleConnections()
}

// do sends JSON to the API, and gives the answer as it is.
func (s *server) do(ctx context.Context, method, path string, body any, key string) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	return s.http.Do(request)
}

// call sends JSON to the API and decodes its answer, where answer is not nil.
func (s *server) call(ctx context.Context, method, path string, body, answer any) error {
	response, err := s.do(ctx, method, path, body, "")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return refused{response.StatusCode, fmt.Sprintf("%s %s: %s", method, path, data)}
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(data, answer)
}

// refused is an answer that is an error.
type refused struct {
	status int
	text   string
}

func (r refused) Error() string { return r.text }

// chats are all that there are.
func (s *server) chats(t *testing.T) (all []protocol.ChatRow) {
	t.Helper()
	for before := ""; ; {
		var list protocol.ChatList
		require.NoError(t, s.call(t.Context(), http.MethodGet, "/api/chat/sessions?limit=100"+before, nil, &list))
		all = append(all, list.Sessions...)
		if list.Next == nil {
			return all
		}
		before = "&before=" + url.QueryEscape(*list.Next)
	}
}

// chat is one with all its messages, whose numbers have no gaps.
func (s *server) chat(t *testing.T, id string) (whole protocol.ChatPage) {
	t.Helper()
	for before := ""; before != "&before=1"; {
		var page protocol.ChatPage
		require.NoError(t, s.call(t.Context(), http.MethodGet, "/api/chat/sessions/"+id+"?limit=100"+before, nil, &page))
		page.Items = append(page.Items, whole.Items...)
		whole = page
		if len(page.Items) == 0 {
			break
		}
		before = fmt.Sprint("&before=", page.Items[0].Number)
	}
	require.Len(t, whole.Items, whole.Messages)
	for at, message := range whole.Items {
		require.Equal(t, at+1, message.Number, "chat %s", id)
	}
	return whole
}

// use has replies written, speech recognised and answers spoken by the scripted engines at base.
func (s *server) use(t *testing.T, base string) {
	t.Helper()
	speech := map[string]any{"engine": "openai", "base_url": base, "model": "scripted"}
	require.NoError(t, s.call(t.Context(), http.MethodPatch, "/api/settings", map[string]any{
		"reasoning": map[string]any{"provider": "openai", "base_url": base, "model": "scripted"},
		"speech":    map[string]any{"recognizer": speech, "synthesizer": speech},
	}, nil))
}

// database opens a second connection to the chats, as another program has it.
func database(t *testing.T, data string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(data, "workspaces", "default", "chat.db"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// sound asks the database whether it is whole.
func sound(t *testing.T, data string) {
	t.Helper()
	db := database(t, data)
	var result string
	require.NoError(t, db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&result))
	require.Equal(t, "ok", result)
	require.NoError(t, db.Close())
}
