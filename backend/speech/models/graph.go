package models

import (
	"encoding/binary"
	"math"
	"strconv"
)

// The element types of ONNX.
const (
	elementFloat = 1
	elementInt   = 7
	elementHalf  = 10
)

// The kinds of ONNX attributes.
const (
	attributeFloat = 1
	attributeInt   = 2
	attributeInts  = 7
)

// graph is an ONNX graph that is being written: nodes and constants, each value named when it is made.
type graph struct {
	body  message
	nodes int
}

// node adds an operation and gives the name of its only output.
func (g *graph) node(operation string, inputs []string, attributes ...message) string {
	g.nodes++
	output := "t" + strconv.Itoa(g.nodes)
	g.add(operation, inputs, output, attributes...)
	return output
}

func (g *graph) add(operation string, inputs []string, output string, attributes ...message) {
	var n message
	for _, input := range inputs {
		n.text(1, input)
	}
	n.text(2, output)
	n.text(4, operation)
	for _, attribute := range attributes {
		n.bytes(5, attribute)
	}
	g.body.bytes(1, n)
}

// constant adds a tensor of raw little-endian numbers.
func (g *graph) constant(name string, element int64, shape []int64, raw []byte) {
	var tensor message
	for _, size := range shape {
		tensor.number(1, size)
	}
	tensor.number(2, element)
	tensor.text(8, name)
	tensor.bytes(9, raw)
	g.body.bytes(5, tensor)
}

func (g *graph) integers(name string, values ...int64) {
	var raw []byte
	for _, value := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(value)) //nolint:gosec // the same 64 bits
	}
	g.constant(name, elementInt, []int64{int64(len(values))}, raw)
}

func (g *graph) scalar(name string, value float64) {
	g.constant(name, elementFloat, nil, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(value))))
}

// dimension is one side of a value's shape: a size, or a name where it varies.
type dimension struct {
	size int64
	name string
}

// value describes an input or output of the graph.
func value(name string, element int64, shape ...dimension) message {
	var dimensions message
	for _, side := range shape {
		var d message
		if side.name != "" {
			d.text(2, side.name)
		} else {
			d.number(1, side.size)
		}
		dimensions.bytes(1, d)
	}
	var tensor, kind, described message
	tensor.number(1, element)
	tensor.bytes(2, dimensions)
	kind.bytes(1, tensor)
	described.text(1, name)
	described.bytes(2, kind)
	return described
}

// model closes the graph: opset 17 is the first with LayerNormalization.
func (g *graph) model(name string, inputs, outputs []message) []byte {
	body := g.body
	body.text(2, name)
	for _, input := range inputs {
		body.bytes(11, input)
	}
	for _, output := range outputs {
		body.bytes(12, output)
	}
	var operators, model message
	operators.text(1, "")
	operators.number(2, 17)
	model.number(1, 8) // version of the file format
	model.bytes(8, operators)
	model.bytes(7, body)
	return model
}

func integer(name string, v int64) message {
	var a message
	a.text(1, name)
	a.number(3, v)
	a.number(20, attributeInt)
	return a
}

func float(name string, v float32) message {
	var a message
	a.text(1, name)
	a.float(2, v)
	a.number(20, attributeFloat)
	return a
}

func list(name string, values ...int64) message {
	var a message
	a.text(1, name)
	for _, v := range values {
		a.number(8, v)
	}
	a.number(20, attributeInts)
	return a
}
