//go:build !production && !dev && !bindings

package app

import (
	"context"
	"errors"

	"echo-companion/backend/echo"
	"echo-companion/backend/protocol"
)

// HasWindow tells whether this build has the desktop window.
const HasWindow = false

// errNoWindow answers a bare start of a build that has no window.
const errNoWindow = "this build of Echo has no window: run `echo-companion serve` and use the dashboard in a browser, or build the desktop app with `make build`"

// Desktop is the desktop shell; this build has none.
type Desktop struct{}

// NewDesktop wires the desktop shell. It starts nothing, and may be made before the core that it is to run on.
func NewDesktop() *Desktop { return &Desktop{} }

// Companion moves the window, as POST /api/companion asks. Without one it answers no_window.
func (*Desktop) Companion(context.Context, protocol.CompanionAction) error {
	return echo.Errorf(echo.CodeNoWindow, "This Echo has no window. Start the desktop app to use it.")
}

// Run says that there is no window.
func (*Desktop) Run(context.Context, Core) error { return errors.New(errNoWindow) }
