package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// DefaultDir is the platform's data folder for Echo. getenv is os.Getenv outside tests.
func DefaultDir(getenv func(string) string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the home folder: %w: set HOME", err)
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "Echo"), nil
	case "windows":
		if local := getenv("LOCALAPPDATA"); local != "" {
			return filepath.Join(local, "Echo"), nil
		}
		return filepath.Join(home, "AppData", "Local", "Echo"), nil
	}
	if data := getenv("XDG_DATA_HOME"); filepath.IsAbs(data) { // relative ones are to be ignored, says the XDG specification
		return filepath.Join(data, "echo-companion"), nil
	}
	return filepath.Join(home, ".local", "share", "echo-companion"), nil
}

// ModelsDir is the user's cache for speech models.
func ModelsDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w: set HOME", err)
	}
	return filepath.Join(cache, "echo-companion", "models"), nil
}
