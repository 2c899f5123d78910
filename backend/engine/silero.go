package main

import (
	"fmt"

	ort "github.com/yalue/onnxruntime_go"

	"echo-companion/backend/speech/resample"
)

const (
	inputRate    = 16000
	sileroFrame  = 512 // samples: 32 ms
	sileroBefore = 64  // samples of the frame before, which the model sees again
	sileroState  = 2 * 128
)

// silero is the Silero voice activity model, with its memory of the recording so far.
type silero struct {
	session           *ort.AdvancedSession
	input, state, sr  ort.Value
	output, nextState ort.Value
	sound, memory     []float32 // the model's input and memory
	probability, next []float32 // its output and its memory afterwards
}

// newSilero loads the model. The runtime must be open.
func newSilero(models string) (*silero, error) {
	paths, err := within(models, "silero/silero_vad.onnx")
	if err != nil {
		return nil, err
	}
	s := &silero{
		sound: make([]float32, sileroBefore+sileroFrame), memory: make([]float32, sileroState),
		probability: make([]float32, 1), next: make([]float32, sileroState),
	}
	if err := s.open(paths[0]); err != nil {
		return nil, fmt.Errorf("load %s: %w", paths[0], err)
	}
	return s, nil
}

func (s *silero) open(path string) (err error) {
	if s.input, err = ort.NewTensor(ort.NewShape(1, int64(len(s.sound))), s.sound); err != nil {
		return err
	}
	if s.state, err = ort.NewTensor(ort.NewShape(2, 1, sileroState/2), s.memory); err != nil {
		return err
	}
	if s.sr, err = ort.NewTensor(ort.NewShape(1), []int64{inputRate}); err != nil {
		return err
	}
	if s.output, err = ort.NewTensor(ort.NewShape(1, 1), s.probability); err != nil {
		return err
	}
	if s.nextState, err = ort.NewTensor(ort.NewShape(2, 1, sileroState/2), s.next); err != nil {
		return err
	}
	options, err := sessionOptions(1)
	if err != nil {
		return err
	}
	s.session, err = ort.NewAdvancedSession(path, []string{"input", "state", "sr"}, []string{"output", "stateN"},
		[]ort.Value{s.input, s.state, s.sr}, []ort.Value{s.output, s.nextState}, options)
	return err
}

// reset forgets the recording.
func (s *silero) reset() {
	clear(s.sound)
	clear(s.memory)
}

// speech gives the probability that the next 512 samples hold speech.
func (s *silero) speech(pcm []int16) (float32, error) {
	copy(s.sound, s.sound[sileroFrame:]) // the end of the frame before
	copy(s.sound[sileroBefore:], resample.Floats(pcm))
	if err := s.session.Run(); err != nil {
		return 0, fmt.Errorf("detect speech: %w", err)
	}
	copy(s.memory, s.next)
	return s.probability[0], nil
}

// all gives the probabilities of every frame of a recording, the last one filled up with silence.
func (s *silero) all(pcm []int16) ([]float32, error) {
	s.reset()
	probabilities := make([]float32, 0, len(pcm)/sileroFrame+1)
	for from := 0; from < len(pcm); from += sileroFrame {
		var frame [sileroFrame]int16
		copy(frame[:], pcm[from:])
		probability, err := s.speech(frame[:])
		if err != nil {
			return nil, err
		}
		probabilities = append(probabilities, probability)
	}
	return probabilities, nil
}
