package openai

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"

	"echo-companion/backend/audio/wav"
	"echo-companion/backend/speech"
	"echo-companion/backend/speech/resample"
)

const (
	defaultVoice = "alloy"                     // which servers commonly know
	chunkBytes   = 2 * speech.OutputRate / 5   // at most in one piece of sound: 200 ms
	maxSound     = 2 * speech.OutputRate * 600 // ten minutes at 24 kHz: no piece of text is that long
)

// Synthesize asks for text to be spoken and gives the sound to emit as it comes, at 24 kHz. An empty voice is "alloy".
func (c *Client) Synthesize(ctx context.Context, server Server, voice, text string, emit func(pcm []int16) error) error {
	if voice == "" {
		voice = defaultVoice
	}
	body, err := json.Marshal(map[string]string{"model": server.Model, "voice": voice, "input": text, "response_format": "pcm"})
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	call := c.begin(ctx, "voice", server)
	defer call.end()
	response, err := call.post("/audio/speech", "application/json", body)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err == nil && !sound(kind) {
		return call.nonsense(fmt.Errorf("its answer is of the type %s", kind))
	}
	return call.play(bufio.NewReaderSize(call.reader(response.Body), chunkBytes), emit)
}

// sound tells whether an answer of this media type may be PCM or WAV. Servers call PCM by many names, or guess one from its
// first bytes; text and compressed sound they name rightly.
func sound(kind string) bool {
	switch kind {
	case "application/json", "application/problem+json", "application/xml",
		"audio/mpeg", "audio/mp3", "audio/ogg", "audio/aac", "audio/flac", "audio/opus":
		return false
	default:
		return !strings.HasPrefix(kind, "text/")
	}
}

// play reads bare samples or a WAV file.
func (c *call) play(body *bufio.Reader, emit func([]int16) error) error {
	start, err := body.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return c.broken(err)
	}
	if !wav.Is(start) {
		return c.samples(io.LimitReader(body, maxSound), wav.Format{Rate: speech.OutputRate, Channels: 1}, emit)
	}
	format, length, err := wav.ReadHeader(body)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return c.broken(err)
	case err != nil:
		return c.nonsense(err)
	case length < 0 || length > maxSound:
		length = maxSound
	}
	return c.samples(io.LimitReader(body, length), format, emit)
}

// samples gives what is read to emit, in pieces, as mono sound of the protocol's rate.
func (c *call) samples(body io.Reader, format wav.Format, emit func([]int16) error) error {
	resampler, err := resample.New(format.Rate, speech.OutputRate)
	if err != nil {
		return c.nonsense(err)
	}
	give := func(pcm []int16) error {
		if len(pcm) == 0 {
			return nil
		}
		return emit(pcm)
	}
	frame := 2 * format.Channels
	buffer := make([]byte, chunkBytes/frame*frame)
	kept, heard := 0, false
	for {
		n, err := body.Read(buffer[kept:])
		n += kept
		whole := n / frame * frame
		if whole > 0 {
			heard = true
			pcm := mono(buffer[:whole], format.Channels)
			if format.Rate != speech.OutputRate {
				pcm = resample.PCM(resampler.Write(resample.Floats(pcm)))
			}
			if err := give(pcm); err != nil {
				return err
			}
		}
		kept = copy(buffer, buffer[whole:n])
		switch {
		case err == nil:
		case !errors.Is(err, io.EOF):
			return c.broken(err)
		case !heard:
			return c.nonsense(errors.New("its answer holds no sound"))
		default:
			return give(resample.PCM(resampler.Flush()))
		}
	}
}

// mono mixes interleaved 16-bit samples down to one channel.
func mono(data []byte, channels int) []int16 {
	pcm := make([]int16, len(data)/2/channels)
	for i := range pcm {
		sum := 0
		for channel := range channels {
			sum += int(int16(binary.LittleEndian.Uint16(data[2*(i*channels+channel):]))) //nolint:gosec // the same 16 bits
		}
		pcm[i] = int16(sum / channels) //nolint:gosec // a mean of samples is in their range
	}
	return pcm
}
