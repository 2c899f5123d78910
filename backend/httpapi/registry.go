package httpapi

import (
	"context"
	"sync"
)

// registry keeps the long answers that are under way, so that they can be ended. The zero registry is empty and open.
type registry struct {
	mu      sync.Mutex
	stopped bool
	next    int
	ends    map[int]func()
	empty   chan struct{} // closed once there are none; nil while nobody waits
}

// add notes an answer that end ends. It is not ok once the registry was stopped. done is to be called when the answer is over.
func (r *registry) add(end func()) (done func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return nil, false
	}
	if r.ends == nil {
		r.ends = map[int]func(){}
	}
	id := r.next
	r.next++
	r.ends[id] = end
	return func() { r.remove(id) }, true
}

func (r *registry) remove(id int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.ends, id)
	if len(r.ends) == 0 && r.empty != nil {
		close(r.empty)
		r.empty = nil
	}
}

// stop ends all of them, and refuses further ones.
func (r *registry) stop() {
	r.mu.Lock()
	r.stopped = true
	ends := make([]func(), 0, len(r.ends))
	for _, end := range r.ends {
		ends = append(ends, end)
	}
	r.mu.Unlock()
	for _, end := range ends {
		end()
	}
}

// wait refuses further ones, and waits until those that are there are over, or ctx is.
func (r *registry) wait(ctx context.Context) {
	r.mu.Lock()
	r.stopped = true
	if len(r.ends) == 0 {
		r.mu.Unlock()
		return
	}
	if r.empty == nil {
		r.empty = make(chan struct{})
	}
	empty := r.empty
	r.mu.Unlock()
	select {
	case <-empty:
	case <-ctx.Done():
	}
}
