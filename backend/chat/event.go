package chat

import (
	"context"
	"io"
	"slices"
	"sync"

	"echo-companion/backend/echo"
)

// Kind says what an event tells.
type Kind string

// The kinds of event of a reply. Each of the last three ends it.
const (
	KindSession Kind = "session"
	KindWaiting Kind = "waiting"
	KindStart   Kind = "start"
	KindDelta   Kind = "delta"
	KindTool    Kind = "tool"
	KindDone    Kind = "done"
	KindStopped Kind = "stopped"
	KindFailed  Kind = "failed"
)

// Over tells whether an event of that kind ends a reply.
func (k Kind) Over() bool { return k == KindDone || k == KindStopped || k == KindFailed }

// Event is one event of a reply. Which fields are set depends on its kind.
type Event struct {
	Number int // from 1 within the reply
	Kind   Kind

	Chat    echo.ChatRef  // session
	Text    string        // waiting: why; start: the question; delta: more of the answer
	Tool    echo.ToolCall // tool
	Message int           // done, stopped: the answer's number in the chat
	Error   *echo.Error   // failed
}

// record is the numbered events of one reply. It only grows, so that every watcher reads the same.
type record struct {
	mu     sync.Mutex
	events []Event
	grown  chan struct{} // closed, and made anew, when an event comes
}

func newRecord() *record { return &record{grown: make(chan struct{})} }

// add appends an event. Nothing follows the one that ends the reply.
func (r *record) add(event Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.events); n > 0 && r.events[n-1].Kind.Over() {
		return
	}
	event.Number = len(r.events) + 1
	r.events = append(r.events, event)
	close(r.grown)
	r.grown = make(chan struct{})
}

// wait says that the reply waits, and why: once, whatever it waits for next.
func (r *record) wait(why string) {
	r.mu.Lock()
	said := slices.ContainsFunc(r.events, func(e Event) bool { return e.Kind == KindWaiting })
	r.mu.Unlock()
	if !said {
		r.add(Event{Kind: KindWaiting, Text: why})
	}
}

// after gives the event that follows a number. Without one it tells whether the reply is over, or else what to wait for.
func (r *record) after(number int) (event Event, found, over bool, grown <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if number < len(r.events) {
		return r.events[number], true, false, nil
	}
	n := len(r.events)
	return Event{}, false, n > 0 && r.events[n-1].Kind.Over(), r.grown
}

// Watch follows the events of one reply. It may be dropped at any time, and the reply goes on: it holds nothing that has to be
// let go of. It is for one goroutine.
type Watch struct {
	record *record
	seen   int
}

// Next waits for the next event. It returns io.EOF after the one that ended the reply, or the context's error.
func (w *Watch) Next(ctx context.Context) (Event, error) {
	for {
		event, found, over, grown := w.record.after(w.seen)
		switch {
		case found:
			w.seen = event.Number
			return event, nil
		case over:
			return Event{}, io.EOF
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
}

// watch begins after an event's number.
func watch(r *record, after int) *Watch { return &Watch{record: r, seen: max(0, after)} }
