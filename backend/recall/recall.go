// Package recall searches saved chats by words and by meaning, and learns in the background what messages mean. It owns how a
// message is cut into parts and how the two rankings are joined; where an embedder is missing or slow, words alone answer. It
// knows neither SQL nor engines.
package recall

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"echo-companion/backend/echo"
	"echo-companion/backend/speech"
)

// Words finds messages by their words, the best first.
type Words interface {
	Search(ctx context.Context, query string, limit int) ([]echo.Hit, error) // those with all of them
	Find(ctx context.Context, query string, limit int) ([]echo.Hit, error)   // those with any of them
}

// Meanings keeps what messages mean.
type Meanings interface {
	Unlearnt(ctx context.Context, limit int) ([]echo.Unlearnt, error) // the newest first
	Learn(ctx context.Context, meanings []echo.Meaning) error
	// Like finds the messages that are most like a vector, and at least so much.
	Like(ctx context.Context, vector []float32, least float64, limit int) ([]echo.Kin, error)
}

// Archive is where the messages are: see store.Store.
type Archive interface {
	Words
	Meanings
}

const (
	// Threshold is the least likeness that counts as found: docs/skills.md says how it was chosen.
	Threshold = 0.36
	// patience is how long a search waits for its meaning: an engine that has to be started first takes about a second.
	patience = 3 * time.Second
	// fading is the usual constant of reciprocal rank fusion: the first of one ranking does not outdo the tenth of both.
	fading = 60
	// shortest is how many letters a query needs to mean something: fewer are a word that is still being typed.
	shortest = 3
	// maxQuery is how much of a query is embedded; the embedder reads some 256 words at most.
	maxQuery = 1000
	// snippetWords is how many words of a message a hit shows, as in a search by words.
	snippetWords = 24
)

// Recall searches one workspace's chats. It is safe for use from several goroutines.
type Recall struct {
	archive  Archive
	embedder speech.Embedder
	log      *slog.Logger
	asked    chan chan<- struct{} // a search wants the newest messages learnt, and is told by closing
}

// New makes the search of an archive. The embedder may be nil or fail: then words alone decide. It starts nothing.
func New(archive Archive, embedder speech.Embedder, log *slog.Logger) *Recall {
	return &Recall{archive: archive, embedder: embedder, log: log, asked: make(chan chan<- struct{})}
}

// Search finds the messages with all words of a query or with its meaning, the best first.
func (r *Recall) Search(ctx context.Context, query string, limit int) ([]echo.Hit, error) {
	return r.join(ctx, query, limit, r.archive.Search)
}

// Find finds the messages with any word of a query or with its meaning, the best first.
func (r *Recall) Find(ctx context.Context, query string, limit int) ([]echo.Hit, error) {
	return r.join(ctx, query, limit, r.archive.Find)
}

func (r *Recall) join(ctx context.Context, query string, limit int, words func(context.Context, string, int) ([]echo.Hit, error)) ([]echo.Hit, error) {
	said, err := words(ctx, query, limit)
	if err != nil {
		return nil, err
	}
	meant, err := r.meant(ctx, query, limit)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		r.log.DebugContext(ctx, "chats are searched by words alone", "error", err)
	}
	return fuse(said, meant, limit), nil
}

// meant finds messages by what the query means.
func (r *Recall) meant(ctx context.Context, query string, limit int) ([]echo.Hit, error) {
	if r.embedder == nil || letters(query) < shortest {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	vectors, err := r.embedder.Embed(ctx, []string{cut(query, maxQuery)})
	if err != nil {
		return nil, err
	}
	if len(vectors) != 1 || len(vectors[0]) == 0 {
		return nil, errors.New("the embedder gave no vector")
	}
	r.learnNewest(ctx)
	kin, err := r.archive.Like(ctx, vectors[0], Threshold, limit)
	if err != nil {
		return nil, err
	}
	hits := make([]echo.Hit, 0, len(kin))
	for _, k := range kin {
		k.Snippet = snippet(k.Text, k.Part)
		hits = append(hits, k.Hit)
	}
	return hits, nil
}

// fuse joins two rankings by reciprocal ranks. Of equals, what was found by its words comes first.
func fuse(said, meant []echo.Hit, limit int) []echo.Hit {
	type key struct {
		chat   string
		number int
	}
	scores := map[key]float64{}
	all := make([]echo.Hit, 0, len(said)+len(meant))
	for _, ranking := range [][]echo.Hit{said, meant} {
		for rank, hit := range ranking {
			k := key{hit.Chat, hit.Number}
			if scores[k] == 0 {
				all = append(all, hit)
			}
			scores[k] += 1 / float64(fading+rank)
		}
	}
	slices.SortStableFunc(all, func(a, b echo.Hit) int {
		return cmp.Compare(scores[key{b.Chat, b.Number}], scores[key{a.Chat, a.Number}])
	})
	return all[:min(max(limit, 0), len(all))]
}

func letters(text string) int {
	count := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			count++
		}
	}
	return count
}

// snippet is what a hit shows of a message's part.
func snippet(text string, part int) string {
	cuts := parts(text)
	if part >= len(cuts) {
		return ""
	}
	words := strings.Fields(cuts[part])
	shown := strings.Join(words[:min(snippetWords, len(words))], " ")
	if part > 0 {
		shown = "…" + shown
	}
	if len(words) > snippetWords || part < len(cuts)-1 {
		shown += "…"
	}
	return shown
}

// cut gives at most so many bytes of a text, without breaking a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
