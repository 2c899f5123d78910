package httpapi

import (
	"maps"
	"slices"
	"strings"
)

// Calls lists every call of the API as "METHOD /path", for tests that walk them all.
func (s *Server) Calls() []string {
	var calls []string
	for path, handlers := range s.routes() {
		for method := range maps.Keys(handlers) {
			calls = append(calls, method+" "+strings.NewReplacer("{sid}", "some-chat", "{name}", "default").Replace(path))
		}
	}
	slices.Sort(calls)
	return calls
}
