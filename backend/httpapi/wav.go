package httpapi

import (
	"encoding/binary"

	"echo-companion/backend/protocol"
)

const wavHeader = 44 // bytes of a canonical PCM header

// wav makes a mono 16-bit WAV file of samples.
func wav(pcm []int16, rate int) []byte {
	size := uint32(2 * len(pcm)) //nolint:gosec // a preview is seconds long
	file := make([]byte, 0, wavHeader+2*len(pcm))
	file = append(file, "RIFF"...)
	file = binary.LittleEndian.AppendUint32(file, wavHeader-8+size)
	file = append(file, "WAVEfmt "...)
	file = binary.LittleEndian.AppendUint32(file, 16)
	file = binary.LittleEndian.AppendUint16(file, 1)              // PCM
	file = binary.LittleEndian.AppendUint16(file, 1)              // mono
	file = binary.LittleEndian.AppendUint32(file, uint32(rate))   //nolint:gosec // a constant
	file = binary.LittleEndian.AppendUint32(file, uint32(2*rate)) //nolint:gosec // a constant
	file = binary.LittleEndian.AppendUint16(file, 2)
	file = binary.LittleEndian.AppendUint16(file, 16)
	file = append(file, "data"...)
	file = binary.LittleEndian.AppendUint32(file, size)
	return append(file, protocol.EncodePCM(pcm)...)
}
