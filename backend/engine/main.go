// Program echo-engine runs Echo's speech models in a process of its own: what it costs in memory goes when it ends, its crash
// costs a sentence, and its licence is its own (sherpa-onnx carries espeak-ng, GPL-3.0; see docs/licences.md).
//
//	echo-engine recognize|synthesize|listen|embed --models DIR
//
// It reads requests from standard input and answers on standard output, in the frames of backend/speech/frame, one request
// after the other. It ends when its input does, so that it never outlives the app.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"

	"echo-companion/backend/speech/frame"
)

// options are what the command line says.
type options struct {
	mode    string
	models  string
	voice   string // the one that is loaded before the first request
	threads int
}

func main() {
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	// Ctrl-C reaches every process of the terminal; this one ends when the app closes its input.
	signal.Ignore(os.Interrupt)
	err := run(context.Background(), os.Args[1:], os.Stdin, logger)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		logger.Error("echo-engine ended", "error", err)
		os.Exit(1) //nolint:forbidigo // this is main
	}
}

func run(ctx context.Context, arguments []string, in io.Reader, logger *slog.Logger) error {
	options, err := parse(arguments)
	if err != nil {
		return err
	}
	out, err := claimOutput()
	if err != nil {
		return fmt.Errorf("open the output: %w", err)
	}
	worker, err := load(options)
	if err != nil {
		_ = frame.Write(out, frame.Frame{Kind: frame.KindFailed, Payload: failure(err)}) // the log has it too
		return err
	}
	logger.DebugContext(ctx, "loaded", "mode", options.mode)
	return serve(ctx, in, out, worker)
}

func parse(arguments []string) (options, error) {
	const usage = "usage: echo-engine recognize|synthesize|listen|embed --models DIR [--voice jenny] [--threads N]"
	if len(arguments) == 0 {
		return options{}, errors.New(usage)
	}
	parsed := options{mode: arguments[0]}
	flags := flag.NewFlagSet("echo-engine", flag.ContinueOnError)
	flags.StringVar(&parsed.models, "models", "", "folder of the models")
	flags.StringVar(&parsed.voice, "voice", defaultVoice, "voice that is loaded first")
	flags.IntVar(&parsed.threads, "threads", fittingThreads(runtime.NumCPU()), "threads of a model")
	if err := flags.Parse(arguments[1:]); err != nil {
		return options{}, err
	}
	if parsed.models == "" || parsed.threads < 1 {
		return options{}, errors.New(usage)
	}
	return parsed, nil
}

// fittingThreads leaves half of the processor to others, and takes two threads at most: more gain little. Two threads on two
// cores are the slower ones as soon as anything else runs, for each waits for the other (measured under load: recognition
// takes two to three times as long, synthesis twice).
func fittingThreads(cores int) int {
	return max(1, min(2, cores/2))
}

// load makes the worker of a mode, which then holds its models in memory.
func load(o options) (worker, error) {
	switch o.mode {
	case "recognize":
		return newRecognizer(o)
	case "synthesize":
		return newSynthesizer(o)
	case "listen":
		return newListener(o)
	case "embed":
		return newEmbedder(o)
	default:
		return nil, fmt.Errorf("unknown mode %q", o.mode)
	}
}
