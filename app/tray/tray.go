// Package tray is Echo's icon in the notification area: a pure model of its menu, and the adapter that shows it.
package tray

// Action is what an entry of the menu does.
type Action string

// The entries of the menu, from top to bottom.
const (
	Toggle    Action = "toggle"
	Talk      Action = "talk"
	Stop      Action = "stop"
	Dashboard Action = "dashboard"
	Save      Action = "save"
	Quit      Action = "quit"
)

// State is what the menu follows.
type State struct {
	Open   bool // the panel is open
	Busy   bool // a reply runs, waits or is spoken
	Saving bool // the setting: conversations are saved
}

// Entry is one line of the menu. A separator stands before it where Parted is set.
type Entry struct {
	Action   Action
	Label    string
	Disabled bool
	Ticked   bool
	Tickable bool
	Parted   bool
}

// Menu is the whole menu in a state. It has the same entries in every state: only how they look differs.
func Menu(s State) []Entry {
	toggle := "Show Echo"
	if s.Open {
		toggle = "Fold Echo"
	}
	return []Entry{
		{Action: Toggle, Label: toggle},
		{Action: Talk, Label: "Talk"},
		{Action: Stop, Label: "Stop reply", Disabled: !s.Busy},
		{Action: Dashboard, Label: "Open dashboard", Parted: true},
		{Action: Save, Label: "Save conversations", Tickable: true, Ticked: s.Saving},
		{Action: Quit, Label: "Quit", Parted: true},
	}
}
