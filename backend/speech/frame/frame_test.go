package frame_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/speech/frame"
)

func TestFramesComeOutAsTheyWentIn(t *testing.T) {
	frames := []frame.Frame{
		{Kind: frame.KindReady, Payload: []byte{}},
		{Kind: frame.KindRecognize, Request: 7, Payload: frame.PCM([]int16{0, 1, -1, 32767, -32768})},
		{Kind: frame.KindFailed, Request: 1<<32 - 1, Payload: frame.JSON(frame.Failure{Message: "no voice", Missing: "a/b"})},
	}
	var pipe bytes.Buffer
	for _, f := range frames {
		require.NoError(t, frame.Write(&pipe, f))
	}
	for _, want := range frames {
		got, err := frame.Read(&pipe)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := frame.Read(&pipe)
	require.Equal(t, io.EOF, err)
}

func TestTruncatedFrameIsNotAnEnd(t *testing.T) {
	var pipe bytes.Buffer
	require.NoError(t, frame.Write(&pipe, frame.Frame{Kind: frame.KindText, Payload: []byte("hello")}))
	whole := pipe.Bytes()
	for cut := 1; cut < len(whole); cut++ {
		_, err := frame.Read(bytes.NewReader(whole[:cut]))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut at %d", cut)
	}
}

func TestSizeIsBoundedBothWays(t *testing.T) {
	_, err := frame.Read(bytes.NewReader([]byte{1, 0, 128, 0, 1, 0, 0, 0, 0}))
	require.ErrorIs(t, err, frame.ErrTooLarge)
	require.ErrorIs(t, frame.Write(io.Discard, frame.Frame{Payload: make([]byte, frame.MaxPayload+1)}), frame.ErrTooLarge)
}

func TestNumbersAndSamplesRoundTrip(t *testing.T) {
	numbers, err := frame.Numbers(frame.Floats([]float32{0, -1.5, 3e38}))
	require.NoError(t, err)
	require.Equal(t, []float32{0, -1.5, 3e38}, numbers)
	_, err = frame.Numbers([]byte{1, 2, 3})
	require.Error(t, err)
	_, err = frame.Samples([]byte{1, 2, 3})
	require.Error(t, err)
}

func FuzzRead(f *testing.F) {
	var pipe bytes.Buffer
	require.NoError(f, frame.Write(&pipe, frame.Frame{Kind: frame.KindAudio, Request: 3, Payload: []byte{1, 2, 3, 4}}))
	f.Add(pipe.Bytes())
	f.Add([]byte{255, 255, 255, 255, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		stream := bytes.NewReader(data)
		var again bytes.Buffer
		for {
			got, err := frame.Read(stream)
			if err != nil {
				known := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, frame.ErrTooLarge)
				require.True(t, known, "unexpected error %v", err)
				break
			}
			require.NoError(t, frame.Write(&again, got))
		}
		require.True(t, bytes.HasPrefix(data, again.Bytes()), "what was read is not what was sent")
	})
}
