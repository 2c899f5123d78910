// Package app is Echo as a program: the composition of the backend, its commands, and the desktop shell around it. It is the
// only importer of Wails and the tray, and alone with main it reads the environment.
package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"echo-companion/backend/logging"
	"echo-companion/backend/workspace"
)

// Invocation is how the program was started.
type Invocation struct {
	Args    []string
	Version string
	UI      fs.FS // the built frontend; without index.html a plain page stands in
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
}

// Options are the flags that `serve` and the desktop app share.
type Options struct {
	Addr          string
	AddrChosen    bool // the user named it: it does not give way to another port
	Data          string
	Keep          time.Duration
	EngineTimeout time.Duration
}

// DefaultAddr is where the API listens unless told.
const DefaultAddr = "127.0.0.1:3246"

const usage = `Echo is a voice companion that lives on this machine.

  echo-companion                 open the window (the API and the dashboard run with it)
  echo-companion serve           the API and the dashboard without a window
  echo-companion open            open the dashboard of the Echo that runs
  echo-companion doctor          what is ready, what is missing, and the step that fixes it
  echo-companion models fetch    fetch the speech models that are missing
  echo-companion version

Flags of the first two: --addr 127.0.0.1:3246, --data DIR, --keep 30m, --engine-timeout 60s.
`

// errUsage ends a command whose flags are off; the flag package has said why.
var errUsage = errors.New("usage")

// Main runs the command that the invocation names and returns the exit status.
func Main(ctx context.Context, in Invocation) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := in.run(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		return 2
	}
	_, _ = fmt.Fprintf(in.Stderr, "echo-companion: %v\n", err)
	return 1
}

func (in Invocation) run(ctx context.Context) error {
	command, args := "", in.Args
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		command, args = args[0], args[1:]
	}
	switch command {
	case "":
		return in.withOptions(args, func(o Options, logger *slog.Logger) error { return runDesktop(ctx, in, o, logger) })
	case "serve":
		return in.withOptions(args, func(o Options, logger *slog.Logger) error { return serve(ctx, in, o, logger) })
	case "doctor":
		return in.withOptions(args, func(o Options, _ *slog.Logger) error { return doctor(ctx, in, o) })
	case "open":
		return in.withOptions(args, func(o Options, _ *slog.Logger) error { return openDashboard(ctx, in, o) })
	case "models":
		return in.models(ctx, args)
	case pdfCommand:
		return readPDF(os.Stdin, in.Stdout)
	case "version":
		_, err := fmt.Fprintln(in.Stdout, "echo-companion", in.Version)
		return err
	case "help":
		_, err := io.WriteString(in.Stdout, usage)
		return err
	}
	_, _ = fmt.Fprintf(in.Stderr, "there is no command %q\n\n%s", command, usage)
	return errUsage
}

// withOptions reads the shared flags and makes the logger.
func (in Invocation) withOptions(args []string, run func(Options, *slog.Logger) error) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return fmt.Errorf("find the home folder: %w: set HOME", err)
	}
	data := workspace.DefaultDir(home, in.Getenv)
	options := Options{}
	flags := flag.NewFlagSet("echo-companion", flag.ContinueOnError)
	flags.SetOutput(in.Stderr)
	flags.Usage = func() { _, _ = io.WriteString(in.Stderr, usage) }
	flags.StringVar(&options.Addr, "addr", DefaultAddr, "where the API listens; port 0 picks a free one")
	flags.StringVar(&options.Data, "data", data, "the data folder")
	flags.DurationVar(&options.Keep, "keep", 30*time.Minute, "how long a detached, idle conversation is kept")
	flags.DurationVar(&options.EngineTimeout, "engine-timeout", time.Minute, "how long an engine may send nothing")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return errUsage
	case flags.NArg() > 0:
		_, _ = fmt.Fprintf(in.Stderr, "what is %q?\n\n%s", flags.Arg(0), usage)
		return errUsage
	case options.Keep <= 0 || options.EngineTimeout <= 0:
		_, _ = fmt.Fprintln(in.Stderr, "--keep and --engine-timeout take a time above zero, such as 30m or 60s")
		return errUsage
	}
	flags.Visit(func(f *flag.Flag) { options.AddrChosen = options.AddrChosen || f.Name == "addr" })
	if options.Data, err = filepath.Abs(options.Data); err != nil {
		return fmt.Errorf("find the data folder: %w", err)
	}
	levels, err := logging.ParseLevels(in.Getenv("ECHO_LOG"))
	if err != nil {
		return fmt.Errorf("ECHO_LOG: %w", err)
	}
	return run(options, logging.New(in.Stderr, levels))
}
