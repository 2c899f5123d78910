package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"echo-companion/backend/device"
	"echo-companion/backend/reason/choice"
	"echo-companion/backend/settings"
	"echo-companion/backend/speech/models"
)

// finding is one line of the doctor's report.
type finding struct {
	what  string
	ready bool
	found string // what there is, or what is missing
	fix   string // the one step that helps; empty when ready
}

func ready(what, format string, values ...any) finding {
	return finding{what: what, ready: true, found: fmt.Sprintf(format, values...)}
}

// unwellError ends a doctor's visit that found something missing; the report has said what.
type unwellError struct{ missing int }

// Error implements error.
func (e unwellError) Error() string {
	if e.missing == 1 {
		return "one thing is missing: see above"
	}
	return fmt.Sprintf("%d things are missing: see above", e.missing)
}

// doctor prints each engine, device and folder: what is ready, what is missing, and the step that fixes it. It starts and
// changes nothing.
func doctor(ctx context.Context, in Invocation, o Options) error {
	chosen, err := settings.Open(filepath.Join(o.Data, "settings.json"))
	if err != nil {
		return err
	}
	findings := examineFolder(ctx, o)
	findings = append(findings, examinePrograms(in)...)
	findings = append(findings, examineModels()...)
	findings = append(findings, examineReasoning(ctx, chosen))
	findings = append(findings, examineSound(ctx)...)
	missing := 0
	for _, f := range findings {
		mark := "ready  "
		if !f.ready {
			mark = "missing"
			missing++
		}
		_, _ = fmt.Fprintf(in.Stdout, "%s  %-22s %s\n", mark, f.what, f.found)
		if f.fix != "" {
			_, _ = fmt.Fprintf(in.Stdout, "%33s-> %s\n", "", f.fix)
		}
	}
	if missing > 0 {
		return unwellError{missing}
	}
	return nil
}

// examineFolder looks at the data folder, and whether an Echo runs with it.
func examineFolder(ctx context.Context, o Options) []finding {
	data := finding{what: "data folder", found: o.Data}
	if probe, err := os.CreateTemp(existing(o.Data), ".doctor-*"); err != nil {
		data.found, data.fix = o.Data+" cannot be written", "make it yours, or name another with --data"
	} else {
		data.ready = true
		_ = probe.Close()
		_ = os.Remove(probe.Name())
	}
	found := []finding{data}
	if server, alive := aliveServer(ctx, o.Data); alive {
		found = append(found, ready("running", "process %d, dashboard at http://%s", server.PID, server.Addr))
	}
	return found
}

// existing is the nearest folder above path that is there.
func existing(path string) string {
	for {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path
		}
		if parent := filepath.Dir(path); parent != path {
			path = parent
			continue
		}
		return path
	}
}

// examinePrograms looks for the window, the engine and the pages.
func examinePrograms(in Invocation) []finding {
	window := ready("window", "built in")
	if !HasWindow {
		window = finding{what: "window", found: "this build has none", fix: "run `make build`, then build/bin/echo-companion; or use `echo-companion serve`"}
	}
	engine := finding{what: "echo-engine", found: "not beside this program", fix: "run `make build`"}
	if path, err := enginePath(in); err == nil {
		engine = ready("echo-engine", "%s", path)
	}
	pages := ready("dashboard", "built in")
	if file, err := in.UI.Open("index.html"); err != nil {
		pages = finding{what: "dashboard", found: "not built", fix: "run `make build`"}
	} else {
		_ = file.Close()
	}
	return []finding{window, engine, pages}
}

func examineModels() []finding {
	dir, err := modelsDir()
	if err != nil {
		return []finding{{what: "speech models", found: err.Error(), fix: "set HOME"}}
	}
	var found []finding
	for _, part := range models.Check(dir) {
		f := finding{what: part.Name, ready: part.Ready, found: dir, fix: part.Fix}
		if !part.Ready {
			f.found = "missing: " + part.Missing
		}
		found = append(found, f)
	}
	return found
}

// examineReasoning says who would answer.
func examineReasoning(ctx context.Context, chosen *settings.Store) finding {
	reasoner := choice.New(choice.Config{
		Settings:      func() choice.Settings { return reasoningSettings(chosen) },
		EngineTimeout: 5 * time.Second,
	}, nil)
	_, problems := reasoner.Models(ctx)
	if len(problems) > 0 {
		return finding{what: "reasoning", found: problems[0].Name, fix: problems[0].Problem}
	}
	return ready("reasoning", "%s", reasoner.Engine().Name)
}

// examineSound lists the microphones and loudspeakers.
func examineSound(ctx context.Context) []finding {
	if !HasWindow { // sound is built in with the window
		return []finding{ready("sound", "the browser's, on the dashboard")}
	}
	if !device.BuiltIn {
		return []finding{{what: "sound", found: "not built in", fix: "build with CGO_ENABLED=1 and a C compiler; typing and reading work without"}}
	}
	list, err := device.New(slog.New(slog.DiscardHandler)).List()
	if err != nil || ctx.Err() != nil {
		return []finding{{what: "sound", found: "the sound system does not answer", fix: "start PulseAudio or PipeWire; typing works without"}}
	}
	return []finding{
		examineDevices("microphone", list.Inputs, "plug one in; typing works without"),
		examineDevices("loudspeaker", list.Outputs, "plug one in; reading works without"),
	}
}

func examineDevices(what string, infos []device.Info, fix string) finding {
	if len(infos) == 0 {
		return finding{what: what, found: "none", fix: fix}
	}
	names := make([]string, 0, len(infos))
	for _, info := range infos {
		name := info.Name
		if info.Default {
			name += " (default)"
		}
		names = append(names, name)
	}
	return ready(what, "%s", strings.Join(names, ", "))
}
