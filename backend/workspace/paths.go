package workspace

import (
	"path/filepath"
	"runtime"
)

// DefaultDir is the platform's data folder for Echo, for a user with that home folder. getenv is os.Getenv outside tests.
func DefaultDir(home string, getenv func(string) string) string {
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "Echo")
	case "windows":
		if local := getenv("LOCALAPPDATA"); local != "" {
			return filepath.Join(local, "Echo")
		}
		return filepath.Join(home, "AppData", "Local", "Echo")
	}
	if data := getenv("XDG_DATA_HOME"); filepath.IsAbs(data) { // relative ones are to be ignored, says the XDG specification
		return filepath.Join(data, "echo-companion")
	}
	return filepath.Join(home, ".local", "share", "echo-companion")
}

// ModelsDir is where speech models lie in the user's cache.
func ModelsDir(cache string) string { return filepath.Join(cache, "echo-companion", "models") }
