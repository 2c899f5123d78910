package app

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWorkspaceThatIsGoneGivesWayToTheDefaultOne(t *testing.T) {
	data := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, "settings.json"), []byte(`{"workspace":"gone","theme":"dark"}`), 0o600))
	var log bytes.Buffer
	in := Invocation{Getenv: func(string) string { return "" }}
	b, err := compose(t.Context(), in, Options{Addr: "127.0.0.1:0", AddrChosen: true, Data: data}, nil, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	defer func() { require.NoError(t, b.abandon(nil)) }()
	require.Equal(t, "default", b.settings.Get().Workspace)
	require.Equal(t, "dark", string(b.settings.Get().Theme))
	require.Contains(t, log.String(), "workspace=gone")
}

func TestAnAddressIsShownAsItWasGiven(t *testing.T) {
	for addr, want := range map[string]string{"0.0.0.0:0": "0.0.0.0", "127.0.0.1:0": "127.0.0.1"} {
		listener, err := listen(t.Context(), Options{Addr: addr, AddrChosen: true})
		require.NoError(t, err)
		require.Contains(t, listener.Addr().String(), want)
		require.NoError(t, listener.Close())
	}
}
