//go:build !linux

package hotkey

import "context"

// Listen has no key to give on this system.
func Listen(context.Context, string, Chord, func(down bool)) error { return ErrNone }
