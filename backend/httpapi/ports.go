package httpapi

import (
	"context"
	"io/fs"
	"log/slog"
	"time"

	"echo-companion/backend/chat"
	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
	"echo-companion/backend/protocol"
	"echo-companion/backend/reason"
	"echo-companion/backend/settings"
)

// Config is what does not change while the server runs.
type Config struct {
	// Addr is the address that the user named for the server. Its host is one that requests may name, beside the loopback ones.
	Addr    string
	Token   string
	Version string
	Data    string // the folder in which all that Echo keeps lies
	Logger  *slog.Logger

	KeepAlive time.Duration // between two comments of an event stream; 0 is 15 s
	Ping      time.Duration // between two pings of a WebSocket; 0 is 20 s
	Patience  time.Duration // for a WebSocket's peer to take a frame or answer a ping; 0 is 10 s
}

// Ports is what the server answers from.
type Ports struct {
	Conversation *conversation.Conversation
	// Chats gives the chats of the current workspace; it may open them. Errors are *echo.Error.
	Chats      func(ctx context.Context) (*chat.Chats, error)
	Settings   *settings.Store
	Workspaces Workspaces
	// Models tells what can be chosen now, and which engines could not be asked.
	Models func(ctx context.Context) ([]reason.Model, []echo.Engine)
	// Engines tells of the engines, and starts none.
	Engines func() Engines
	// Preview speaks a text, for 24 kHz mono samples. An empty voice is the one in use.
	Preview func(ctx context.Context, voice, text string) ([]int16, error)
	// Companion moves the desktop window. It is nil where there is none.
	Companion func(ctx context.Context, action protocol.CompanionAction) error
	// UI is the built frontend: index.html, and assets with a hash in their names. nil, or without an index.html: not built.
	UI fs.FS
}

// Workspaces are the workspaces of the data folder. Errors are *echo.Error: invalid, which names "name" or "folder",
// unknown_workspace, storage.
type Workspaces interface {
	List(ctx context.Context) ([]Workspace, error)
	Create(ctx context.Context, name string) (Workspace, error)
	SetFolder(ctx context.Context, name, folder string) (Workspace, error) // an empty folder is the workspace's own
}

// Workspace is one workspace and its folder for the user's files.
type Workspace struct{ Name, Folder string }

// Engines are those that a reply needs.
type Engines struct{ Recognizer, Synthesizer, Reasoning echo.Engine }
