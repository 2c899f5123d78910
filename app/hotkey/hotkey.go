// Package hotkey is a key that is heard whatever program is in front: its name, the meaning of what a desktop tells of it, and the
// adapter that asks X11 for it. It knows nothing of what the key is for.
package hotkey

import (
	"errors"
	"fmt"
	"strings"
)

// What keeps a key from being heard.
var (
	// ErrTaken says that another program has the key.
	ErrTaken = errors.New("another program has this key")
	// ErrNone says that this desktop gives no program a key of its own, as Wayland does not.
	ErrNone = errors.New("this desktop gives no program such a key")
	// ErrUnknown says that the keyboard has no such key, or that its name makes no sense.
	ErrUnknown = errors.New("there is no such key on this keyboard")
)

// The modifiers, as X11 numbers them.
const (
	shift   = 1 << 0
	lock    = 1 << 1
	control = 1 << 2
	alt     = 1 << 3
	numLock = 1 << 4
	super   = 1 << 6
)

// Chord is a key and what is held with it. The zero Chord is no key.
type Chord struct {
	modifiers uint16
	symbol    uint32 // an X11 keysym
}

// Parse reads a name such as "Ctrl+Alt+Space".
func Parse(name string) (Chord, error) {
	parts := strings.Split(name, "+")
	var c Chord
	for _, part := range parts[:len(parts)-1] {
		modifier := modifierOf(part)
		if modifier == 0 {
			return Chord{}, fmt.Errorf("%w: %s", ErrUnknown, name)
		}
		c.modifiers |= modifier
	}
	if c.symbol = symbolOf(parts[len(parts)-1]); c.symbol == 0 || c.modifiers == 0 {
		return Chord{}, fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	return c, nil
}

func modifierOf(name string) uint16 {
	switch name {
	case "Ctrl":
		return control
	case "Alt":
		return alt
	case "Shift":
		return shift
	case "Super":
		return super
	}
	return 0
}

// symbolOf gives the keysym of a key's name, or 0.
func symbolOf(name string) uint32 {
	switch name {
	case "Space":
		return 0x20
	case "Enter":
		return 0xff0d
	case "Tab":
		return 0xff09
	case "Escape":
		return 0xff1b
	case "Left":
		return 0xff51
	case "Up":
		return 0xff52
	case "Right":
		return 0xff53
	case "Down":
		return 0xff54
	}
	if len(name) == 1 {
		switch b := name[0]; {
		case b >= 'A' && b <= 'Z':
			return uint32(b) + 'a' - 'A'
		case b >= '0' && b <= '9':
			return uint32(b)
		}
		return 0
	}
	var n uint32
	if _, err := fmt.Sscanf(name, "F%d", &n); err == nil && n >= 1 && n <= 12 && name == fmt.Sprintf("F%d", n) {
		return 0xffbe + n - 1
	}
	return 0
}

// held tells a key that is held from the releases and presses that a keyboard repeats meanwhile: a repeated release comes while the
// key is still down, and a repeated press at the very time of the release before it.
type held struct {
	down     bool
	released uint32 // the time of the last release, in the desktop's milliseconds
}

// press tells whether the key went down.
func (h *held) press(at uint32) bool {
	if h.down || (h.released != 0 && at == h.released) {
		return false
	}
	h.down = true
	return true
}

// release tells whether the key came up; still is whether the keyboard has it down now.
func (h *held) release(at uint32, still bool) bool {
	h.released = at
	if !h.down || still {
		return false
	}
	h.down = false
	return true
}
