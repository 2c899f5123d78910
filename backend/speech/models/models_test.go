package models

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
)

func TestEmptyFolderLacksEverythingAndSaysWhatHelps(t *testing.T) {
	parts := Check(t.TempDir())
	require.Len(t, parts, len(recipes()))
	for _, part := range parts {
		require.False(t, part.Ready, part.Name)
		require.NotEmpty(t, part.Missing, part.Name)
		require.Contains(t, part.Fix, Command, part.Name)
	}
}

// A folder that was fetched by an Echo without "Hey Echo" lacks that part alone, and says so.
func TestFolderOfAnOlderEchoLacksTheNewPart(t *testing.T) {
	dir := t.TempDir()
	for _, part := range recipes() {
		if part.place == "wake" {
			continue
		}
		part.build = func(_ context.Context, w work) error { return w.write("model.onnx", []byte("weights")) }
		require.NoError(t, build(t.Context(), dir, part))
	}
	for _, part := range Check(dir) {
		require.Equal(t, !strings.HasPrefix(part.Name, "wake word"), part.Ready, part.Name)
	}
}

func fake(builds *int, fail error) recipe {
	return recipe{name: "fake", place: "deep/fake", version: "1", build: func(_ context.Context, w work) error {
		*builds++
		if err := w.write("model.onnx", []byte("weights")); err != nil {
			return err
		}
		return fail
	}}
}

func TestPartIsBuiltOnceAndWhole(t *testing.T) {
	dir, builds := t.TempDir(), 0
	part := fake(&builds, nil)
	_, missing := inspect(dir, part)
	require.NotEmpty(t, missing)
	require.NoError(t, build(t.Context(), dir, part))
	size, missing := inspect(dir, part)
	require.Empty(t, missing)
	require.EqualValues(t, len("weights"), size)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "the working folder is gone")
}

func TestDamagedOrOldPartIsBuiltAgain(t *testing.T) {
	dir, builds := t.TempDir(), 0
	part := fake(&builds, nil)
	require.NoError(t, build(t.Context(), dir, part))
	path := filepath.Join(dir, "deep", "fake", "model.onnx")
	require.NoError(t, os.WriteFile(path, []byte("cut"), 0o600))
	_, missing := inspect(dir, part)
	require.Equal(t, path, missing)
	require.NoError(t, build(t.Context(), dir, part))
	_, missing = inspect(dir, part)
	require.Empty(t, missing)
	part.version = "2"
	_, missing = inspect(dir, part)
	require.NotEmpty(t, missing)
}

func TestFailedBuildLeavesThePartAsItWas(t *testing.T) {
	dir, builds := t.TempDir(), 0
	require.NoError(t, build(t.Context(), dir, fake(&builds, nil)))
	broken := errors.New("the network is gone")
	require.ErrorIs(t, build(t.Context(), dir, fake(&builds, broken)), broken)
	_, missing := inspect(dir, fake(&builds, nil))
	require.Empty(t, missing)
	require.Equal(t, 2, builds)
}

func TestWrongChecksumIsNamed(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("not it"), 0o600))
	_, err := read(dir, "a", strings.Repeat("0", 64))
	require.Equal(t, echo.CodeEngineError, echo.CodeOf(err))
}

func TestMissingClientIsNamed(t *testing.T) {
	_, err := run(t.Context(), t.TempDir(), "no-such-package-client", "pack")
	require.Equal(t, echo.CodeEngineUnreachable, echo.CodeOf(err))
	require.Contains(t, echo.AsError(err).Message, "no-such-package-client")
}

func TestTokenTableHoldsBytesSpacesAndSpecials(t *testing.T) {
	source := `x; const a.vocab_base64 = "` + base64.StdEncoding.EncodeToString([]byte("<unk>\n<0x41>\n▁the")) + `";`
	table, err := moonshineTokens([]byte(source))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(table)), "\n")
	require.Len(t, lines, moonshineRows)
	for line, want := range map[int]string{0: "<unk>", 1: "A", 2: " the", 3: "<<ST_0>>", moonshineRows - 1: "<<ST_32764>>"} {
		encoded, _, _ := strings.Cut(lines[line], " ")
		token, err := base64.StdEncoding.DecodeString(encoded)
		require.NoError(t, err)
		require.Equal(t, want, string(token))
	}
	_, err = moonshineTokens([]byte("nothing"))
	require.Error(t, err)
}

func TestVoiceIsExtendedNotChanged(t *testing.T) {
	description, err := json.Marshal(map[string]any{
		"audio": map[string]any{"sample_rate": 22050}, "espeak": map[string]any{"voice": "en-gb"},
		"phoneme_id_map": map[string][]int{"a": {2}, "_": {0}, " ": {1}},
	})
	require.NoError(t, err)
	onnx, tokens, err := sherpaVoice([]byte("model"), description)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(onnx), "model\x72"), "field 14, length-delimited")
	require.Contains(t, string(onnx), "22050")
	require.Equal(t, "_ 0\n  1\na 2\n", string(tokens))
	_, _, err = sherpaVoice(nil, []byte(`{}`))
	require.Error(t, err)
}

func TestDamagedWeightsAreRefused(t *testing.T) {
	for _, weights := range []string{"", "12345678", "\xff\xff\xff\xff\xff\xff\xff\xff", "\x02\x00\x00\x00\x00\x00\x00\x00{}"} {
		_, err := minilmGraph([]byte(weights))
		require.Error(t, err)
	}
}
