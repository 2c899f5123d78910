// Package recorded lets tests compare texts by meaning without the engine that embeds them: it replays vectors that the engine once
// gave, from a file kept beside the test. With ECHO_ENGINE naming the program echo-engine (and ECHO_MODELS the folder of its models, by
// default the user's) it asks the engine instead and writes the file anew. It is imported by tests alone.
package recorded

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/speech"
	"echo-companion/backend/speech/local"
)

// Embedder replays, or records. It may be used from several goroutines.
type Embedder struct {
	file   string
	engine speech.Embedder // nil: it replays

	mu      sync.Mutex
	vectors map[string]string // by text, as they are written in the file
}

// Open reads the file, or starts the engine and writes the file when the test ends.
func Open(t *testing.T, file string) *Embedder {
	t.Helper()
	e := &Embedder{file: file, vectors: map[string]string{}}
	program := os.Getenv("ECHO_ENGINE")
	if program == "" {
		e.load(t)
		return e
	}
	models := os.Getenv("ECHO_MODELS")
	if models == "" {
		cache, err := os.UserCacheDir()
		require.NoError(t, err)
		models = filepath.Join(cache, "echo-companion", "models")
	}
	engines := local.New(local.Config{Path: program, Models: models}, slog.New(slog.DiscardHandler))
	e.engine = engines.Embedder()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = engines.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
		e.store(t)
	})
	_, err := e.engine.Embed(t.Context(), []string{"the first time loads the model"})
	require.NoError(t, err)
	return e
}

// Embed implements speech.Embedder.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.ask(ctx, texts); err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for n, text := range texts {
		written, ok := e.vectors[text]
		if !ok {
			panic(fmt.Sprintf("%s has no vector for %q: record it anew, with ECHO_ENGINE set", e.file, text))
		}
		vector, err := unpack(written)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", e.file, err)
		}
		out[n] = vector
	}
	return out, nil
}

// ask has the engine embed what is not known yet.
func (e *Embedder) ask(ctx context.Context, texts []string) error {
	if e.engine == nil {
		return nil
	}
	var missing []string
	for _, text := range texts {
		if _, ok := e.vectors[text]; !ok {
			missing = append(missing, text)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	vectors, err := e.engine.Embed(ctx, missing)
	if err != nil {
		return fmt.Errorf("ask the engine: %w", err)
	}
	for n, text := range missing {
		e.vectors[text] = pack(vectors[n])
	}
	return nil
}

// load reads the file: a text, quoted, and its vector a line.
func (e *Embedder) load(t *testing.T) {
	t.Helper()
	file, err := os.Open(e.file)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		quoted, vector, ok := strings.Cut(lines.Text(), "\t")
		require.True(t, ok, e.file)
		text, err := strconv.Unquote(quoted)
		require.NoError(t, err, e.file)
		e.vectors[text] = vector
	}
	require.NoError(t, lines.Err())
}

func (e *Embedder) store(t *testing.T) {
	t.Helper()
	var out strings.Builder
	for _, text := range slices.Sorted(maps.Keys(e.vectors)) {
		out.WriteString(strconv.Quote(text) + "\t" + e.vectors[text] + "\n")
	}
	require.NoError(t, os.WriteFile(e.file, []byte(out.String()), 0o644)) //nolint:gosec // it is kept in the repository, for all to read
}

// scale makes the parts of a unit vector of 384 fill a byte: few are above a quarter.
const scale = 480

// pack writes a vector with a byte a part: likenesses change by less than 0.01.
func pack(vector []float32) string {
	bytes := make([]byte, len(vector))
	for n, part := range vector {
		bytes[n] = byte(128 + max(-127, min(127, math.Round(float64(part)*scale))))
	}
	return base64.RawStdEncoding.EncodeToString(bytes)
}

func unpack(text string) ([]float32, error) {
	bytes, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("decode a vector: %w", err)
	}
	vector := make([]float32, len(bytes))
	var length float64
	for n, part := range bytes {
		vector[n] = float32(part) - 128
		length += float64(vector[n]) * float64(vector[n])
	}
	for n := range vector {
		vector[n] /= float32(math.Sqrt(max(length, 1)))
	}
	return vector, nil
}
