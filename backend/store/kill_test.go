package store_test

import (
	"bufio"
	"context"
	"errors"
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

// TestMain is that child where it is started as one.
func TestMain(m *testing.M) {
	if path := os.Getenv(writerPath); path != "" {
		_, _ = fmt.Fprintln(os.Stderr, write(path))
		os.Exit(1) // it ends by itself only when something fails
	}
	os.Exit(m.Run())
}

// write asks, journals, answers and withdraws, and prints what was acknowledged, until it fails or is killed.
func write(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	chat := ""
	for i := 0; ; i++ {
		if i%7 == 6 {
			chat = ""
		}
		if chat, err = converse(ctx, s, chat, fmt.Sprintf("question %d of %d", i, os.Getpid())); err != nil {
			return err
		}
	}
}

// converse has one question answered and one withdrawn, and gives the chat.
func converse(ctx context.Context, s *store.Store, chat, text string) (string, error) {
	e, err := s.Accept(ctx, question(chat, text))
	if err != nil {
		return "", err
	}
	chat = e.Chat.ID
	fmt.Println("asked", chat, text)
	waiting, err := s.Accept(ctx, question(chat, "withdrawn "+text))
	if err != nil {
		return "", err
	}
	_, err = s.Start(ctx, e.ID)
	for n := range 3 {
		tools := []echo.ToolCall{{ID: "a", Name: "calculate", Result: "42", Status: echo.ToolDone}}
		err = errors.Join(err, s.Journal(ctx, e.ID, strings.Repeat("word ", n), tools))
	}
	if err = errors.Join(err, s.Withdraw(ctx, waiting.ID)); err != nil {
		return "", err
	}
	fmt.Println("withdrawn", chat, text)
	if _, err = s.Finish(ctx, e.ID, answer("answer to "+text, echo.ToolCall{Name: "calculate", Result: "42", Status: echo.ToolDone})); err != nil {
		return "", err
	}
	fmt.Println("answered", chat, text)
	return chat, nil
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
	child := exec.CommandContext(t.Context(), os.Args[0])
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
