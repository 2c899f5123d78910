package models

import (
	"encoding/binary"
	"math"
)

// message is a protocol buffer that is being written, field by field. It is all that writing ONNX files takes.
type message []byte

// The kinds of fields on the wire.
const (
	wireVarint = 0
	wireBytes  = 2
	wireFixed4 = 5
)

func (m *message) tag(field, wire uint64) {
	*m = binary.AppendUvarint(*m, field<<3|wire)
}

func (m *message) number(field uint64, value int64) {
	m.tag(field, wireVarint)
	*m = binary.AppendUvarint(*m, uint64(value)) //nolint:gosec // negative numbers are their two's complement on the wire
}

func (m *message) float(field uint64, value float32) {
	m.tag(field, wireFixed4)
	*m = binary.LittleEndian.AppendUint32(*m, math.Float32bits(value))
}

func (m *message) bytes(field uint64, value []byte) {
	m.tag(field, wireBytes)
	*m = binary.AppendUvarint(*m, uint64(len(value)))
	*m = append(*m, value...)
}

func (m *message) text(field uint64, value string) {
	m.bytes(field, []byte(value))
}
