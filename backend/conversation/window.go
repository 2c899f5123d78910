package conversation

import (
	"context"
	"io"
	"sync"

	"echo-companion/backend/echo"
)

// What a window may leave unread before it is closed as too slow. Text that follows text of the same turn is joined to it, so
// that many small deltas are one.
const (
	mostNotices = 4096
	mostAudio   = 8 << 20 // bytes
	mostText    = 4 << 20 // bytes
)

// Window is one attached window. Its methods may be used from several goroutines, Next from one at a time.
type Window struct {
	conversation *Conversation
	id           int
	leave        sync.Once
	wake         chan struct{} // holds one token while there may be something to read

	mu    sync.Mutex
	queue []Notice
	audio int   // bytes in queue
	text  int   // bytes in queue
	ended error // after the queue: io.EOF or ErrSlow
}

func newWindow(c *Conversation, id int) *Window {
	return &Window{conversation: c, id: id, wake: make(chan struct{}, 1)}
}

// Send gives the conversation a command. It waits for no more than the conversation's inbox. Once the window is detached, a
// command is dropped without an error: Next tells the window.
func (w *Window) Send(ctx context.Context, command Command) error {
	return w.conversation.post(ctx, message{event: commanded{w.id, command}})
}

// Refuse has the window told, in order, that a frame of its was refused.
func (w *Window) Refuse(ctx context.Context, code echo.Code, text string) error {
	return w.conversation.post(ctx, message{event: malformed{w.id, &echo.Error{Code: code, Message: text}}})
}

// Next returns the next notice. It returns io.EOF after the last, and ErrSlow where the window was closed as too slow.
func (w *Window) Next(ctx context.Context) (Notice, error) {
	for {
		if n, err := w.take(); n != nil || err != nil {
			return n, err
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close detaches the window. It may be called more than once.
func (w *Window) Close() {
	w.leave.Do(func() {
		_ = w.conversation.post(context.Background(), message{event: left{w.id}}) // it fails only where all is over
	})
}

func (w *Window) take() (Notice, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		return nil, w.ended
	}
	n := w.queue[0]
	w.queue[0] = nil
	w.queue = w.queue[1:]
	switch n := n.(type) {
	case Voice:
		w.audio -= 2 * len(n.PCM)
	case Delta:
		w.text -= len(n.Text)
	}
	return n, nil
}

// push adds a notice for the window to read. It never blocks, and tells whether there was room.
func (w *Window) push(n Notice) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return true
	}
	switch n := n.(type) {
	case Voice:
		w.audio += 2 * len(n.PCM)
	case Delta:
		w.text += len(n.Text)
		if w.join(n) {
			return w.text <= mostText
		}
	}
	w.queue = append(w.queue, n)
	w.signal()
	return len(w.queue) <= mostNotices && w.audio <= mostAudio && w.text <= mostText
}

// joinMost bounds a joined delta, so that joining many costs no more than reading them.
const joinMost = 16 << 10

// join adds text to that of the last notice, where both are of one turn.
func (w *Window) join(d Delta) bool {
	if len(w.queue) < 64 { // only a window that falls behind gets other deltas than were written
		return false
	}
	last, ok := w.queue[len(w.queue)-1].(Delta)
	if !ok || last.ID != d.ID || len(last.Text)+len(d.Text) > joinMost {
		return false
	}
	last.Text += d.Text
	w.queue[len(w.queue)-1] = last
	return true
}

// end closes the window: io.EOF once all is read, ErrSlow at once.
func (w *Window) end(reason error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return
	}
	w.ended = reason
	if reason != io.EOF { //nolint:errorlint // it is compared with what the loop itself gave
		w.queue = nil
	}
	w.signal()
}

func (w *Window) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}
