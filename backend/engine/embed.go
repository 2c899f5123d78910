package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	ort "github.com/yalue/onnxruntime_go"

	"echo-companion/backend/speech/frame"
)

// vectorWidth is the length of MiniLM's vectors.
const vectorWidth = 384

// embedder turns English sentences into vectors with MiniLM.
type embedder struct {
	session *ort.DynamicAdvancedSession
	words   *vocabulary
}

func newEmbedder(o options) (*embedder, error) {
	paths, err := within(o.models, "minilm/model.onnx", "minilm/tokenizer.json")
	if err != nil {
		return nil, err
	}
	words, err := readVocabulary(paths[1])
	if err != nil {
		return nil, err
	}
	if err := openRuntime(); err != nil {
		return nil, err
	}
	options, err := sessionOptions(o.threads)
	if err != nil {
		return nil, err
	}
	session, err := ort.NewDynamicAdvancedSession(paths[0], []string{"ids", "pos"}, []string{"vector"}, options)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", paths[0], err)
	}
	e := &embedder{session: session, words: words}
	_, err = e.embed("the first time is slow")
	return e, err
}

func (e *embedder) answer(ctx context.Context, request frame.Frame, reply func(frame.Kind, []byte) error) error {
	if request.Kind != frame.KindEmbed {
		return errKind
	}
	var batch frame.Texts
	if err := json.Unmarshal(request.Payload, &batch); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	for _, text := range batch.Texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		vector, err := e.embed(text)
		if err != nil {
			return err
		}
		if err := reply(frame.KindVectors, frame.Floats(vector)); err != nil {
			return err
		}
	}
	return nil
}

// embed gives the vector of one sentence, of length one.
func (e *embedder) embed(text string) ([]float32, error) {
	ids := e.words.tokens(text)
	places := make([]int64, len(ids))
	for i := range places {
		places[i] = int64(i)
	}
	shape := ort.NewShape(1, int64(len(ids)))
	tokens, err := ort.NewTensor(shape, ids)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	defer func() { _ = tokens.Destroy() }() // frees memory alone
	positions, err := ort.NewTensor(shape, places)
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	defer func() { _ = positions.Destroy() }()
	outputs := []ort.Value{nil}
	if err := e.session.Run([]ort.Value{tokens, positions}, outputs); err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	defer func() { _ = outputs[0].Destroy() }()
	vector, ok := outputs[0].(*ort.Tensor[float32])
	if !ok || len(vector.GetData()) != vectorWidth {
		return nil, fmt.Errorf("embed: the model gave no vector of %d numbers", vectorWidth)
	}
	return slices.Clone(vector.GetData()), nil
}

func (e *embedder) close() { _ = e.session.Destroy() } // the process ends
