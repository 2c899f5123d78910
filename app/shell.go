package app

import (
	"context"
	"log/slog"

	"echo-companion/app/window"
)

// Shell is the window itself, for its page.
type Shell struct {
	desk      *desk
	version   string
	dashboard func(ctx context.Context) error
	quit      func(ctx context.Context)
	logger    *slog.Logger
}

// Fold makes the window the orb.
func (s *Shell) Fold() error {
	return act(s.logger, func(ctx context.Context) error { s.desk.Fold(ctx); return nil })
}

// Unfold makes the orb the window.
func (s *Shell) Unfold() error {
	return act(s.logger, func(ctx context.Context) error { s.desk.Show(ctx); return nil })
}

// Hide leaves Echo to the tray.
func (s *Shell) Hide() error {
	return act(s.logger, func(ctx context.Context) error { s.desk.Hide(ctx); return nil })
}

// Quit ends Echo, after asking where a reply runs.
func (s *Shell) Quit() error {
	return act(s.logger, func(ctx context.Context) error { s.quit(ctx); return nil })
}

// OpenDashboard opens the dashboard in the browser.
func (s *Shell) OpenDashboard() error { return act(s.logger, s.dashboard) }

// Form is what the window is.
func (s *Shell) Form() window.Form { return s.desk.Form() }

// Orb is what the orb shows now: it is told of changes alone, and a page may come after one.
func (s *Shell) Orb() OrbView { return s.desk.Orb() }

// Version is Echo's version.
func (s *Shell) Version() string { return s.version }
