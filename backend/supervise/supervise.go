// Package supervise runs the parts of a program together and stops them in the reverse of the order in which they were
// added, each within its own bound. The first part that fails stops all.
package supervise

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// Part is something that runs until its context ends. Run returns once all that it started has ended.
type Part struct {
	Name string
	Run  func(ctx context.Context) error
	Stop time.Duration // how long it may take to end; 0 is 1 s
}

// Group is an ordered list of parts.
type Group struct {
	logger *slog.Logger
	parts  []Part
}

// New makes an empty group.
func New(logger *slog.Logger) *Group { return &Group{logger: logger} }

// Add appends a part: it starts after and stops before those that were added earlier.
func (g *Group) Add(name string, stop time.Duration, run func(ctx context.Context) error) {
	g.parts = append(g.parts, Part{Name: name, Run: run, Stop: stop})
}

// running is a part that was started.
type running struct {
	part   Part
	cancel context.CancelFunc
	ended  chan struct{} // closed once err is set
	err    error
}

// Run starts all parts and returns when all have ended: after ctx is done, or once one of them has ended by itself.
func (g *Group) Run(ctx context.Context) error {
	over := make(chan string, len(g.parts)) // every part says once that it has ended
	var started []*running
	for _, part := range g.parts {
		started = append(started, start(ctx, part, over))
	}
	var first string
	select {
	case <-ctx.Done():
	case first = <-over:
		g.logger.WarnContext(ctx, "part ended by itself", "part", first)
	}
	var problems []error
	for _, r := range slices.Backward(started) {
		problems = append(problems, g.stop(ctx, r))
	}
	return errors.Join(problems...)
}

func start(ctx context.Context, part Part, over chan<- string) *running {
	// Detached from ctx, so that parts end in order and not all at once.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &running{part: part, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer func() { over <- part.Name }()
		defer close(r.ended)
		r.err = part.Run(own)
	}()
	return r
}

func (g *Group) stop(ctx context.Context, r *running) error {
	r.cancel()
	limit := r.part.Stop
	if limit == 0 {
		limit = time.Second
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-r.ended:
	case <-timer.C:
		g.logger.ErrorContext(ctx, "part does not end", "part", r.part.Name, "limit", limit)
		return fmt.Errorf("%s did not end within %v", r.part.Name, limit)
	}
	if r.err != nil && !errors.Is(r.err, context.Canceled) {
		return fmt.Errorf("%s: %w", r.part.Name, r.err)
	}
	return nil
}
