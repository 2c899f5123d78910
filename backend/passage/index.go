package passage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"echo-companion/backend/speech"
)

// The bounds of an index: what is past them is left out, in the order of paths, and the log says so.
const (
	maxFiles     = 2000
	maxFileBytes = 1 << 20
	maxBytes     = 16 << 20
	maxSentences = 20000
	maxDepth     = 12
	// learning bounds how long one search embeds new sentences: a tool call has 20 s. What is not learnt then is found by its
	// words, and learnt by the next search.
	learning = 8 * time.Second
)

// Config says which folder is searched.
type Config struct {
	Root   func() string // the folder as it is now; empty: there is none
	Logger *slog.Logger
}

// Index searches the text files of a folder. It follows the folder lazily: each search looks at the sizes and times of its files
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
	sentences []sentence
}

// NewIndex makes an index of the folder. It reads nothing yet. The embedder may be nil or fail: then words alone decide.
func NewIndex(config Config, embedder speech.Embedder) *Index {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	return &Index{config: config, vectors: newMemory(embedder), files: map[string]file{}}
}

// Search gives at most limit sentences of the folder's text files that fit the query, the best first; none where nothing fits.
// No link leads out of the folder. A folder that is not there is empty.
func (i *Index) Search(ctx context.Context, query string, limit int) ([]Passage, error) {
	sentences, err := i.refresh(ctx)
	if err != nil {
		return nil, err
	}
	if len(sentences) == 0 || strings.TrimSpace(query) == "" {
		return nil, nil
	}
	bounded, cancel := context.WithTimeout(ctx, learning)
	err = i.vectors.learn(bounded, sentences)
	cancel()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		i.config.Logger.InfoContext(ctx, "folder is not yet known by meaning", "sentences", len(sentences))
	}
	i.vectors.keep(sentences)
	return rank(ctx, i.vectors, query, sentences, limit)
}

// refresh reads what changed and gives all sentences, in the order of paths and lines.
func (i *Index) refresh(ctx context.Context) ([]sentence, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	folder := i.config.Root()
	if folder != i.root {
		i.root, i.files = folder, map[string]file{}
	}
	if folder == "" {
		return nil, nil
	}
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		i.files = map[string]file{}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", folder, err)
	}
	defer root.Close()
	walk := walker{root: root, before: i.files, files: map[string]file{}, logger: i.config.Logger}
	if err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		return walk.visit(ctx, name, entry, err)
	}); err != nil {
		return nil, fmt.Errorf("read folder %s: %w", folder, err)
	}
	i.files = walk.files
	return walk.sentences, nil
}

// walker goes through a folder once.
type walker struct {
	root      *os.Root
	before    map[string]file
	files     map[string]file
	sentences []sentence
	bytes     int64
	logger    *slog.Logger
}

func (w *walker) visit(ctx context.Context, name string, entry fs.DirEntry, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		w.logger.DebugContext(ctx, "part of the folder cannot be read", "path", name, "error", err)
		if entry != nil && entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	hidden := name != "." && strings.HasPrefix(entry.Name(), ".")
	switch {
	case entry.IsDir() && (hidden || entry.Name() == "node_modules" || strings.Count(name, "/") >= maxDepth):
		return fs.SkipDir
	case entry.IsDir(), hidden, !entry.Type().IsRegular(), !readable(name):
		return nil
	}
	info, err := entry.Info()
	if err != nil {
		return nil //nolint:nilerr // it went away while we looked
	}
	if info.Size() > maxFileBytes {
		w.logger.DebugContext(ctx, "file is too large to be searched", "path", name, "bytes", info.Size())
		return nil
	}
	if len(w.files) >= maxFiles || w.bytes+info.Size() > maxBytes || len(w.sentences) >= maxSentences {
		w.logger.WarnContext(ctx, "folder is too large to be searched whole", "files", len(w.files), "bytes", w.bytes)
		return fs.SkipAll
	}
	w.take(ctx, name, info)
	return nil
}

// take adds a file, read anew only where it changed.
func (w *walker) take(ctx context.Context, name string, info fs.FileInfo) {
	known, ok := w.before[name]
	if !ok || known.size != info.Size() || !known.changed.Equal(info.ModTime()) {
		text, err := w.read(name)
		if err != nil {
			w.logger.DebugContext(ctx, "file cannot be searched", "path", name, "error", err)
			return
		}
		known = file{size: info.Size(), changed: info.ModTime(), sentences: split(name, text)}
	}
	w.files[name] = known
	w.bytes += info.Size()
	w.sentences = append(w.sentences, known.sentences[:min(len(known.sentences), maxSentences-len(w.sentences))]...)
}

func (w *walker) read(name string) (string, error) {
	opened, err := w.root.Open(name)
	if err != nil {
		return "", fmt.Errorf("open file: %w", err)
	}
	defer opened.Close()
	content, err := io.ReadAll(io.LimitReader(opened, maxFileBytes))
	if err != nil {
		return "", fmt.Errorf("read file: %w", err)
	}
	return decode(content)
}

// decode gives a file's text.
func decode(content []byte) (string, error) {
	if !utf8.Valid(content) || slices.Contains(content, 0) {
		return "", errors.New("not a text file")
	}
	return strings.TrimPrefix(string(content), "\ufeff"), nil
}

// readable tells by its name whether a file is one of notes.
func readable(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdown", ".txt", ".text", ".org", ".rst", ".adoc", ".csv", ".tsv", "":
		return true
	}
	return false
}
