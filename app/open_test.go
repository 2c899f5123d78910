package app

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestServerFileOfACrashIsNotBelieved leaves a server.json behind as a crash does.
func TestServerFileOfACrashIsNotBelieved(t *testing.T) {
	data := t.TempDir()
	left := []byte(`{"addr": "127.0.0.1:9", "pid": 1, "started_at": "2026-01-01T00:00:00Z"}`)
	require.NoError(t, os.WriteFile(filepath.Join(data, "server.json"), left, 0o600))
	var out bytes.Buffer
	err := openDashboard(t.Context(), Invocation{Stdout: &out}, Options{Data: data})
	require.ErrorContains(t, err, "no Echo is running")
	require.Empty(t, out.String())
	for _, f := range examineFolder(t.Context(), Options{Data: data}) {
		require.NotEqual(t, "running", f.what)
	}
}
