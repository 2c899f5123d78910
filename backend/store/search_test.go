package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
)

func TestSearchRanksAndShowsWhereItIs(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	chat := exchange(t, s, "", "What do lions eat?", "Gazelle1 gazelle2 gazelle3.")
	exchange(t, s, "", "Where do penguins live?", "In the south, and lions do not.")
	hits, err := s.Search(ctx, "gazelle2", 10)
	require.NoError(t, err)
	require.Equal(t, []echo.Hit{{
		Chat: chat, Title: "What do lions eat?", Number: 2, Snippet: "Gazelle1 gazelle2 gazelle3.", Text: "Gazelle1 gazelle2 gazelle3.",
	}}, hits)
	for query, count := range map[string]int{
		"lions": 2, "LION": 2, "lions eat": 1, "lions penguins": 0, "unicorns": 0, `"`: 0, `lions" OR "penguins`: 0, "gaz": 1, "gaz ": 0,
	} {
		hits, err := s.Search(ctx, query, 10)
		require.NoError(t, err, query)
		require.Len(t, hits, count, query)
	}
	hits, err = s.Find(ctx, "where do lions sleep", 10)
	require.NoError(t, err)
	require.NotEmpty(t, hits, "any word finds")
}

func TestSearchLeavesToolsOut(t *testing.T) {
	s := fresh(t)
	e, _, err := s.Begin(t.Context(), question("", "What is in the file?"))
	require.NoError(t, err)
	_, err = s.Finish(t.Context(), e.ID, answer("Nothing.", echo.ToolCall{Name: "read_file", Result: "zebra", Status: echo.ToolDone}))
	require.NoError(t, err)
	hits, err := s.Search(t.Context(), "zebra", 10)
	require.NoError(t, err)
	require.Empty(t, hits)
}

func TestSearchForAPastedPageIsQuick(t *testing.T) {
	s := fresh(t)
	chat := exchange(t, s, "", "What do lions eat?", "Gazelle1 gazelle2 gazelle3.")
	for range 500 {
		exchange(t, s, chat, "Do lions eat grass?", "Lions do not eat grass.")
	}
	page := strings.Repeat("what do lions eat and why do they ", 1000) + "gaz"
	start := time.Now()
	_, err := s.Find(t.Context(), page, 10)
	require.NoError(t, err)
	_, err = s.Search(t.Context(), page, 10)
	require.NoError(t, err)
	require.Less(t, time.Since(start), 5*time.Second)
	hits, err := s.Search(t.Context(), strings.Repeat("gazelle1 ", 1000)+"gaz gazelle3 gaz", 10)
	require.NoError(t, err)
	require.Len(t, hits, 1, "words said twice are sought once, and the last is still the beginning of one")
}
