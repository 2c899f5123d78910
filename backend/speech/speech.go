// Package speech is the port to speech engines: recognition, synthesis, voice activity and sentence embeddings. Adapters live
// in packages below it; none of them is started by asking for its state.
package speech

import (
	"context"

	"echo-companion/backend/echo"
)

// The rates of the protocol, in samples per second, mono.
const (
	InputRate  = 16000 // what microphones give and recognisers take
	OutputRate = 24000 // what synthesisers give and loudspeakers take
)

// Recognizer writes down what was said. pcm is 16 kHz mono; an utterance in which nothing was said gives "". Errors are
// *echo.Error with an engine code, or the context's.
type Recognizer interface {
	Recognize(ctx context.Context, pcm []int16) (string, error)
}

// Synthesizer speaks one piece of text, at most a few hundred characters. It calls emit in order with 24 kHz mono samples as they come; the slice is the
// callee's to keep. Errors are *echo.Error with an engine code, the context's, or emit's own.
type Synthesizer interface {
	Synthesize(ctx context.Context, text, voice string, emit func(pcm []int16) error) error
}

// Holder is an engine that costs memory while it is held (R4). Hold starts it in the background where it must be started, and
// never blocks; release may be called more than once, and the last release lets go of it.
type Holder interface {
	Hold() (release func())
	Engine() echo.Engine
}

// Embedder turns sentences into unit vectors of one length, so that a dot product is their likeness in meaning.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
