package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/passage"
	"echo-companion/backend/reason"
	"echo-companion/backend/reply"
	"echo-companion/backend/tools"
)

// notes finds one passage for the query that it has.
type notes map[string][]passage.Passage

func (n notes) Search(_ context.Context, query string, limit int) (passage.Found, error) {
	if query == "broken" {
		return passage.Found{}, errors.New("the index is broken")
	}
	return passage.Found{Passages: n[query][:min(limit, len(n[query]))], Left: len(n["left out"])}, nil
}

func messages(from, to int) []echo.Message {
	var all []echo.Message
	for n := from; n <= min(to, 500); n++ {
		switch {
		case n == 7:
			all = append(all, echo.Message{Number: n, Role: echo.RoleAssistant, Text: strings.Repeat("long ", 10_000), State: echo.StateComplete})
		case n%3 == 1:
			all = append(all, echo.Message{Number: n, Role: echo.RoleUser, Text: fmt.Sprintf("Question %d?", n), State: echo.StateComplete})
		case n%3 == 2:
			all = append(all, echo.Message{Number: n, Role: echo.RoleTool, Name: "calculate", Arguments: json.RawMessage(`{"expression":"1"}`), Text: "1", State: echo.StateComplete})
		default:
			all = append(all, echo.Message{Number: n, Role: echo.RoleAssistant, Text: fmt.Sprintf("Answer %d.", n), State: echo.StateStopped})
		}
	}
	return all
}

// folder is a workspace's folder with a secret beside it.
func folder(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	root := filepath.Join(base, "files")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "sub", "empty"), 0o755))
	for name, text := range map[string]string{
		"../secret.txt":  "the secret is outside",
		"note.txt":       "the marmots are inside\n",
		"sub/deep.md":    "# Deep\n\ndown",
		"empty.txt":      "",
		"binary":         "a\x00b",
		"paper.pdf":      "%PDF-1.4\n%...",
		"latin.txt":      "caf\xe9",
		"bom.txt":        "\uFEFFhello",
		"numbers.txt":    numbers(5000),
		"wide.txt":       strings.Repeat("x", 300_000) + "\nsecond\n",
		"..double":       "fine",
		"with space.txt": "spaced",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink(filepath.Join(base, "secret.txt"), filepath.Join(root, "link.txt")))
	require.NoError(t, os.Symlink("../secret.txt", filepath.Join(root, "relative.txt")))
	require.NoError(t, os.Symlink("note.txt", filepath.Join(root, "inner.txt")))
	require.NoError(t, os.Symlink(base, filepath.Join(root, "up")))
	require.NoError(t, os.Symlink("loop", filepath.Join(root, "loop")))
	return root
}

func numbers(n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, "line %d\n", i+1)
	}
	return all.String()
}

func TestCalls(t *testing.T) {
	root := folder(t)
	set := tools.New(tools.Config{
		Root: func() string { return root },
		Now:  func() time.Time { return time.Date(2026, 11, 30, 22, 38, 5, 0, time.UTC) },
	}, tools.Ports{
		Search: func(_ context.Context, query string) ([]echo.Hit, error) {
			switch query {
			case "broken":
				return nil, errors.New("disk full")
			case "gazelle":
				return []echo.Hit{
					{Chat: "a", Title: "Lions", Number: 2, Snippet: "…gazelle…", Text: strings.Repeat("grass ", 500) + "a gazelle runs. " + strings.Repeat("grass ", 500)},
					{Chat: "b", Title: `The "other"`, Number: 9, Snippet: "only a gazelle"},
				}, nil
			}
			return nil, nil
		},
		Notes: notes{"marmots": {{Text: "the marmots\nare inside", Source: "note.txt", Line: 3, Score: 1}, {Text: "also", Source: "My chat"}}, "paper": {{Text: "printed", Source: "paper.pdf", Page: 7}}, "left out": {{}}},
	}).For(messages)

	for _, test := range []struct {
		tool, arguments string
		want            []string // "!" at the start: it fails, and says that
	}{
		{"current_time", `{}`, []string{"2026-11-30T22:38:05Z", "Monday, 30 November 2026, 22:38 here"}},
		{"current_time", ``, []string{"2026-11-30T22:38:05Z"}},
		{"current_time", `{"timezone":"Europe/Paris"}`, []string{"2026-11-30T23:38:05+01:00", "23:38 Europe/Paris"}},
		{"current_time", `{"timezone":"Asia/Tokyo"}`, []string{"2026-12-01T07:38:05+09:00", "Tuesday, 1 December 2026, 07:38"}},
		{"current_time", `{"timezone":"Paris"}`, []string{`!no time zone "Paris"`}},
		{"current_time", `{"timezone":"../../etc/passwd"}`, []string{"!no time zone"}},
		{"current_time", `{"timezone":["x"]}`, []string{`!"timezone"`}},
		{"calculate", `{"expression":"6*7"}`, []string{"42"}},
		{"calculate", `{"expression":42}`, []string{"42"}},
		{"calculate", `{"expression":"1/0"}`, []string{"!division by zero"}},
		{"calculate", `{"expression":"6*"}`, []string{"!incomplete"}},
		{"calculate", `{}`, []string{"!no expression"}},
		{"calculate", `[]`, []string{"!not a JSON object"}},
		{"conversation_history", `{"from":1,"to":3}`, []string{"1. user: Question 1?\n", `2. tool calculate {"expression":"1"}: 1`, "3. assistant (stopped): Answer 3."}},
		{"conversation_history", `{"from":"2","to":2.0}`, []string{"2. tool"}},
		{"conversation_history", `{"from":4}`, []string{"4. user: Question 4?"}},
		{"conversation_history", `{"from":7,"to":7}`, []string{"7. assistant: long", "[cut:"}},
		{"conversation_history", `{"from":6,"to":9}`, []string{"6. assistant (stopped): Answer 6.\n[more: go on from 7]"}},
		{"conversation_history", `{"from":100,"to":100000}`, []string{"149. ", "[more: go on from 150]"}},
		{"conversation_history", `{"from":600,"to":700}`, []string{"no messages 600 to 700"}},
		{"conversation_history", `{"from":0,"to":3}`, []string{"!counted from 1"}},
		{"conversation_history", `{"from":3,"to":1}`, []string{"!counted from 1"}},
		{"conversation_history", `{"from":1.5,"to":2}`, []string{"!whole number"}},
		{"conversation_history", `{"from":1e300,"to":2}`, []string{"!whole number"}},
		{"conversation_history", `{}`, []string{"!which messages"}},
		{"search_chats", `{"query":"gazelle"}`, []string{`Chat "Lions", message 2: …`, "a gazelle runs.", `Chat "The \"other\"", message 9: only a gazelle`}},
		{"search_chats", `{"query":"zebra"}`, []string{"No saved chat"}},
		{"search_chats", `{"query":"broken"}`, []string{"!disk full"}},
		{"search_chats", `{"query":" "}`, []string{"!what to look for"}},
		{"search_files", `{"query":"marmots"}`, []string{"note.txt, line 3: the marmots are inside\n", "My chat: also"}},
		{"search_files", `{"query":"paper"}`, []string{"paper.pdf, page 7: printed\n", "left out", ": 1)"}},
		{"search_files", `{"query":"zebra"}`, []string{"Nothing in the files"}},
		{"search_files", `{"query":"broken"}`, []string{"!the index is broken"}},
		{"list_files", `{}`, []string{"note.txt (23 bytes)", "sub/ (folder)", "link.txt (link)", "wide.txt (300.0 kB)", "..double (4 bytes)"}},
		{"list_files", `{"path":"."}`, []string{"note.txt"}},
		{"list_files", `{"path":"sub/"}`, []string{"deep.md (12 bytes)\nempty/ (folder)\n"}},
		{"list_files", `{"path":"sub/empty"}`, []string{"empty"}},
		{"list_files", `{"path":"note.txt"}`, []string{"!is a file"}},
		{"list_files", `{"path":"nowhere"}`, []string{`!no "nowhere"`}},
		{"list_files", `{"path":"up"}`, []string{"!outside"}},
		{"list_files", `{"path":".."}`, []string{"!outside"}},
		{"list_files", `{"path":"/"}`, []string{"!outside"}},
		{"list_files", `{"path":"sub/../.."}`, []string{"!outside"}},
		{"read_file", `{"path":"note.txt"}`, []string{"the marmots are inside\n"}},
		{"read_file", `{"path":"./sub/../note.txt"}`, []string{"the marmots are inside\n"}},
		{"read_file", `{"path":"inner.txt"}`, []string{"the marmots are inside\n"}},
		{"read_file", `{"path":"..double"}`, []string{"fine"}},
		{"read_file", `{"path":"with space.txt"}`, []string{"spaced"}},
		{"read_file", `{"path":"empty.txt"}`, []string{"empty"}},
		{"read_file", `{"path":"latin.txt"}`, []string{"caf\uFFFD"}},
		{"read_file", `{"path":"bom.txt"}`, []string{"hello"}},
		{"read_file", `{"path":"numbers.txt"}`, []string{"line 1\nline 2\n", "[cut: the file has 48.9 kB in all; read on from line 1340]"}},
		{"read_file", `{"path":"numbers.txt","from_line":4999}`, []string{"line 4999\nline 5000\n"}},
		{"read_file", `{"path":"numbers.txt","from_line":9999}`, []string{"ends before line 9999"}},
		{"read_file", `{"path":"wide.txt"}`, []string{"x\n[cut: the line is longer; read on from line 2]"}},
		{"read_file", `{"path":"wide.txt","from_line":2}`, []string{"second\n"}},
		{"read_file", `{"path":"binary"}`, []string{"!not a text file"}},
		{"read_file", `{"path":"paper.pdf"}`, []string{"!is a PDF"}},
		{"read_file", `{"path":"sub"}`, []string{"!is a folder"}},
		{"read_file", `{"path":"no-such-file.txt"}`, []string{`!no "no-such-file.txt"`}},
		{"read_file", `{}`, []string{"!which file"}},
		{"read_file", `{"path":"../secret.txt"}`, []string{"!outside"}},
		{"read_file", `{"path":"a/../../secret.txt"}`, []string{"!outside"}},
		{"read_file", `{"path":"link.txt"}`, []string{"!outside"}},
		{"read_file", `{"path":"relative.txt"}`, []string{"!outside"}},
		{"read_file", `{"path":"up/secret.txt"}`, []string{"!outside"}},
		{"read_file", `{"path":"loop"}`, []string{"!cannot be read"}},
		{"read_file", `{"path":"/etc/passwd"}`, []string{"!outside"}},
		{"read_file", `{"path":"C:\\Windows\\win.ini"}`, []string{"!"}},
		{"read_file", `{"path":"note.txt\u0000.md"}`, []string{"!NUL"}},
		{"read_file", `{"path":"note.txt/x"}`, []string{"!"}},
		{"launch_rocket", `{}`, []string{"!no tool"}},
	} {
		t.Run(test.tool+" "+test.arguments, func(t *testing.T) {
			got, err := set.Call(t.Context(), reason.Call{ID: "a", Name: test.tool, Arguments: json.RawMessage(test.arguments)})
			require.LessOrEqual(t, len(got), reply.MaxResult)
			require.NotContains(t, got, "the secret is")
			for _, want := range test.want {
				if problem, fails := strings.CutPrefix(want, "!"); fails {
					require.ErrorContains(t, err, problem)
					require.NotContains(t, err.Error(), filepath.Dir(root), "where the folder lies is nobody's business")
					continue
				}
				require.NoError(t, err)
				require.Contains(t, got, want)
			}
		})
	}
}

func TestCallsEndWithTheirContext(t *testing.T) {
	root := folder(t)
	set := tools.New(tools.Config{Root: func() string { return root }}, tools.Ports{}).For(nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tool := range set.Offer() {
		_, err := set.Call(ctx, reason.Call{Name: tool.Name, Arguments: json.RawMessage(`{"path":"note.txt","query":"x","expression":"1","from":1,"to":1}`)})
		require.ErrorIs(t, err, context.Canceled, tool.Name)
	}
}

func TestWithoutFolderOrPortsCallsFailPlainly(t *testing.T) {
	for name, root := range map[string]func() string{"none": nil, "empty": func() string { return "" }, "gone": func() string { return "/no/such/folder" }} {
		set := tools.New(tools.Config{Root: root}, tools.Ports{}).For(nil)
		for _, tool := range []string{"list_files", "read_file", "search_files", "search_chats"} {
			_, err := set.Call(t.Context(), reason.Call{Name: tool, Arguments: json.RawMessage(`{"path":"note.txt","query":"x"}`)})
			require.Error(t, err, name)
			require.NotContains(t, err.Error(), "/no/such")
		}
		got, err := set.Call(t.Context(), reason.Call{Name: "conversation_history", Arguments: json.RawMessage(`{"from":1,"to":2}`)})
		require.NoError(t, err)
		require.Contains(t, got, "no messages")
	}
}

func TestTheProtocolsToolsAreOffered(t *testing.T) {
	var names []string
	for _, tool := range tools.New(tools.Config{}, tools.Ports{}).For(nil).Offer() {
		names = append(names, tool.Name)
		require.NotEmpty(t, tool.Description)
		var schema struct {
			Type       string
			Properties map[string]struct{ Type string }
			Required   []string
		}
		require.NoError(t, json.Unmarshal(tool.Parameters, &schema), tool.Name)
		require.Equal(t, "object", schema.Type)
		for _, field := range schema.Required {
			require.Contains(t, schema.Properties, field)
		}
	}
	require.Equal(t, []string{"current_time", "calculate", "conversation_history", "search_chats", "list_files", "read_file", "search_files"}, names)
}

func TestALongFolderIsCut(t *testing.T) {
	root := t.TempDir()
	for n := range 300 {
		require.NoError(t, os.WriteFile(filepath.Join(root, fmt.Sprintf("file%03d", n)), nil, 0o600))
	}
	got, err := tools.New(tools.Config{Root: func() string { return root }}, tools.Ports{}).For(nil).Call(t.Context(), reason.Call{Name: "list_files"})
	require.NoError(t, err)
	require.Contains(t, got, "file199 (0 bytes)\n[and 100 more]\n")
}
