package protocol_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/protocol"
)

// line is one line of a golden stream; exactly one field is set.
type line struct {
	Event   json.RawMessage `json:"event"`
	Command json.RawMessage `json:"command"`
	State   json.RawMessage `json:"state"`
	Audio   *struct {
		ID      int `json:"id"`
		Offset  int `json:"offset"`
		Samples int `json:"samples"`
	} `json:"audio"`
	Chat *struct {
		ID    int             `json:"id"`
		Event json.RawMessage `json:"event"`
	} `json:"chat"`
}

func TestGoldenStreamsSurviveDecodingAndEncoding(t *testing.T) {
	names, err := filepath.Glob("testdata/*.jsonl")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), 10)
	seen := map[reflect.Type]bool{}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file, err := os.Open(name)
			require.NoError(t, err)
			defer func() { require.NoError(t, file.Close()) }()
			lines := bufio.NewScanner(file)
			for lines.Scan() {
				checkLine(t, lines.Bytes(), seen)
			}
			require.NoError(t, lines.Err())
		})
	}
	// 10 commands, 21 voice events, 8 chat events and the state: every message of the protocol stands in some stream.
	require.Len(t, seen, 10+21+8+1)
}

func checkLine(t *testing.T, text []byte, seen map[reflect.Type]bool) {
	t.Helper()
	var l line
	require.NoError(t, json.Unmarshal(text, &l), "%s", text)
	same := func(raw json.RawMessage, value any, err error) {
		t.Helper()
		require.NoError(t, err, "%s", raw)
		again, err := json.Marshal(value)
		require.NoError(t, err)
		require.JSONEq(t, string(raw), string(again))
		seen[reflect.TypeOf(value)] = true
		if field, has := reflect.TypeOf(value).FieldByName("Type"); has {
			require.Equal(t, field.Tag.Get("const"), reflect.ValueOf(value).FieldByName("Type").String())
		}
	}
	switch {
	case l.Event != nil:
		event, err := protocol.DecodeVoiceEvent(l.Event)
		same(l.Event, event, err)
	case l.Command != nil:
		command, err := protocol.DecodeVoiceCommand(l.Command)
		same(l.Command, command, err)
	case l.State != nil:
		var state protocol.Conversation
		err := json.Unmarshal(l.State, &state)
		same(l.State, state, err)
	case l.Chat != nil:
		event, err := protocol.DecodeChatEvent(l.Chat.Event)
		same(l.Chat.Event, event, err)
	default:
		require.NotNil(t, l.Audio, "%s", text)
	}
}

func TestMalformedFramesAreNamed(t *testing.T) {
	for frame, words := range map[string]string{
		``: "JSON object", `{`: "JSON object", `["ask"]`: "JSON object", `"ask"`: "JSON object", `null`: "JSON object", `{"type":"ask"} {}`: "JSON object",
		`{}`: "type", `{"type":7}`: "type", `{"type":null}`: "type",
		`{"type":"dance"}`:                    `"dance"`,
		`{"type":"ask","id":7,"text":7}`:      `"text"`,
		`{"type":"ask","id":"7","text":"x"}`:  `"id"`,
		`{"type":"ask","id":7.5,"text":"x"}`:  `"id"`,
		`{"type":"ask","id":1e99,"text":"x"}`: `"id"`,
		`{"type":"ask","text":"x"}`:           `"id"`,
		`{"type":"ask","id":7}`:               `"text"`,
		`{"type":"retry","id":7}`:             `"of"`,
		`{"type":"cancel","id":0}`:            `"id"`,
		`{"type":"cancel","id":-1}`:           `"id"`,
		`{"type":"cancel","id":"1"}`:          `"id"`,
		`{"type":"credit","id":7}`:            `"played_ms"`,
	} {
		command, err := protocol.DecodeVoiceCommand([]byte(frame))
		var malformed *protocol.MalformedError
		require.ErrorAs(t, err, &malformed, frame)
		require.Contains(t, malformed.Message, words, frame)
		require.Nil(t, command, frame)
	}
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	command, err := protocol.DecodeVoiceCommand([]byte(`{"type":"credit","id":7,"played_ms":0,"unknown":{}}`))
	require.NoError(t, err)
	require.Equal(t, protocol.CreditCommand{Type: "credit", ID: 7}, command)
	command, err = protocol.DecodeVoiceCommand([]byte(`{"type":"played","id":"anything"}`))
	require.NoError(t, err)
	require.Equal(t, protocol.PlayedCommand{Type: "played"}, command)
}

func TestAudioFrames(t *testing.T) {
	frame := protocol.EncodeAudio(7, 4_000_000_000, []int16{0, 1, -1, 32767, -32768})
	require.Equal(t, []byte{7, 0, 0, 0, 0x00, 0x28, 0x6b, 0xee, 0, 0, 1, 0, 255, 255, 255, 127, 0, 128}, frame)
	id, offset, pcm, err := protocol.DecodeAudio(frame)
	require.NoError(t, err)
	require.Equal(t, 7, id)
	require.Equal(t, 4_000_000_000, offset)
	require.Equal(t, []int16{0, 1, -1, 32767, -32768}, pcm)
	for _, bad := range [][]byte{nil, frame[:7], frame[:9]} {
		_, _, _, err = protocol.DecodeAudio(bad)
		require.Error(t, err)
	}
	_, err = protocol.DecodePCM(make([]byte, 641))
	require.Error(t, err)
}

func TestListsAreNeverNull(t *testing.T) {
	for _, conversation := range []protocol.Conversation{{}, {Active: true}} {
		data, err := json.Marshal(conversation)
		require.NoError(t, err)
		require.Contains(t, string(data), `"turns":[]`)
		require.Equal(t, conversation.Active, strings.Contains(string(data), `"forget_at":null`))
	}
}

func FuzzDecodeVoiceCommand(f *testing.F) {
	f.Add([]byte(`{"type":"ask","id":1,"text":"x"}`))
	f.Add([]byte(`{"type":"cancel","id":null}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		command, err := protocol.DecodeVoiceCommand(frame)
		require.Equal(t, err == nil, command != nil)
	})
}
