package conversation

import (
	"context"
	"sync"
)

// claimState is the claim to what a reply needs before it begins: the floor of its chat, then the desk.
type claimState struct {
	cancel context.CancelFunc
	floor  func() // gives the floor back; nil: none is held
	place  *place // at the desk, once it is taken; nil: there is no desk
}

// end gives up what was claimed. The loop alone calls it.
func (s *claimState) end() {
	s.cancel()
	if s.floor != nil {
		s.floor()
	}
	s.place.end()
}

// claim takes the floor of a chat, at once where it is free, and then the desk.
func (l *loop) claim(e claim) {
	ctx, cancel := context.WithCancel(l.work)
	state := &claimState{cancel: cancel}
	l.claims[e.claim] = state
	free := e.floor == nil
	if !free {
		state.floor, free = e.floor.TryTake(e.chat)
	}
	if free && l.c.ports.Desk == nil {
		l.follow = append(l.follow, claimed{e.claim})
		return
	}
	if !free {
		l.follow = append(l.follow, claimWaits{e.claim})
	}
	l.wg.Go(func() { l.claimLater(ctx, e, free) })
}

// claimLater waits for what is taken.
func (l *loop) claimLater(ctx context.Context, e claim, free bool) {
	taken := message{event: claimed{e.claim}}
	if !free {
		release, err := e.floor.Take(ctx, e.chat)
		if err != nil {
			return // it was given up
		}
		taken.release = release
	}
	if desk := l.c.ports.Desk; desk != nil {
		taken.place = &place{desk: desk}
		if err := taken.place.take(ctx, func() { l.post(message{event: claimWaits{e.claim}}) }); err != nil {
			taken.giveBack()
			return
		}
	}
	if !l.post(taken) {
		taken.giveBack()
	}
}

// giveBack gives back what a message brings to the loop.
func (m message) giveBack() {
	if m.release != nil {
		m.release()
	}
	m.place.end()
}

// place is a reply's place at the desk, where a model on this machine writes one reply at a time. It is left while the reply
// waits for its user. A nil place is at no desk. It is safe for use from several goroutines.
type place struct {
	desk Desk

	mu      sync.Mutex
	release func() // nil: it is left
	over    bool   // it is not taken again
}

// take waits for the desk, unless it is held. Waiting, which may be nil, is called once before it waits, if it has to.
func (p *place) take(ctx context.Context, waiting func()) error {
	if p == nil || p.held() {
		return nil
	}
	release, err := p.desk.Take(ctx, true, waiting)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || ctx.Err() != nil { // a reply that was stopped must not keep the next one waiting
		release()
		return context.Canceled
	}
	p.release = release
	return nil
}

func (p *place) held() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.release != nil
}

// leave gives the desk back until it is taken again.
func (p *place) leave() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.release != nil {
		p.release()
		p.release = nil
	}
}

// end gives the desk back for good.
func (p *place) end() {
	if p == nil {
		return
	}
	p.leave()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
}
