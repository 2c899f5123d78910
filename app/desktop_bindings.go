//go:build bindings

package app

import (
	"context"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"

	"echo-companion/backend/echo"
	"echo-companion/backend/protocol"
)

// HasWindow is false here: this build exists for the moment in which the Wails CLI asks what is bound. It must neither take the
// data folder nor listen.
const HasWindow = false

// Desktop tells the Wails CLI what is bound.
type Desktop struct{}

// NewDesktop makes it.
func NewDesktop() *Desktop { return &Desktop{} }

// Companion answers no_window.
func (*Desktop) Companion(context.Context, protocol.CompanionAction) error {
	return echo.Errorf(echo.CodeNoWindow, "This Echo has no window. Start the desktop app to use it.")
}

// Run writes the bindings, and returns.
func (*Desktop) Run(context.Context, Core) error {
	return wails.Run(&options.App{Title: "Echo", Bind: []any{&Voice{}, &Capture{}, &Chats{}, &Settings{}, &Shell{}}})
}
