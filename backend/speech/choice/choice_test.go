package choice_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/speech/choice"
)

// machine is a recogniser and synthesiser of this machine, with visible state.
type machine struct {
	name  string
	held  int
	spoke string
}

func (m *machine) Hold() func() {
	m.held++
	return sync.OnceFunc(func() { m.held-- })
}

func (m *machine) Engine() echo.Engine {
	if m.held > 0 {
		return echo.Engine{Name: m.name, State: echo.EngineReady}
	}
	return echo.Engine{Name: m.name, State: echo.EngineStopped}
}

func (m *machine) Recognize(context.Context, []int16) (string, error) { return "heard here", nil }

func (m *machine) Synthesize(_ context.Context, text, voice string, emit func([]int16) error) error {
	m.spoke = text + "/" + voice
	return emit([]int16{1})
}

type bench struct {
	*choice.Engines
	settings   choice.Settings
	ears, lips *machine
}

func made() *bench {
	b := &bench{ears: &machine{name: "ears"}, lips: &machine{name: "lips"}}
	b.Engines = choice.New(choice.Config{Settings: func() choice.Settings { return b.settings }}, b.ears, b.lips)
	return b
}

func quiet([]int16) error { return nil }

func TestBothAreHeldUntilTheLastRelease(t *testing.T) {
	b := made()
	first, second := b.Hold(), b.Hold()
	require.Equal(t, []int{1, 1}, []int{b.ears.held, b.lips.held})
	first()
	first()
	require.Equal(t, echo.EngineReady, b.Recognition().State)
	second()
	require.Equal(t, []int{0, 0}, []int{b.ears.held, b.lips.held})
	require.Equal(t, echo.EngineStopped, b.Synthesis().State)
}

func TestChangeOfSettingsExchangesWhatIsHeld(t *testing.T) {
	b := made()
	release := b.Hold()
	b.settings.Recognizer = choice.Recognizer{Engine: choice.EngineOpenAI, BaseURL: "http://127.0.0.1:1/v1", Model: "whisper"}
	b.Changed()
	require.Equal(t, []int{0, 1}, []int{b.ears.held, b.lips.held})
	require.Equal(t, echo.Engine{Name: "whisper at http://127.0.0.1:1/v1", State: echo.EngineReady}, b.Recognition())
	b.settings.Recognizer.Engine = choice.EngineBuiltin
	b.Changed()
	require.Equal(t, []int{1, 1}, []int{b.ears.held, b.lips.held})
	release()
	b.settings.Recognizer.Engine = choice.EngineOpenAI
	b.Changed()
	require.Equal(t, []int{0, 0}, []int{b.ears.held, b.lips.held})
	require.Equal(t, echo.EngineStopped, b.Recognition().State)
	b.settings.Recognizer.BaseURL = ""
	require.Equal(t, echo.EngineFailed, b.Recognition().State)
	require.NotEmpty(t, b.Recognition().Problem)
}

func TestVoiceOfTheSettingsWinsButNotInAPreview(t *testing.T) {
	b := made()
	require.NoError(t, b.Synthesize(t.Context(), "hi", "alan", quiet))
	require.Equal(t, "hi/alan", b.lips.spoke)
	b.settings.Synthesizer.Voice = "jenny"
	require.NoError(t, b.Synthesize(t.Context(), "hi", "alan", quiet))
	require.Equal(t, "hi/jenny", b.lips.spoke)
	require.NoError(t, b.Preview(t.Context(), "hi", "alan", quiet))
	require.Equal(t, "hi/alan", b.lips.spoke)
	require.NoError(t, b.Preview(t.Context(), "hi", "", quiet))
	require.Equal(t, "hi/jenny", b.lips.spoke)
}

func TestServersAreAskedAsTheSettingsSayNow(t *testing.T) {
	voices := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/audio/transcriptions" {
			_ = json.NewEncoder(w).Encode(map[string]string{"text": "heard there in " + r.FormValue("language")})
			return
		}
		var body struct{ Voice string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		voices <- body.Voice
		_, _ = w.Write([]byte{1, 2})
	}))
	defer server.Close()
	b := made()
	text, err := b.Recognize(t.Context(), []int16{1})
	require.NoError(t, err)
	require.Equal(t, "heard here", text)
	b.settings.Recognizer = choice.Recognizer{Engine: choice.EngineOpenAI, BaseURL: server.URL + "/v1", Language: "en"}
	b.settings.Synthesizer = choice.Synthesizer{Engine: choice.EngineOpenAI, BaseURL: server.URL + "/v1"}
	text, err = b.Recognize(t.Context(), []int16{1})
	require.NoError(t, err)
	require.Equal(t, "heard there in en", text)
	for _, c := range []struct{ asked, set, want string }{
		{"jenny", "", "alloy"}, // a look's voice, which no server knows
		{"alan", "nova", "nova"},
		{"echo", "", "echo"},
		{"", "", "alloy"},
	} {
		b.settings.Synthesizer.Voice = c.set
		require.NoError(t, b.Synthesize(t.Context(), "hi", c.asked, quiet))
		require.Equal(t, c.want, <-voices, "%+v", c)
	}
	require.Empty(t, b.lips.spoke)
}
