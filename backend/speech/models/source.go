package models

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"echo-companion/backend/echo"
)

// maxUnpacked bounds one unpacked file: the largest model has 64 MB.
const maxUnpacked = 256 << 20

// npmPackage fetches one npm package and gives the folder of its unpacked files.
func npmPackage(ctx context.Context, temp, spec string) (string, error) {
	into, err := os.MkdirTemp(temp, "npm-")
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", spec, err)
	}
	if _, err := run(ctx, into, "npm", "pack", "--loglevel=error", "--pack-destination", into, spec); err != nil {
		return "", err
	}
	archives, err := filepath.Glob(filepath.Join(into, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return "", fmt.Errorf("fetch %s: npm left %d archives", spec, len(archives))
	}
	return filepath.Join(into, "package"), unpackGzip(archives[0], into)
}

// goModule fetches one Go module and gives the folder of its files in the module cache.
func goModule(ctx context.Context, temp, spec string) (string, error) {
	out, err := run(ctx, temp, "go", "mod", "download", "-json", spec)
	if err != nil {
		return "", err
	}
	var module struct{ Dir, Error string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("fetch %s: %w", spec, err)
	}
	if module.Dir == "" {
		return "", fmt.Errorf("fetch %s: %s", spec, module.Error)
	}
	return module.Dir, nil
}

// run runs a package client in a folder that belongs to no project. Its errors say what to do.
func run(ctx context.Context, folder, name string, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, name, arguments...)
	command.Dir = folder
	var problem bytes.Buffer
	command.Stderr = &problem
	out, err := command.Output()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return nil, echo.Errorf(echo.CodeEngineUnreachable,
			"Speech models come through %s, which is not installed. Install it, then run `%s` again.", name, Command).Because(err)
	case err != nil:
		return nil, echo.Errorf(echo.CodeEngineUnreachable,
			"%s could not fetch %s. Check the network, then run `%s` again.", name, arguments[len(arguments)-1], Command).
			Because(fmt.Errorf("%w: %s %s", err, tail(problem.String()), tail(string(out))))
	}
	return out, nil
}

// tail is the end of what a program said, where its reason is.
func tail(text string) string {
	text = strings.TrimSpace(text)
	return text[max(0, len(text)-600):]
}

// unpackGzip unpacks an npm archive. Names that lead out of the folder are refused by os.Root.
func unpackGzip(archive, folder string) error {
	file, err := os.Open(archive)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	plain, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", archive, err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", archive, err)
	}
	defer func() { _ = root.Close() }() // nothing is written through it any more
	return eachFile(plain, func(name string, content []byte) error {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		return root.WriteFile(name, content, 0o644)
	})
}

// unpackZstd gives the files of an archive that have a checksum; each must be there and match.
func unpackZstd(archive []byte, sums map[string]string) (map[string][]byte, error) {
	plain, err := zstd.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	defer plain.Close()
	files := map[string][]byte{}
	err = eachFile(plain, func(name string, content []byte) error {
		name = strings.TrimPrefix(name, "./")
		if want, ok := sums[name]; ok {
			files[name] = content
			return verify(name, content, want)
		}
		return nil
	})
	if err == nil && len(files) != len(sums) {
		err = fmt.Errorf("unpack: %d of %d files are there", len(files), len(sums))
	}
	return files, err
}

func eachFile(plain io.Reader, take func(name string, content []byte) error) error {
	for reader := tar.NewReader(plain); ; {
		header, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("unpack: %w", err)
		case header.Typeflag != tar.TypeReg:
			continue
		case header.Size > maxUnpacked:
			return fmt.Errorf("unpack %s: %d bytes are too many", header.Name, header.Size)
		}
		content, err := io.ReadAll(io.LimitReader(reader, header.Size))
		if err != nil {
			return fmt.Errorf("unpack %s: %w", header.Name, err)
		}
		if err := take(header.Name, content); err != nil {
			return fmt.Errorf("unpack %s: %w", header.Name, err)
		}
	}
}

// read reads a file whose checksum is known.
func read(folder, name, sum string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	return data, verify(name, data, sum)
}

func verify(name string, data []byte, want string) error {
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != want {
		return echo.Errorf(echo.CodeEngineError,
			"What was fetched as %s is not what Echo was built with, so it is not used. Run `%s` again; if it stays, a newer Echo is needed.", name, Command).
			Because(fmt.Errorf("sha256 is %s, want %s", got, want))
	}
	return nil
}

// take copies a checked file into the part.
func (w work) take(folder, from, to, sum string) error {
	data, err := read(folder, from, sum)
	if err != nil {
		return err
	}
	return w.write(to, data)
}

func (w work) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(w.out, name), data, 0o644) //nolint:gosec // models are no secret
}
