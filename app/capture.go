package app

import (
	"context"
	"log/slog"
	"sync/atomic"

	"echo-companion/backend/capture"
	"echo-companion/backend/conversation"
	"echo-companion/backend/device"
)

// Capture is the microphone, for the page of the window.
type Capture struct {
	capture *capture.Capture
	session *session
	devices *devices
	status  atomic.Pointer[capture.Status]
	logger  *slog.Logger
}

// Press opens the microphone for as long as the button is held.
func (c *Capture) Press() error {
	return act(c.logger, func(ctx context.Context) error {
		if err := c.session.Ensure(ctx, false); err != nil {
			return err
		}
		c.capture.Press(ctx)
		return nil
	})
}

// Release ends what Press began.
func (c *Capture) Release() error {
	return act(c.logger, func(ctx context.Context) error { c.capture.Release(ctx); return nil })
}

// Start listens hands-free until Stop.
func (c *Capture) Start() error {
	return act(c.logger, func(ctx context.Context) error {
		if err := c.session.Ensure(ctx, false); err != nil {
			return err
		}
		c.capture.Start(ctx)
		return nil
	})
}

// Stop closes the microphone.
func (c *Capture) Stop() error {
	return act(c.logger, func(ctx context.Context) error { c.capture.Stop(ctx); return nil })
}

// SetMuted closes the microphone without leaving hands-free, or opens it again.
func (c *Capture) SetMuted(muted bool) error {
	return act(c.logger, func(ctx context.Context) error { c.capture.Mute(ctx, muted); return nil })
}

// Status tells what the microphone does.
func (c *Capture) Status() capture.Status {
	if status := c.status.Load(); status != nil {
		return *status
	}
	return capture.Status{State: capture.Closed}
}

// Devices tells which microphones and loudspeakers can be chosen.
func (c *Capture) Devices() (device.List, error) {
	return guard(c.logger, func(context.Context) (device.List, error) { return c.devices.list() })
}

// listener passes utterances to the conversation.
type listener struct{ session *session }

// Begin implements capture.Listener.
func (l listener) Begin(ctx context.Context, overlap bool) (int, error) {
	return l.session.Issue(ctx, func(id int) conversation.Command { return conversation.Speech{ID: id, Overlap: overlap} })
}

// Audio implements capture.Listener.
func (l listener) Audio(ctx context.Context, pcm []int16) error {
	return l.session.Send(ctx, conversation.Audio{PCM: pcm})
}

// End implements capture.Listener.
func (l listener) End(ctx context.Context, id, voiced int) error {
	if err := l.session.Send(ctx, conversation.SpeechEnd{ID: id, Voiced: voiced}); err != nil {
		return err
	}
	l.session.emit(eventSpoken, map[string]any{"id": id}) // it is being recognised now
	return nil
}

// Cancel implements capture.Listener.
func (l listener) Cancel(ctx context.Context, id int) error {
	return l.session.Send(ctx, conversation.SpeechCancel{ID: id})
}
