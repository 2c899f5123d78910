package reply

import (
	"context"
	"slices"
	"sync"
)

// Desk is where a model on this machine writes: one reply at a time. Whoever asks by voice goes before those who type, else
// first come first served. It is safe for use from several goroutines.
type Desk struct {
	mu    sync.Mutex
	taken bool
	voice []chan struct{} // who waits; closed when the desk is theirs
	typed []chan struct{}
}

// NewDesk returns a free desk.
func NewDesk() *Desk { return &Desk{} }

// Take waits for the desk, or for the end of ctx, whose error it then returns. Waiting, which may be nil, is called once before
// it waits, if it has to. Release may be called more than once.
func (d *Desk) Take(ctx context.Context, voice bool, waiting func()) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	if !d.taken {
		d.taken = true
		d.mu.Unlock()
		return sync.OnceFunc(d.pass), nil
	}
	turn := make(chan struct{})
	queue := &d.typed
	if voice {
		queue = &d.voice
	}
	*queue = append(*queue, turn)
	d.mu.Unlock()

	if waiting != nil {
		waiting()
	}
	select {
	case <-turn:
		return sync.OnceFunc(d.pass), nil
	case <-ctx.Done():
		d.leave(queue, turn)
		return nil, ctx.Err()
	}
}

// pass hands the desk to the next who waits.
func (d *Desk) pass() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, queue := range []*[]chan struct{}{&d.voice, &d.typed} {
		if len(*queue) > 0 {
			turn := (*queue)[0]
			*queue = (*queue)[1:]
			close(turn)
			return
		}
	}
	d.taken = false
}

// leave gives up a place in the queue, or the desk if it was handed over meanwhile.
func (d *Desk) leave(queue *[]chan struct{}, turn chan struct{}) {
	d.mu.Lock()
	at := slices.Index(*queue, turn)
	if at >= 0 {
		*queue = slices.Delete(*queue, at, at+1)
	}
	d.mu.Unlock()
	if at < 0 {
		d.pass()
	}
}
