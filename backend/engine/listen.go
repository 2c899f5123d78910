package main

import (
	"context"
	"fmt"

	"echo-companion/backend/speech/frame"
)

// listener tells speech from other sounds, frame by frame.
type listener struct{ silero *silero }

func newListener(o options) (*listener, error) {
	if err := openRuntime(); err != nil {
		return nil, err
	}
	silero, err := newSilero(o.models)
	if err != nil {
		return nil, err
	}
	return &listener{silero: silero}, nil
}

func (l *listener) answer(_ context.Context, request frame.Frame, reply func(frame.Kind, []byte) error) error {
	if request.Kind != frame.KindListen {
		return errKind
	}
	pcm, err := frame.Samples(request.Payload)
	if err != nil {
		return err
	}
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

func (l *listener) close() {}
