package app

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"echo-companion/backend/chat"
	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
	"echo-companion/backend/httpapi"
	"echo-companion/backend/logging"
	"echo-companion/backend/protocol"
	"echo-companion/backend/reason/choice"
	"echo-companion/backend/reason/skills"
	"echo-companion/backend/reply"
	"echo-companion/backend/settings"
	"echo-companion/backend/supervise"
	"echo-companion/backend/workspace"
)

// backend is all of Echo but its window, built and not started.
type backend struct {
	in       Invocation
	logger   *slog.Logger
	dir      *workspace.Dir
	settings *settings.Store
	engines  *engines
	reasoner *choice.Reasoner
	rooms    *rooms
	voice    *conversation.Conversation
	server   *httpapi.Server
	listener net.Listener
}

// companionAction moves the desktop window; it is nil where there is none.
type companionAction func(ctx context.Context, action protocol.CompanionAction) error

// compose takes hold of the data folder and the address, and wires the backend. It starts nothing; close lets go again where run is not to follow.
func compose(ctx context.Context, in Invocation, o Options, window companionAction, logger *slog.Logger) (*backend, error) {
	dir, err := workspace.Open(o.Data)
	if err != nil {
		return nil, err
	}
	b := &backend{in: in, logger: logger, dir: dir}
	if b.settings, err = settings.Open(filepath.Join(dir.Path(), "settings.json"), b.checkWorkspace); err != nil {
		return nil, b.abandon(err)
	}
	if err := b.mendSettings(ctx); err != nil {
		return nil, b.abandon(err)
	}
	if b.listener, err = listen(ctx, o); err != nil {
		return nil, b.abandon(err)
	}
	if b.engines, err = newEngines(in, b.settings, o.EngineTimeout, logger); err != nil {
		return nil, b.abandon(err)
	}
	b.wire(o, window)
	return b, nil
}

// mendSettings says what was wrong with the settings, and goes back to the default workspace where the chosen one is gone.
func (b *backend) mendSettings(ctx context.Context) error {
	for _, problem := range b.settings.Problems() {
		b.logger.WarnContext(ctx, "settings were mended", "problem", problem)
	}
	gone := b.settings.Get().Workspace
	if b.dir.Exists(gone) {
		return nil
	}
	b.logger.WarnContext(ctx, "the chosen workspace is not there any more: Echo starts in the default one", "workspace", gone)
	_, err := b.settings.Patch(ctx, []byte(`{"workspace":null}`))
	return err
}

// abandon lets go of the folder when composing fails.
func (b *backend) abandon(err error) error {
	if b.listener != nil {
		_ = b.listener.Close()
	}
	_ = b.dir.Close()
	return err
}

func (b *backend) wire(o Options, window companionAction) {
	builtin := skills.New(skills.Config{Now: time.Now}, b.engines.embedder)
	b.reasoner = choice.New(choice.Config{Settings: func() choice.Settings { return reasoningSettings(b.settings) }, EngineTimeout: o.EngineTimeout}, builtin)
	desk := reply.NewDesk()
	b.rooms = newRooms(b, chat.Ports{
		Turns: chat.NewTurns(), Reasoner: b.reasoner, Summarizes: b.reasoner.Summarizes, Look: b.look, Desk: desk, Local: b.reasoner.Local,
	}, chat.Config{EngineTimeout: o.EngineTimeout})
	b.voice = conversation.New(
		conversation.Config{Keep: o.Keep, EngineTimeout: o.EngineTimeout},
		conversation.Ports{
			Settings:    b.voiceSettings,
			Look:        settings.Look,
			Workspace:   b.workspace,
			Reasoner:    b.reasoner,
			Recognizer:  b.engines,
			Synthesizer: b.engines,
			Hold:        b.engines.Hold,
			Desk:        localDesk{desk: desk, local: b.reasoner.Local},
			Summarizes:  b.reasoner.Summarizes,
		}, logging.For(b.logger, "conversation"))
	b.server = httpapi.New(
		httpapi.Config{Addr: o.Addr, Token: b.dir.Token(), Version: b.in.Version, Data: b.dir.Path(), Logger: logging.For(b.logger, "httpapi")},
		httpapi.Ports{
			Conversation: b.voice,
			Chats:        b.chats,
			Settings:     b.settings,
			Workspaces:   folders{b.dir},
			Models:       b.reasoner.Models,
			Engines:      b.states,
			Preview:      b.preview,
			Companion:    window,
			UI:           b.in.UI,
		})
}

// run serves until ctx ends, and says on standard output where. What was started ends in the reverse order: requests, then the
// conversation, which journals what stands and tells the windows, then Chat and its databases, then the engines.
func (b *backend) run(ctx context.Context) error {
	addr := b.listener.Addr().String()
	if err := b.dir.Announce(addr, time.Now()); err != nil {
		return b.abandon(fmt.Errorf("write server.json: %w", err))
	}
	warnUnlessLoopback(b.in.Stderr, b.listener.Addr())
	group := supervise.New(logging.For(b.logger, "app"))
	group.Add("speech engines", 2500*time.Millisecond, b.engines.Run) // one that does not hear of its end is killed after a second
	group.Add("chats", 2*time.Second, b.rooms.Run)
	group.Add("windows", 1500*time.Millisecond, b.server.RunSockets)
	group.Add("conversation", 2*time.Second, b.voice.Run)
	group.Add("settings", time.Second, b.followSettings)
	group.Add("http", 2500*time.Millisecond, func(ctx context.Context) error { return b.server.Run(ctx, b.listener) })
	if _, err := fmt.Fprintf(b.in.Stdout, "listening on http://%s\n", addr); err != nil {
		b.logger.DebugContext(ctx, "standard output is closed", "error", err)
	}
	err := group.Run(ctx)
	if closing := b.dir.Close(); err == nil {
		err = closing
	}
	return err
}

// followSettings tells the conversation of every change, before who made it is answered.
func (b *backend) followSettings(ctx context.Context) error {
	stop := b.settings.Watch(func(_, _ settings.Settings) {
		if err := b.voice.Changed(ctx); err != nil && ctx.Err() == nil {
			b.logger.WarnContext(ctx, "the conversation did not take the settings", "error", err)
		}
	})
	defer stop()
	<-ctx.Done()
	return nil
}

// forget tells the conversation that a chat was deleted.
func (b *backend) forget(workspace, chat string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := b.voice.Forget(ctx, workspace, chat); err != nil {
		b.logger.WarnContext(ctx, "the conversation was not told of a deleted chat", "error", err)
	}
}

// core is the backend as the desktop shell sees it.
func (b *backend) core() Core {
	return Core{
		Conversation: b.voice,
		Settings:     b.settings,
		Chats:        b.chats,
		Models:       b.reasoner.Models,
		Status:       b.server.Status,
		Detector:     b.engines.detector(),
		Ending:       b.engines.ending,
		DashboardURL: b.dashboardURL,
		UI:           b.in.UI,
		Data:         b.dir.Path(),
		Version:      b.in.Version,
		Logger:       b.logger,
	}
}

func (b *backend) dashboardURL() string {
	return "http://" + b.listener.Addr().String() + "/?token=" + b.dir.Token()
}

func (b *backend) states() httpapi.Engines {
	return httpapi.Engines{Recognizer: b.engines.Recognition(), Synthesizer: b.engines.Synthesis(), Reasoning: b.reasoner.Engine()}
}

// checkWorkspace refuses settings that name a workspace that is not there.
func (b *backend) checkWorkspace(_ context.Context, after settings.Settings) error {
	if b.dir.Exists(after.Workspace) {
		return nil
	}
	return echo.Errorf(echo.CodeInvalid, "workspace: there is no workspace %q. Make it first, with POST /api/workspaces or in Settings.", after.Workspace)
}
