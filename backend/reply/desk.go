package reply

import (
	"context"
	"slices"
	"sync"
)

// Desk is where a model on this machine writes: one reply at a time. Whoever asks by voice goes before those who type, else
// first come first served; what nobody waits for comes last, and gives way. It is safe for use from several goroutines.
type Desk struct {
	mu    sync.Mutex
	taken bool
	yield context.CancelFunc // of what is done in spare time at the desk; nil: a reply is written there
	voice []chan struct{}    // who waits; closed when the desk is theirs
	typed []chan struct{}
	spare []chan struct{}
}

// NewDesk returns a free desk.
func NewDesk() *Desk { return &Desk{} }

// Take waits for the desk, or for the end of ctx, whose error it then returns. Waiting, which may be nil, is called once before
// it waits, if it has to. Release may be called more than once.
func (d *Desk) Take(ctx context.Context, voice bool, waiting func()) (release func(), err error) {
	queue := &d.typed
	if voice {
		queue = &d.voice
	}
	return d.take(ctx, queue, waiting, nil)
}

// Spare waits for the desk as Take does, for what nobody waits for, such as a summary. Within is ctx as long as nobody else wants
// the desk; then it ends, and the desk is to be given back.
func (d *Desk) Spare(ctx context.Context) (within context.Context, release func(), err error) {
	within, cancel := context.WithCancel(ctx)
	free, err := d.take(ctx, &d.spare, nil, cancel)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return within, func() { free(); cancel() }, nil
}

func (d *Desk) take(ctx context.Context, queue *[]chan struct{}, waiting func(), yield context.CancelFunc) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	if !d.taken {
		d.taken, d.yield = true, yield
		d.mu.Unlock()
		return sync.OnceFunc(d.pass), nil
	}
	turn := make(chan struct{})
	*queue = append(*queue, turn)
	if d.yield != nil && yield == nil {
		d.yield()
	}
	d.mu.Unlock()

	if waiting != nil {
		waiting()
	}
	select {
	case <-turn:
		d.sit(yield)
		return sync.OnceFunc(d.pass), nil
	case <-ctx.Done():
		d.leave(queue, turn)
		return nil, ctx.Err()
	}
}

// sit begins the turn of one who waited. Who came meanwhile is not kept waiting by spare time.
func (d *Desk) sit(yield context.CancelFunc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.yield = yield
	if yield != nil && len(d.voice)+len(d.typed) > 0 {
		yield()
	}
}

// pass hands the desk to the next who waits.
func (d *Desk) pass() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.yield = nil
	for _, queue := range []*[]chan struct{}{&d.voice, &d.typed, &d.spare} {
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
