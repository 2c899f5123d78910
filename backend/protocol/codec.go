package protocol

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// MalformedError says what is wrong with a frame, in a sentence for whoever sent it.
type MalformedError struct{ Message string }

// Error implements error.
func (e *MalformedError) Error() string { return e.Message }

func malformed(format string, values ...any) error {
	return &MalformedError{Message: fmt.Sprintf(format, values...)}
}

// DecodeVoiceCommand reads a text frame of a window. Its error is a *MalformedError.
func DecodeVoiceCommand(frame []byte) (VoiceCommand, error) {
	kind, err := typeOf(frame)
	if err != nil {
		return nil, err
	}
	decoded, err := voiceCommandOf(kind, frame)
	if err != nil {
		return nil, err
	}
	return decoded, nil
}

func voiceCommandOf(kind string, frame []byte) (VoiceCommand, error) {
	switch kind {
	case "ask":
		return decodeAs[AskCommand](frame, "id", "text")
	case "speech":
		return decodeAs[SpeechCommand](frame, "id")
	case "speech_end":
		return decodeAs[SpeechEndCommand](frame, "id", "voiced")
	case "speech_cancel":
		return decodeAs[SpeechCancelCommand](frame, "id")
	case "cancel":
		return decodeCancel(frame)
	case "retry":
		return decodeAs[RetryCommand](frame, "id", "of")
	case "replay":
		return decodeAs[ReplayCommand](frame, "id")
	case "credit":
		return decodeAs[CreditCommand](frame, "id", "played_ms")
	case "played":
		return decodeAs[PlayedCommand](frame)
	case "end":
		return decodeAs[EndCommand](frame)
	}
	return nil, malformed("There is no message of the type %q.", kind)
}

// decodeCancel takes care that an id which cannot be a turn's does not stop everything.
func decodeCancel(frame []byte) (CancelCommand, error) {
	command, err := decodeAs[CancelCommand](frame)
	if err == nil && command.ID != nil && *command.ID < 1 {
		return CancelCommand{}, malformed("The field \"id\" must be above 0. Leave it out to stop everything.")
	}
	return command, err
}

// DecodeVoiceEvent reads a text frame of the server. Its error is a *MalformedError.
func DecodeVoiceEvent(frame []byte) (VoiceEvent, error) {
	kind, err := typeOf(frame)
	if err != nil {
		return nil, err
	}
	decoded, err := voiceEventOf(kind, frame)
	if err != nil {
		return nil, err
	}
	return decoded, nil
}

func voiceEventOf(kind string, frame []byte) (VoiceEvent, error) {
	switch kind {
	case "ready":
		return decodeAs[ReadyEvent](frame, "id", "resumed", "busy", "last_id", "turns", "saving", "chat", "look", "model", "workspace", "audio", "limits")
	case "heard":
		return decodeAs[HeardEvent](frame, "id", "text")
	case "ignored":
		return decodeAs[IgnoredEvent](frame, "id", "reason", "text")
	case "queued":
		return decodeAs[QueuedEvent](frame, "id", "position")
	case "start":
		return decodeAs[StartEvent](frame, "id", "question")
	case "delta":
		return decodeAs[DeltaEvent](frame, "id", "text")
	case "tool":
		return decodeAs[ToolEvent](frame, "id", "name", "arguments", "status", "result")
	case "asking":
		return decodeAs[AskingEvent](frame, "id", "question")
	case "taken":
		return decodeAs[TakenEvent](frame, "id", "of")
	case "sentence":
		return decodeAs[SentenceEvent](frame, "id", "index", "text")
	case "answered":
		return decodeAs[AnsweredEvent](frame, "id", "answer", "saved", "chat")
	case "done":
		return decodeAs[DoneEvent](frame, "id")
	case "failed":
		return decodeAs[FailedEvent](frame, "id", "code", "message")
	case "cancelled":
		return decodeAs[CancelledEvent](frame, "id")
	case "stopped":
		return decodeAs[StoppedEvent](frame)
	case "replayed":
		return decodeAs[ReplayedEvent](frame, "id", "complete")
	case "saving":
		return decodeAs[SavingEvent](frame, "saving", "reason")
	case "ending":
		return decodeAs[EndingEvent](frame, "after")
	case "ended":
		return decodeAs[EndedEvent](frame, "reason")
	case "detached":
		return decodeAs[DetachedEvent](frame, "reason")
	case "error":
		return decodeAs[ErrorEvent](frame, "code", "message")
	}
	return nil, malformed("There is no event of the type %q.", kind)
}

// DecodeChatEvent reads the data of a chat reply's event. Its error is a *MalformedError.
func DecodeChatEvent(frame []byte) (ChatEvent, error) {
	kind, err := typeOf(frame)
	if err != nil {
		return nil, err
	}
	decoded, err := chatEventOf(kind, frame)
	if err != nil {
		return nil, err
	}
	return decoded, nil
}

func chatEventOf(kind string, frame []byte) (ChatEvent, error) {
	switch kind {
	case "session":
		return decodeAs[ChatSessionEvent](frame, "id", "title")
	case "waiting":
		return decodeAs[ChatWaitingEvent](frame, "message")
	case "start":
		return decodeAs[ChatStartEvent](frame, "question")
	case "delta":
		return decodeAs[ChatDeltaEvent](frame, "text")
	case "tool":
		return decodeAs[ChatToolEvent](frame, "name", "arguments", "status", "result")
	case "done":
		return decodeAs[ChatDoneEvent](frame, "number")
	case "stopped":
		return decodeAs[ChatStoppedEvent](frame, "number")
	case "failed":
		return decodeAs[ChatFailedEvent](frame, "code", "message")
	}
	return nil, malformed("There is no event of the type %q.", kind)
}

func typeOf(frame []byte) (string, error) {
	if start := bytes.TrimLeft(frame, " \t\r\n"); len(start) == 0 || start[0] != '{' || !json.Valid(frame) {
		return "", malformed("A message must be a JSON object.")
	}
	var head struct {
		Type *string `json:"type"`
	}
	if err := json.Unmarshal(frame, &head); err != nil || head.Type == nil {
		return "", malformed("A message needs a type, which is a string.")
	}
	return *head.Type, nil
}

// decodeAs reads an object whose required fields must be there, null or not.
func decodeAs[T any](frame []byte, required ...string) (T, error) {
	var value, none T
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(frame, &value); err != nil {
		var mismatch *json.UnmarshalTypeError
		if errors.As(err, &mismatch) && mismatch.Field != "" {
			return none, malformed("The field %q cannot be a %s here.", mismatch.Field, mismatch.Value)
		}
		return none, malformed("The message cannot be read.")
	}
	if err := json.Unmarshal(frame, &fields); err != nil {
		return none, malformed("The message cannot be read.")
	}
	for _, name := range required {
		if _, found := fields[name]; !found {
			return none, malformed("The field %q is missing.", name)
		}
	}
	return value, nil
}

// AudioHeader is how many bytes stand before the samples of a binary frame from the server.
const AudioHeader = 8

// EncodeAudio makes a binary frame of the server: the turn's id, the offset of the first sample in the turn, then the samples.
func EncodeAudio(id, offset int, pcm []int16) []byte {
	frame := make([]byte, AudioHeader, AudioHeader+2*len(pcm))
	binary.LittleEndian.PutUint32(frame, uint32(id))         //nolint:gosec // ids are checked against 32 bits as they come in
	binary.LittleEndian.PutUint32(frame[4:], uint32(offset)) //nolint:gosec // 2^32 samples are two days of speech
	return append(frame, EncodePCM(pcm)...)
}

// DecodeAudio reads a binary frame of the server.
func DecodeAudio(frame []byte) (id, offset int, pcm []int16, err error) {
	if len(frame) < AudioHeader {
		return 0, 0, nil, malformed("An audio frame has a header of %d bytes.", AudioHeader)
	}
	pcm, err = DecodePCM(frame[AudioHeader:])
	return int(binary.LittleEndian.Uint32(frame)), int(binary.LittleEndian.Uint32(frame[4:])), pcm, err
}

// EncodePCM writes samples as s16le.
func EncodePCM(pcm []int16) []byte {
	data := make([]byte, 2*len(pcm))
	for i, sample := range pcm {
		binary.LittleEndian.PutUint16(data[2*i:], uint16(sample)) //nolint:gosec // two's complement is the format
	}
	return data
}

// DecodePCM reads s16le samples, as a window sends them in binary frames. Its error is a *MalformedError.
func DecodePCM(data []byte) ([]int16, error) {
	if len(data)%2 != 0 {
		return nil, malformed("Audio must come in whole samples of two bytes.")
	}
	pcm := make([]int16, len(data)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(data[2*i:])) //nolint:gosec // two's complement is the format
	}
	return pcm, nil
}
