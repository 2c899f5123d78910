// Package wake hears "Hey Echo": two models turn sound into features, one row for each 80 ms, and a small head of Echo's own, which
// `make wake-model` trains, tells the words from them. It keeps the features of the last seconds and no more sound than 30 ms.
// The ONNX Runtime must be open.
package wake

import (
	"fmt"
	"path/filepath"

	ort "github.com/yalue/onnxruntime_go"
)

// Sizes. A hop of sound gives eight rows of a spectrogram and one row of features.
const (
	Rate   = 16000
	Hop    = Rate * 8 / 100 // samples that are heard at a time: 80 ms
	Width  = 96             // numbers in a row of features
	Rows   = 12             // rows that the head sees: what was said in the last 1.6 s
	before = 480            // samples of the sound before, which the spectrogram needs
	bands  = 32             // of the spectrogram
	spans  = 76             // rows of it that a row of features is made of
	step   = 8              // rows of it that a hop brings
)

// Names are the models' files in their folder: the spectrogram's, then the features'.
func Names() [2]string { return [2]string{"melspectrogram.onnx", "embedding_model.onnx"} }

// Models turn sound into features. They have no memory and serve several goroutines.
type Models struct{ mel, embedding *ort.DynamicAdvancedSession }

// Open loads the models of a folder.
func Open(folder string, options *ort.SessionOptions) (*Models, error) {
	names := Names()
	mel, err := ort.NewDynamicAdvancedSession(filepath.Join(folder, names[0]), []string{"input"}, []string{"output"}, options)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", names[0], err)
	}
	embedding, err := ort.NewDynamicAdvancedSession(filepath.Join(folder, names[1]), []string{"input_1"}, []string{"conv2d_19"}, options)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", names[1], err)
	}
	return &Models{mel: mel, embedding: embedding}, nil
}

// spectrogram gives the rows that a hop brings, of it and the samples before it.
func (m *Models) spectrogram(sound []float32) ([]float32, error) {
	out, err := run(m.mel, sound, 1, int64(len(sound)))
	if err != nil {
		return nil, fmt.Errorf("make a spectrogram: %w", err)
	}
	for i := range out {
		out[i] = out[i]/10 + 2 // as the features' model was trained
	}
	return out, nil
}

// features gives a row for each of count pieces of spectrogram.
func (m *Models) features(pieces []float32, count int) ([]float32, error) {
	rows, err := run(m.embedding, pieces, int64(count), spans, bands, 1)
	if err != nil {
		return nil, fmt.Errorf("make features: %w", err)
	}
	return rows, nil
}

// run gives what a session makes of one tensor.
func run(session *ort.DynamicAdvancedSession, in []float32, shape ...int64) (out []float32, err error) {
	tensor, err := ort.NewTensor(ort.NewShape(shape...), in)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tensor.Destroy() }() // it only frees
	values := []ort.Value{nil}
	if err := session.Run([]ort.Value{tensor}, values); err != nil {
		return nil, err
	}
	defer func() { _ = values[0].Destroy() }()
	made, ok := values[0].(*ort.Tensor[float32])
	if !ok {
		return nil, fmt.Errorf("a model gave %T", values[0])
	}
	return append(out, made.GetData()...), nil
}
