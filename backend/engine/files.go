package main

import (
	"os"
	"path/filepath"
)

// missingError is a model's file that is not there.
type missingError struct{ path string }

// Error implements error.
func (e *missingError) Error() string { return e.path + " is missing" }

// within gives the paths of files in the models' folder, each of which must be there: the libraries would end the process.
func within(models string, names ...string) ([]string, error) {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(models, filepath.FromSlash(name))
		if _, err := os.Stat(paths[i]); err != nil {
			return nil, &missingError{path: paths[i]}
		}
	}
	return paths, nil
}
