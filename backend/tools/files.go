package tools

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"echo-companion/backend/reply"
)

const (
	maxEntries = 200      // that one call lists
	maxRead    = 10_000   // entries of a folder that are looked at
	maxFile    = 64 << 20 // bytes of a file that are gone through for a later line
)

var (
	errOutside = errors.New("that path is outside the folder: name a file within it, as list_files does")
	errNoRoot  = errors.New("there is no folder to look into: choose one in Settings")
)

// within opens the workspace's folder and checks the path against it. Links that leave it are refused by os.Root.
func (b *bound) within(path string) (*os.Root, string, error) {
	if strings.ContainsRune(path, 0) {
		return nil, "", errors.New("that is not a path: it has a NUL in it")
	}
	path = filepath.FromSlash(cmp.Or(strings.TrimSpace(path), "."))
	if filepath.IsAbs(path) || strings.HasPrefix(path, `\`) || !filepath.IsLocal(path) {
		return nil, "", errOutside
	}
	if b.set.config.Root == nil || b.set.config.Root() == "" {
		return nil, "", errNoRoot
	}
	root, err := os.OpenRoot(b.set.config.Root())
	if err != nil {
		return nil, "", errNoRoot
	}
	return root, filepath.Clean(path), nil
}

// plain says what went wrong with a path, without where the folder lies on this machine.
func plain(path string, err error) error {
	path = reply.Cut(filepath.ToSlash(path), 200)
	var reason *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no %q in the folder", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%q may not be read", path)
	case errors.As(err, &reason) && strings.Contains(reason.Err.Error(), "escapes"):
		return errOutside // os has no error value for it
	case errors.As(err, &reason):
		return fmt.Errorf("%q cannot be read: %w", path, reason.Err)
	}
	return fmt.Errorf("%q cannot be read: %w", path, err)
}

// listFiles lists a folder, by name, one entry a line.
func (b *bound) listFiles(ctx context.Context, arguments json.RawMessage) (string, error) {
	asked, err := decode[struct {
		Path word `json:"path"`
	}](arguments)
	if err != nil {
		return "", err
	}
	root, path, err := b.within(string(asked.Path))
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	if info, err := root.Stat(path); err != nil {
		return "", plain(path, err)
	} else if !info.IsDir() {
		return "", fmt.Errorf("%q is a file: use read_file", filepath.ToSlash(path))
	}
	folder, err := root.Open(path)
	if err != nil {
		return "", plain(path, err)
	}
	defer func() { _ = folder.Close() }()
	entries, err := folder.ReadDir(maxRead)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", plain(path, err)
	}
	if len(entries) == 0 {
		return "The folder is empty.", nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	var text strings.Builder
	for i, entry := range entries {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if i == maxEntries || text.Len() > maxResult {
			fmt.Fprintf(&text, "[and %d more]\n", len(entries)-i)
			break
		}
		text.WriteString(describe(entry) + "\n")
	}
	return text.String(), nil
}

// describe is one line of a list.
func describe(entry fs.DirEntry) string {
	name := strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' {
			return '\uFFFD' // a name is one line
		}
		return r
	}, entry.Name()), "\uFFFD")
	switch {
	case entry.IsDir():
		return name + "/ (folder)"
	case entry.Type()&fs.ModeSymlink != 0:
		return name + " (link)"
	case !entry.Type().IsRegular():
		return name + " (no file)"
	}
	info, err := entry.Info()
	if err != nil {
		return name
	}
	return name + " (" + size(info.Size()) + ")"
}

func size(bytes int64) string {
	switch {
	case bytes == 1:
		return "1 byte"
	case bytes < 1000:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 1000_000:
		return fmt.Sprintf("%.1f kB", float64(bytes)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1000_000)
}

// readFile reads a text file from a line on, as far as there is room.
func (b *bound) readFile(ctx context.Context, arguments json.RawMessage) (string, error) {
	asked, err := decode[struct {
		Path word  `json:"path"`
		From count `json:"from_line"`
	}](arguments)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(asked.Path)) == "" {
		return "", errors.New("say which file, as path")
	}
	root, path, err := b.within(string(asked.Path))
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(path) // before it is opened: opening a pipe would wait for its other end
	if err != nil {
		return "", plain(path, err)
	}
	switch {
	case info.IsDir():
		return "", fmt.Errorf("%q is a folder: use list_files", filepath.ToSlash(path))
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%q is no file that can be read", filepath.ToSlash(path))
	}
	file, err := root.Open(path)
	if err != nil {
		return "", plain(path, err)
	}
	defer func() { _ = file.Close() }()
	text, err := lines(ctx, io.LimitReader(file, maxFile), int(max(asked.From, 1)), info.Size())
	if err != nil && ctx.Err() == nil {
		return "", plain(path, err)
	}
	return text, err
}

var (
	errNoText = errors.New("it is not a text file")
	errPDF    = errors.New("it is a PDF, which cannot be read whole: search_files finds what it says")
)

// lines reads text from a line on, and says where to read on if it does not fit.
func lines(ctx context.Context, file io.Reader, from int, all int64) (string, error) {
	reader := bufio.NewReaderSize(file, 64<<10)
	start, _ := reader.Peek(8000)
	if bytes.HasPrefix(start, []byte("%PDF-")) {
		return "", errPDF
	}
	if bytes.IndexByte(start, 0) >= 0 {
		return "", errNoText
	}
	var text []byte
	for number := 1; ; number++ {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		line, err := reader.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			line = slices.Clone(line)
			err = rest(reader)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if number >= from && len(line) > 0 {
			if len(text) == 0 && len(line) > maxResult {
				return strings.ToValidUTF8(string(line[:maxResult]), "") + fmt.Sprintf("\n[cut: the line is longer; read on from line %d]", number+1), nil
			}
			if len(text)+len(line) > maxResult {
				return strings.ToValidUTF8(string(text), "\uFFFD") + fmt.Sprintf("[cut: the file has %s in all; read on from line %d]", size(all), number), nil
			}
			text = append(text, line...)
		}
		if err != nil {
			break
		}
	}
	switch {
	case len(text) > 0:
		return strings.ToValidUTF8(string(text), "\uFFFD"), nil
	case all == 0:
		return "The file is empty.", nil
	}
	return fmt.Sprintf("The file ends before line %d.", from), nil
}

// rest skips what is left of a line that is too long to keep.
func rest(reader *bufio.Reader) error {
	for {
		_, err := reader.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
