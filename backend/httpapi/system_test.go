package httpapi_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/chat"
	"echo-companion/backend/echo"
	"echo-companion/backend/httpapi"
	"echo-companion/backend/protocol"
)

func TestStatus(t *testing.T) {
	s := start(t)
	status := into[protocol.Status](s.call("GET", "/api/status", nil).must(200))
	require.Equal(t, "test", status.Version)
	require.Equal(t, "/data", status.Data)
	require.Equal(t, "default", status.Workspace)
	require.Equal(t, protocol.Engine{Name: "Built in", State: "stopped"}, status.Engines.Recognizer)
	require.Equal(t, protocol.VoiceStatus{}, status.Voice)
	require.Equal(t, protocol.ChatStatus{}, status.Chat)
}

func TestStatusIsToldWithoutADatabase(t *testing.T) {
	broken := echo.Errorf(echo.CodeStorage, "The chat database is damaged.").Because(errors.New("secret path"))
	s := start(t, func(_ *httpapi.Config, p *httpapi.Ports) {
		p.Chats = func(context.Context) (*chat.Chats, error) { return nil, broken }
	})
	s.call("GET", "/api/status", nil).must(200)
	answer := s.call("GET", "/api/chat/sessions", nil)
	require.Equal(t, "The chat database is damaged.", answer.refused(503, "storage").Message)
	require.NotContains(t, answer.body, "secret")
	s.call("POST", "/api/chat", `{"message":"x"}`).refused(503, "storage")
}

func TestAnUnknownErrorKeepsItsTextToItself(t *testing.T) {
	s := start(t, func(_ *httpapi.Config, p *httpapi.Ports) {
		p.Chats = func(context.Context) (*chat.Chats, error) { return nil, errors.New("secret path") }
		p.Preview = func(context.Context, string, string) ([]int16, error) { panic("secret path") }
	})
	for _, answer := range []answer{s.call("GET", "/api/chat/sessions", nil), s.call("POST", "/api/speech/preview", `{"text":"x"}`)} {
		answer.refused(500, "internal")
		require.NotContains(t, answer.body, "secret")
	}
}

func TestSettingsAreReadAndPatched(t *testing.T) {
	s := start(t)
	answer := s.call("PATCH", "/api/settings", `{"theme":"dark","reasoning":{"api_key":"sk-very-secret"}}`).must(200)
	require.NotContains(t, answer.body, "sk-very-secret")
	after := into[protocol.Settings](answer)
	require.Equal(t, protocol.ThemeDark, after.Theme)
	require.Equal(t, protocol.KeptKey, after.Reasoning.APIKey)
	require.Equal(t, after, into[protocol.Settings](s.call("GET", "/api/settings", nil).must(200)))
}

func TestLooksModelsWorkspaces(t *testing.T) {
	s := start(t)
	looks := into[[]protocol.Look](s.call("GET", "/api/looks", nil).must(200))
	require.GreaterOrEqual(t, len(looks), 4)
	require.JSONEq(t, `{"models":[{"id":"one","provider":"ollama","name":"One","local":true}],"problems":[]}`, s.call("GET", "/api/models", nil).must(200).body)
	require.JSONEq(t, `{"name":"lab","folder":"/data/lab","current":false}`, s.call("POST", "/api/workspaces", `{"name":"lab"}`).must(201).body)
	s.call("PATCH", "/api/settings", `{"workspace":"lab"}`).must(200)
	require.JSONEq(t, `{"workspaces":[{"name":"default","folder":"/data/default","current":false},{"name":"lab","folder":"/data/lab","current":true}]}`,
		s.call("GET", "/api/workspaces", nil).must(200).body)
	require.JSONEq(t, `{"name":"lab","folder":"/notes","current":true}`, s.call("PATCH", "/api/workspaces/lab", `{"folder":"/notes"}`).must(200).body)
	s.call("PATCH", "/api/workspaces/other", `{"folder":""}`).refused(404, "unknown_workspace")
}

func TestPreviewIsAWAV(t *testing.T) {
	s := start(t)
	answer := s.call("POST", "/api/speech/preview", `{"voice":"jenny","text":"Hello"}`).must(200)
	require.Equal(t, "audio/wav", answer.header.Get("Content-Type"))
	require.Equal(t, "RIFF\x2a\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\xc0\x5d\x00\x00\x80\xbb\x00\x00\x02\x00\x10\x00data\x06\x00\x00\x00\x01\x00\x02\x00\x03\x00", answer.body)
}

func TestCompanion(t *testing.T) {
	start(t).call("POST", "/api/companion", `{"action":"show"}`).refused(409, "no_window")
	var actions []protocol.CompanionAction
	s := start(t, func(_ *httpapi.Config, p *httpapi.Ports) {
		p.Companion = func(_ context.Context, action protocol.CompanionAction) error {
			actions = append(actions, action)
			return nil
		}
	})
	s.call("POST", "/api/companion", `{"action":"talk"}`).must(204)
	require.Equal(t, []protocol.CompanionAction{"talk"}, actions)
}

func TestPages(t *testing.T) {
	s := start(t)
	for _, path := range []string{"/", "/chat/some-chat", "/settings", "/index.html"} {
		page := s.call("GET", path, nil).must(200)
		require.Contains(t, page.body, "app-1a2b.js", path)
		policy := page.header.Get("Content-Security-Policy")
		require.Contains(t, policy, "script-src 'self';")
		require.Contains(t, policy, "connect-src 'self';")
		require.NotContains(t, policy, "unsafe")
		require.Equal(t, "nosniff", page.header.Get("X-Content-Type-Options"))
		require.Equal(t, "no-referrer", page.header.Get("Referrer-Policy"))
		require.Equal(t, "no-store", page.header.Get("Cache-Control"))
	}
	asset := s.call("GET", "/assets/app-1a2b.js", nil).must(200)
	require.Contains(t, asset.header.Get("Cache-Control"), "immutable")
	require.True(t, strings.HasPrefix(asset.header.Get("Content-Type"), "text/javascript"))
	require.Equal(t, "no-cache", s.call("GET", "/favicon.svg", nil).must(200).header.Get("Cache-Control"))
	for _, path := range []string{"/assets/gone-1a2b.js", "/favicon.ico", "/.gitkeep", "/assets/inner.d"} {
		s.call("GET", path, nil).must(404)
	}
	s.call("POST", "/", nil).refused(405, "method_not_allowed")
}

func TestPageOfAFrontendThatIsNotBuilt(t *testing.T) {
	for _, files := range []fstest.MapFS{nil, {".gitkeep": {}}} {
		s := start(t, withUI(files))
		require.Contains(t, s.call("GET", "/", nil).must(503).body, "not part of this build")
		s.call("GET", "/api/status", nil).must(200)
	}
}
