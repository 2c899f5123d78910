package reply

import (
	"context"
	"slices"
	"sync"
)

// Floor lets one reply at a time be written in each chat, by voice or by typing, in the order in which they came. It is safe
// for use from several goroutines.
type Floor struct {
	mu     sync.Mutex
	queues map[string][]chan struct{} // by chat that is taken: those who wait, first come first; closed when it is theirs
}

// NewFloor returns a floor on which nobody stands.
func NewFloor() *Floor {
	return &Floor{queues: map[string][]chan struct{}{}}
}

// TryTake takes the chat's floor if it is free and nobody waits for it. Release may be called more than once.
func (f *Floor) TryTake(chat string) (release func(), ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, taken := f.queues[chat]; taken {
		return nil, false
	}
	f.queues[chat] = nil
	return sync.OnceFunc(func() { f.pass(chat) }), true
}

// Take waits for the chat's floor, or for the end of ctx, whose error it then returns. Release may be called more than once.
func (f *Floor) Take(ctx context.Context, chat string) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	queue, taken := f.queues[chat]
	if !taken {
		f.queues[chat] = nil
		f.mu.Unlock()
		return sync.OnceFunc(func() { f.pass(chat) }), nil
	}
	turn := make(chan struct{})
	f.queues[chat] = append(queue, turn)
	f.mu.Unlock()

	select {
	case <-turn:
		return sync.OnceFunc(func() { f.pass(chat) }), nil
	case <-ctx.Done():
		f.leave(chat, turn)
		return nil, ctx.Err()
	}
}

// Taken tells whether a reply is being written in the chat.
func (f *Floor) Taken(chat string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, taken := f.queues[chat]
	return taken
}

// pass hands the floor to the next who waits.
func (f *Floor) pass(chat string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	queue := f.queues[chat]
	if len(queue) == 0 {
		delete(f.queues, chat)
		return
	}
	f.queues[chat] = queue[1:]
	close(queue[0])
}

// leave gives up a place in the queue, or the floor if it was handed over meanwhile.
func (f *Floor) leave(chat string, turn chan struct{}) {
	f.mu.Lock()
	at := slices.Index(f.queues[chat], turn)
	if at >= 0 {
		f.queues[chat] = slices.Delete(f.queues[chat], at, at+1)
	}
	f.mu.Unlock()
	if at < 0 {
		f.pass(chat)
	}
}
