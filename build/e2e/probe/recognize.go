package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"echo-companion/backend/audio"
	"echo-companion/backend/speech/local"
)

// recognize writes down what is said in a file of raw samples, 16 kHz mono s16le, with echo-engine and its models. Quiet at both
// ends is cut to what recognisers like.
func recognize(ctx context.Context, engine, models, path string, out io.Writer) error {
	data, err := os.ReadFile(path) //nolint:gosec // the file that the caller names
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	engines := local.New(local.Config{Path: engine, Models: models}, slog.New(slog.DiscardHandler))
	var running sync.WaitGroup
	running.Go(func() { _ = engines.Run(ctx) })
	defer running.Wait()
	defer stop()
	text, err := engines.Recognizer().Recognize(ctx, trim(audio.Samples(data), 0.005, 20*frame))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, text)
	return err
}

// frame is 20 ms.
const frame = 320

// trim keeps what lies from margin before the first loud frame to margin after the last one.
func trim(pcm []int16, loud float64, margin int) []int16 {
	first, last := -1, 0
	for i := 0; i+frame <= len(pcm); i += frame {
		if audio.RMS(pcm[i:i+frame]) > loud {
			if first < 0 {
				first = i
			}
			last = i + frame
		}
	}
	if first < 0 {
		return nil
	}
	return pcm[max(first-margin, 0):min(last+margin, len(pcm))]
}

// level prints the RMS of what is said in a file of raw samples, with four digits, however loud it is.
func level(path string, out io.Writer) error {
	data, err := os.ReadFile(path) //nolint:gosec // the file that the caller names
	if err != nil {
		return err
	}
	pcm := audio.Samples(data)
	loudest := 0.0
	for i := 0; i+frame <= len(pcm); i += frame {
		loudest = max(loudest, audio.RMS(pcm[i:i+frame]))
	}
	_, err = fmt.Fprintf(out, "%.4f\n", audio.RMS(trim(pcm, loudest/20, 0)))
	return err
}
