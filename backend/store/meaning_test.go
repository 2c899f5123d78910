package store_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/store"
)

// direction is a unit vector near an axis: the nearer, the less is mixed in.
func direction(axis int, mixed float64, seed uint64) []float32 {
	random := rand.New(rand.NewPCG(seed, 7))
	vector := make([]float32, 384)
	vector[axis] = 1
	var square float64
	for n := range vector {
		vector[n] += float32(mixed * random.NormFloat64())
		square += float64(vector[n]) * float64(vector[n])
	}
	for n := range vector {
		vector[n] /= float32(math.Sqrt(square))
	}
	return vector
}

// learnAll gives each message that waits the vectors that of names.
func learnAll(t *testing.T, s *store.Store, of func(text string) [][]float32) {
	t.Helper()
	waiting, err := s.Unlearnt(t.Context(), 100)
	require.NoError(t, err)
	var meanings []echo.Meaning
	for _, message := range waiting {
		meanings = append(meanings, echo.Meaning{ID: message.ID, Parts: of(message.Text)})
	}
	require.NoError(t, s.Learn(t.Context(), meanings))
}

func TestMessagesAreFoundByMeaning(t *testing.T) {
	s := fresh(t)
	chat := exchange(t, s, "", "What do lions eat?", "Gazelles.")
	other := exchange(t, s, "", "Where do penguins live?", "In the south.")
	waiting, err := s.Unlearnt(t.Context(), 3)
	require.NoError(t, err)
	require.Len(t, waiting, 3)
	require.Equal(t, "In the south.", waiting[0].Text, "the newest first")
	learnAll(t, s, func(text string) [][]float32 {
		if text == "Gazelles." {
			return [][]float32{direction(2, 0, 1), direction(1, 0.01, 1)}
		}
		return [][]float32{direction(len(text), 0.01, 1)}
	})
	waiting, err = s.Unlearnt(t.Context(), 3)
	require.NoError(t, err)
	require.Empty(t, waiting)

	kin, err := s.Like(t.Context(), direction(1, 0, 1), 0.5, 10)
	require.NoError(t, err)
	require.Len(t, kin, 1)
	require.Equal(t, echo.Hit{Chat: chat, Title: "What do lions eat?", Number: 2, Text: "Gazelles."}, kin[0].Hit)
	require.Equal(t, 1, kin[0].Part, "its second part is what fits")
	require.Greater(t, kin[0].Likeness, 0.95)

	exchange(t, s, other, "Do they fly?", "No.") // what comes later is found as well
	learnAll(t, s, func(string) [][]float32 { return [][]float32{direction(1, 0, 1)} })
	kin, err = s.Like(t.Context(), direction(1, 0, 1), 0.5, 10)
	require.NoError(t, err)
	require.Len(t, kin, 3)
}

func TestVectorsGoWithTheirMessages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chats.db")
	s := open(t, path)
	chat := exchange(t, s, "", "What do lions eat?", "Gazelles.")
	learnAll(t, s, func(string) [][]float32 { return [][]float32{direction(1, 0, 1)} })
	exchange(t, s, chat, "And penguins?", "Fish.")
	waiting, err := s.Unlearnt(t.Context(), 10)
	require.NoError(t, err)
	kin, err := s.Like(t.Context(), direction(1, 0, 1), 0.5, 10)
	require.NoError(t, err)
	require.Len(t, kin, 2)

	require.NoError(t, s.Delete(t.Context(), chat))
	exchange(t, s, "", "What do whales eat?", "Krill.") // takes the rows of the deleted messages
	kin, err = s.Like(t.Context(), direction(1, 0, 1), 0, 10)
	require.NoError(t, err)
	require.Empty(t, kin)
	var late []echo.Meaning
	for _, message := range waiting {
		late = append(late, echo.Meaning{ID: message.ID, Parts: [][]float32{direction(1, 0, 1)}})
	}
	require.NoError(t, s.Learn(t.Context(), late), "what was deleted meanwhile is left out")
	var vectors, left int
	require.NoError(t, raw(t, path).QueryRow("SELECT (SELECT count(*) FROM vectors), (SELECT count(*) FROM unlearnt)").Scan(&vectors, &left))
	require.Zero(t, vectors)
	require.Equal(t, 2, left)
}

// TestMeaningIsFoundAmongMany has far more vectors than are compared in full.
func TestMeaningIsFoundAmongMany(t *testing.T) {
	s := fresh(t)
	messages := make([]echo.Message, 3000)
	for n := range messages {
		messages[n] = echo.Message{Role: echo.RoleUser, Text: strconv.Itoa(n), State: echo.StateComplete, Source: echo.SourceTyped, CreatedAt: asked}
	}
	_, err := s.Import(t.Context(), echo.Chat{Title: "Many", Kind: echo.KindChat, CreatedAt: asked}, messages, nil)
	require.NoError(t, err)
	for range 30 {
		learnAll(t, s, func(text string) [][]float32 {
			var n uint64
			_, err := fmt.Sscan(text, &n)
			require.NoError(t, err)
			return [][]float32{direction(0, 100, n)} // anywhere
		})
	}
	for _, number := range []uint64{0, 1234, 2999} {
		query := direction(0, 100, number)
		for n := range query { // and not quite the same
			query[n] += direction(0, 100, 5000)[n] / 2
		}
		kin, err := s.Like(t.Context(), query, 0.5, 10)
		require.NoError(t, err)
		require.NotEmpty(t, kin)
		require.Equal(t, int(number)+1, kin[0].Number)
	}
}
