package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"echo-companion/backend/speech/frame"
)

const (
	// waiting bounds the requests that wait. The app sends one at a time; what it has cancelled may still wait. Beyond it
	// reading stops until one is served.
	waiting = 64
	// grace is how long a model may go on computing after the input has ended.
	grace = time.Second
)

// worker serves the requests of one mode, one at a time.
type worker interface {
	// answer sends the request's frames through reply. It looks at ctx wherever it can and ends soon after it has.
	answer(ctx context.Context, request frame.Frame, reply func(kind frame.Kind, payload []byte) error) error
	close()
}

// job is a request that waits or runs.
type job struct {
	ctx     context.Context //nolint:containedctx // it travels with its request through the queue
	request frame.Frame
}

// server reads requests in one goroutine and serves them in another, so that a cancel is heard while a model computes.
type server struct {
	out    io.Writer // written by the serving goroutine alone
	worker worker

	mu      sync.Mutex
	cancels map[uint32]context.CancelFunc // of requests that have not ended
}

// serve answers requests until in ends. A nil error means that it ended between frames.
func serve(ctx context.Context, in io.Reader, out io.Writer, w worker) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{out: out, worker: w, cancels: map[uint32]context.CancelFunc{}}
	if err := frame.Write(out, frame.Frame{Kind: frame.KindReady}); err != nil {
		return fmt.Errorf("announce: %w", err)
	}
	queue := make(chan job, waiting)
	served := make(chan error, 1)
	go func() { served <- s.work(queue) }()
	received := make(chan error, 1)
	go func() { received <- s.receive(ctx, in, queue) }() // ends with the input, at the latest with the process

	select {
	case err := <-served: // the app reads no more
		return err
	case err := <-received:
		cancel()
		close(queue)
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case stopped := <-served:
			w.close()
			return errors.Join(err, stopped)
		case <-timer.C: // the process ends and takes the computation with it
		}
		return err
	}
}

func (s *server) receive(ctx context.Context, in io.Reader, queue chan<- job) error {
	for {
		f, err := frame.Read(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		if f.Kind == frame.KindCancel {
			s.cancel(f.Request)
			continue
		}
		queue <- job{ctx: s.begin(ctx, f.Request), request: f}
	}
}

func (s *server) begin(ctx context.Context, request uint32) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancels[request] = cancel
	return ctx
}

// cancel ends a request. One that has ended is not known any more.
func (s *server) cancel(request uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel, ok := s.cancels[request]; ok {
		cancel()
		delete(s.cancels, request)
	}
}

func (s *server) work(queue <-chan job) error {
	for j := range queue {
		end := frame.Frame{Kind: frame.KindDone, Request: j.request.Request}
		if err := s.answer(j); err != nil {
			end.Kind, end.Payload = frame.KindFailed, failure(err)
		}
		s.cancel(j.request.Request)
		if err := frame.Write(s.out, end); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
	return nil
}

func (s *server) answer(j job) error {
	if err := j.ctx.Err(); err != nil {
		return err
	}
	return s.worker.answer(j.ctx, j.request, func(kind frame.Kind, payload []byte) error {
		if err := j.ctx.Err(); err != nil {
			return err
		}
		return frame.Write(s.out, frame.Frame{Kind: kind, Request: j.request.Request, Payload: payload})
	})
}

// errKind is a request that this mode does not serve.
var errKind = errors.New("this mode does not serve such requests")

// failure tells of an error, and names the file that is missing where one is.
func failure(err error) []byte {
	told := frame.Failure{Message: err.Error()}
	if missing, ok := errors.AsType[*missingError](err); ok {
		told.Missing = missing.path
	}
	return frame.JSON(told)
}
