package app

import (
	"context"

	"echo-companion/backend/chat"
	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
	"echo-companion/backend/httpapi"
	"echo-companion/backend/reason/choice"
	"echo-companion/backend/reply"
	"echo-companion/backend/settings"
	"echo-companion/backend/workspace"
)

// chats gives the chats of the current workspace.
func (b *backend) chats(ctx context.Context) (*chat.Chats, error) {
	opened, err := b.rooms.get(ctx, b.settings.Get().Workspace)
	if err != nil {
		return nil, err
	}
	return opened.chats, nil
}

// workspace gives a workspace to the voice conversation.
func (b *backend) workspace(ctx context.Context, name string) (conversation.Workspace, error) {
	opened, err := b.rooms.get(ctx, name)
	if err != nil {
		return conversation.Workspace{}, err
	}
	return opened.conversation(), nil
}

func (b *backend) look() echo.Look {
	look, found := settings.Look(b.settings.Get().Look)
	if !found {
		look = settings.Looks()[0]
	}
	return look
}

func (b *backend) voiceSettings() conversation.Settings {
	s := b.settings.Get()
	return conversation.Settings{
		Workspace: s.Workspace, Look: s.Look, Model: s.Reasoning.Model, Save: s.Voice.SaveConversations, Voice: s.Speech.Synthesizer.Voice,
	}
}

// reasoningSettings are the settings as the choice between reasoners reads them.
func reasoningSettings(chosen *settings.Store) choice.Settings {
	s := chosen.Get().Reasoning
	return choice.Settings{Provider: string(s.Provider), BaseURL: s.BaseURL, APIKey: s.APIKey, Model: s.Model}
}

// preview speaks a text with a voice, or with the one in use.
func (b *backend) preview(ctx context.Context, voice, text string) ([]int16, error) {
	if voice == "" && b.settings.Get().Speech.Synthesizer.Voice == "" {
		voice = b.look().Voice
	}
	var spoken []int16
	err := b.engines.Preview(ctx, text, voice, func(pcm []int16) error {
		spoken = append(spoken, pcm...)
		return nil
	})
	return spoken, err
}

// localDesk is the desk of the models on this machine; a model elsewhere waits for nobody.
type localDesk struct {
	desk  *reply.Desk
	local func() bool
}

// Take implements conversation.Desk.
func (l localDesk) Take(ctx context.Context, voice bool, waiting func()) (release func(), err error) {
	if !l.local() {
		return func() {}, ctx.Err()
	}
	return l.desk.Take(ctx, voice, waiting)
}

// Spare implements conversation.Desk.
func (l localDesk) Spare(ctx context.Context) (within context.Context, release func(), err error) {
	if !l.local() {
		return ctx, func() {}, ctx.Err()
	}
	return l.desk.Spare(ctx)
}

// folders is the data folder's workspaces as the API shows them.
type folders struct{ dir *workspace.Dir }

// List implements httpapi.Workspaces.
func (f folders) List(context.Context) ([]httpapi.Workspace, error) {
	names, err := f.dir.Names()
	if err != nil {
		return nil, storage(err)
	}
	list := make([]httpapi.Workspace, 0, len(names))
	for _, name := range names {
		list = append(list, f.row(name))
	}
	return list, nil
}

// Create implements httpapi.Workspaces.
func (f folders) Create(_ context.Context, name string) (httpapi.Workspace, error) {
	if _, err := f.dir.Create(name); err != nil {
		return httpapi.Workspace{}, storage(err)
	}
	return f.row(name), nil
}

// SetFolder implements httpapi.Workspaces.
func (f folders) SetFolder(_ context.Context, name, folder string) (httpapi.Workspace, error) {
	if err := f.dir.SetFolder(name, folder); err != nil {
		return httpapi.Workspace{}, storage(err)
	}
	return f.row(name), nil
}

func (f folders) row(name string) httpapi.Workspace {
	return httpapi.Workspace{Name: name, Folder: f.dir.Folder(name)}
}

// storage names an error of the disk, unless it has a name already.
func storage(err error) error {
	if echo.CodeOf(err) != echo.CodeInternal {
		return err
	}
	return echo.Errorf(echo.CodeStorage, "The data folder could not be changed. Look at its permissions and at the free space on its disk.").Because(err)
}
