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
	"time"
	"unicode/utf8"
)

// walker goes through a folder once.
type walker struct {
	root      *os.Root
	before    map[string]file
	files     map[string]file
	sentences []sentence
	bytes     int
	left      int // files that have no part in the sentences
	pdf       func(ctx context.Context, content io.Reader) ([]string, error)
	until     time.Time // when no more PDF files are read
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
	case entry.IsDir(), hidden, !entry.Type().IsRegular(), !readable(name), isPDF(name) && w.pdf == nil:
		return nil
	}
	info, err := entry.Info()
	if err != nil {
		return nil //nolint:nilerr // it went away while we looked
	}
	most := int64(maxFileBytes)
	if isPDF(name) {
		most = maxPDFBytes
	}
	if info.Size() > most || len(w.files) >= maxFiles || w.bytes >= maxBytes || len(w.sentences) >= maxSentences {
		if w.left++; w.left >= maxFiles { // enough to say so
			return fs.SkipAll
		}
		return nil
	}
	return w.take(ctx, name, info)
}

// take adds a file, read anew only where it changed. The error is the context's.
func (w *walker) take(ctx context.Context, name string, info fs.FileInfo) error {
	known, ok := w.before[name]
	if !ok || known.size != info.Size() || !known.changed.Equal(info.ModTime()) {
		if isPDF(name) && time.Now().After(w.until) {
			w.left++ // the next search reads it
			return nil
		}
		known = file{size: info.Size(), changed: info.ModTime()}
		if err := w.load(ctx, name, &known); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			w.logger.DebugContext(ctx, "file cannot be searched", "path", name, "error", err)
			known.broken = true // until it changes
		}
	}
	if known.broken && isPDF(name) {
		w.left++
	}
	w.files[name] = known
	w.bytes += known.bytes
	w.sentences = append(w.sentences, known.sentences[:min(len(known.sentences), maxSentences-len(w.sentences))]...)
	return nil
}

// load reads a file's sentences.
func (w *walker) load(ctx context.Context, name string, f *file) error {
	if !isPDF(name) {
		text, err := w.read(name)
		f.bytes, f.sentences = len(text), split(name, text)
		return err
	}
	opened, err := w.root.Open(name)
	if err != nil {
		return fmt.Errorf("open file: %w", err)
	}
	defer opened.Close()
	pages, err := w.pdf(ctx, io.LimitReader(opened, maxPDFBytes))
	if err != nil {
		return err
	}
	for number, page := range pages {
		f.bytes += len(page)
		for _, s := range split(name, page) {
			// A PDF has no lines: where there is more than one page, it says which.
			if s.passage.Line = 0; len(pages) > 1 {
				s.passage.Page = number + 1
			}
			f.sentences = append(f.sentences, s)
		}
	}
	return nil
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
	case ".pdf", ".md", ".markdown", ".mdown", ".txt", ".text", ".org", ".rst", ".adoc", ".csv", ".tsv", "":
		return true
	}
	return false
}

func isPDF(name string) bool { return strings.EqualFold(path.Ext(name), ".pdf") }
