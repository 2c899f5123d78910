//go:build (production || dev) && !linux && !windows

package tray

// Tray is the icon in the notification area; on this system Echo has none.
type Tray struct{}

// Register makes none.
func Register(State, func(Action)) *Tray { return &Tray{} }

// Set does nothing.
func (*Tray) Set(State) {}

// Close does nothing.
func (*Tray) Close() {}
