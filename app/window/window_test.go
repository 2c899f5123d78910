package window_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/app/window"
)

var (
	left  = window.Rect{Width: 1280, Height: 800}
	right = window.Rect{X: 1280, Width: 1920, Height: 1080}
)

func panelAt(x, y int) window.Rect {
	return window.Rect{X: x, Y: y, Width: window.PanelWidth, Height: window.PanelHeight}
}

func orbAt(x, y int) window.Rect {
	return window.Rect{X: x, Y: y, Width: window.OrbSize, Height: window.OrbSize}
}

func TestFirstStartIsOnTheFirstScreen(t *testing.T) {
	m := window.New(window.Memory{}, []window.Rect{left, right})
	require.Equal(t, window.Hidden, m.Form())
	require.True(t, m.Show())
	require.False(t, m.Show())
	require.Equal(t, panelAt(868, 152), m.Place())
}

func TestFoldsAtTheSameSpotAndBack(t *testing.T) {
	m := window.New(window.Memory{Panel: panelAt(100, 50)}, []window.Rect{left})
	m.Show()
	require.True(t, m.Fold())
	require.Equal(t, orbAt(100, 50), m.Place())
	require.True(t, m.Show())
	require.Equal(t, panelAt(100, 50), m.Place())
	require.True(t, m.Hide())
	require.True(t, m.Show())
	require.Equal(t, panelAt(100, 50), m.Place())
}

func TestOrbAtAnEdgeGoesBackToIt(t *testing.T) {
	m := window.New(window.Memory{Panel: panelAt(100, 50)}, []window.Rect{left})
	m.Show()
	m.Fold()
	require.True(t, m.Moved(orbAt(1200, 700)))
	m.Show()
	require.Equal(t, panelAt(1280-380, 200), m.Place(), "pushed in")
	m.Fold()
	require.Equal(t, orbAt(1200, 700), m.Place(), "and back at the edge")
	m.Show()
	require.True(t, m.Moved(panelAt(300, 100)))
	m.Fold()
	require.Equal(t, orbAt(300, 100), m.Place(), "a panel that was dragged takes the orb along")
}

func TestAPlaceOnAScreenThatWentComesBackToOneThatIsThere(t *testing.T) {
	m := window.New(window.Memory{Panel: panelAt(2000, 300), Orb: orbAt(2000, 300)}, []window.Rect{left, right})
	m.Show()
	require.Equal(t, panelAt(2000, 300), m.Place())
	require.True(t, m.SetScreens([]window.Rect{left}))
	require.Equal(t, panelAt(900, 200), m.Place())
	require.False(t, m.SetScreens([]window.Rect{left}))
}

func TestPlacesInTheMidstOfAChangeAreNotKept(t *testing.T) {
	m := window.New(window.Memory{Panel: panelAt(100, 50)}, []window.Rect{left})
	m.Show()
	require.False(t, m.Moved(orbAt(100, 50)))
	require.False(t, m.Moved(panelAt(100, 50)))
	m.Fold()
	require.False(t, m.Moved(panelAt(5, 5)))
	require.Equal(t, window.Memory{Panel: panelAt(100, 50), Orb: orbAt(100, 50)}, m.Memory())
	m.Hide()
	require.False(t, m.Moved(panelAt(5, 5)))
}
