package chat_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/chat"
)

// TestJournalFollowsTheReply takes the files as a crash would leave them, while a reply is held up in the middle.
func TestJournalFollowsTheReply(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	left := filepath.Join(t.TempDir(), "left.db")
	bubble(t, options{path: path}, func(b *bench) {
		t := b.t
		w := b.ask("", "wait at never")
		id := b.until(w, chat.KindSession).Chat.ID
		other := b.until(b.ask("", "What waits?"), chat.KindSession).Chat.ID
		pass(time.Second)
		for _, end := range []string{"", "-wal"} {
			content, err := os.ReadFile(path + end)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(left+end, content, 0o600))
		}
		b.stop()

		b = start(t, options{path: left})
		require.Equal(t, []string{"user: wait at never", "assistant: Word1 word2 (interrupted)"}, b.items(id))
		require.Equal(t, []string{"user: What waits?", "assistant:  (interrupted)"}, b.items(other))
		b.answered(id, "Does it go on?")
	})
}

// TestAReplyThatIsNotJournaledSaysSo has the disk fill up while a reply is written, and become free while it goes on.
func TestAReplyThatIsNotJournaledSaysSo(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		b.archive.lag(true)
		w := b.ask("", "wait at go")
		id := b.until(w, chat.KindSession).Chat.ID
		problem := func() string {
			row, _, _, err := b.chats.Get(t.Context(), id, 0, 0)
			require.NoError(t, err)
			return row.Problem
		}
		pass(time.Second)
		require.Equal(t, "the disk is full", problem())
		b.archive.lag(false)
		pass(time.Second)
		require.Empty(t, problem())
		b.model.open("go")
		b.rest(w)
		require.Empty(t, problem())
	})
}
