package main

import (
	"context"
	"fmt"
	"path/filepath"

	"echo-companion/backend/engine/wake"
	"echo-companion/backend/speech/frame"
)

// listener tells speech from other sounds, frame by frame, and hears "Hey Echo".
type listener struct {
	options options
	silero  *silero
	wake    *wake.Listener // nil before it is first asked
}

func newListener(o options) (*listener, error) {
	if err := openRuntime(); err != nil {
		return nil, err
	}
	silero, err := newSilero(o.models)
	if err != nil {
		return nil, err
	}
	return &listener{options: o, silero: silero}, nil
}

func (l *listener) answer(_ context.Context, request frame.Frame, reply func(frame.Kind, []byte) error) error {
	pcm, err := frame.Samples(request.Payload)
	if err != nil {
		return err
	}
	switch request.Kind { //nolint:exhaustive // the other kinds are not this mode's
	case frame.KindListen:
		return l.speech(pcm, reply)
	case frame.KindWake:
		return l.woken(pcm, reply)
	default:
		return errKind
	}
}

func (l *listener) speech(pcm []int16, reply func(frame.Kind, []byte) error) error {
	switch len(pcm) {
	case 0:
		l.silero.reset()
		return nil
	case sileroFrame:
		probability, err := l.silero.speech(pcm)
		if err != nil {
			return err
		}
		return reply(frame.KindSpeech, frame.Floats([]float32{probability}))
	default:
		return fmt.Errorf("a frame has %d samples, not %d", sileroFrame, len(pcm))
	}
}

func (l *listener) woken(pcm []int16, reply func(frame.Kind, []byte) error) error {
	if l.wake == nil {
		opened, err := newWake(l.options)
		if err != nil {
			return err
		}
		l.wake = opened
	}
	if len(pcm) == 0 {
		l.wake.Reset()
		return nil
	}
	sure, err := l.wake.Hear(pcm)
	if err != nil {
		return err
	}
	return reply(frame.KindWoken, frame.Floats([]float32{float32(sure)}))
}

// newWake loads what hears "Hey Echo". Most never ask for it, and voice activity goes on without it.
func newWake(o options) (*wake.Listener, error) {
	names := wake.Names()
	if _, err := within(o.models, "wake/"+names[0], "wake/"+names[1]); err != nil {
		return nil, err
	}
	options, err := sessionOptions(1)
	if err != nil {
		return nil, err
	}
	models, err := wake.Open(filepath.Join(o.models, "wake"), options)
	if err != nil {
		return nil, err
	}
	head, err := wake.HeyEcho()
	if err != nil {
		return nil, err
	}
	return wake.NewListener(models, head)
}

func (l *listener) close() {}
