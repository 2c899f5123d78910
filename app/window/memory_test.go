package window_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/app/window"
)

func TestPlacesAreKeptByScreens(t *testing.T) {
	s := window.Store{Path: filepath.Join(t.TempDir(), "window.json")}
	one, two := []window.Rect{left}, []window.Rect{left, right}
	require.Zero(t, s.Load(one))
	a, b := window.Memory{Panel: panelAt(1, 2)}, window.Memory{Panel: panelAt(1500, 2), Orb: orbAt(3, 4)}
	require.NoError(t, s.Save(one, a))
	require.NoError(t, s.Save(two, b))
	require.Equal(t, a, s.Load(one))
	require.Equal(t, b, s.Load(two))
	require.NoError(t, os.WriteFile(s.Path, []byte("{"), 0o600))
	require.Zero(t, s.Load(one))
	require.NoError(t, s.Save(one, a))
	require.Equal(t, a, s.Load(one))
}
