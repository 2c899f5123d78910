package openai

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
)

// replay reads a stream as if a server had sent it, in pieces of any size.
func replay(t *testing.T, stream io.Reader) (text string, calls []reason.Call, err error) {
	t.Helper()
	client := New(Config{BaseURL: "http://model/v1"})
	e := &exchange{parent: t.Context(), ctx: t.Context(), cancel: func(error) {}, timer: time.NewTimer(time.Hour), limit: time.Hour, body: io.NopCloser(stream)}
	defer e.close()
	err = client.read(e, func(chunk reason.Chunk) error {
		require.True(t, utf8.ValidString(chunk.Text))
		require.True(t, chunk.Text != "" || len(chunk.Calls) > 0)
		text += chunk.Text
		calls = append(calls, chunk.Calls...)
		return nil
	})
	return text, calls, err
}

// FuzzStream: whatever a server sends, it is read alike however it is cut, and ends in an answer or in a coded error.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\\ud83d\"}}]}\r\n\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"\\ude42\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}},{\"function\":{\"arguments\":{}}}]}}]}\n\ndata: [DONE]\n\n",
		"data: {\"choices\":[{\"delta\":{\"content\":\"<think>x</think>\\n y\xf0\x9f\"}}]}\n\n:c\n\ndata: {\"error\":{\"message\":\"no\"}}\n\n",
		"{\"choices\":[{\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"}]},\"finish_reason\":\"stop\"}]}",
		"<html>", "", "data: 7\n\n", "event: error\ndata\n\n", "\xef\xbb\xbfdata: [DONE]\r\r",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		text, calls, err := replay(t, strings.NewReader(stream))
		if err != nil {
			require.Equal(t, echo.CodeEngineError, echo.CodeOf(err))
			require.NotEmpty(t, echo.AsError(err).Message)
		}
		again, callsAgain, errAgain := replay(t, iotest.OneByteReader(strings.NewReader(stream)))
		require.Equal(t, text, again)
		require.Equal(t, calls, callsAgain)
		require.Equal(t, err == nil, errAgain == nil)
	})
}

// FuzzText: a text that is cut into JSON strings anywhere comes out as it went in.
func FuzzText(f *testing.F) {
	f.Add("Grüße, 日本 🙂", 3, 9)
	f.Add("\\u\"\b\x00", 1, 2)
	f.Fuzz(func(t *testing.T, text string, first, second int) {
		text = strings.ToValidUTF8(text, "?")
		first = min(max(first, 0), len(text))
		second = min(max(second, first), len(text))
		var j joiner
		var got strings.Builder
		for _, piece := range []string{text[:first], text[first:second], text[second:]} {
			more, err := j.add(quote(t, piece))
			require.NoError(t, err)
			got.WriteString(more)
		}
		require.Equal(t, text, got.String()+j.rest())
	})
}

// quote makes a JSON string of bytes that need not be whole characters.
func quote(t *testing.T, piece string) json.RawMessage {
	t.Helper()
	quoted := []byte{'"'}
	for i := range len(piece) {
		switch b := piece[i]; {
		case b == '"' || b == '\\':
			quoted = append(quoted, '\\', b)
		case b < 0x20:
			quoted = append(quoted, "\\u00"+string("0123456789abcdef"[b>>4])+string("0123456789abcdef"[b&15])...)
		default:
			quoted = append(quoted, b)
		}
	}
	return append(quoted, '"')
}
