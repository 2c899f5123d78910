//go:build production || dev

package app

import (
	"context"
	"encoding/json"
	"log/slog"
	stdruntime "runtime"
	"time"

	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"echo-companion/app/tray"
	"echo-companion/app/window"
	"echo-companion/backend/cancel"
	"echo-companion/backend/capture"
	"echo-companion/backend/conversation"
	"echo-companion/backend/device"
	"echo-companion/backend/logging"
	"echo-companion/backend/playback"
	"echo-companion/backend/protocol"
	"echo-companion/backend/supervise"
)

// signalled is how long a signal that ends Echo may take to be heard here after Wails has heard it.
const signalled = 30 * time.Millisecond

// shell is the desktop shell's parts, joined.
type shell struct {
	shellState
	core    Core
	logger  *slog.Logger
	stop    func() // ends the parts, and with them the window
	parts   *supervise.Group
	session *session
	player  *playback.Player
	capture *capture.Capture
	devices *devices
	key     *talkKey
	desk    *desk
	bound   Capture
}

func newShell(core Core, stop func()) *shell {
	s := &shell{core: core, logger: logging.For(core.Logger, "app"), stop: stop}
	s.painted = make(chan struct{})
	s.parts = supervise.New(s.logger)
	system := device.New(logging.For(core.Logger, "device"))
	s.session = &session{talk: inProcess{core.Conversation}, emit: s.emit, logger: s.logger}
	ownVoice := cancel.New()
	s.player = playback.New(playback.Ports{
		Speakers: system,
		Credit: func(turn, ms int) { // a window that has left needs none
			_ = s.session.Send(context.Background(), conversation.Credit{ID: turn, PlayedMS: ms})
		},
		Show:   func(status playback.Status) { s.emit(eventPlayback, status) },
		Played: ownVoice.Played,
	}, logging.For(core.Logger, "playback"))
	s.session.out = s.player
	s.capture = capture.New(capture.Ports{
		Microphones: system,
		Listener:    listener{s.session},
		Voice:       s.player,
		Detector:    core.Detector,
		Ending:      core.Ending,
		Canceller:   ownVoice,
		Patience:    func() time.Duration { return time.Duration(core.Settings.Get().Voice.PatienceMS) * time.Millisecond },
		Show: func(status capture.Status) {
			s.bound.status.Store(&status)
			s.emit(eventCapture, status)
		},
	}, logging.For(core.Logger, "capture"))
	s.desk = newDesk(s.deskPorts(core))
	s.session.changed = s.desk.Kick
	s.devices = &devices{
		read: system.List,
		choice: func() (string, string) {
			voice := core.Settings.Get().Voice
			return voice.InputDevice, voice.OutputDevice
		},
		input: s.capture.Use, output: s.player.Use,
		watched: func() bool { return s.desk.Form() == window.Panel },
		chosen:  make(chan struct{}, 1), logger: s.logger,
	}
	s.key = s.newKey()
	s.bound.capture, s.bound.session, s.bound.devices, s.bound.logger = s.capture, s.session, s.devices, s.logger
	return s
}

// options are those of the window. run ends before it does.
func (s *shell) options(run context.Context) *options.App {
	return &options.App{
		Title:            "Echo",
		Width:            window.PanelWidth,
		Height:           window.PanelHeight,
		Frameless:        true,
		StartHidden:      true, // the desk shows it where it belongs
		AlwaysOnTop:      s.core.Settings.Get().Companion.AlwaysOnTop,
		BackgroundColour: options.NewRGBA(0, 0, 0, 0),
		AssetServer:      &assetserver.Options{Assets: pages(s.core.UI)},
		Logger:           wailsLogger{logging.For(s.core.Logger, "wails")},
		LogLevel:         logger.ERROR, LogLevelProduction: logger.ERROR,
		ErrorFormatter: wireError,
		OnStartup: func(ctx context.Context) {
			s.context.Store(&ctx)
			window.LeaveTaskbar()
		},
		OnDomReady:    func(context.Context) { s.once.Do(func() { close(s.painted) }) }, // shown before, it would be an empty square
		OnBeforeClose: func(context.Context) bool { return s.closes(run) },
		Bind: []any{
			&Voice{session: s.session, logger: s.logger},
			&s.bound,
			&Chats{core: s.core},
			&Settings{core: s.core},
			&Shell{desk: s.desk, version: s.core.Version, dashboard: s.openDashboard, quit: s.Quit, logger: s.logger},
		},
		// Never would leave the old panel in the orb's corners.
		Linux: &linux.Options{WindowIsTranslucent: true, WebviewGpuPolicy: linux.WebviewGpuPolicyOnDemand, ProgramName: "Echo"},
	}
}

// closes tells whether Wails is to keep the window, which it is closing: because somebody closed it, which folds it, or because of a
// signal, which Wails hears as well; or because the parts have ended and nothing but Wails can end the loop.
func (s *shell) closes(run context.Context) bool {
	if s.quitting.Load() {
		return stdruntime.GOOS == "linux" // see end
	}
	go func() { // GTK's thread must not wait for it
		timer := time.NewTimer(signalled)
		defer timer.Stop()
		select {
		case <-run.Done():
		case <-timer.C:
			s.desk.Fold(run)
		}
	}()
	return true
}

// chosen follows the settings.
func (s *shell) chosen(before, after protocol.Settings) {
	if before.Voice.InputDevice != after.Voice.InputDevice || before.Voice.OutputDevice != after.Voice.OutputDevice {
		s.devices.Choose()
	}
	if before.Voice.Mode != after.Voice.Mode && after.Voice.Mode == protocol.PushToTalk { // chosen here or on the dashboard
		s.capture.Stop(context.Background())
	}
	if before.Companion.AlwaysOnTop != after.Companion.AlwaysOnTop {
		window.SetAbove(after.Companion.AlwaysOnTop)
	}
	s.desk.Kick()
	s.key.Choose()
	s.emit(eventSettings, s.core.Settings.Public())
}

// clicked does what an entry of the tray's menu says.
func (s *shell) clicked(action tray.Action) {
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	switch action {
	case tray.Toggle:
		s.desk.Toggle(ctx)
	case tray.Talk:
		s.report(ctx, "the microphone is not opened", s.Talk(ctx))
	case tray.Stop:
		s.report(ctx, "the reply is not stopped", s.stopReply(ctx))
	case tray.Dashboard:
		s.report(ctx, "the dashboard is not opened", s.openDashboard(ctx))
	case tray.Save:
		s.report(ctx, "saving is not changed", s.toggleSaving(ctx))
	case tray.Quit:
		s.Quit(ctx)
	}
}

// Talk unfolds, attaches, and then opens the microphone for one question, or for as long as hands-free is on.
func (s *shell) Talk(ctx context.Context) error {
	s.desk.Show(ctx)
	if err := s.session.Ensure(ctx, true); err != nil {
		return err
	}
	if s.core.Settings.Get().Voice.Mode == protocol.HandsFree {
		s.capture.Start(ctx)
	} else {
		s.capture.Once(ctx)
	}
	return nil
}

// stopReply stops everything, whichever window is attached; the one that is, is told.
func (s *shell) stopReply(ctx context.Context) error {
	s.player.Hush(ctx, 0)
	err := s.core.Conversation.Stop(ctx)
	if err != nil || s.session.current() == nil { // nothing will answer
		s.player.Settle(ctx, 0)
	}
	return err
}

func (s *shell) openDashboard(context.Context) error {
	if ctx := s.wails(); ctx != nil {
		runtime.BrowserOpenURL(ctx, s.core.DashboardURL())
	}
	return nil
}

func (s *shell) toggleSaving(ctx context.Context) error {
	patch, err := json.Marshal(map[string]any{"voice": map[string]any{"save_conversations": !s.core.Settings.Get().Voice.SaveConversations}})
	if err != nil {
		return err
	}
	_, err = s.core.Settings.Patch(ctx, patch)
	return err
}

// Quit ends Echo. While a reply runs it asks first.
func (s *shell) Quit(ctx context.Context) {
	state, err := s.core.Conversation.State(ctx)
	wctx := s.wails()
	if err == nil && state.Busy && wctx != nil {
		answer, err := runtime.MessageDialog(wctx, runtime.MessageDialogOptions{
			Type: runtime.QuestionDialog, Title: "Quit Echo", Message: "A reply is still running. If Echo quits now, the reply stops where it is. Quit anyway?",
			DefaultButton: "No",
		})
		if err == nil && answer != "Yes" {
			return
		}
	}
	s.stop()
}

// wailsLogger passes what Wails logs on.
type wailsLogger struct{ logger *slog.Logger }

func (l wailsLogger) log(level slog.Level, message string) {
	l.logger.LogAttrs(context.Background(), level, "wails", slog.String("message", message))
}

func (l wailsLogger) Print(message string)   { l.log(slog.LevelInfo, message) }
func (l wailsLogger) Trace(message string)   { l.log(slog.LevelDebug, message) }
func (l wailsLogger) Debug(message string)   { l.log(slog.LevelDebug, message) }
func (l wailsLogger) Info(message string)    { l.log(slog.LevelInfo, message) }
func (l wailsLogger) Warning(message string) { l.log(slog.LevelWarn, message) }
func (l wailsLogger) Error(message string)   { l.log(slog.LevelError, message) }
func (l wailsLogger) Fatal(message string)   { l.log(slog.LevelError, message) }
