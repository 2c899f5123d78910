package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"

	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
	"echo-companion/backend/playback"
	"echo-companion/backend/present"
)

// The events that the page is sent.
const (
	eventVoice    = "echo:voice"
	eventLost     = "echo:lost"
	eventCapture  = "echo:capture"
	eventPlayback = "echo:playback"
	eventWindow   = "echo:window"
	eventOrb      = "echo:orb"
	eventSpoken   = "echo:spoken"
	eventSettings = "echo:settings" // they changed, here or elsewhere
)

// attached is a window that the conversation knows.
type attached interface {
	Send(ctx context.Context, command conversation.Command) error
	Next(ctx context.Context) (conversation.Notice, error)
	Close()
}

// talk is the conversation as a window in the same process sees it.
type talk interface {
	State(ctx context.Context) (conversation.State, error)
	Reserve(ctx context.Context, request conversation.SessionRequest) (conversation.Grant, error)
	Attach(ctx context.Context, ticket string) (attached, error)
	End(ctx context.Context) (bool, error)
}

// voiceOut is where Echo's voice goes: playback.Player.
type voiceOut interface {
	Play(ctx context.Context, piece playback.Piece)
	Hush(ctx context.Context, turn int)
	Settle(ctx context.Context, turn int)
	Allow(ctx context.Context, turn int)
}

// session is the native window's place in the conversation: it attaches by the same two steps as a WebSocket window, hands its
// notices to the page and to the loudspeaker, and gives every turn, typed or spoken, its number.
type session struct {
	talk    talk
	out     voiceOut
	emit    func(name string, data any)
	changed func() // something was told; must not block
	logger  *slog.Logger
	pumps   sync.WaitGroup

	opening sync.Mutex // one attach or detach at a time

	sending sync.Mutex // numbers go out in their order; guards the below
	window  attached   // nil: not attached
	lastID  int
}

func (s *session) current() attached {
	s.sending.Lock()
	defer s.sending.Unlock()
	return s.window
}

// Open attaches, after a window of ours that is attached has let go. The page has the first event before it returns.
func (s *session) Open(ctx context.Context, request conversation.SessionRequest) (conversation.Grant, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	had := s.leave(ctx)
	grant, err := s.attach(ctx, request)
	if err != nil && had {
		s.emit(eventLost, nil)
	}
	return grant, err
}

func (s *session) attach(ctx context.Context, request conversation.SessionRequest) (conversation.Grant, error) {
	grant, err := s.talk.Reserve(ctx, request)
	if err != nil {
		return conversation.Grant{}, err
	}
	window, err := s.talk.Attach(ctx, grant.Ticket)
	if err != nil {
		return conversation.Grant{}, err
	}
	first, err := window.Next(ctx)
	if err != nil {
		window.Close()
		return conversation.Grant{}, err
	}
	s.sending.Lock()
	s.window, s.lastID = window, 0
	s.sending.Unlock()
	p := &pump{session: s, window: window, sentences: map[int]int{}}
	p.take(first)
	s.pumps.Go(p.run)
	return grant, nil
}

// Ensure attaches where no window of ours is attached.
func (s *session) Ensure(ctx context.Context, take bool) error {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.current() != nil {
		return nil
	}
	_, err := s.attach(ctx, conversation.SessionRequest{Take: take})
	return err
}

// Leave detaches, and silences what is still on its way to the loudspeaker.
func (s *session) Leave(ctx context.Context) {
	s.opening.Lock()
	defer s.opening.Unlock()
	s.leave(ctx)
}

func (s *session) leave(ctx context.Context) bool {
	s.sending.Lock()
	window := s.window
	s.window = nil
	s.sending.Unlock()
	if window == nil {
		return false
	}
	window.Close()
	s.pumps.Wait()
	s.out.Settle(ctx, 0)
	return true
}

// Send gives the conversation a command.
func (s *session) Send(ctx context.Context, command conversation.Command) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.window == nil {
		return notAttached()
	}
	return s.window.Send(ctx, command)
}

// Issue gives the conversation a command that begins a turn, under the next number.
func (s *session) Issue(ctx context.Context, command func(id int) conversation.Command) (int, error) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.window == nil {
		return 0, notAttached()
	}
	id := s.lastID + 1
	if err := s.window.Send(ctx, command(id)); err != nil {
		return 0, err
	}
	s.lastID = id
	return id, nil
}

func notAttached() *echo.Error {
	return echo.Errorf(echo.CodeNoWindow, "This window is not part of the conversation now. Continue the conversation, then try again.")
}

// gone forgets a window that has ended by itself.
func (s *session) gone(window attached) bool {
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.window != window {
		return false
	}
	s.window = nil
	return true
}

// pump hands on what one attached window is told.
type pump struct {
	*session
	window    attached
	sentences map[int]int // by turn: the sentence that its audio speaks
}

// run ends when the window does.
func (p *pump) run() {
	ctx := context.Background() // Close ends Next
	told := false
	for {
		notice, err := p.window.Next(ctx)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				p.logger.LogAttrs(ctx, slog.LevelWarn, "the window's notices ended", slog.Any("error", err))
			}
			p.window.Close()
			if p.gone(p.window) {
				p.out.Settle(ctx, 0)
				if !told {
					p.emit(eventLost, nil)
				}
			}
			p.changed()
			return
		}
		if _, is := notice.(conversation.Detached); is {
			told = true
			p.gone(p.window)
			p.out.Settle(ctx, 0)
		}
		p.take(notice)
	}
}

func (p *pump) take(notice conversation.Notice) {
	ctx := context.Background() // the player's inbox alone is waited for
	if voice, is := notice.(conversation.Voice); is {
		p.out.Play(ctx, playback.Piece{Turn: voice.ID, Sentence: p.sentences[voice.ID], Offset: voice.Offset, PCM: voice.PCM})
		return
	}
	p.sound(ctx, notice)
	if event := present.Event(notice); event != nil {
		p.emit(eventVoice, event)
	}
	if _, is := notice.(conversation.Delta); !is {
		p.changed()
	}
}

// sound tells the loudspeaker what a notice means to it.
func (p *pump) sound(ctx context.Context, notice conversation.Notice) {
	switch n := notice.(type) {
	case conversation.Ready:
		p.sending.Lock()
		p.lastID = max(p.lastID, n.LastID)
		p.sending.Unlock()
		p.out.Settle(ctx, 0)
	case conversation.Sentence:
		p.sentences[n.ID] = n.Index
	case conversation.Cancelled:
		p.out.Settle(ctx, n.ID)
	case conversation.Stopped, conversation.Ended:
		p.out.Settle(ctx, 0)
	case conversation.Replayed:
		if !n.Complete {
			p.out.Settle(ctx, n.ID)
		}
	case conversation.Done:
		delete(p.sentences, n.ID)
		p.out.Allow(ctx, n.ID)
	case conversation.Failed:
		p.out.Allow(ctx, n.ID)
	case conversation.Refused:
		if n.ID != 0 {
			p.out.Allow(ctx, n.ID)
		}
	}
}
