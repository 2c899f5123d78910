// Package frame is the format spoken over the pipes between Echo and its program echo-engine: length-prefixed frames, each of
// a kind, for one request. It owns bytes alone: no process, no engine, no timing. Both modules import it.
//
// A frame is a header of nine bytes (little endian: length of the payload, kind, request) and its payload. The engine sends
// Ready once, before anything else, or Failed for request 0 where it cannot start. Each request that the app numbers is
// answered by any number of frames of that number, and then by exactly one Done or Failed. Requests are served in order;
// Cancel ends the one it names, whether it runs or waits.
package frame

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxPayload bounds a frame: four minutes of 16 kHz sound, far above any utterance.
const MaxPayload = 8 << 20

const headerSize = 9

// Kind says what a frame's payload holds.
type Kind uint8

// The kinds of frames, and what they carry.
const (
	KindReady      Kind = 1  // engine: it has loaded; nothing
	KindFailed     Kind = 2  // engine: a Failure
	KindDone       Kind = 3  // engine: the request is over; nothing
	KindCancel     Kind = 4  // app: end this request; nothing
	KindRecognize  Kind = 16 // app: samples at 16 kHz
	KindText       Kind = 17 // engine: what was said, UTF-8
	KindSynthesize Kind = 18 // app: an Utterance
	KindAudio      Kind = 19 // engine: samples at 24 kHz
	KindListen     Kind = 20 // app: 512 samples at 16 kHz; none begins a new recording
	KindSpeech     Kind = 21 // engine: the probability of speech, float32
	KindEmbed      Kind = 22 // app: Texts
	KindVectors    Kind = 23 // engine: float32 vectors of one length, one after the other
	KindWake       Kind = 24 // app: 1280 samples at 16 kHz; none begins a new recording
	KindWoken      Kind = 25 // engine: how sure it is that "Hey Echo" has just ended, float32
)

// ErrTooLarge is a frame above MaxPayload: the stream cannot be followed any further.
var ErrTooLarge = errors.New("frame is too large")

// Frame is one message.
type Frame struct {
	Kind    Kind
	Request uint32
	Payload []byte
}

// Failure is the payload of KindFailed.
type Failure struct {
	Message string `json:"message"`
	Missing string `json:"missing,omitempty"` // the file without which the engine cannot start, or serve the request
}

// Utterance is the payload of KindSynthesize.
type Utterance struct {
	Text  string `json:"text"`
	Voice string `json:"voice"`
}

// Texts is the payload of KindEmbed.
type Texts struct {
	Texts []string `json:"texts"`
}

// Read reads one frame. It gives io.EOF where the stream ends between frames, and io.ErrUnexpectedEOF inside of one. The
// payload is the caller's to keep.
func Read(r io.Reader) (Frame, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return Frame{}, err
	}
	size := binary.LittleEndian.Uint32(header[:])
	if size > MaxPayload {
		return Frame{}, fmt.Errorf("read frame of %d bytes: %w", size, ErrTooLarge)
	}
	f := Frame{Kind: Kind(header[4]), Request: binary.LittleEndian.Uint32(header[5:]), Payload: make([]byte, size)}
	if _, err := io.ReadFull(r, f.Payload); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return Frame{}, err
	}
	return f, nil
}

// Write writes one frame in a single call of w.Write, so that writers which share a lock around it do not mix frames.
func Write(w io.Writer, f Frame) error {
	if len(f.Payload) > MaxPayload {
		return fmt.Errorf("write frame of %d bytes: %w", len(f.Payload), ErrTooLarge)
	}
	buffer := make([]byte, 0, headerSize+len(f.Payload))
	buffer = binary.LittleEndian.AppendUint32(buffer, uint32(len(f.Payload))) //nolint:gosec // bounded above
	buffer = append(buffer, byte(f.Kind))
	buffer = binary.LittleEndian.AppendUint32(buffer, f.Request)
	buffer = append(buffer, f.Payload...)
	_, err := w.Write(buffer)
	return err
}

// JSON is the payload of a value that is sent as JSON.
func JSON[T Payload](value T) []byte {
	data, err := json.Marshal(value)
	if err != nil { // the three types hold strings alone
		return nil
	}
	return data
}

// Payload is what frames carry as JSON.
type Payload interface {
	Failure | Utterance | Texts
}
