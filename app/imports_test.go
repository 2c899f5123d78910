package app

import (
	"encoding/json"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mayImport is docs/ARCHITECTURE.md's table of imports: every package of Echo with the packages of Echo that it may import.
// Only app is free; what is not listed here does not exist.
var mayImport = map[string][]string{
	"":          {"app"},
	"app":       {"*"},
	"build/e2e": {"*"}, // programs of the tests

	// The words of the domain, the wire and pure code stand on the standard library.
	"backend/echo":             nil,
	"backend/protocol":         nil,
	"backend/audio":            nil,
	"backend/audio/wav":        nil,
	"backend/filter":           nil,
	"backend/prose":            nil,
	"backend/refusal":          nil,
	"backend/logging":          nil,
	"backend/supervise":        nil,
	"backend/speech/frame":     nil,
	"backend/speech/resample":  nil,
	"backend/tools/arithmetic": nil,

	// Ports, and the core that asks through them.
	"backend/reason":           {"backend/echo"},
	"backend/speech":           {"backend/echo"},
	"backend/reply":            {"backend/echo", "backend/reason"},
	"backend/history":          {"backend/echo", "backend/reason"},
	"backend/conversation":     {"backend/echo", "backend/filter", "backend/history", "backend/prose", "backend/reason", "backend/reply", "backend/speech"},
	"backend/chat":             {"backend/echo", "backend/history", "backend/reason", "backend/reply"},
	"backend/passage":          {"backend/speech"},
	"backend/recall":           {"backend/echo", "backend/speech"},
	"backend/passage/recorded": {"backend/speech", "backend/speech/local"}, // vectors that tests replay
	"backend/tools":            {"backend/echo", "backend/passage", "backend/reason", "backend/reply", "backend/tools/arithmetic"},

	// Adapters know their port. Ollama speaks the dialect of openai beside its own, and choice is where providers meet.
	"backend/reason/openai":   {"backend/echo", "backend/reason", "backend/refusal"},
	"backend/reason/ollama":   {"backend/echo", "backend/reason", "backend/reason/openai"},
	"backend/reason/skills":   {"backend/passage", "backend/reason", "backend/speech", "backend/tools/arithmetic"},
	"backend/reason/choice":   {"backend/echo", "backend/reason", "backend/reason/ollama", "backend/reason/openai"},
	"backend/speech/local":    {"backend/echo", "backend/speech", "backend/speech/frame"},
	"backend/speech/models":   {"backend/echo"},
	"backend/speech/openai":   {"backend/audio/wav", "backend/echo", "backend/refusal", "backend/speech", "backend/speech/resample"},
	"backend/speech/choice":   {"backend/echo", "backend/speech", "backend/speech/local", "backend/speech/openai"},
	"backend/device":          {"backend/audio"},
	"backend/cancel":          {"backend/audio", "backend/speech", "backend/speech/resample"},
	"backend/acoustics":       nil, // sound for tests
	"backend/acoustics/suite": nil, // tests alone
	"backend/capture":         {"backend/audio", "backend/device", "backend/speech"},
	"backend/playback":        {"backend/audio", "backend/device", "backend/speech"},
	"backend/store":           {"backend/echo", "backend/history"},
	"backend/workspace":       {"backend/echo"},
	"backend/settings":        {"backend/echo", "backend/protocol"},

	// Borders translate; they know neither store nor engines.
	"backend/present": {"backend/chat", "backend/conversation", "backend/echo", "backend/protocol", "backend/reason"},
	"backend/httpapi": {"backend/audio/wav", "backend/chat", "backend/conversation", "backend/echo", "backend/present", "backend/protocol", "backend/reason", "backend/settings"},
}

func TestPackagesImportWhatTheArchitectureAllows(t *testing.T) {
	for _, tags := range []string{"", "desktop,production,webkit2_41"} {
		for name, imports := range listed(t, tags) {
			allowed, known := rule(name)
			require.Truef(t, known, "%q is in no row of the table: give it one, and docs/ARCHITECTURE.md a line", name)
			for _, imported := range imports {
				require.Truef(t, slices.Contains(allowed, "*") || slices.Contains(allowed, imported),
					"with tags %q, %s may not import %s", tags, name, imported)
			}
		}
	}
}

// listed gives Echo's packages with what each imports of Echo; paths are relative to the module.
func listed(t *testing.T, tags string) map[string][]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-e", "-tags", tags, "-json=ImportPath,Imports", "echo-companion/...").Output()
	require.NoError(t, err)
	const module = "echo-companion"
	packages := map[string][]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var listed struct {
			ImportPath string
			Imports    []string
		}
		err := decoder.Decode(&listed)
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		var own []string
		for _, imported := range listed.Imports {
			if inside, found := strings.CutPrefix(imported, module+"/"); found {
				own = append(own, inside)
			}
		}
		packages[strings.TrimPrefix(strings.TrimPrefix(listed.ImportPath, module), "/")] = own
	}
	require.NotEmpty(t, packages)
	return packages
}

// rule is the row for name: its own, or that of the folder it lies in, which it may use as well.
func rule(name string) (allowed []string, known bool) {
	if allowed, known = mayImport[name]; known {
		return allowed, true
	}
	folder := path.Dir(name)
	if folder == "." {
		return nil, false
	}
	allowed, known = rule(folder)
	return append(slices.Clone(allowed), folder), known
}
