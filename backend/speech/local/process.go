package local

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/speech/frame"
)

const (
	firstDelay = 100 * time.Millisecond // before a process that has died is started again; doubled each time
	lastDelay  = 10 * time.Second
	healthy    = 10 * time.Second // a process that has lived for so long starts the delays anew
	stopGrace  = time.Second      // for a process to end after its input has
)

// mode is what a process is asked to do.
type mode struct {
	name      string // on the command line
	title     string // for the status
	noun      string // in sentences: "the voice"
	arguments func() []string
	linger    time.Duration // how long it is kept after the last release
}

// process is one echo-engine: started while it is held, started again when it dies, ended when it is let go of.
type process struct {
	config Config
	mode   mode
	logger *slog.Logger
	turn   chan struct{} // held by the request that is being served: one at a time
	kick   chan struct{} // wakes the owner: holders have changed, or a request does not want to wait for the delay

	mu       sync.Mutex
	holders  int
	state    echo.EngineState
	problem  *echo.Error   // of the last attempt, while the state is failed
	failures int           // attempts that ended without a word of readiness
	child    *child        // while ready
	changed  chan struct{} // closed when any of this changes
	ended    bool          // Run is over
	next     uint32        // the last request's number
}

func newProcess(config Config, m mode, logger *slog.Logger) *process {
	return &process{
		config: config, mode: m, logger: logger.With("engine", m.name),
		turn: make(chan struct{}, 1), kick: make(chan struct{}, 1),
		state: echo.EngineStopped, changed: make(chan struct{}),
	}
}

// update changes the guarded fields and tells whoever waits for it.
func (p *process) update(change func()) {
	p.mu.Lock()
	change()
	close(p.changed)
	p.changed = make(chan struct{})
	p.mu.Unlock()
	p.wake()
}

func (p *process) wake() {
	select {
	case p.kick <- struct{}{}:
	default: // it is about to look anyway
	}
}

func (p *process) hold() (release func()) {
	p.update(func() { p.holders++ })
	return sync.OnceFunc(func() { p.update(func() { p.holders-- }) })
}

func (p *process) held() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.holders > 0
}

func (p *process) engine() echo.Engine {
	p.mu.Lock()
	defer p.mu.Unlock()
	engine := echo.Engine{Name: p.mode.title, State: p.state}
	if p.state == echo.EngineFailed && p.problem != nil {
		engine.Problem = p.problem.Message
	}
	return engine
}

// run is the owner: it alone starts and ends processes.
func (p *process) run(ctx context.Context) {
	defer p.update(func() { p.ended, p.state, p.child = true, echo.EngineStopped, nil })
	delay, known := firstDelay, ""
	for ctx.Err() == nil {
		if !p.held() {
			p.settle(echo.EngineStopped, nil)
			p.wait(ctx, 0)
			continue
		}
		started := time.Now()
		problem := p.live(ctx)
		if problem == nil { // it was let go of
			delay, known = firstDelay, ""
			continue
		}
		if problem.Message != known { // once is enough while it stays so
			p.logger.WarnContext(ctx, "engine is not running", "problem", problem.Message, "error", problem.Err)
		}
		known = problem.Message
		if time.Since(started) > healthy {
			delay = firstDelay
		}
		p.settle(echo.EngineFailed, problem)
		p.pause(ctx, delay)
		delay = min(2*delay, lastDelay)
	}
}

// settle tells that no process runs.
func (p *process) settle(state echo.EngineState, problem *echo.Error) {
	p.mu.Lock()
	same := p.state == state && p.problem == problem
	p.mu.Unlock()
	if !same {
		p.update(func() { p.state, p.problem, p.child = state, problem, nil })
	}
}

// wait waits until something has changed, or for a while where one is given.
func (p *process) wait(ctx context.Context, while time.Duration) {
	var over <-chan time.Time
	if while > 0 {
		timer := time.NewTimer(while)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-ctx.Done():
	case <-over:
	case <-p.kick:
	}
}

// pause waits before the next attempt, unless nobody wants one any more. A request that waits makes it short.
func (p *process) pause(ctx context.Context, delay time.Duration) {
	timer := time.NewTimer(firstDelay) // at least, whatever happens
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	for end := time.Now().Add(delay - firstDelay); p.held() && len(p.turn) == 0 && ctx.Err() == nil; {
		left := time.Until(end)
		if left <= 0 {
			return
		}
		p.wait(ctx, left)
	}
}

// live runs one process until it is let go of, which gives nil, or dies, which gives what people are told.
func (p *process) live(ctx context.Context) *echo.Error {
	p.settle(echo.EngineStarting, nil)
	c, err := start(p.config, p.mode, p.logger)
	if err != nil {
		p.update(func() { p.failures++ })
		return p.unreachable("cannot be started: "+p.config.Path+" is missing or does not run. Install Echo again, or build it with `make build`", err)
	}
	defer c.stop()
	loading := time.NewTimer(p.config.LoadTimeout)
	defer loading.Stop()
	ready := c.ready
	var lingered <-chan time.Time // runs while nobody holds it
	for {
		select {
		case <-ctx.Done():
			p.settle(echo.EngineStopped, nil)
			return nil
		case <-ready:
			ready = nil
			loading.Stop()
			p.update(func() { p.state, p.problem, p.child = echo.EngineReady, nil, c })
		case <-c.gone:
			if ready != nil {
				p.update(func() { p.failures++ })
			}
			return p.died(c, ready != nil)
		case <-loading.C:
			p.update(func() { p.failures++ })
			return p.unreachable("did not start within "+seconds(p.config.LoadTimeout)+". Close what keeps this machine busy, and try again", nil)
		case <-p.kick:
			switch {
			case p.held():
				lingered = nil
			case lingered == nil:
				lingered = time.After(p.mode.linger)
			}
		case <-lingered:
			if p.abandon() {
				return nil
			}
			lingered = nil
		}
	}
}

// abandon takes the process away from further requests, unless it is held again.
func (p *process) abandon() bool {
	p.mu.Lock()
	free := p.holders == 0
	if free {
		p.child, p.state = nil, echo.EngineStopped
	}
	p.mu.Unlock()
	return free
}

// died says why a process has ended.
func (p *process) died(c *child, loading bool) *echo.Error {
	told := c.reason()
	switch {
	case told.Missing != "":
		return p.lacks(told)
	case loading:
		return p.unreachable("could not start. Run `echo-companion doctor` to see why", errors.New(told.Message))
	default:
		return p.broken(errors.New(told.Message))
	}
}

// lacks says which file is missing.
func (p *process) lacks(told frame.Failure) *echo.Error {
	return p.unreachable("lacks its model: "+told.Missing+" is missing. Run `echo-companion models fetch`", errors.New(told.Message))
}

func (p *process) unreachable(what string, err error) *echo.Error {
	return echo.Errorf(echo.CodeEngineUnreachable, "The %s of this machine %s.", p.mode.noun, what).Because(err)
}

func (p *process) broken(err error) *echo.Error {
	return echo.Errorf(echo.CodeEngineError, "The %s of this machine broke down and is being started again. Try once more.", p.mode.noun).Because(err)
}

func (p *process) silent() *echo.Error {
	return echo.Errorf(echo.CodeEngineTimeout,
		"The %s of this machine sent nothing for %s and is being started again. Close what keeps this machine busy, and try once more.", p.mode.noun, seconds(p.config.EngineTimeout))
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

// ready waits until a process can be asked.
func (p *process) ready(ctx context.Context) (*child, uint32, error) {
	p.mu.Lock()
	before := p.failures
	p.mu.Unlock()
	for {
		p.mu.Lock()
		c, changed, failed := p.child, p.changed, p.failures > before && p.state == echo.EngineFailed
		problem, ended := p.problem, p.ended
		if c != nil && c.usable() {
			p.next++
			number := p.next
			p.mu.Unlock()
			return c, number, nil
		}
		p.mu.Unlock()
		switch {
		case ended:
			return nil, 0, p.unreachable("is not running any more, for Echo is closing", nil)
		case failed:
			return nil, 0, problem
		}
		select {
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		case <-changed:
		}
	}
}

// ask puts one request and gives each frame of the answer to take, from the caller's goroutine. It holds the process for as
// long. An error of take ends the request.
func (p *process) ask(ctx context.Context, kind frame.Kind, payload []byte, take func(frame.Frame) error) error {
	defer p.hold()()
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.turn }()
	p.wake()
	c, number, err := p.ready(ctx)
	if err != nil {
		return err
	}
	err = c.ask(ctx, frame.Frame{Kind: kind, Request: number, Payload: payload}, p.config.EngineTimeout, take)
	var own *emitError
	var refused *refusedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return own.err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errSilent):
		c.kill()
		return p.silent()
	case errors.As(err, &refused) && refused.told.Missing != "":
		return p.lacks(refused.told)
	case refused != nil:
		return echo.Errorf(echo.CodeEngineError, "The %s of this machine could not do this. Try it in other words; if it stays, run `echo-companion doctor`.", p.mode.noun).Because(err)
	default:
		c.kill()
		return p.broken(err)
	}
}
