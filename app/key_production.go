//go:build production || dev

package app

import (
	"context"
	"os"

	"echo-companion/app/hotkey"
	"echo-companion/backend/present"
	"echo-companion/backend/protocol"
)

// newKey joins the key that talks from anywhere to the shell: it unfolds, attaches, and then opens the microphone, for as long as it
// is held or, in hands-free, as the tray's Talk does.
func (s *shell) newKey() *talkKey {
	return &talkKey{
		chosen: func() string { return s.core.Settings.Get().Voice.GlobalKey },
		listen: func(ctx context.Context, name string, on func(down bool)) error {
			chord, err := hotkey.Parse(name)
			if err != nil {
				return err
			}
			if os.Getenv("WAYLAND_DISPLAY") != "" { // there a key is heard over windows of X11 alone
				return hotkey.ErrNone
			}
			return hotkey.Listen(ctx, os.Getenv("DISPLAY"), chord, on)
		},
		press: func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, callTime)
			defer cancel()
			if err := s.hold(ctx); err != nil && ctx.Err() == nil {
				problem := present.Problem(err)
				s.say(problem.Code, problem.Message)
			}
		},
		release: s.capture.Release,
		tell:    func(problem string) { s.say("key", problem) },
		changed: make(chan struct{}, 1), logger: s.logger,
	}
}

// hold unfolds, attaches, and then opens the microphone until Release or, in hands-free, until it is stopped.
func (s *shell) hold(ctx context.Context) error {
	if s.core.Settings.Get().Voice.Mode == protocol.HandsFree {
		return s.Talk(ctx)
	}
	s.desk.Show(ctx)
	if err := s.session.Ensure(ctx, true); err != nil {
		return err
	}
	s.capture.Press(ctx)
	return nil
}

// say shows the page a problem that no call of its own has led to.
func (s *shell) say(code, message string) {
	s.emit(eventVoice, protocol.ErrorEvent{Type: "error", Code: code, Message: message})
}
