// Package wav reads and writes the one kind of WAV file that speech engines and browsers exchange: 16-bit PCM. It reads as a
// stream, for servers send the header before they know the length.
package wav

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxChunk bounds the chunks before the samples that are skipped.
const maxChunk = 1 << 20

// Format is how the samples of a file are to be read.
type Format struct {
	Rate     int // samples per second
	Channels int
}

// ErrFormat is a file that is no WAV file of 16-bit PCM.
var ErrFormat = errors.New("no 16-bit PCM WAV file")

// Is tells whether a stream that begins so is a WAV file; four bytes are enough.
func Is(start []byte) bool {
	return len(start) >= 4 && string(start[:4]) == "RIFF"
}

// Encode makes a file of mono samples.
func Encode(pcm []int16, rate int) []byte {
	le := binary.LittleEndian
	size := uint32(2 * len(pcm)) //nolint:gosec // four gigabytes are more than any utterance
	file := make([]byte, 0, 44+2*len(pcm))
	file = append(file, "RIFF"...)
	file = le.AppendUint32(file, 36+size)
	file = append(file, "WAVEfmt "...)
	file = le.AppendUint32(file, 16)
	file = le.AppendUint16(file, 1)              // PCM
	file = le.AppendUint16(file, 1)              // channels
	file = le.AppendUint32(file, uint32(rate))   //nolint:gosec // a rate is positive
	file = le.AppendUint32(file, uint32(2*rate)) //nolint:gosec // a rate is positive
	file = le.AppendUint16(file, 2)              // bytes in a frame
	file = le.AppendUint16(file, 16)             // bits in a sample
	file = append(file, "data"...)
	file = le.AppendUint32(file, size)
	for _, sample := range pcm {
		file = le.AppendUint16(file, uint16(sample)) //nolint:gosec // the same 16 bits
	}
	return file
}

// ReadHeader reads up to the samples. What follows in r are interleaved 16-bit samples, little endian, as many as length says
// (in bytes); -1 where the header was written before that was known.
func ReadHeader(r io.Reader) (format Format, length int64, err error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Format{}, 0, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if string(head[:4]) != "RIFF" || string(head[8:]) != "WAVE" {
		return Format{}, 0, ErrFormat
	}
	for {
		var chunk [8]byte
		if _, err := io.ReadFull(r, chunk[:]); err != nil {
			return Format{}, 0, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		size := binary.LittleEndian.Uint32(chunk[4:])
		if string(chunk[:4]) == "data" {
			if format.Rate == 0 {
				return Format{}, 0, fmt.Errorf("%w: its format is missing", ErrFormat)
			}
			if size == 0 || size >= 1<<31-1 {
				return format, -1, nil
			}
			return format, int64(size), nil
		}
		if size > maxChunk {
			return Format{}, 0, fmt.Errorf("%w: a chunk of %d bytes", ErrFormat, size)
		}
		body := make([]byte, size+size%2)
		if _, err := io.ReadFull(r, body); err != nil {
			return Format{}, 0, fmt.Errorf("%w: %w", ErrFormat, err)
		}
		if string(chunk[:4]) == "fmt " {
			if format, err = parse(body); err != nil {
				return Format{}, 0, err
			}
		}
	}
}

func parse(body []byte) (Format, error) {
	if len(body) < 16 {
		return Format{}, fmt.Errorf("%w: its format is cut off", ErrFormat)
	}
	le := binary.LittleEndian
	kind, channels, rate, bits := le.Uint16(body), int(le.Uint16(body[2:])), int(le.Uint32(body[4:])), le.Uint16(body[14:])
	const pcm, extensible = 1, 0xFFFE
	if kind != pcm && kind != extensible || bits != 16 || channels < 1 || channels > 8 || rate < 1 {
		return Format{}, fmt.Errorf("%w: kind %d, %d bits, %d channels, %d samples a second", ErrFormat, kind, bits, channels, rate)
	}
	return Format{Rate: rate, Channels: channels}, nil
}
