package workspace_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/workspace"
)

func open(t *testing.T, path string) *workspace.Dir {
	t.Helper()
	dir, err := workspace.Open(path)
	require.NoError(t, err)
	return dir
}

func TestOneProcessHoldsTheFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	dir := open(t, path)
	require.NoError(t, dir.Announce("127.0.0.1:3246", time.Now()))

	_, err := workspace.Open(path)
	var held *workspace.HeldError
	require.ErrorAs(t, err, &held)
	require.Equal(t, os.Getpid(), held.Server.PID)
	require.Contains(t, err.Error(), "http://127.0.0.1:3246")

	require.NoError(t, dir.Close())
	require.NoFileExists(t, filepath.Join(path, "server.json"))
	require.NoError(t, open(t, path).Close())
}

func TestTokenIsPrivateAndKept(t *testing.T) {
	path := t.TempDir()
	dir := open(t, path)
	token := dir.Token()
	require.GreaterOrEqual(t, len(token), 22)
	require.NoError(t, dir.Close())

	require.NoError(t, os.Chmod(filepath.Join(path, "token"), 0o644))
	dir = open(t, path)
	defer func() { require.NoError(t, dir.Close()) }()
	require.Equal(t, token, dir.Token())
	info, err := os.Stat(filepath.Join(path, "token"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestWorkspaces(t *testing.T) {
	dir := open(t, t.TempDir())
	defer func() { require.NoError(t, dir.Close()) }()
	folder, err := dir.Create("lab")
	require.NoError(t, err)
	require.Equal(t, folder, dir.Folder("lab"))
	require.DirExists(t, folder)
	names, err := dir.Names()
	require.NoError(t, err)
	require.Equal(t, []string{"default", "lab"}, names)

	elsewhere := t.TempDir()
	require.NoError(t, dir.SetFolder("lab", elsewhere))
	require.Equal(t, elsewhere, dir.Folder("lab"))
	require.NoError(t, dir.SetFolder("lab", ""))
	require.Equal(t, folder, dir.Folder("lab"))

	for _, name := range []string{"", "..", "a/b", "/etc", ".hidden", "lab", "LAB", "Default", "con", "LPT1", "a\x00b"} {
		_, err := dir.Create(name)
		require.Equal(t, echo.CodeInvalid, echo.CodeOf(err), "name %q", name)
	}
	require.Equal(t, echo.CodeInvalid, echo.CodeOf(dir.SetFolder("lab", filepath.Join(elsewhere, "missing"))))
	require.Equal(t, echo.CodeUnknownWorkspace, echo.CodeOf(dir.SetFolder("garden", elsewhere)))
}

func TestDefaultDir(t *testing.T) {
	for data, want := range map[string]string{"/data": "/data/echo-companion", "": "/home/ada/.local/share/echo-companion", "relative": "/home/ada/.local/share/echo-companion"} {
		dir := workspace.DefaultDir("/home/ada", func(key string) string { return map[string]string{"XDG_DATA_HOME": data}[key] })
		require.Equal(t, want, dir)
	}
}
