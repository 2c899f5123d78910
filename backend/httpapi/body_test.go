package httpapi_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnknownPathsAndMethods(t *testing.T) {
	s := start(t)
	for _, call := range []string{"GET /api", "GET /api/", "GET /api/no-such-thing", "GET /api/chat/no-such-thing", "POST /api/chat/", "GET /api/looks/aurora"} {
		method, path, _ := strings.Cut(call, " ")
		s.call(method, path, nil).refused(404, "not_found")
	}
	for _, call := range []string{"DELETE /api/settings", "GET /api/chat", "PUT /api/chat/sessions", "POST /api/voice/conversation", "POST /api/status", "OPTIONS /api/status"} {
		method, path, _ := strings.Cut(call, " ")
		answer := s.call(method, path, `{}`)
		answer.refused(405, "method_not_allowed")
		require.NotEmpty(t, answer.header.Get("Allow"))
	}
}

func TestBadBodies(t *testing.T) {
	s := start(t)
	for _, call := range []string{
		"POST /api/chat", "POST /api/chat/sessions", "PATCH /api/settings", "POST /api/voice/sessions", "POST /api/workspaces", "PATCH /api/workspaces/default",
		"POST /api/speech/preview", "POST /api/companion", "POST /api/chat/import", "PATCH /api/chat/sessions/some-chat",
	} {
		method, path, _ := strings.Cut(call, " ")
		for _, body := range []string{`{"message": `, "hello", `{} {}`, "\x00"} {
			s.call(method, path, body).refused(400, "bad_json")
		}
		for _, body := range []string{`[]`, `"text"`, `7`, `null`} {
			s.call(method, path, body).refused(422, "invalid")
		}
		big := `{"message": "` + strings.Repeat("x", 1<<20) + `"}`
		s.call(method, path, big).refused(413, "too_large")
		s.call(method, path, io.MultiReader(strings.NewReader(big))).refused(413, "too_large")
	}
}

func TestInvalidFieldsAreNamed(t *testing.T) {
	s := start(t)
	for _, test := range []struct{ call, body, field string }{
		{"POST /api/chat", `{}`, "message"},
		{"POST /api/chat", `{"message":""}`, "message"},
		{"POST /api/chat", `{"message":"  \n"}`, "message"},
		{"POST /api/chat", `{"message":null}`, "message"},
		{"POST /api/chat", `{"message":7}`, "message"},
		{"POST /api/chat", `{"message":"Hello?","session":7}`, "session"},
		{"POST /api/chat", `{"message":"Hello?","model":[]}`, "model"},
		{"POST /api/chat", `{"message":"` + strings.Repeat("é", 32001) + `"}`, "message"},
		{"POST /api/chat/sessions", `{"title":7}`, "title"},
		{"PATCH /api/chat/sessions/some-chat", `{}`, "title"},
		{"POST /api/workspaces", `{}`, "name"},
		{"POST /api/workspaces", `{"name":7}`, "name"},
		{"POST /api/workspaces", `{"name":"default"}`, "name"},
		{"PATCH /api/workspaces/default", `{}`, "folder"},
		{"PATCH /api/workspaces/default", `{"folder":7}`, "folder"},
		{"POST /api/voice/sessions", `{"take":"yes"}`, "take"},
		{"POST /api/voice/sessions", `{"look":"nobody"}`, "look"},
		{"POST /api/speech/preview", `{"voice":"jenny"}`, "text"},
		{"POST /api/speech/preview", `{"text":"` + strings.Repeat("é", 501) + `"}`, "text"},
		{"POST /api/companion", `{"action":"dance"}`, "action"},
		{"POST /api/companion", `{}`, "action"},
		{"PATCH /api/settings", `{"voice":{"mode":"shouting"}}`, "voice.mode"},
		{"POST /api/chat/import", `{"echo_chat":"x"}`, "echo_chat"},
		{"GET /api/chat/sessions?limit=x", ``, "limit"},
		{"GET /api/chat/sessions/some-chat?before=x", ``, "before"},
		{"GET /api/chat/sessions/some-chat?before=0", ``, "before"},
		{"GET /api/chat/search", ``, `"q"`},
		{"GET /api/chat/sessions/some-chat/export?format=pdf", ``, "format"},
	} {
		method, path, _ := strings.Cut(test.call, " ")
		require.Contains(t, s.call(method, path, test.body).refused(422, "invalid").Message, test.field, "%s %.80s", test.call, test.body)
	}
	require.Contains(t, s.call("POST", "/api/chat", `{"message":"x"}`, header("Idempotency-Key", strings.Repeat("k", 256))).refused(422, "invalid").Message, "Idempotency-Key")
	require.Contains(t, s.call("GET", "/api/chat/sessions/some-chat/reply", nil, header("Last-Event-ID", "x")).refused(422, "invalid").Message, "Last-Event-ID")
	require.JSONEq(t, `{"sessions":[],"next":null}`, s.call("GET", "/api/chat/sessions", nil).body, "a refused question made a chat")
}
