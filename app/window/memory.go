package window

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Store keeps the window's places in a file, by the screens that there are: who docks a notebook finds the window where it was.
type Store struct{ Path string }

// Load gives what was kept for these screens, or the zero Memory. A file that cannot be read costs the places alone.
func (s Store) Load(screens []Rect) Memory {
	kept, err := s.read()
	if err != nil {
		return Memory{}
	}
	return kept[layout(screens)]
}

// Save keeps the places for these screens.
func (s Store) Save(screens []Rect, memory Memory) error {
	kept, err := s.read()
	if err != nil {
		kept = map[string]Memory{}
	}
	kept[layout(screens)] = memory
	data, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return fmt.Errorf("keep the window's place: %w", err)
	}
	staged := s.Path + ".new"
	if err := os.WriteFile(staged, data, 0o600); err != nil {
		return fmt.Errorf("keep the window's place: %w", err)
	}
	if err := os.Rename(staged, s.Path); err != nil {
		return fmt.Errorf("keep the window's place: %w", err)
	}
	return nil
}

func (s Store) read() (map[string]Memory, error) {
	data, err := os.ReadFile(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Memory{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the window's place: %w", err)
	}
	kept := map[string]Memory{}
	if err := json.Unmarshal(data, &kept); err != nil {
		return nil, fmt.Errorf("read the window's place: %w", err)
	}
	return kept, nil
}

func layout(screens []Rect) string {
	names := make([]string, 0, len(screens))
	for _, s := range screens {
		names = append(names, fmt.Sprintf("%dx%d+%d+%d", s.Width, s.Height, s.X, s.Y))
	}
	return strings.Join(names, " ")
}
