// Package device is the microphone and the loudspeaker. With the production build tag and cgo they are malgo's and oto's; without them
// there are none, as on a machine that has no sound. It knows nothing of speech: capture and playback drive it.
package device

import "errors"

// ErrNone says that this machine, or this build, has no such device.
var ErrNone = errors.New("no such sound device")

// ErrLost says that an open device went away.
var ErrLost = errors.New("the sound device went away")

// Info describes a device that can be chosen by its name.
type Info struct {
	Name    string `json:"name"`
	Default bool   `json:"default"`
}

// List is what devices there are at one moment.
type List struct {
	Inputs  []Info `json:"inputs"`
	Outputs []Info `json:"outputs"`
}

// Has tells whether a device of that name is among infos.
func Has(infos []Info, name string) bool {
	for _, info := range infos {
		if info.Name == name {
			return true
		}
	}
	return false
}

// Stream is an open device. Its methods may be called from any goroutine.
type Stream interface {
	// Err is nil while sound runs, and says why once it does not.
	Err() error
	// Close lets go of the device; nothing is read or asked for after it. A second call does nothing.
	Close() error
}

// Muter is a loudspeaker that can fall silent faster than by what it is fed.
type Muter interface {
	Mute(on bool)
}
