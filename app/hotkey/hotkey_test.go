package hotkey

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesOfKeys(t *testing.T) {
	for name, want := range map[string]Chord{
		"Ctrl+Alt+Space": {control | alt, 0x20},
		"Super+E":        {super, 'e'},
		"Shift+F12":      {shift, 0xffc9},
		"Ctrl+1":         {control, '1'},
		"Alt+Down":       {alt, 0xff54},
	} {
		got, err := Parse(name)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
	for _, name := range []string{"", "Space", "Ctrl+", "Hyper+Space", "Ctrl+F13", "Ctrl+F01", "Ctrl+ab", "Ctrl+é", "+", "Ctrl+Alt"} {
		_, err := Parse(name)
		require.ErrorIs(t, err, ErrUnknown, name)
	}
}

func TestRepeatsAreNoPresses(t *testing.T) {
	var h held
	require.True(t, h.press(100))
	for at := uint32(760); at < 1500; at += 40 {
		require.False(t, h.release(at, true), "the keyboard repeats")
		require.False(t, h.press(at))
	}
	require.True(t, h.release(1500, false))
	require.False(t, h.press(1500), "the repeat of a key that had come up before it was asked about")
	require.False(t, h.release(1510, false))
	require.True(t, h.press(1800))
	require.True(t, h.release(1900, false))
}
