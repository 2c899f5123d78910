package tray_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/app/tray"
)

func TestMenuFollowsTheState(t *testing.T) {
	cases := []struct {
		name  string
		state tray.State
		want  []string
	}{
		{"folded, idle", tray.State{}, []string{"Show Echo", "Talk", "Stop reply (off)", "Open dashboard", "Save conversations", "Quit"}},
		{"open, answering, saving", tray.State{Open: true, Busy: true, Saving: true}, []string{"Fold Echo", "Talk", "Stop reply", "Open dashboard", "Save conversations ✓", "Quit"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, e := range tray.Menu(c.state) {
				label := e.Label
				if e.Disabled {
					label += " (off)"
				}
				if e.Ticked {
					label += " ✓"
				}
				got = append(got, label)
			}
			require.Equal(t, c.want, got)
		})
	}
}
