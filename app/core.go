package app

import (
	"context"
	"io/fs"
	"log/slog"

	"echo-companion/backend/capture"
	"echo-companion/backend/chat"
	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
	"echo-companion/backend/protocol"
	"echo-companion/backend/reason"
	"echo-companion/backend/settings"
)

// Core is what the desktop shell needs of the composed backend. All of it runs before the window opens, and goes on until after
// it has closed.
type Core struct {
	Conversation *conversation.Conversation
	Settings     *settings.Store
	// Chats gives the chats of the current workspace.
	Chats func(ctx context.Context) (*chat.Chats, error)
	// Models tells what can be chosen now, and which engines could not be asked.
	Models func(ctx context.Context) ([]reason.Model, []echo.Engine)
	// Status tells how Echo stands, as GET /api/status does, and starts nothing.
	Status func(ctx context.Context) (protocol.Status, error)
	// Detector tells speech from other sounds, for hands-free; nil where there is none.
	Detector capture.Detector
	// Ending judges a pause of hands-free by what was said before it: see capture.Ports. nil where nothing can.
	Ending func(ctx context.Context, pcm []int16) (share float64)
	// DashboardURL is the dashboard's address with its token.
	DashboardURL func() string
	// UI is the built frontend.
	UI fs.FS
	// Data is the data folder.
	Data    string
	Version string
	Logger  *slog.Logger
}
