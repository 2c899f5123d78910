// Package settings owns what the user has chosen: typed settings with their defaults and bounds, merge patches, change notices,
// and the looks that there are. It keeps them in settings.json, and API keys apart in secrets.json beside it. It knows no
// engine, workspace or transport; what only they can judge is a Check.
package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"echo-companion/backend/echo"
	"echo-companion/backend/protocol"
)

// Settings is the whole settings object. The wire's form and the file's are one; only the keys are apart in the file.
type Settings = protocol.Settings

// Check judges settings that are about to be kept, beyond what this package knows (whether the workspace exists, for one). Its
// error, an *echo.Error that names the field, refuses the patch.
type Check func(ctx context.Context, after Settings) error

// Store holds the settings. Its methods may be called from several goroutines.
type Store struct {
	path     string
	checks   []Check
	problems []string
	current  atomic.Pointer[Settings]

	patching sync.Mutex // one patch at a time, with its notices; guards the below
	watchers map[int]func(before, after Settings)
	nextID   int
}

// Open reads the settings at path, which need not be there yet. A file that cannot be understood is set aside, and Problems says
// so; a value in it that is out of bounds is the default. Only a file that cannot be read at all is an error.
func Open(path string, checks ...Check) (*Store, error) {
	s := &Store{path: path, checks: checks, watchers: map[int]func(before, after Settings){}}
	kept, err := s.read(path)
	if err != nil {
		return nil, err
	}
	secrets, err := s.read(s.secretsPath())
	if err != nil {
		return nil, err
	}
	document := documentOf(Default())
	defaults := documentOf(Default())
	s.problems = append(s.problems, lenient(document, kept, defaults)...)
	for _, name := range secretFields() {
		if key, is := secrets[name].(string); is {
			put(document, name, key)
		}
	}
	settings, err := settingsOf(document)
	if err != nil {
		return nil, err
	}
	s.current.Store(&settings)
	return s, nil
}

// Problems says, in sentences for people, what was wrong with the files as they were opened.
func (s *Store) Problems() []string { return slices.Clone(s.problems) }

// Get gives the settings, with the API keys.
func (s *Store) Get() Settings { return *s.current.Load() }

// Public gives the settings as they may be shown: an API key that is set reads as protocol.KeptKey.
func (s *Store) Public() Settings { return Masked(s.Get()) }

// Masked hides the API keys of settings.
func Masked(settings Settings) Settings {
	document := documentOf(settings)
	for _, name := range secretFields() {
		if key, _ := lookUp(document, name); key != "" {
			put(document, name, protocol.KeptKey)
		}
	}
	masked, err := settingsOf(document)
	if err != nil {
		panic(fmt.Sprintf("settings: what was marshalled does not unmarshal: %v", err))
	}
	return masked
}

// Watch calls watcher after each change, in order, from the goroutine that made it; the watcher must not patch. The returned
// function ends that, and does not wait for a call that is under way.
func (s *Store) Watch(watcher func(before, after Settings)) (stop func()) {
	s.patching.Lock()
	defer s.patching.Unlock()
	id := s.nextID
	s.nextID++
	s.watchers[id] = watcher
	return func() {
		s.patching.Lock()
		defer s.patching.Unlock()
		delete(s.watchers, id)
	}
}

// Patch applies a JSON merge patch (RFC 7396), keeps the result on disk and tells the watchers. null puts a field back to its
// default, fields that are not known are ignored, protocol.KeptKey leaves an API key as it is. A bad value is an *echo.Error
// (bad_json, or invalid with the field's dotted name), and changes nothing.
func (s *Store) Patch(ctx context.Context, patch []byte) (Settings, error) {
	var changes any
	if err := json.Unmarshal(patch, &changes); err != nil {
		return Settings{}, echo.Errorf(echo.CodeBadJSON, "The body is not valid JSON. Send an object with the settings to change.")
	}
	object, is := changes.(map[string]any)
	if !is {
		return Settings{}, echo.Errorf(echo.CodeInvalid, "The settings must be a JSON object with the fields to change.")
	}
	s.patching.Lock()
	defer s.patching.Unlock()
	before := s.Get()
	document := documentOf(before)
	if err := merge(document, object, documentOf(Default()), fields(), ""); err != nil {
		return Settings{}, err
	}
	after, err := settingsOf(document)
	if err != nil {
		return Settings{}, err
	}
	if after == before {
		return after, nil
	}
	for _, check := range s.checks {
		if err := check(ctx, after); err != nil {
			return Settings{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return Settings{}, err
	}
	if err := s.write(after); err != nil {
		return Settings{}, echo.Errorf(echo.CodeStorage, "The settings could not be saved. Check that the disk has room and %s can be written to.",
			filepath.Dir(s.path)).Because(err)
	}
	s.current.Store(&after)
	for _, id := range slices.Sorted(maps.Keys(s.watchers)) {
		s.watchers[id](before, after)
	}
	return after, nil
}

func (s *Store) secretsPath() string { return filepath.Join(filepath.Dir(s.path), "secrets.json") }

// read gives the object in a file, or none where there is no file. A file with anything else is set aside.
func (s *Store) read(path string) (map[string]any, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	var object map[string]any
	if err := json.Unmarshal(data, &object); err == nil && object != nil {
		return object, nil
	}
	aside, err := setAside(path)
	if err != nil {
		return nil, fmt.Errorf("set damaged settings aside: %w", err)
	}
	s.problems = append(s.problems, fmt.Sprintf("%s could not be understood and was set aside as %s. Echo starts with the defaults in its place.",
		filepath.Base(path), filepath.Base(aside)))
	return nil, nil
}

// write stages both files before it puts either in its place, so that a full disk changes neither.
func (s *Store) write(settings Settings) error {
	document := documentOf(settings)
	secrets := map[string]string{}
	for _, name := range secretFields() {
		if key, is := take(document, name).(string); is && key != "" {
			secrets[name] = key
		}
	}
	var staged []file
	defer func() {
		for _, f := range staged {
			f.discard()
		}
	}()
	for path, value := range map[string]any{s.path: document, s.secretsPath(): secrets} {
		f, err := stage(path, value)
		if err != nil {
			return err
		}
		staged = append(staged, f)
	}
	for _, f := range staged {
		if err := f.commit(); err != nil {
			return err
		}
	}
	return nil
}

// lenient merges a kept document value by value, and leaves out what is bad.
func lenient(document, kept, defaults map[string]any) (problems []string) {
	rules := fields()
	for _, name := range sortedNames(rules) {
		value, found := lookUp(kept, name)
		if !found || value == nil || strings.HasSuffix(name, secretSuffix) {
			continue
		}
		if err := merge(document, nested(name, value), defaults, rules, ""); err != nil {
			problems = append(problems, "settings.json: "+echo.AsError(err).Message+" The default is used instead.")
		}
	}
	return problems
}
