package conversation

import (
	"context"
	"io"
	"sync"
	"time"
)

// loop owns the machine and carries its effects out. Everything in it but the wait group belongs to one goroutine.
type loop struct {
	c    *Conversation
	core *core
	wg   sync.WaitGroup

	life    context.Context //nolint:containedctx // of what is written at the end; the loop is the owner of both
	work    context.Context //nolint:containedctx // of all other workers
	endLife context.CancelFunc
	endWork context.CancelFunc

	windows   map[int]*Window
	calls     map[int]chan result
	workers   map[int]context.CancelFunc // by the key of the effect that began them
	claims    map[int]*claimState
	questions map[int]asks
	lastRun   chan struct{} // closed once the last reply's goroutine has ended
	release   func()        // of the engines, while they are held
	follow    []event       // what effects brought about at once
}

type asks struct {
	run  int
	said chan<- string
}

// Run owns the conversation until ctx ends; then it tells the window, journals what stands, and waits for all that it started.
func (c *Conversation) Run(ctx context.Context) error {
	l := newLoop(ctx, c)
	defer close(c.ended)
	defer l.stop()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		l.arm(timer)
		select {
		case m := <-c.inbox:
			l.receive(m)
		case <-timer.C:
			l.handle(ticked{})
		case <-ctx.Done():
			l.handle(shut{})
			l.endWork()
			l.drain()
			return nil
		}
	}
}

func newLoop(ctx context.Context, c *Conversation) *loop {
	l := &loop{
		c: c, windows: map[int]*Window{}, calls: map[int]chan result{}, workers: map[int]context.CancelFunc{},
		claims: map[int]*claimState{}, questions: map[int]asks{}, lastRun: make(chan struct{}),
		core: &core{
			keep: c.config.Keep, ticketLife: c.config.TicketLife, tickets: map[string]ticket{},
			looks: c.ports.Look, desk: c.ports.Desk != nil,
		},
	}
	close(l.lastRun)
	l.life, l.endLife = context.WithCancel(context.WithoutCancel(ctx))
	l.work, l.endWork = context.WithCancel(l.life)
	return l
}

// arm sets the timer to when time alone will change something.
func (l *loop) arm(timer *time.Timer) {
	wait := time.Hour
	if next := l.core.deadline(); !next.IsZero() {
		wait = max(0, time.Until(next))
	}
	timer.Reset(wait)
}

// receive takes a message in.
func (l *loop) receive(m message) {
	if m.reply != nil {
		l.calls[m.call] = m.reply
	}
	switch e := m.event.(type) {
	case claimed:
		state := l.claims[e.claim]
		if state == nil {
			m.giveBack() // it was given up meanwhile
			return
		}
		if m.release != nil {
			state.floor = m.release
		}
		state.place = m.place
	case putQuestion:
		l.questions[e.call] = asks{e.run, m.said}
	}
	l.handle(m.event)
}

// handle takes an event, and those that its effects bring about at once.
func (l *loop) handle(e event) {
	l.follow = append(l.follow, e)
	for len(l.follow) > 0 {
		e, l.follow = l.follow[0], l.follow[1:]
		for _, effect := range l.core.step(time.Now(), e) {
			l.carryOut(effect)
		}
	}
}

// drainTime is how long the end waits for what is still to be written.
const drainTime = 2 * time.Second

// drain waits until all is written.
func (l *loop) drain() {
	limit := time.NewTimer(drainTime)
	defer limit.Stop()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for len(l.core.ledgers) > 0 {
		l.arm(timer)
		select {
		case m := <-l.c.inbox:
			l.receive(m)
		case <-timer.C:
			l.handle(ticked{})
		case <-limit.C:
			l.c.logger.WarnContext(l.life, "not all of the conversation could be written before the end")
			return
		}
	}
}

// stop ends all that the loop began, and waits for it.
func (l *loop) stop() {
	l.endWork()
	l.endLife()
	for _, state := range l.claims {
		state.end()
	}
	l.wg.Wait()
	for len(l.c.inbox) > 0 { // what was taken at the last moment
		m := <-l.c.inbox
		m.giveBack()
	}
	for _, w := range l.windows {
		w.end(io.EOF)
	}
	if l.release != nil {
		l.release()
	}
}

// carryOut does what the machine decided.
func (l *loop) carryOut(e effect) {
	switch e := e.(type) {
	case answeredCall:
		l.answer(e.call, result{e.value, e.err})
	case openWindow:
		w := newWindow(l.c, e.window)
		l.windows[e.window] = w
		l.answer(e.call, result{value: w})
	case tell:
		l.tell(e)
	case closeWindow:
		if w := l.windows[e.window]; w != nil {
			w.end(io.EOF)
			delete(l.windows, e.window)
		}
	case hold:
		l.hold(e.on)
	case claim:
		l.claim(e)
	case unclaim:
		if state := l.claims[e.claim]; state != nil {
			state.end()
			delete(l.claims, e.claim)
		}
	case answerQuestion:
		if q, found := l.questions[e.call]; found {
			q.said <- e.text
			delete(l.questions, e.call)
		}
	default:
		l.start(e)
	}
}

func (l *loop) answer(call int, r result) {
	if reply := l.calls[call]; reply != nil {
		reply <- r
		delete(l.calls, call)
	}
}

// tell gives a window a notice. A window that does not read is closed as too slow.
func (l *loop) tell(e tell) {
	w := l.windows[e.window]
	if w == nil || w.push(e.notice) {
		return
	}
	w.end(ErrSlow)
	delete(l.windows, e.window)
	l.follow = append(l.follow, left{e.window})
}

func (l *loop) hold(on bool) {
	switch {
	case on && l.release == nil:
		l.release = l.c.ports.Hold()
	case !on && l.release != nil:
		l.release()
		l.release = nil
	}
}

// post gives the loop what a worker has to report, unless the loop has ended.
func (l *loop) post(m message) bool {
	select {
	case l.c.inbox <- m:
		return true
	case <-l.life.Done():
		return false
	}
}
