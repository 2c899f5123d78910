package settings_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/settings"
)

func open(t *testing.T, path string, checks ...settings.Check) *settings.Store {
	t.Helper()
	store, err := settings.Open(path, checks...)
	require.NoError(t, err)
	return store
}

func fresh(t *testing.T) (*settings.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.json")
	return open(t, path), path
}

func patch(t *testing.T, store *settings.Store, text string) settings.Settings {
	t.Helper()
	after, err := store.Patch(t.Context(), []byte(text))
	require.NoError(t, err)
	return after
}

func TestFirstStartHasDefaults(t *testing.T) {
	store, path := fresh(t)
	require.Equal(t, settings.Default(), store.Get())
	require.Empty(t, store.Problems())
	require.NoFileExists(t, path, "nothing is written before something is chosen")
	require.True(t, store.Get().Voice.SaveConversations)
	require.False(t, store.Get().Voice.WakeWord)
}

func TestPatchKeepsTheRestAndOutlivesARestart(t *testing.T) {
	store, path := fresh(t)
	after := patch(t, store, `{"theme":"dark","voice":{"mode":"hands_free","unknown":1},"unknown":{"x":[]}}`)
	want := settings.Default()
	want.Theme, want.Voice.Mode = "dark", "hands_free"
	require.Equal(t, want, after)
	require.Equal(t, want, store.Get())
	require.Equal(t, want, open(t, path).Get())
}

func TestNullIsTheDefault(t *testing.T) {
	store, _ := fresh(t)
	patch(t, store, `{"theme":"dark","look":"ember","voice":{"mode":"hands_free","wake_word":true},"reasoning":{"provider":"openai","api_key":"sk"}}`)
	after := patch(t, store, `{"theme":null,"voice":{"mode":null},"reasoning":null}`)
	want := settings.Default()
	want.Look, want.Voice.WakeWord = "ember", true
	require.Equal(t, want, after)
}

func TestBadValueNamesItsFieldAndChangesNothing(t *testing.T) {
	store, path := fresh(t)
	patch(t, store, `{"look":"fern"}`)
	before, kept := store.Get(), read(t, path)
	store.Watch(func(_, _ settings.Settings) { t.Error("a refused patch was told") })
	for _, test := range []struct{ patch, field string }{
		{`{"theme":"dark","voice":{"mode":"shouting"}}`, "voice.mode"},
		{`{"look":"aurora","theme":"pink"}`, "theme"},
		{`{"look":"aurora","reasoning":{"provider":"oracle"}}`, "reasoning.provider"},
		{`{"look":"aurora","voice":{"save_conversations":"yes"}}`, "voice.save_conversations"},
		{`{"look":"aurora","speech":{"recognizer":{"engine":7}}}`, "speech.recognizer.engine"},
		{`{"look":"nobody"}`, "look"},
		{`{"look":7}`, "look"},
		{`{"workspace":"../etc"}`, "workspace"},
		{`{"workspace":""}`, "workspace"},
		{`{"voice":7}`, "voice"},
		{`{"speech":{"recognizer":[]}}`, "speech.recognizer"},
		{`{"reasoning":{"base_url":"file:///etc/passwd"}}`, "reasoning.base_url"},
		{`{"reasoning":{"base_url":"127.0.0.1:8080"}}`, "reasoning.base_url"},
		{`{"reasoning":{"api_key":"a\nb"}}`, "reasoning.api_key"},
		{`{"reasoning":{"api_key":7}}`, "reasoning.api_key"},
		{`{"speech":{"recognizer":{"language":"English"}}}`, "speech.recognizer.language"},
		{`{"voice":{"patience_ms":1.5}}`, "voice.patience_ms"},
		{`{"voice":{"patience_ms":1}}`, "voice.patience_ms"},
		{`{"voice":{"global_key":"Space"}}`, "voice.global_key"},
		{`{"voice":{"global_key":"Hyper+Space"}}`, "voice.global_key"},
	} {
		_, err := store.Patch(t.Context(), []byte(test.patch))
		require.Equal(t, echo.CodeInvalid, echo.CodeOf(err), test.patch)
		require.Contains(t, err.Error(), `"`+test.field+`"`, test.patch)
	}
	for body, code := range map[string]echo.Code{`{"theme":`: echo.CodeBadJSON, `hello`: echo.CodeBadJSON, ``: echo.CodeBadJSON, `[]`: echo.CodeInvalid, `null`: echo.CodeInvalid} {
		_, err := store.Patch(t.Context(), []byte(body))
		require.Equal(t, code, echo.CodeOf(err), body)
	}
	require.Equal(t, before, store.Get())
	require.Equal(t, kept, read(t, path))
}

func TestEveryFieldOfTheDefaultsCanBeSetToItself(t *testing.T) {
	store, _ := fresh(t)
	data, err := json.Marshal(settings.Default())
	require.NoError(t, err)
	require.Equal(t, settings.Default(), patch(t, store, string(data)))
}

func TestKeysAreWriteOnlyAndKeptApart(t *testing.T) {
	store, path := fresh(t)
	patch(t, store, `{"reasoning":{"api_key":" sk-very-secret\n"}}`)
	require.Equal(t, "sk-very-secret", store.Get().Reasoning.APIKey)
	require.Equal(t, "********", store.Public().Reasoning.APIKey)
	require.Empty(t, store.Public().Speech.Recognizer.APIKey)
	require.NotContains(t, read(t, path), "sk-very-secret")
	secrets := filepath.Join(filepath.Dir(path), "secrets.json")
	for _, file := range []string{path, secrets} {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), file)
	}

	public, err := json.Marshal(store.Public())
	require.NoError(t, err)
	patch(t, store, string(public))
	patch(t, store, `{"reasoning":{"api_key":"********","model":"other"},"speech":{"recognizer":{"api_key":"********"}}}`)
	require.Equal(t, "sk-very-secret", open(t, path).Get().Reasoning.APIKey)
	require.Empty(t, store.Get().Speech.Recognizer.APIKey)

	patch(t, store, `{"reasoning":{"api_key":""}}`)
	require.Empty(t, open(t, path).Get().Reasoning.APIKey)
	require.NotContains(t, read(t, secrets), "sk-very-secret")
}

func TestDamagedFileIsSetAside(t *testing.T) {
	for _, text := range []string{`{"theme": "da`, `[]`, `null`, "\x00\x00"} {
		path := filepath.Join(t.TempDir(), "settings.json")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		store := open(t, path)
		require.Equal(t, settings.Default(), store.Get())
		require.Len(t, store.Problems(), 1)
		require.Contains(t, store.Problems()[0], "settings.json.damaged")
		require.Equal(t, text, read(t, path+".damaged"))
		patch(t, store, `{"theme":"light"}`)
		require.Empty(t, open(t, path).Problems())

		require.NoError(t, os.WriteFile(path, []byte("damaged again"), 0o600))
		require.Contains(t, open(t, path).Problems()[0], "settings.json.damaged-2")
		require.Equal(t, text, read(t, path+".damaged"), "the first one is still there")
		require.Equal(t, "damaged again", read(t, path+".damaged-2"))
	}
}

func TestBadValueInTheFileIsTheDefault(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"theme":"pink","look":"fern","voice":{"patience_ms":7},"speech":3,"later":{"x":1}}`), 0o600))
	store := open(t, path)
	want := settings.Default()
	want.Look = "fern"
	require.Equal(t, want, store.Get())
	require.Len(t, store.Problems(), 2)
}

func TestPasswordInAnAddressIsRefused(t *testing.T) {
	store := open(t, filepath.Join(t.TempDir(), "settings.json"))
	for _, name := range []string{"reasoning", "speech.recognizer", "speech.synthesizer"} {
		group, rest, deeper := strings.Cut(name, ".")
		body := `{"` + group + `":{"base_url":"https://ada:secret@example.org/v1"}}`
		if deeper {
			body = `{"` + group + `":{"` + rest + `":{"base_url":"https://ada:secret@example.org/v1"}}}`
		}
		_, err := store.Patch(t.Context(), []byte(body))
		require.Equal(t, echo.CodeInvalid, echo.CodeOf(err), name)
		require.Contains(t, echo.AsError(err).Message, name+".base_url")
		require.NotContains(t, echo.AsError(err).Message, "secret")
	}
}

func TestCheckRefuses(t *testing.T) {
	refusal := echo.Errorf(echo.CodeInvalid, `There is no workspace "lab".`)
	store := open(t, filepath.Join(t.TempDir(), "settings.json"), func(_ context.Context, after settings.Settings) error {
		if after.Workspace == "lab" {
			return refusal
		}
		return nil
	})
	_, err := store.Patch(t.Context(), []byte(`{"workspace":"lab","theme":"dark"}`))
	require.Equal(t, refusal, err)
	require.Equal(t, settings.Default(), store.Get())
	patch(t, store, `{"theme":"dark"}`)
}

func TestFolderThatCannotBeWrittenIsNamed(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(folder, nil, 0o600)) // a file where the folder should be
	_, err := settings.Open(filepath.Join(folder, "settings.json"))
	require.Error(t, err)
	require.NoError(t, os.Remove(folder))
	store := open(t, filepath.Join(folder, "settings.json"))
	require.NoError(t, os.WriteFile(folder, nil, 0o600))
	_, err = store.Patch(t.Context(), []byte(`{"theme":"dark"}`))
	require.Equal(t, echo.CodeStorage, echo.CodeOf(err))
	require.Equal(t, settings.Default(), store.Get())
}

func TestWatchersHearEveryChangeInOrder(t *testing.T) {
	store, path := fresh(t)
	var themes []string
	stop := store.Watch(func(before, after settings.Settings) {
		themes = append(themes, string(before.Theme)+">"+string(after.Theme))
	})
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			theme := []string{"light", "dark"}[i%2]
			_, err := store.Patch(context.WithoutCancel(t.Context()), []byte(`{"theme":"`+theme+`"}`))
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.NotEmpty(t, themes)
	for i, change := range themes[1:] {
		_, after, _ := strings.Cut(themes[i], ">")
		before, _, _ := strings.Cut(change, ">")
		require.Equal(t, after, before)
	}
	heard := len(themes)
	patch(t, store, `{}`)
	require.Len(t, themes, heard, "a patch that changes nothing is not told")
	stop()
	patch(t, store, `{"theme":"system"}`)
	require.Len(t, themes, heard)
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 2, "temporary files are left behind")
}

func TestLooks(t *testing.T) {
	looks := settings.Looks()
	require.GreaterOrEqual(t, len(looks), 4)
	require.Equal(t, "aurora", looks[0].ID)
	require.Equal(t, "jenny", looks[0].Voice)
	seen := map[string]bool{}
	for _, look := range looks {
		require.False(t, seen[look.ID])
		seen[look.ID] = true
		require.Contains(t, []string{"jenny", "alan"}, look.Voice)
		require.NotEmpty(t, look.Name)
		require.NotEmpty(t, look.Persona)
		for _, ground := range []string{"#ffffff", "#16181d"} {
			require.GreaterOrEqual(t, contrast(t, look.Accent, ground), 3.5, "%s on %s", look.ID, ground)
		}
		found, is := settings.Look(look.ID)
		require.True(t, is)
		require.Equal(t, look, found)
	}
	_, is := settings.Look("nobody")
	require.False(t, is)
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	var sum float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		value, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		require.NoError(t, err)
		channel := float64(value) / 255
		if channel <= 0.03928 {
			channel /= 12.92
		} else {
			channel = math.Pow((channel+0.055)/1.055, 2.4)
		}
		sum += weight * channel
	}
	return sum
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte(`{"theme":"dark","voice":{"mode":null}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		store, path := fresh(t)
		after, err := store.Patch(t.Context(), body)
		if err != nil {
			require.Contains(t, []echo.Code{echo.CodeBadJSON, echo.CodeInvalid}, echo.CodeOf(err))
			return
		}
		require.Equal(t, after, open(t, path).Get())
		require.Empty(t, open(t, path).Problems())
	})
}
