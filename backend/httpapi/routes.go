package httpapi

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"echo-companion/backend/echo"
)

const streamPath = "/api/voice/stream"

// methods are the handlers of a path.
type methods map[string]func(http.ResponseWriter, *http.Request) error

// routes is every call of the API, by path and method.
func (s *Server) routes() map[string]methods {
	return map[string]methods{
		"/api/status":                     {"GET": s.status},
		"/api/settings":                   {"GET": s.settings, "PATCH": s.patchSettings},
		"/api/looks":                      {"GET": s.looks},
		"/api/models":                     {"GET": s.models},
		"/api/workspaces":                 {"GET": s.workspaces, "POST": s.createWorkspace},
		"/api/workspaces/{name}":          {"PATCH": s.patchWorkspace},
		"/api/speech/preview":             {"POST": s.preview},
		"/api/companion":                  {"POST": s.companion},
		"/api/voice/conversation":         {"GET": s.conversation},
		"/api/voice/conversation/end":     {"POST": s.endConversation},
		"/api/voice/sessions":             {"POST": s.reserve},
		streamPath:                        {"GET": s.stream},
		"/api/chat":                       {"POST": s.ask},
		"/api/chat/search":                {"GET": s.search},
		"/api/chat/import":                {"POST": s.importChat},
		"/api/chat/sessions":              {"GET": s.listChats, "POST": s.createChat},
		"/api/chat/sessions/{sid}":        {"GET": s.chat, "PATCH": s.renameChat, "DELETE": s.deleteChat},
		"/api/chat/sessions/{sid}/export": {"GET": s.exportChat},
		"/api/chat/sessions/{sid}/reply":  {"GET": s.watchReply},
		"/api/chat/sessions/{sid}/stop":   {"POST": s.stopReply},
		"/api/chat/sessions/{sid}/retry":  {"POST": s.retryReply},
	}
}

// dispatch chooses the handler of a path by the method, and answers with its error.
func (s *Server) dispatch(handlers methods) http.Handler {
	names := slices.Sorted(maps.Keys(handlers))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler, has := handlers[r.Method]
		if !has {
			w.Header().Set("Allow", strings.Join(names, ", "))
			s.fail(w, r, echo.Errorf(echo.CodeMethod, "%s cannot be used here. Use %s.", r.Method, strings.Join(names, " or ")))
			return
		}
		if err := handler(w, r); err != nil {
			s.fail(w, r, err)
		}
	})
}

func (s *Server) unknownCall(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, echo.Errorf(echo.CodeNotFound, "There is no call %s %s in this API.", r.Method, r.URL.Path))
}
