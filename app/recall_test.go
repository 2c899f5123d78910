package app

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/chat"
	"echo-companion/backend/echo"
	"echo-companion/backend/protocol"
)

// TestSavedChatsAreFoundByMeaning searches with the real engine, in words that no message has.
func TestSavedChatsAreFoundByMeaning(t *testing.T) {
	r := start(t, nil)
	defer r.stop()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for title, text := range map[string]string{"Minka": "My cat is called Minka", "Dinner": "How do I cook spaghetti carbonara?"} {
		r.call(http.MethodPost, "/api/chat/import", chat.Transcript{
			Format: 1, Title: title, Kind: echo.KindChat, CreatedAt: at, UpdatedAt: at,
			Items: []chat.TranscriptEntry{{Number: 1, Role: echo.RoleUser, Text: text, State: echo.StateComplete, Source: echo.SourceTyped, CreatedAt: at}},
		}, &protocol.ChatRow{})
	}
	for query, title := range map[string]string{"pet+name": "Minka", "Italian+recipe": "Dinner"} {
		var found protocol.Hits
		require.Eventually(t, func() bool { // the engine's start may outlast a search's patience
			r.call(http.MethodGet, "/api/chat/search?q="+query, nil, &found)
			return len(found.Hits) > 0
		}, patience, 100*time.Millisecond, query)
		require.Len(t, found.Hits, 1)
		require.Equal(t, title, found.Hits[0].Title)
	}
}
