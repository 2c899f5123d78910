package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"echo-companion/backend/echo"
)

// Default is the workspace that every data folder has.
const Default = "default"

// Names are names of folders on every system, and show in addresses.
var validName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} _-]{0,62}$`)

// reservedName is what Windows takes for a device, whatever the case.
var reservedName = regexp.MustCompile(`^(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)

// config is what a workspace keeps in workspace.json.
type config struct {
	Folder string `json:"folder,omitempty"` // of the user's files, where it is not the workspace's own
}

// Names lists the workspaces, sorted, the default first.
func (d *Dir) Names() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(d.path, "workspaces"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("list workspaces: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && validName.MatchString(entry.Name()) && entry.Name() != Default {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return append([]string{Default}, names...), nil
}

// Exists tells whether there is a workspace of that name.
func (d *Dir) Exists(name string) bool {
	if !validName.MatchString(name) {
		return false
	}
	info, err := os.Stat(d.home(name))
	return err == nil && info.IsDir()
}

// Create makes a workspace and its folder for files, and returns that folder. One that is there gives an error that is os.ErrExist.
func (d *Dir) Create(name string) (string, error) {
	name = strings.TrimSpace(name)
	if !validName.MatchString(name) {
		return "", echo.Errorf(echo.CodeInvalid, "name: a workspace's name has 1 to 63 letters, digits, spaces, - or _, and begins with a letter or digit")
	}
	if reservedName.MatchString(name) {
		return "", echo.Errorf(echo.CodeInvalid, "name: %q is the name of a device on Windows: choose another name", name)
	}
	names, err := d.Names()
	if err != nil {
		return "", err
	}
	taken := func(other string) bool { return strings.EqualFold(other, name) } // one folder on macOS and Windows
	if slices.ContainsFunc(names, taken) && (name != Default || d.Exists(Default)) {
		return "", echo.Errorf(echo.CodeInvalid, "name: there is a workspace %q already: choose another name", name).Because(os.ErrExist)
	}
	folder := filepath.Join(d.home(name), "files")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("make the workspace %s: %w", name, err)
	}
	return folder, nil
}

// Folder is where the user's files of a workspace lie.
func (d *Dir) Folder(name string) string {
	var kept config
	if data, err := os.ReadFile(d.configFile(name)); err == nil && json.Unmarshal(data, &kept) == nil && kept.Folder != "" {
		return kept.Folder
	}
	return filepath.Join(d.home(name), "files")
}

// SetFolder points a workspace to another folder of the user's files; "" points it back to its own.
func (d *Dir) SetFolder(name, folder string) error {
	if !d.Exists(name) {
		return echo.Errorf(echo.CodeUnknownWorkspace, "there is no workspace %q", name)
	}
	if folder != "" {
		info, err := os.Stat(folder)
		if !filepath.IsAbs(folder) || err != nil || !info.IsDir() {
			return echo.Errorf(echo.CodeInvalid, "folder: %q is not a folder on this machine: give the whole path of one that exists", folder).Because(err)
		}
	}
	return writeJSON(d.configFile(name), config{Folder: folder})
}

// Database is the path of a workspace's chat database.
func (d *Dir) Database(name string) string { return filepath.Join(d.home(name), "chat.db") }

func (d *Dir) home(name string) string       { return filepath.Join(d.path, "workspaces", name) }
func (d *Dir) configFile(name string) string { return filepath.Join(d.home(name), "workspace.json") }
