package main

import (
	"context"
	"encoding/json"
	"fmt"

	sherpa "github.com/k2-fsa/sherpa-onnx-go-linux"

	"echo-companion/backend/speech/frame"
	"echo-companion/backend/speech/resample"
)

const (
	defaultVoice = "jenny"
	outputRate   = 24000
	audioFrame   = outputRate / 5 // samples in a frame of sound: 200 ms
)

// synthesizer speaks English with Piper's voices. Each stays in memory once it has spoken (about 200 MB).
type synthesizer struct {
	options options
	voices  map[string]*voice
}

// voice is a voice that has been loaded.
type voice struct {
	model     *sherpa.OfflineTts
	resampler *resample.Resampler // from the voice's rate
}

func newSynthesizer(o options) (*synthesizer, error) {
	s := &synthesizer{options: o, voices: map[string]*voice{}}
	v, err := s.voice(o.voice)
	if err != nil {
		return nil, err
	}
	v.model.GenerateWithCallback("Hello.", 0, 1, func([]float32) bool { return true }) // the first time is slow
	return s, nil
}

// voice gives the voice of that name, or the default one where there is none.
func (s *synthesizer) voice(name string) (*voice, error) {
	if name != "alan" {
		name = defaultVoice
	}
	if v, ok := s.voices[name]; ok {
		return v, nil
	}
	folder := "voices/" + name
	paths, err := within(s.options.models, folder+"/voice.onnx", folder+"/tokens.txt", "espeak-ng-data", "espeak-ng-data/phontab")
	if err != nil {
		return nil, err
	}
	var config sherpa.OfflineTtsConfig
	config.Model.Vits = sherpa.OfflineTtsVitsModelConfig{
		Model: paths[0], Tokens: paths[1], DataDir: paths[2],
		NoiseScale: 0.667, NoiseScaleW: 0.8, LengthScale: 1, // as the voices' own descriptions say
	}
	config.Model.NumThreads = s.options.threads
	config.Model.Provider = "cpu"
	config.MaxNumSentences = 1 // so that sound comes sentence by sentence
	v := &voice{model: sherpa.NewOfflineTts(&config)}
	if v.model == nil {
		return nil, fmt.Errorf("the voice %s cannot be loaded", name)
	}
	if v.resampler, err = resample.New(v.model.SampleRate(), outputRate); err != nil {
		return nil, err
	}
	s.voices[name] = v
	return v, nil
}

func (s *synthesizer) answer(ctx context.Context, request frame.Frame, reply func(frame.Kind, []byte) error) error {
	if request.Kind != frame.KindSynthesize {
		return errKind
	}
	var utterance frame.Utterance
	if err := json.Unmarshal(request.Payload, &utterance); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	v, err := s.voice(utterance.Voice)
	if err != nil {
		return err
	}
	v.resampler.Reset()
	send := func(samples []float32) error {
		for len(samples) > 0 {
			n := min(audioFrame, len(samples))
			if err := reply(frame.KindAudio, frame.PCM(resample.PCM(samples[:n]))); err != nil {
				return err
			}
			samples = samples[n:]
		}
		return nil
	}
	for _, piece := range pieces(utterance.Text) {
		if err := v.speak(ctx, piece, send); err != nil {
			return err
		}
	}
	return send(v.resampler.Flush())
}

// speak sends one piece of text as it is spoken. The model's computation of a sentence cannot be cut short; what comes of it
// after ctx has ended is not sent.
func (v *voice) speak(ctx context.Context, text string, send func([]float32) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var problem error
	made := v.model.GenerateWithCallback(text, 0, 1, func(samples []float32) bool {
		if problem = ctx.Err(); problem == nil {
			problem = send(v.resampler.Write(samples))
		}
		return problem == nil
	})
	if made == nil && problem == nil {
		problem = fmt.Errorf("the voice could not speak a text of %d bytes", len(text)) // the text itself is for no log
	}
	return problem
}

func (s *synthesizer) close() {
	for _, v := range s.voices {
		sherpa.DeleteOfflineTts(v.model)
	}
}
