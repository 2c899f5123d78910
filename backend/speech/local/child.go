package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"echo-companion/backend/speech/frame"
)

var (
	errSilent = errors.New("it sent nothing")
	errGone   = errors.New("it has ended")
)

// refusedError is a request that the process would not serve. It lives on.
type refusedError struct{ told frame.Failure }

// Error implements error.
func (e *refusedError) Error() string { return "it refused the request: " + e.told.Message }

const (
	outbox    = 16 // frames that wait to be written: one request and the cancels before it; beyond it the process is given up
	inbox     = 8  // frames of an answer that wait for their taker; then the pipe fills and the engine waits
	maxLogRow = 4096
)

// child is one running process. Its goroutines end with it; stop waits for them.
type child struct {
	command *exec.Cmd
	input   io.WriteCloser
	out     chan frame.Frame // to the process
	ready   chan struct{}    // closed once it has loaded
	gone    chan struct{}    // closed when it answers no more
	stopped chan struct{}    // closed when its answers are of no use any more
	doomed  atomic.Bool      // it was killed
	group   sync.WaitGroup

	mu    sync.Mutex
	calls map[uint32]*call
	told  frame.Failure // what it said of its end
}

// call is a request that has not ended.
type call struct {
	frames chan frame.Frame
	over   chan struct{} // closed when nobody takes the frames any more
}

// start starts a process. It is the caller's to stop.
func start(config Config, m mode, logger *slog.Logger) (*child, error) {
	arguments := []string{m.name, "--models", config.Models}
	if m.arguments != nil {
		arguments = append(arguments, m.arguments()...)
	}
	// Not bound to a context: stop ends it in order, by closing its input, and kills it only when that does not help.
	command := exec.Command(config.Path, arguments...) //nolint:noctx // see above
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	notes, err := command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	c := &child{
		command: command, input: input, out: make(chan frame.Frame, outbox),
		ready: make(chan struct{}), gone: make(chan struct{}), stopped: make(chan struct{}), calls: map[uint32]*call{},
	}
	c.group.Go(func() { c.write() })
	c.group.Go(func() { c.read(output) })
	c.group.Go(func() { record(notes, logger) })
	return c, nil
}

// record logs what the process writes to its standard error.
func record(notes io.Reader, logger *slog.Logger) {
	lines := bufio.NewReaderSize(notes, maxLogRow)
	for {
		line, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		logger.Debug("engine says", "line", string(line))
	}
}

func (c *child) write() {
	for {
		select {
		case f := <-c.out:
			if frame.Write(c.input, f) != nil { // the reader sees why
				return
			}
		case <-c.gone:
			return
		}
	}
}

// read hands out frames until the process ends its output.
func (c *child) read(output io.Reader) {
	defer close(c.gone)
	buffered := bufio.NewReader(output)
	for {
		f, err := frame.Read(buffered)
		if err != nil {
			c.note(frame.Failure{Message: err.Error()})
			return
		}
		switch {
		case f.Kind == frame.KindReady:
			select {
			case <-c.ready:
			default:
				close(c.ready)
			}
		case f.Kind == frame.KindFailed && f.Request == 0:
			c.note(failure(f))
		default:
			c.deliver(f)
		}
	}
}

// note keeps the first reason for the process's end.
func (c *child) note(told frame.Failure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.told.Message == "" {
		c.told = told
	}
}

func (c *child) reason() frame.Failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.told
}

// deliver gives a frame to its request. What comes for one that has ended is dropped.
func (c *child) deliver(f frame.Frame) {
	c.mu.Lock()
	to := c.calls[f.Request]
	c.mu.Unlock()
	if to == nil {
		return
	}
	select {
	case to.frames <- f:
	case <-to.over:
	case <-c.stopped:
	}
}

// ask puts a request and gives its frames to take until it is done. patience is how long the process may send nothing.
func (c *child) ask(ctx context.Context, request frame.Frame, patience time.Duration, take func(frame.Frame) error) error {
	answer := &call{frames: make(chan frame.Frame, inbox), over: make(chan struct{})}
	c.mu.Lock()
	c.calls[request.Request] = answer
	c.mu.Unlock()
	defer func() {
		close(answer.over)
		c.mu.Lock()
		delete(c.calls, request.Request)
		c.mu.Unlock()
	}()
	if err := c.send(request); err != nil {
		return err
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		f, err := c.await(ctx, answer, timer.C)
		switch {
		case ctx.Err() != nil:
			return c.forget(request.Request, ctx.Err())
		case err != nil:
			return err
		case f.Kind == frame.KindDone:
			return nil
		case f.Kind == frame.KindFailed:
			return &refusedError{failure(f)}
		}
		if err := take(f); err != nil {
			return c.forget(request.Request, err)
		}
		timer.Reset(patience) // the time that take took is not the engine's
	}
}

// await gives the next frame of an answer. What was sent before the process ended counts.
func (c *child) await(ctx context.Context, answer *call, silence <-chan time.Time) (frame.Frame, error) {
	select {
	case f := <-answer.frames:
		return f, nil
	case <-ctx.Done():
		return frame.Frame{}, ctx.Err()
	case <-silence:
		return frame.Frame{}, errSilent
	case <-c.gone:
	}
	select {
	case f := <-answer.frames:
		return f, nil
	default:
		return frame.Frame{}, fmt.Errorf("%w: %s", errGone, c.reason().Message)
	}
}

// forget asks the process to end a request that nobody waits for any more.
func (c *child) forget(request uint32, because error) error {
	if c.send(frame.Frame{Kind: frame.KindCancel, Request: request}) != nil {
		c.kill() // it does not even read
	}
	return because
}

// send queues a frame. A process that does not read is given up.
func (c *child) send(f frame.Frame) error {
	select {
	case c.out <- f:
		return nil
	default:
		return fmt.Errorf("%w: it does not read", errGone)
	}
}

// kill ends the process at once; its owner sees it go.
func (c *child) kill() {
	c.doomed.Store(true)
	_ = c.command.Process.Kill() // it may have ended by itself
}

// usable tells whether a request may be put.
func (c *child) usable() bool {
	select {
	case <-c.gone:
		return false
	default:
		return !c.doomed.Load()
	}
}

// stop ends the process and waits for it: by closing its input, and where that takes too long, by force.
func (c *child) stop() {
	close(c.stopped)
	_ = c.input.Close() // it may have ended by itself
	timer := time.AfterFunc(stopGrace, c.kill)
	c.group.Wait()
	timer.Stop()
	_ = c.command.Wait() // how it ended was told by its last frame, or is of no interest
}
