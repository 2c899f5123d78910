package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// file is a file that is written in full but not yet in its place.
type file struct{ temporary, path string }

// stage writes value beside path, readable by its owner alone, and waits until it is on the disk.
func stage(path string, value any) (file, error) {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return file{}, fmt.Errorf("encode %s: %w", filepath.Base(path), err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return file{}, fmt.Errorf("make the folder of %s: %w", filepath.Base(path), err)
	}
	out, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return file{}, fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	f := file{temporary: out.Name(), path: path}
	_, err = out.Write(append(data, '\n'))
	if err == nil {
		err = out.Sync()
	}
	if err := errors.Join(err, out.Close()); err != nil {
		f.discard()
		return file{}, fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return f, nil
}

// commit puts the file in its place, for good.
func (f file) commit() error {
	if err := os.Rename(f.temporary, f.path); err != nil {
		return fmt.Errorf("replace %s: %w", filepath.Base(f.path), err)
	}
	folder, err := os.Open(filepath.Dir(f.path))
	if err != nil {
		return nil //nolint:nilerr // the file is in its place; only its folder cannot be flushed
	}
	_ = folder.Sync() // some file systems cannot
	return folder.Close()
}

// setAside renames a file that could not be understood, and leaves what was set aside before.
func setAside(path string) (aside string, err error) {
	aside = path + ".damaged"
	for n := 2; ; n++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, os.Rename(path, aside)
		} else if err != nil {
			return "", err
		}
		aside = fmt.Sprintf("%s.damaged-%d", path, n)
	}
}

// discard removes what was not committed.
func (f file) discard() { _ = os.Remove(f.temporary) }
