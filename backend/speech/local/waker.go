package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/speech/frame"
)

// WakeThreshold is how sure the engine must be that "Hey Echo" was said; docs/acoustics.md has what it was chosen by.
const WakeThreshold = 0.7

// WakeHop is how many samples a Waker hears at a time: 80 ms at 16 kHz.
const WakeHop = 1280

// wakePatience is how long the first hop may take, for which the models are loaded.
const wakePatience = 5 * time.Second

// Waker hears "Hey Echo". Hold it while it listens; it shares the Detector's process.
type Waker struct{ holder }

// Waker is what hears "Hey Echo" on this machine, for one recording at a time.
func (e *Engines) Waker() *Waker { return &Waker{holder: holder{e.listener}} }

// Ready tells whether it answers at once.
func (w *Waker) Ready() bool { return w.Engine().State == echo.EngineReady }

// Hear tells whether "Hey Echo" has just ended, after a hop of WakeHop samples at 16 kHz. It says so for several hops in a row.
func (w *Waker) Hear(hop []int16) (woken bool, err error) {
	if len(hop) != WakeHop {
		return false, fmt.Errorf("a hop has %d samples, not %d", WakeHop, len(hop))
	}
	err = w.ask(frame.PCM(hop), func(f frame.Frame) error {
		numbers, err := frame.Numbers(f.Payload)
		if err != nil || f.Kind != frame.KindWoken || len(numbers) != 1 {
			return errUnexpected
		}
		woken = numbers[0] >= WakeThreshold
		return nil
	})
	return woken, err
}

// Reset begins another recording.
func (w *Waker) Reset() error {
	return w.ask(nil, func(frame.Frame) error { return errUnexpected })
}

func (w *Waker) ask(payload []byte, take func(frame.Frame) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), wakePatience)
	defer cancel()
	err := w.process.ask(ctx, frame.KindWake, payload, take)
	if errors.Is(err, context.DeadlineExceeded) {
		err = w.process.silent()
	}
	return err
}
