package store_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/store"
)

func TestLockThatIsHeldForASecondIsWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	s := open(t, path)
	db := raw(t, path)
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	timer := time.AfterFunc(time.Second, func() { _, _ = conn.ExecContext(t.Context(), "ROLLBACK") })
	defer timer.Stop()
	exchange(t, s, "", "Who holds it?", "Another.")
}

func TestLockThatStaysIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	s := open(t, path)
	conn, err := raw(t, path).Conn(t.Context())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	_, err = s.Accept(t.Context(), question("", "Who holds it?"))
	require.Equal(t, echo.CodeStorage, echo.CodeOf(err))
	require.Contains(t, echo.AsError(err).Message, path)
	_, err = conn.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	exchange(t, s, "", "Who holds it?", "Nobody.")
}

func TestDamagedFileIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	require.NoError(t, os.WriteFile(path, []byte("this is not a database, though it is long enough to be taken for one"), 0o600))
	_, err := store.Open(t.Context(), path, nil)
	require.Equal(t, echo.CodeStorage, echo.CodeOf(err))
	require.Contains(t, echo.AsError(err).Message, "damaged")
}

func TestFolderThatIsNotThereIsNamed(t *testing.T) {
	_, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "none", "chats.db"), nil)
	require.Equal(t, echo.CodeStorage, echo.CodeOf(err))
}
