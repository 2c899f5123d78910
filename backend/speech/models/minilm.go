package models

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// The shape of all-MiniLM-L6-v2.
const (
	minilmLayers = 6
	minilmHeads  = 12
	minilmHead   = 32
	minilmWidth  = minilmHeads * minilmHead
)

// bert writes a BERT encoder as an ONNX graph, with weights from a safetensors file.
type bert struct {
	graph
	tensors map[string]tensorInfo
	raw     []byte
	known   map[string]string // weights that are in the graph, by the name of their 32-bit value
	err     error             // the first thing that is wrong with the file
}

type tensorInfo struct {
	Type    string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Offsets [2]int  `json:"data_offsets"`
}

// minilmGraph turns MiniLM's weights into an ONNX model with inputs ids and pos (one sentence, n tokens) and the output vector:
// the mean over the tokens, of length one.
func minilmGraph(weights []byte) ([]byte, error) {
	b := &bert{known: map[string]string{}}
	if err := b.open(weights); err != nil {
		return nil, fmt.Errorf("read MiniLM's weights: %w", err)
	}
	b.integers("by_head", 0, 0, minilmHeads, minilmHead)
	b.integers("joined", 0, 0, minilmWidth)
	b.integers("first_type", 0)
	b.scalar("head_scale", 1/math.Sqrt(minilmHead))
	b.scalar("half_root", 1/math.Sqrt2)
	b.scalar("one", 1)
	b.scalar("half", 0.5)
	x := b.node("Gather", []string{b.weight("embeddings.word_embeddings.weight"), "ids"})
	x = b.node("Add", []string{x, b.node("Gather", []string{b.weight("embeddings.position_embeddings.weight"), "pos"})})
	x = b.node("Add", []string{x, b.node("Gather", []string{b.weight("embeddings.token_type_embeddings.weight"), "first_type"})})
	x = b.normalized(x, "embeddings.LayerNorm")
	for layer := range minilmLayers {
		x = b.layer(x, "encoder.layer."+strconv.Itoa(layer)+".")
	}
	x = b.node("ReduceMean", []string{x}, list("axes", 1), integer("keepdims", 0))
	b.add("LpNormalization", []string{x}, "vector", integer("axis", -1), integer("p", 2))
	if b.err != nil {
		return nil, fmt.Errorf("read MiniLM's weights: %w", b.err)
	}
	return b.model("minilm",
		[]message{value("ids", elementInt, dimension{size: 1}, dimension{name: "n"}), value("pos", elementInt, dimension{size: 1}, dimension{name: "n"})},
		[]message{value("vector", elementFloat, dimension{size: 1}, dimension{size: minilmWidth})}), nil
}

func (b *bert) open(weights []byte) error {
	if len(weights) < 8 {
		return errors.New("the file is empty")
	}
	size := binary.LittleEndian.Uint64(weights)
	if size > uint64(len(weights))-8 {
		return errors.New("the header is cut off")
	}
	var header map[string]json.RawMessage
	if err := json.Unmarshal(weights[8:8+size], &header); err != nil {
		return err
	}
	b.raw = weights[8+size:]
	b.tensors = map[string]tensorInfo{}
	for name, data := range header {
		var info tensorInfo
		if name != "__metadata__" && json.Unmarshal(data, &info) == nil {
			b.tensors[name] = info
		}
	}
	return nil
}

// weight adds a 16-bit tensor of the file and gives the name of its 32-bit value.
func (b *bert) weight(name string) string {
	if wide, ok := b.known[name]; ok {
		return wide
	}
	info, ok := b.tensors[name]
	from, to := info.Offsets[0], info.Offsets[1]
	if !ok || info.Type != "F16" || from < 0 || from > to || to > len(b.raw) {
		b.err = errors.Join(b.err, fmt.Errorf("tensor %s is missing or of another type", name))
		return name
	}
	b.constant(name, elementHalf, info.Shape, b.raw[from:to])
	b.known[name] = b.node("Cast", []string{name}, integer("to", elementFloat))
	return b.known[name]
}

func (b *bert) normalized(x, name string) string {
	return b.node("LayerNormalization", []string{x, b.weight(name + ".weight"), b.weight(name + ".bias")}, integer("axis", -1), float("epsilon", 1e-12))
}

func (b *bert) linear(x, name string) string {
	turned := b.node("Transpose", []string{b.weight(name + ".weight")}, list("perm", 1, 0))
	return b.node("Add", []string{b.node("MatMul", []string{x, turned}), b.weight(name + ".bias")})
}

// layer is one layer of the encoder: attention, then two linear maps with a GELU between them.
func (b *bert) layer(x, name string) string {
	head := func(part string, order ...int64) string {
		split := b.node("Reshape", []string{b.linear(x, name+"attention.self."+part), "by_head"})
		return b.node("Transpose", []string{split}, list("perm", order...))
	}
	query, key, content := head("query", 0, 2, 1, 3), head("key", 0, 2, 3, 1), head("value", 0, 2, 1, 3)
	scores := b.node("Mul", []string{b.node("MatMul", []string{query, key}), "head_scale"})
	weighed := b.node("MatMul", []string{b.node("Softmax", []string{scores}, integer("axis", -1)), content})
	joined := b.node("Reshape", []string{b.node("Transpose", []string{weighed}, list("perm", 0, 2, 1, 3)), "joined"})
	x = b.normalized(b.node("Add", []string{b.linear(joined, name+"attention.output.dense"), x}), name+"attention.output.LayerNorm")
	wide := b.linear(x, name+"intermediate.dense")
	gate := b.node("Add", []string{b.node("Erf", []string{b.node("Mul", []string{wide, "half_root"})}), "one"})
	wide = b.node("Mul", []string{b.node("Mul", []string{wide, gate}), "half"})
	return b.normalized(b.node("Add", []string{b.linear(wide, name+"output.dense"), x}), name+"output.LayerNorm")
}
