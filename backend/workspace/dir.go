// Package workspace owns the data folder: who holds it, its token, its server file, and the workspaces in it, each with a
// chat database and a folder for the user's files. It opens no database.
package workspace

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Server is DIR/server.json: where the process that holds the folder listens.
type Server struct {
	Addr      string    `json:"addr"`
	PID       int       `json:"pid"`
	StartedAt time.Time `json:"started_at"`
}

// HeldError tells that another process holds the data folder.
type HeldError struct {
	Dir    string
	Server Server // zero where the holder has not written it yet
}

// Error implements error.
func (e *HeldError) Error() string {
	if e.Server.PID == 0 {
		return fmt.Sprintf("another Echo is starting in %s: wait a moment, then look for its window", e.Dir)
	}
	return fmt.Sprintf("Echo is running already (process %d) with the data in %s: its dashboard is at http://%s", e.Server.PID, e.Dir, e.Server.Addr)
}

// Dir is a data folder that this process holds until Close.
type Dir struct {
	path  string
	token string
	lock  *flock.Flock
}

// Open takes hold of the data folder, making it where it is missing. It returns a *HeldError where another process has it.
func Open(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the data folder: %w", err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	lock := flock.New(filepath.Join(path, "lock"))
	held, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the data folder %s: %w", path, err)
	}
	if !held {
		server, _ := ReadServer(path)
		return nil, &HeldError{Dir: path, Server: server}
	}
	d := &Dir{path: path, lock: lock}
	if err := d.prepare(); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return d, nil
}

func (d *Dir) prepare() error {
	token, err := readToken(d.path)
	if err != nil {
		return err
	}
	d.token = token
	if _, err := d.Create(Default); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

// Path is the data folder's absolute path.
func (d *Dir) Path() string { return d.path }

// Token is what requests to the API carry.
func (d *Dir) Token() string { return d.token }

// Announce writes server.json.
func (d *Dir) Announce(addr string, now time.Time) error {
	return writeJSON(d.serverFile(), Server{Addr: addr, PID: os.Getpid(), StartedAt: now.UTC().Truncate(time.Second)})
}

// Close removes server.json and lets go of the folder.
func (d *Dir) Close() error {
	err := os.Remove(d.serverFile())
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, d.lock.Unlock())
}

func (d *Dir) serverFile() string { return filepath.Join(d.path, "server.json") }

// ReadServer reads server.json of a data folder that another process may hold.
func ReadServer(dir string) (Server, error) {
	var server Server
	data, err := os.ReadFile(filepath.Join(dir, "server.json"))
	if err == nil {
		err = json.Unmarshal(data, &server)
	}
	return server, err
}

// ReadToken reads the token of a data folder, without making one.
func ReadToken(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "token"))
	return strings.TrimSpace(string(data)), err
}

// readToken reads the token, or makes one of 256 bits. A file that others may read is closed to them.
func readToken(dir string) (string, error) {
	path := filepath.Join(dir, "token")
	token, err := ReadToken(dir)
	if err == nil && len(token) >= 22 { // 128 bits in base64
		return token, os.Chmod(path, 0o600)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the access token: %w", err)
	}
	bits := make([]byte, 32)
	_, _ = rand.Read(bits) // never fails
	token = base64.RawURLEncoding.EncodeToString(bits)
	if err := writeFile(path, []byte(token+"\n")); err != nil {
		return "", fmt.Errorf("write the access token: %w", err)
	}
	return token, nil
}

func writeJSON(path string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return writeFile(path, append(data, '\n'))
}

// writeFile replaces a file whole, readable by its owner alone.
func writeFile(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), path)
}
