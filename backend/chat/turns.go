package chat

import (
	"context"
	"slices"
	"sync"
)

// Turns lets one chat reply at a time be written, in the order in which they joined. It is safe for use from several
// goroutines.
type Turns struct {
	mu    sync.Mutex
	queue []*place // the first one's turn it is
}

// NewTurns returns a queue in which nobody stands.
func NewTurns() *Turns { return &Turns{} }

// place is a place in the queue.
type place struct {
	turns *Turns
	come  chan struct{} // closed when it is its turn
}

// join takes the last place, and tells whether it is the first as well.
func (t *Turns) join() (p *place, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p = &place{turns: t, come: make(chan struct{})}
	t.queue = append(t.queue, p)
	if len(t.queue) == 1 {
		close(p.come)
	}
	return p, len(t.queue) == 1
}

// wait waits for the turn, or for the end of ctx, whose error it then returns.
func (p *place) wait(ctx context.Context) error {
	select {
	case <-p.come:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives the place up, before, during or after its turn.
func (p *place) leave() {
	t := p.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.Index(t.queue, p)
	if at < 0 {
		return
	}
	t.queue = slices.Delete(t.queue, at, at+1)
	if at == 0 && len(t.queue) > 0 {
		close(t.queue[0].come)
	}
}
