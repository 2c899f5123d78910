package httpapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"

	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
	"echo-companion/backend/present"
	"echo-companion/backend/protocol"
)

// errOver ends a socket in good order.
var errOver = errors.New("the window is over")

// stream attaches a window: the handshake is refused before the upgrade where its ticket is not good.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) error {
	if !upgrades(r) { // before the ticket is used, and before another window is detached for nothing
		return echo.Errorf(echo.CodeBadTicket, "This address is for WebSockets. Open it as one, with a ticket of POST /api/voice/sessions.")
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	done, ok := s.sockets.add(cancel)
	if !ok {
		return echo.Stopping()
	}
	defer done()
	window, err := s.ports.Conversation.Attach(ctx, r.URL.Query().Get("ticket"))
	if echo.CodeOf(err) == echo.CodeHeld {
		return echo.Errorf(echo.CodeForbidden, "%s", echo.AsError(err).Message)
	}
	if err != nil {
		return err
	}
	defer window.Close()
	// Origin was checked before, against the same rule as every other call's.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return nil // Accept has answered
	}
	conn.SetReadLimit(protocol.MaxBody)
	s.serve(ctx, conn, window)
	return nil
}

// upgrades tells whether a request asks for a WebSocket as Accept will want it.
func upgrades(r *http.Request) bool {
	has := func(name, token string) bool {
		return slices.ContainsFunc(strings.Split(strings.Join(r.Header.Values(name), ","), ","), func(part string) bool {
			return strings.EqualFold(strings.TrimSpace(part), token)
		})
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(r.Header.Get("Sec-WebSocket-Key")))
	return has("Connection", "upgrade") && has("Upgrade", "websocket") && r.Header.Get("Sec-WebSocket-Version") == "13" && err == nil && len(key) == 16
}

// serve runs the reader, the writer and the pings of a window until one of them ends, and then waits for all.
func (s *Server) serve(ctx context.Context, conn *websocket.Conn, window *conversation.Window) {
	defer func() { _ = conn.CloseNow() }()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.read(ctx, conn, window) })
	group.Go(func() error { return s.write(ctx, conn, window) })
	group.Go(func() error { return s.ping(ctx, conn) })
	err := group.Wait()
	if status := websocket.CloseStatus(err); err != nil && !errors.Is(err, errOver) && status == -1 {
		s.config.Logger.DebugContext(ctx, "window lost", "error", err)
	}
}

func (s *Server) read(ctx context.Context, conn *websocket.Conn, window *conversation.Window) error {
	for {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("read from window: %w", err)
		}
		command, err := commandOf(kind, data)
		switch {
		case err != nil:
			err = window.Refuse(ctx, echo.CodeBadMessage, err.Error())
		case command != nil:
			err = window.Send(ctx, command)
		}
		if err != nil {
			return fmt.Errorf("pass on a command: %w", err)
		}
	}
}

// commandOf reads a frame of a window. It is nil for what is accepted and ignored; an error is a sentence for the window.
func commandOf(kind websocket.MessageType, data []byte) (conversation.Command, error) {
	if kind == websocket.MessageBinary {
		pcm, err := protocol.DecodePCM(data)
		if err != nil {
			return nil, err
		}
		return conversation.Audio{PCM: pcm}, nil
	}
	command, err := protocol.DecodeVoiceCommand(data)
	if err != nil {
		return nil, err
	}
	if protocol.TurnID(command) > math.MaxUint32 { // audio frames have 32 bits for it
		return nil, &protocol.MalformedError{Message: `The field "id" is too large.`}
	}
	return present.Command(command), nil
}

func (s *Server) write(ctx context.Context, conn *websocket.Conn, window *conversation.Window) error {
	for {
		notice, err := window.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			_ = conn.Close(websocket.StatusNormalClosure, "") // the client may be gone already
			return errOver
		case errors.Is(err, conversation.ErrSlow):
			_ = conn.Close(websocket.StatusTryAgainLater, "too slow") // it may attach again
			return errOver
		case err != nil:
			return fmt.Errorf("next notice: %w", err)
		}
		if err := s.send(ctx, conn, notice); err != nil {
			return err
		}
	}
}

func (s *Server) send(ctx context.Context, conn *websocket.Conn, notice conversation.Notice) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.Patience)
	defer cancel()
	if frame, is := present.Audio(notice); is {
		if err := conn.Write(ctx, websocket.MessageBinary, frame); err != nil {
			return fmt.Errorf("send audio: %w", err)
		}
		return nil
	}
	event := present.Event(notice)
	if event == nil {
		return fmt.Errorf("a notice %T has no event", notice)
	}
	data, err := json.Marshal(event)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	if err := conn.Write(ctx, websocket.MessageText, data); err != nil {
		return fmt.Errorf("send event: %w", err)
	}
	return nil
}

// ping notices a peer that has vanished without a word.
func (s *Server) ping(ctx context.Context, conn *websocket.Conn) error {
	ticker := time.NewTicker(s.config.Ping)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		limit, cancel := context.WithTimeout(ctx, s.config.Patience)
		err := conn.Ping(limit)
		cancel()
		if err != nil {
			return fmt.Errorf("ping: %w", err)
		}
	}
}
