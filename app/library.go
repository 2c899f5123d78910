package app

import (
	"context"
	"encoding/json"

	"echo-companion/backend/echo"
	"echo-companion/backend/present"
	"echo-companion/backend/protocol"
	"echo-companion/backend/settings"
)

// recentChats is how many chats Earlier chats shows.
const recentChats = 8

// Chats are the earlier chats, for the page of the window.
type Chats struct{ core Core }

// Recent gives the eight newest chats.
func (c *Chats) Recent() ([]protocol.ChatRow, error) {
	return guard(c.core.Logger, func(ctx context.Context) ([]protocol.ChatRow, error) {
		chats, err := c.core.Chats(ctx)
		if err != nil {
			return nil, err
		}
		rows, _, err := chats.List(ctx, "", recentChats)
		return present.ChatRows(rows), err
	})
}

// Settings are the user's choices, for the page of the window.
type Settings struct{ core Core }

// Get gives the settings, API keys masked.
func (s *Settings) Get() protocol.Settings { return s.core.Settings.Public() }

// Patch merges a patch into the settings.
func (s *Settings) Patch(patch map[string]any) (protocol.Settings, error) {
	return guard(s.core.Logger, func(ctx context.Context) (protocol.Settings, error) {
		data, err := json.Marshal(patch)
		if err != nil {
			return protocol.Settings{}, echo.Errorf(echo.CodeBadJSON, "The settings could not be read.").Because(err)
		}
		after, err := s.core.Settings.Patch(ctx, data)
		return settings.Masked(after), err
	})
}

// Looks gives the looks to choose from.
func (s *Settings) Looks() []protocol.Look { return present.Looks(settings.Looks()) }

// Models gives the models to choose from.
func (s *Settings) Models() (protocol.Models, error) {
	return guard(s.core.Logger, func(ctx context.Context) (protocol.Models, error) {
		return present.Models(s.core.Models(ctx)), nil
	})
}

// Status tells of the engines, as GET /api/status does.
func (s *Settings) Status() (protocol.Status, error) {
	return guard(s.core.Logger, s.core.Status)
}
