package store_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/store"
)

var kills = flag.Int("kills", 12, "how often the writing process is killed")

// writerPath names, in the environment of a child process, the database that it writes until it is killed.
const writerPath = "ECHO_STORE_TEST_WRITER"

// TestWriterProcess is the child: it asks, journals, answers and withdraws, and prints what was acknowledged.
func TestWriterProcess(t *testing.T) {
	path := os.Getenv(writerPath)
	if path == "" {
		t.Skip("only the child of TestKilledWriterLosesNothingAcknowledged writes")
	}
	ctx := context.Background()
	s, err := store.Open(ctx, path, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	chat := ""
	for i := 0; ; i++ {
		text := fmt.Sprintf("question %d of %d", i, os.Getpid())
		if i%7 == 6 {
			chat = ""
		}
		e, err := s.Accept(ctx, question(chat, text))
		require.NoError(t, err)
		chat = e.Chat.ID
		fmt.Println("asked", chat, text)
		waiting, err := s.Accept(ctx, question(chat, "withdrawn "+text))
		require.NoError(t, err)
		_, err = s.Start(ctx, e.ID)
		require.NoError(t, err)
		for n := range 3 {
			tools := []echo.ToolCall{{ID: "a", Name: "calculate", Result: "42", Status: echo.ToolDone}}
			require.NoError(t, s.Journal(ctx, e.ID, strings.Repeat("word ", n), tools))
		}
		require.NoError(t, s.Withdraw(ctx, waiting.ID))
		fmt.Println("withdrawn", chat, text)
		_, err = s.Finish(ctx, e.ID, answer("answer to "+text, echo.ToolCall{Name: "calculate", Result: "42", Status: echo.ToolDone}))
		require.NoError(t, err)
		fmt.Println("answered", chat, text)
	}
}

func TestKilledWriterLosesNothingAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	acknowledged := map[string]map[string]string{} // by chat and question: the last word on it
	for range *kills {
		for _, line := range writeAndKill(t, path) {
			word, rest, _ := strings.Cut(line, " ")
			chat, text, _ := strings.Cut(rest, " ")
			if acknowledged[chat] == nil {
				acknowledged[chat] = map[string]string{}
			}
			acknowledged[chat][text] = word
		}
		check(t, path, acknowledged)
	}
	require.NotEmpty(t, acknowledged)
}

// writeAndKill runs the child, kills it at a random moment and returns what it had printed.
func writeAndKill(t *testing.T, path string) (lines []string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWriterProcess$", "-test.v")
	child.Env = append(os.Environ(), writerPath+"="+path)
	output, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	var killer *time.Timer
	for scanner := bufio.NewScanner(output); scanner.Scan(); {
		line := scanner.Text()
		switch word, _, _ := strings.Cut(line, " "); word {
		case "asked", "withdrawn", "answered":
			lines = append(lines, line)
			if killer == nil { // it has begun to write
				killer = time.AfterFunc(time.Duration(rand.IntN(60_000))*time.Microsecond, func() { _ = child.Process.Kill() })
			}
		}
	}
	if killer == nil {
		t.Error("the child did not write")
		_ = child.Process.Kill()
	}
	_ = child.Wait() // it was killed
	return lines
}

// check opens the database and looks for all that was acknowledged.
func check(t *testing.T, path string, acknowledged map[string]map[string]string) {
	t.Helper()
	s, err := store.Open(t.Context(), path, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	for chat, questions := range acknowledged {
		all := strings.Join(texts(t, s, chat), "\n") // and the numbers have no gaps
		for text, word := range questions {
			require.Contains(t, all, "user: "+text)
			if word != "asked" {
				require.NotContains(t, all, "withdrawn "+text)
			}
			if word == "answered" {
				require.Contains(t, all, "assistant: answer to "+text)
			}
		}
	}
	require.NoError(t, s.Close())
	db := raw(t, path)
	var result string
	require.NoError(t, db.QueryRow("PRAGMA integrity_check").Scan(&result))
	require.Equal(t, "ok", result)
	require.NoError(t, db.QueryRow("SELECT count(*) FROM exchanges").Scan(&result))
	require.Equal(t, "0", result)
	require.NoError(t, db.Close())
}
