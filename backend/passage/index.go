package passage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"echo-companion/backend/speech"
)

// The bounds of an index: what is past them is left out, in the order of paths, and Found says how much that is.
const (
	maxFiles     = 20000
	maxFileBytes = 1 << 20
	maxBytes     = 16 << 20
	maxSentences = 20000
	maxDepth     = 12
	// learning bounds how long one search embeds new sentences: a tool call has 20 s. What is not learnt then is found by its
	// words, and learnt by the next search.
	learning = 8 * time.Second
	// reading bounds how long one search reads PDF files that are new to it, and maxPDFBytes how large one may be.
	reading     = 6 * time.Second
	maxPDFBytes = 32 << 20
)

// Config says which folder is searched.
type Config struct {
	Root   func() string // the folder as it is now; empty: there is none
	Logger *slog.Logger
	// PDF gives the text of a PDF file's pages, within bounds of its own. Nil: such files are not searched.
	PDF func(ctx context.Context, content io.Reader) (pages []string, err error)
}

// Found is what a search gives.
type Found struct {
	Passages []Passage // the best first; none where nothing fits
	Left     int       // files that were not searched: too large, too many, or not to be read
}

// Index searches the texts and PDF files of a folder. It follows the folder lazily: each search looks at the sizes and times of its files
// and reads those that changed. It may be used from several goroutines.
type Index struct {
	config  Config
	vectors *memory

	mu    sync.Mutex // held while files are read: searches of one folder take turns
	root  string
	files map[string]file
}

// file is a file as it was read.
type file struct {
	size      int64
	changed   time.Time
	bytes     int // of its text
	broken    bool
	sentences []sentence
}

// NewIndex makes an index of the folder. It reads nothing yet. The embedder may be nil or fail: then words alone decide.
func NewIndex(config Config, embedder speech.Embedder) *Index {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return &Index{config: config, vectors: newMemory(embedder), files: map[string]file{}}
}

// Search gives at most limit sentences of the folder's files that fit the query. No link leads out of the folder. A folder that is
// not there is empty.
func (i *Index) Search(ctx context.Context, query string, limit int) (Found, error) {
	sentences, left, err := i.refresh(ctx)
	if err != nil {
		return Found{}, err
	}
	if len(sentences) == 0 || strings.TrimSpace(query) == "" {
		return Found{Left: left}, nil
	}
	bounded, cancel := context.WithTimeout(ctx, learning)
	err = i.vectors.learn(bounded, sentences)
	cancel()
	if ctx.Err() != nil {
		return Found{}, context.Cause(ctx)
	}
	if err != nil {
		i.config.Logger.InfoContext(ctx, "folder is not yet known by meaning", "sentences", len(sentences))
	}
	i.vectors.keep(sentences)
	passages, err := rank(ctx, i.vectors, query, sentences, limit)
	return Found{Passages: passages, Left: left}, err
}

// refresh reads what changed and gives all sentences, in the order of paths and lines, and how many files have no part in them.
func (i *Index) refresh(ctx context.Context) (sentences []sentence, left int, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	folder := i.config.Root()
	if folder != i.root {
		i.root, i.files = folder, map[string]file{}
	}
	if folder == "" {
		return nil, 0, nil
	}
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		i.files = map[string]file{}
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("open folder %s: %w", folder, err)
	}
	defer root.Close()
	walk := walker{root: root, before: i.files, files: map[string]file{}, pdf: i.config.PDF, until: time.Now().Add(reading), logger: i.config.Logger}
	if err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		return walk.visit(ctx, name, entry, err)
	}); err != nil {
		return nil, 0, fmt.Errorf("read folder %s: %w", folder, err)
	}
	i.files = walk.files
	return walk.sentences, walk.left, nil
}
