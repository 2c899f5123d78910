//go:build (production || dev) && cgo

package device

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebitengine/oto/v3"

	"echo-companion/backend/audio"
)

// otoOutput is oto's one context of the process. It plays on the default device of the moment in which it was made and never
// recovers from an error, so after the first one it is not used again.
type otoOutput struct {
	mu      sync.Mutex
	context *oto.Context
	rate    int
	broken  bool
}

// OpenOutput opens the loudspeaker of that name, or the default one, at rate samples per second. fill is called on the device's
// thread; it writes every sample that it is given and never blocks.
func (s *System) OpenOutput(name string, rate int, fill func([]int16)) (Stream, error) {
	if name != "" {
		return s.openOutput(name, rate, fill)
	}
	st, err := s.oto.open(rate, fill)
	if err == nil {
		return st, nil
	}
	s.logger.LogAttrs(context.Background(), slog.LevelInfo, "the default loudspeaker is opened another way", slog.Any("error", err))
	return s.openOutput("", rate, fill)
}

func (o *otoOutput) open(rate int, fill func([]int16)) (Stream, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.broken {
		return nil, ErrLost
	}
	if err := o.prepare(rate); err != nil {
		o.broken = true
		return nil, err
	}
	st := &otoStream{owner: o, context: o.context, fill: fill, scratch: make([]int16, 16*audio.Count(rate, latency))}
	st.asked.Store(time.Now().UnixNano())
	st.player = o.context.NewPlayer(st)
	st.player.SetBufferSize(2 * audio.Count(rate, latency))
	st.player.Play()
	return st, nil
}

// prepare makes or wakes the context. The caller holds mu.
func (o *otoOutput) prepare(rate int) error {
	if o.context != nil {
		if o.rate != rate {
			return fmt.Errorf("the default loudspeaker runs at %d samples per second", o.rate)
		}
		if err := bounded(o.context.Resume); err != nil {
			return fmt.Errorf("wake the default loudspeaker: %w", err)
		}
		return o.context.Err()
	}
	made, ready, err := oto.NewContext(&oto.NewContextOptions{SampleRate: rate, ChannelCount: 1, Format: oto.FormatSignedInt16LE, BufferSize: latency})
	if err != nil {
		return fmt.Errorf("open the default loudspeaker: %w", err)
	}
	timer := time.NewTimer(answering)
	defer timer.Stop()
	select {
	case <-ready:
	case <-timer.C:
		return fmt.Errorf("open the default loudspeaker: %w", ErrLost)
	}
	o.context, o.rate = made, rate
	return made.Err()
}

// otoStream is one player. It is the io.Reader that oto reads.
type otoStream struct {
	owner   *otoOutput
	context *oto.Context
	player  *oto.Player
	fill    func([]int16)
	scratch []int16 // the reading goroutine's
	asked   atomic.Int64
	closed  atomic.Bool
}

// Read implements io.Reader.
func (st *otoStream) Read(out []byte) (int, error) {
	st.asked.Store(time.Now().UnixNano())
	n := min(len(out)/2, len(st.scratch))
	if st.closed.Load() {
		clear(st.scratch[:n])
	} else {
		st.fill(st.scratch[:n])
	}
	return 2 * audio.Put(out, st.scratch[:n]), nil
}

// Err implements Stream.
func (st *otoStream) Err() error {
	err := st.context.Err()
	if err == nil && time.Since(time.Unix(0, st.asked.Load())) > stalled {
		err = ErrLost
	}
	if err != nil && !st.closed.Load() {
		st.owner.mu.Lock()
		st.owner.broken = true
		st.owner.mu.Unlock()
	}
	return err
}

// Mute implements Muter: oto's own buffer of the player is passed over, and fades within one period.
func (st *otoStream) Mute(on bool) {
	volume := 1.0
	if on {
		volume = 0
	}
	st.player.SetVolume(volume)
}

// Close implements Stream.
func (st *otoStream) Close() error {
	if st.closed.Swap(true) {
		return nil
	}
	st.player.Pause()
	st.owner.mu.Lock()
	defer st.owner.mu.Unlock()
	if st.owner.broken {
		return nil
	}
	if err := bounded(st.context.Suspend); err != nil {
		st.owner.broken = true
		return fmt.Errorf("rest the default loudspeaker: %w", err)
	}
	return nil
}

// bounded waits for act, but not forever: oto holds a lock while it writes, and a write to a dead sound server may not return.
func bounded(act func() error) error {
	done := make(chan error, 1)
	go func() { done <- act() }()
	timer := time.NewTimer(answering)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return ErrLost
	}
}
