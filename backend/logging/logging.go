// Package logging makes the program's logger: text lines with a level per package, "info,conversation=debug".
package logging

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// PackageKey is the attribute that names the package of a logger.
const PackageKey = "pkg"

// Levels are how much is logged, by package.
type Levels struct {
	otherwise slog.Level
	of        map[string]slog.Level
}

// ParseLevels reads "info", or "warn,conversation=debug,engine=info". An empty text is "info".
func ParseLevels(text string) (Levels, error) {
	levels := Levels{of: map[string]slog.Level{}}
	for field := range strings.SplitSeq(text, ",") {
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		name, level, named := strings.Cut(field, "=")
		if !named {
			name, level = "", field
		}
		var parsed slog.Level
		if err := parsed.UnmarshalText([]byte(level)); err != nil {
			return Levels{}, fmt.Errorf("log level %q: want debug, info, warn or error, or package=level", field)
		}
		if named {
			levels.of[name] = parsed
		} else {
			levels.otherwise = parsed
		}
	}
	return levels, nil
}

// New makes a logger that writes text lines to w.
func New(w io.Writer, levels Levels) *slog.Logger {
	all := slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})
	return slog.New(handler{next: all, levels: levels, level: levels.otherwise})
}

// For is a package's own logger.
func For(logger *slog.Logger, pkg string) *slog.Logger { return logger.With(PackageKey, pkg) }

// handler lets through what its package's level allows.
type handler struct {
	next   slog.Handler
	levels Levels
	level  slog.Level
}

func (h handler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

func (h handler) Handle(ctx context.Context, record slog.Record) error {
	return h.next.Handle(ctx, record)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, attr := range attrs {
		if attr.Key != PackageKey {
			continue
		}
		if level, found := h.levels.of[attr.Value.String()]; found {
			h.level = level
		}
	}
	h.next = h.next.WithAttrs(attrs)
	return h
}

func (h handler) WithGroup(name string) slog.Handler {
	h.next = h.next.WithGroup(name)
	return h
}
