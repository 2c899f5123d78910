package passage_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/passage"
)

// topics is an embedder that knows three topics by their words.
type topics struct {
	fail  error
	asked int
}

func (t *topics) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if t.fail != nil {
		return nil, t.fail
	}
	t.asked += len(texts)
	vectors := make([][]float32, len(texts))
	for n, text := range texts {
		text = strings.ToLower(text)
		switch {
		case strings.Contains(text, "tooth") || strings.Contains(text, "dentist"):
			vectors[n] = []float32{1, 0, 0}
		case strings.Contains(text, "car") || strings.Contains(text, "vehicle"):
			vectors[n] = []float32{0, 1, 0}
		default:
			vectors[n] = []float32{0, 0, 1}
		}
	}
	return vectors, nil
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	file := filepath.Join(folder, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

func TestSentencesKnowTheirLine(t *testing.T) {
	text := "---\ntags: home\n---\n# Health\n\nDr. Miller is kind. She sees me at\n10.30 on Tuesday! Next?\n\n- [ ] buy *floss*\n2. call **Anna** [here](https://x.example)\n\n```\ncode()\n```\n| key | 42 |\n|---|---|\n"
	type line struct {
		text string
		line int
	}
	var got []line
	for _, p := range passage.Sentences(text) {
		got = append(got, line{p.Text, p.Line})
	}
	require.Equal(t, []line{
		{"tags: home", 2},
		{"Dr. Miller is kind.", 6},
		{"She sees me at 10.30 on Tuesday!", 6},
		{"Next?", 7},
		{"buy *floss*", 9},
		{"call Anna here", 10},
		{"key 42", 15},
	}, got)
}

func TestRankByWordsAlone(t *testing.T) {
	candidates := []passage.Passage{
		{Text: "The boiler was repaired in March.", Source: "a"},
		{Text: "My dentist appointment is on Tuesday at ten.", Source: "b"},
		{Text: "Buy milk and bread.", Source: "c"},
	}
	for name, embedder := range map[string]*topics{"fails": {fail: errors.New("gone")}} {
		t.Run(name, func(t *testing.T) {
			found, err := passage.Rank(t.Context(), embedder, "when is my dentist appointment", candidates, 3)
			require.NoError(t, err)
			require.Len(t, found, 1)
			require.Equal(t, "b", found[0].Source)
		})
	}
	found, err := passage.Rank(t.Context(), nil, "who wrote hamlet", candidates, 3)
	require.NoError(t, err)
	require.Empty(t, found)
	found, err = passage.Rank(t.Context(), nil, "repairing boilers", candidates, 3)
	require.NoError(t, err)
	require.Len(t, found, 1, "other endings of the same words")
}

func TestRankByMeaning(t *testing.T) {
	candidates := []passage.Passage{{Text: "The tooth doctor on Tuesday."}, {Text: "The vehicle needs oil."}, {Text: "Nothing else."}}
	found, err := passage.Rank(t.Context(), &topics{}, "dentist", candidates, 3)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, "The tooth doctor on Tuesday.", found[0].Text)
	require.GreaterOrEqual(t, found[0].Score, passage.ThresholdMeaning)
}

func TestIndexFollowsItsFolder(t *testing.T) {
	folder := t.TempDir()
	embedder := &topics{}
	index := passage.NewIndex(passage.Config{Root: func() string { return folder }}, embedder)
	search := func(query string) []passage.Passage {
		t.Helper()
		found, err := index.Search(t.Context(), query, 5)
		require.NoError(t, err)
		return found.Passages
	}
	require.Empty(t, search("dentist"))

	write(t, folder, "health/plan.md", "# Plan\n\nThe tooth doctor sees me on Tuesday.\n")
	found := search("dentist")
	require.Len(t, found, 1)
	require.Equal(t, "health/plan.md", found[0].Source)
	require.Equal(t, 3, found[0].Line)

	asked := embedder.asked
	search("dentist")
	require.Equal(t, asked+1, embedder.asked, "only the query is embedded anew")

	write(t, folder, "health/plan.md", "# Plan\n\nMoved.\n\nThe tooth doctor sees me on Friday.\n")
	require.NoError(t, os.Chtimes(filepath.Join(folder, "health/plan.md"), time.Time{}, time.Now().Add(time.Minute)))
	found = search("dentist")
	require.Len(t, found, 1)
	require.Equal(t, 5, found[0].Line)

	require.NoError(t, os.Remove(filepath.Join(folder, "health/plan.md")))
	require.Empty(t, search("dentist"))
}

func TestPDFFilesAreSearchedOncePerChange(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "a.pdf", "two pages")
	write(t, folder, "broken.pdf", "broken")
	write(t, folder, "large.md", strings.Repeat("x", 2<<20))
	read := 0
	pages := func(_ context.Context, content io.Reader) ([]string, error) {
		read++
		data, err := io.ReadAll(content)
		require.NoError(t, err)
		if string(data) == "broken" {
			return nil, errors.New("damaged")
		}
		return []string{"Nothing here.", "The dentist\nsees me on Tuesday."}, nil
	}
	index := passage.NewIndex(passage.Config{Root: func() string { return folder }, PDF: pages}, nil)
	for range 2 {
		found, err := index.Search(t.Context(), "dentist", 5)
		require.NoError(t, err)
		require.Len(t, found.Passages, 1)
		require.Equal(t, "The dentist sees me on Tuesday.", found.Passages[0].Text)
		require.Equal(t, 2, found.Passages[0].Page)
		require.Equal(t, 2, found.Left, "what is damaged or too large is told")
		require.Equal(t, 2, read)
	}
}

func TestNoLinkLeadsOut(t *testing.T) {
	outside, folder := t.TempDir(), t.TempDir()
	write(t, outside, "secret.md", "The dentist knows my secret.")
	write(t, folder, ".hidden/a.md", "The dentist is hidden.")
	write(t, folder, "binary.txt", "dentist\x00dentist")
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(folder, "link.md")))
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "linked")))
	index := passage.NewIndex(passage.Config{Root: func() string { return folder }}, nil)
	found, err := index.Search(t.Context(), "dentist", 5)
	require.NoError(t, err)
	require.Empty(t, found.Passages)
}

func TestFolderThatIsNotThereIsEmpty(t *testing.T) {
	for _, folder := range []string{"", filepath.Join(t.TempDir(), "gone")} {
		index := passage.NewIndex(passage.Config{Root: func() string { return folder }}, nil)
		found, err := index.Search(t.Context(), "anything", 5)
		require.NoError(t, err)
		require.Empty(t, found.Passages)
	}
}

func TestCancelledSearchEnds(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "a.md", "Text.")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := passage.NewIndex(passage.Config{Root: func() string { return folder }}, &topics{}).Search(ctx, "text", 5)
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzSentences(f *testing.F) {
	f.Add("# A\n\n- b. C? d\n```\n")
	f.Add("---\n---\n|a|\xff|\n> q")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		for _, p := range passage.Sentences(text) {
			require.NotEmpty(t, p.Text)
			require.Positive(t, p.Line)
			require.LessOrEqual(t, p.Line, lines)
		}
	})
}
