package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"echo-companion/backend/chat"
	"echo-companion/backend/echo"
	"echo-companion/backend/present"
)

// watched is what an event stream follows.
type watched interface {
	Next(ctx context.Context) (chat.Event, error)
}

// streamReply begins watching and sends the events after Last-Event-ID, until the reply ends, the client leaves or the server
// stops. None of these ends the reply. begin's error is the answer, where nothing has been sent yet.
func (s *Server) streamReply(w http.ResponseWriter, r *http.Request, begin func(ctx context.Context, after int) (watched, error)) error {
	after, err := lastEventID(r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	done, ok := s.streams.add(cancel)
	if !ok {
		return echo.Stopping()
	}
	defer done()
	watch, err := begin(ctx, after)
	if err != nil {
		return err
	}

	header := w.Header()
	header.Set("Content-Type", "text/event-stream; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	stream := eventStream{out: w, control: http.NewResponseController(w), patience: s.config.Patience}
	defer stream.release()
	if err := stream.flush(); err != nil {
		return nil // the client has left; the reply goes on without it
	}
	if err := s.pump(ctx, watch, after, stream); err != nil && ctx.Err() == nil {
		s.config.Logger.DebugContext(ctx, "event stream ended early", "path", r.URL.Path, "error", err)
	}
	return nil
}

// pump sends events, and a comment whenever there has been none for a while.
func (s *Server) pump(ctx context.Context, watch watched, after int, stream eventStream) error {
	for {
		pause, cancel := context.WithTimeout(ctx, s.config.KeepAlive)
		event, err := watch.Next(pause)
		cancel()
		switch {
		case err == nil && event.Number <= after:
			continue
		case err == nil:
			err = stream.event(event)
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			err = stream.comment()
		}
		if err != nil {
			return err
		}
	}
}

// lastEventID is the number after which events are wanted.
func lastEventID(r *http.Request) (int, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		return 0, nil
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 {
		return 0, echo.Errorf(echo.CodeInvalid, "The header %q must be the id of an event.", "Last-Event-ID")
	}
	return number, nil
}

// eventStream writes server-sent events, each of them at once.
type eventStream struct {
	out      io.Writer
	control  *http.ResponseController
	patience time.Duration
}

func (e eventStream) event(event chat.Event) error {
	shown := present.ChatEvent(event)
	data, err := json.Marshal(shown)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	e.hurry()
	if _, err := fmt.Fprintf(e.out, "id: %d\nevent: %s\ndata: %s\n\n", event.Number, event.Kind, data); err != nil {
		return fmt.Errorf("send event: %w", err)
	}
	return e.flush()
}

func (e eventStream) comment() error {
	e.hurry()
	if _, err := io.WriteString(e.out, ": still here\n\n"); err != nil {
		return fmt.Errorf("send comment: %w", err)
	}
	return e.flush()
}

func (e eventStream) flush() error {
	if err := e.control.Flush(); err != nil {
		return fmt.Errorf("send events: %w", err)
	}
	return nil
}

// hurry bounds the next write, so that a client that reads nothing does not hold the stream for ever.
func (e eventStream) hurry() { _ = e.control.SetWriteDeadline(time.Now().Add(e.patience)) }

// release lets the connection serve further requests.
func (e eventStream) release() { _ = e.control.SetWriteDeadline(time.Time{}) }
