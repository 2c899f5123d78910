//go:build (!production && !dev) || !cgo

package device

import (
	"log/slog"

	"echo-companion/backend/audio"
)

// BuiltIn tells whether this build knows any devices: with the window, and with cgo.
const BuiltIn = false

// System opens devices. This build has none.
type System struct{}

// New gives the machine's sound system; it opens nothing.
func New(*slog.Logger) *System { return &System{} }

// List tells what devices there are.
func (*System) List() (List, error) { return List{}, nil }

// OpenInput gives ErrNone.
func (*System) OpenInput(string, *audio.Ring) (Stream, error) { return nil, ErrNone }

// OpenOutput gives ErrNone.
func (*System) OpenOutput(string, int, func([]int16)) (Stream, error) { return nil, ErrNone }
