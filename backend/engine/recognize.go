package main

import (
	"context"
	"errors"
	"strings"

	sherpa "github.com/k2-fsa/sherpa-onnx-go-linux"

	"echo-companion/backend/speech/frame"
	"echo-companion/backend/speech/resample"
)

// clearly is the mean probability from which a passage is taken for speech beyond doubt.
const clearly = 0.8

// recognizer writes down English speech with Moonshine.
type recognizer struct {
	silero *silero
	model  *sherpa.OfflineRecognizer
}

func newRecognizer(o options) (*recognizer, error) {
	paths, err := within(o.models, "moonshine/encoder_model.onnx", "moonshine/decoder_model_merged.onnx", "moonshine/tokens.txt")
	if err != nil {
		return nil, err
	}
	if err := openRuntime(); err != nil {
		return nil, err
	}
	silero, err := newSilero(o.models)
	if err != nil {
		return nil, err
	}
	var config sherpa.OfflineRecognizerConfig
	config.FeatConfig = sherpa.FeatureConfig{SampleRate: inputRate, FeatureDim: 80}
	config.ModelConfig.Moonshine = sherpa.OfflineMoonshineModelConfig{Encoder: paths[0], MergedDecoder: paths[1]}
	config.ModelConfig.Tokens = paths[2]
	config.ModelConfig.NumThreads = o.threads
	config.ModelConfig.Provider = "cpu"
	config.DecodingMethod = "greedy_search"
	r := &recognizer{silero: silero, model: sherpa.NewOfflineRecognizer(&config)}
	if r.model == nil {
		return nil, errors.New("the recogniser's model cannot be loaded")
	}
	r.decode(make([]int16, inputRate), 0) // the first time is slow
	return r, nil
}

func (r *recognizer) answer(ctx context.Context, request frame.Frame, reply func(frame.Kind, []byte) error) error {
	if request.Kind != frame.KindRecognize {
		return errKind
	}
	pcm, err := frame.Samples(request.Payload)
	if err != nil {
		return err
	}
	text, err := r.recognize(ctx, pcm)
	if err != nil {
		return err
	}
	return reply(frame.KindText, []byte(text))
}

// recognize gives what was said, or nothing.
func (r *recognizer) recognize(ctx context.Context, pcm []int16) (string, error) {
	probabilities, err := r.silero.all(pcm)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, passage := range passages(pcm, probabilities) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if text := r.write(ctx, passage); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " "), nil
}

// write gives the text of one passage. Moonshine errs least on sentences with 0.4 s of quiet on each side; of single words it
// makes nothing then ("Stop" came out empty in half of all tries), but hears them with less. So what is clearly speech and
// comes out empty is tried again; what may be a cough is not, lest something be invented.
func (r *recognizer) write(ctx context.Context, p passage) string {
	for _, quiet := range []int{inputRate * 4 / 10, inputRate * 3 / 10, inputRate * 2 / 10, inputRate / 10} {
		if text := credible(r.decode(p.pcm, quiet)); text != "" || p.sure < clearly || ctx.Err() != nil {
			return text
		}
	}
	return ""
}

// decode runs the model on samples with so many of silence on each side.
func (r *recognizer) decode(pcm []int16, quiet int) string {
	samples := make([]float32, len(pcm)+2*quiet)
	copy(samples[quiet:], resample.Floats(pcm))
	stream := sherpa.NewOfflineStream(r.model)
	defer sherpa.DeleteOfflineStream(stream)
	stream.AcceptWaveform(inputRate, samples)
	r.model.Decode(stream)
	return stream.GetResult().Text
}

func (r *recognizer) close() { sherpa.DeleteOfflineRecognizer(r.model) }
