//go:build !linux && (production || dev)

package window

// Look has no answer on this system: the window's places are not followed.
func Look() (Desk, bool) { return Desk{}, false }

// Move does nothing on this system.
func Move(Rect) {}

// Show does nothing on this system.
func Show(Rect) {}

// Hide does nothing on this system.
func Hide() {}

// SetAbove does nothing on this system.
func SetAbove(bool) {}

// LeaveTaskbar does nothing on this system.
func LeaveTaskbar() {}

// End tells that the loop is the toolkit's own to end.
func End() bool { return false }
