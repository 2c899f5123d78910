package wav_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/audio/wav"
)

func TestFileReadsAsItWasWritten(t *testing.T) {
	file := wav.Encode([]int16{0, 1, -1, 32767, -32768}, 16000)
	require.True(t, wav.Is(file))
	r := bytes.NewReader(file)
	format, length, err := wav.ReadHeader(r)
	require.NoError(t, err)
	require.Equal(t, wav.Format{Rate: 16000, Channels: 1}, format)
	require.EqualValues(t, 10, length)
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, []byte{0, 0, 1, 0, 255, 255, 255, 127, 0, 128}, rest)
}

func TestStreamedHeadersHaveNoLength(t *testing.T) {
	for _, size := range []string{"\x00\x00\x00\x00", "\xff\xff\xff\xff", "\xff\xff\xff\x7f"} {
		file := wav.Encode(nil, 24000)
		copy(file[40:], size)
		_, length, err := wav.ReadHeader(bytes.NewReader(file))
		require.NoError(t, err)
		require.EqualValues(t, -1, length)
	}
}

func TestOtherChunksAreSkipped(t *testing.T) {
	file := wav.Encode([]int16{5}, 24000)
	with := append(append(append([]byte{}, file[:12]...), "LIST\x03\x00\x00\x00abc\x00"...), file[12:]...)
	format, length, err := wav.ReadHeader(bytes.NewReader(with))
	require.NoError(t, err)
	require.Equal(t, 24000, format.Rate)
	require.EqualValues(t, 2, length)
}

func TestOtherFilesAreRefused(t *testing.T) {
	eight := wav.Encode([]int16{5}, 24000)
	eight[34] = 8
	headless := append([]byte("RIFF\x00\x00\x00\x00WAVE"), "data\x02\x00\x00\x00\x01\x00"...)
	huge := append([]byte("RIFF\x00\x00\x00\x00WAVE"), "LIST\xff\xff\xff\xff"...)
	for _, file := range [][]byte{nil, []byte("RIFF"), []byte("ID3 is a song, not speech"), eight, headless, huge, wav.Encode(nil, 1)[:30]} {
		_, _, err := wav.ReadHeader(bytes.NewReader(file))
		require.ErrorIs(t, err, wav.ErrFormat)
	}
}

func FuzzReadHeader(f *testing.F) {
	f.Add(wav.Encode([]int16{1, 2, 3}, 24000))
	f.Fuzz(func(t *testing.T, file []byte) {
		format, _, err := wav.ReadHeader(bytes.NewReader(file))
		if err != nil {
			require.ErrorIs(t, err, wav.ErrFormat)
			return
		}
		require.Positive(t, format.Rate)
		require.Positive(t, format.Channels)
	})
}
