// Package local runs the program echo-engine and speaks to it: recognition, synthesis, voice activity and sentence embeddings
// on this machine. It owns the processes, one for each mode, their start, restart and end; the frames on their pipes; and the
// errors that people read when one is missing, dies or hangs. It knows no model and no sound device.
package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/speech"
	"echo-companion/backend/speech/frame"
)

// The voices of the synthesiser.
const (
	VoiceJenny = "jenny" // also spoken with where a voice is unknown
	VoiceAlan  = "alan"
)

const (
	embedBatch = 32               // texts in a request: another user waits no longer than for these, about 0.1 s
	embedIdle  = 60 * time.Second // how long the embedder is kept after use: it holds 470 MB
	listenIdle = 5 * time.Second  // a microphone may be opened again at once
)

// Config says where the engine is.
type Config struct {
	Path          string        // of the program echo-engine
	Models        string        // the folder that it loads models from
	EngineTimeout time.Duration // how long an engine may send nothing while it is asked; 0 is 60 s
	LoadTimeout   time.Duration // how long it may take to start; 0 is 60 s
}

// Engines are the engines of this machine. Nothing is started before it is held or asked, and nothing runs outside of Run.
type Engines struct {
	recognizer  *process
	synthesizer *process
	listener    *process
	embedder    *process
	voice       atomic.Pointer[string] // the one that was last spoken with, which a new process loads first
}

// New makes the engines; Run runs them.
func New(config Config, logger *slog.Logger) *Engines {
	if config.EngineTimeout <= 0 {
		config.EngineTimeout = 60 * time.Second
	}
	if config.LoadTimeout <= 0 {
		config.LoadTimeout = 60 * time.Second
	}
	e := &Engines{}
	voice := VoiceJenny
	e.voice.Store(&voice)
	e.recognizer = newProcess(config, mode{name: "recognize", title: "Moonshine (on this machine)", noun: "speech recogniser"}, logger)
	e.synthesizer = newProcess(config, mode{
		name: "synthesize", title: "Piper (on this machine)", noun: "voice",
		arguments: func() []string { return []string{"--voice", *e.voice.Load()} },
	}, logger)
	e.listener = newProcess(config, mode{name: "listen", title: "Silero (on this machine)", noun: "voice detector", linger: listenIdle}, logger)
	e.embedder = newProcess(config, mode{name: "embed", title: "MiniLM (on this machine)", noun: "sentence search", linger: embedIdle}, logger)
	return e
}

// Run owns the processes until ctx ends, then stops them all and waits for them.
func (e *Engines) Run(ctx context.Context) error {
	var group sync.WaitGroup
	for _, p := range []*process{e.recognizer, e.synthesizer, e.listener, e.embedder} {
		group.Go(func() { p.run(ctx) })
	}
	group.Wait()
	return nil
}

// Recognizer is the recogniser of this machine.
func (e *Engines) Recognizer() *Recognizer { return &Recognizer{holder: holder{e.recognizer}} }

// Synthesizer is the synthesiser of this machine.
func (e *Engines) Synthesizer() *Synthesizer {
	return &Synthesizer{holder: holder{e.synthesizer}, voice: &e.voice}
}

// Embedder is the embedder of this machine. It is started when it is asked, and let go of a minute after.
func (e *Engines) Embedder() *Embedder { return &Embedder{holder: holder{e.embedder}} }

// Detector is the voice activity detector of this machine, for one recording at a time.
func (e *Engines) Detector() *Detector { return &Detector{holder: holder{e.listener}} }

// holder is what all engines have in common: see speech.Holder.
type holder struct{ process *process }

// Hold starts the engine in the background, or keeps it; the last release ends it.
func (h holder) Hold() (release func()) { return h.process.hold() }

// Engine tells how the engine is. It starts nothing.
func (h holder) Engine() echo.Engine { return h.process.engine() }

// Recognizer implements speech.Recognizer and speech.Holder.
type Recognizer struct{ holder }

// Recognize implements speech.Recognizer.
func (r *Recognizer) Recognize(ctx context.Context, pcm []int16) (string, error) {
	if len(pcm) == 0 {
		return "", nil
	}
	var text string
	err := r.process.ask(ctx, frame.KindRecognize, frame.PCM(pcm), func(f frame.Frame) error {
		if f.Kind != frame.KindText {
			return errUnexpected
		}
		text = string(f.Payload)
		return nil
	})
	return text, err
}

// Synthesizer implements speech.Synthesizer and speech.Holder.
type Synthesizer struct {
	holder
	voice *atomic.Pointer[string]
}

// Synthesize implements speech.Synthesizer. An unknown voice is jenny's.
func (s *Synthesizer) Synthesize(ctx context.Context, text, voice string, emit func(pcm []int16) error) error {
	if voice != VoiceAlan {
		voice = VoiceJenny
	}
	s.voice.Store(&voice)
	return s.process.ask(ctx, frame.KindSynthesize, frame.JSON(frame.Utterance{Text: text, Voice: voice}), func(f frame.Frame) error {
		if f.Kind != frame.KindAudio {
			return errUnexpected
		}
		pcm, err := frame.Samples(f.Payload)
		if err != nil {
			return fmt.Errorf("%w: %w", errUnexpected, err)
		}
		if err := emit(pcm); err != nil {
			return &emitError{err}
		}
		return nil
	})
}

// Embedder implements speech.Embedder and speech.Holder.
type Embedder struct{ holder }

// Embed implements speech.Embedder.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for batch := range slices.Chunk(texts, embedBatch) {
		err := e.process.ask(ctx, frame.KindEmbed, frame.JSON(frame.Texts{Texts: batch}), func(f frame.Frame) error {
			vector, err := frame.Numbers(f.Payload)
			if err != nil || f.Kind != frame.KindVectors {
				return errUnexpected
			}
			vectors = append(vectors, vector)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(vectors) != len(texts) {
		return nil, e.process.broken(errUnexpected)
	}
	return vectors, nil
}

// Detector tells speech from other sounds. Hold it while a microphone is open.
type Detector struct{ holder }

// detectPatience is how long a frame of 32 ms may take: capture must not fall behind.
const detectPatience = time.Second

// Speech gives the probability that a frame of 512 samples at 16 kHz holds speech.
func (d *Detector) Speech(pcm []int16) (probability float64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), detectPatience)
	defer cancel()
	err = d.process.ask(ctx, frame.KindListen, frame.PCM(pcm), func(f frame.Frame) error {
		numbers, err := frame.Numbers(f.Payload)
		if err != nil || f.Kind != frame.KindSpeech || len(numbers) != 1 {
			return errUnexpected
		}
		probability = float64(numbers[0])
		return nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = d.process.silent()
	}
	return probability, err
}

// Reset begins another recording.
func (d *Detector) Reset() error {
	ctx, cancel := context.WithTimeout(context.Background(), detectPatience)
	defer cancel()
	return d.process.ask(ctx, frame.KindListen, nil, func(frame.Frame) error { return errUnexpected })
}

// errUnexpected is an answer that breaks the rules of the frames: the process cannot be trusted any further.
var errUnexpected = errors.New("unexpected answer")

// emitError is an error of the caller's own function, which is given back as it is.
type emitError struct{ err error }

// Error implements error.
func (e *emitError) Error() string { return e.err.Error() }

// failure reads the payload of a failed frame.
func failure(f frame.Frame) frame.Failure {
	var told frame.Failure
	if json.Unmarshal(f.Payload, &told) != nil || told.Message == "" {
		told.Message = "it gave no reason"
	}
	return told
}

// What the package offers, as its users know it.
var (
	_ speech.Recognizer  = (*Recognizer)(nil)
	_ speech.Synthesizer = (*Synthesizer)(nil)
	_ speech.Embedder    = (*Embedder)(nil)
	_ speech.Holder      = (*Recognizer)(nil)
	_ speech.Holder      = (*Synthesizer)(nil)
)
