package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reason/openai"
)

// answer is what came of one request.
type answer struct {
	text  string
	calls []reason.Call
	err   error
}

func ask(t *testing.T, client *openai.Client, request reason.Request) answer {
	t.Helper()
	var got answer
	got.err = client.Reason(t.Context(), request, func(chunk reason.Chunk) error {
		require.True(t, len(chunk.Text) > 0 || len(chunk.Calls) > 0, "an empty chunk")
		require.Equal(t, strings.ToValidUTF8(chunk.Text, "?"), chunk.Text)
		got.text += chunk.Text
		got.calls = append(got.calls, chunk.Calls...)
		return nil
	})
	return got
}

// serve answers every completion with the handler.
func serve(t *testing.T, handler http.HandlerFunc) *openai.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return openai.New(openai.Config{BaseURL: server.URL + "/v1/", APIKey: "sk-very-secret", Model: "m", EngineTimeout: 5 * time.Second})
}

// raw answers with a stream, as it stands.
func raw(stream string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, stream)
	}
}

func data(documents ...string) string {
	var all strings.Builder
	for _, document := range documents {
		fmt.Fprintf(&all, "data: %s\n\n", document)
	}
	return all.String()
}

func delta(content string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%s},"finish_reason":null}]}`, content)
}

func calls(fragments string) string {
	return `{"choices":[{"index":0,"delta":{"tool_calls":[` + fragments + `]}}]}`
}

const (
	stop = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	done = "[DONE]"
)

func TestStreamsInEveryDialectMeanTheSame(t *testing.T) {
	plain := data(`{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`, delta(`"Grüße, "`), delta(`"日本 🙂"`), stop, done)
	streams := map[string]string{
		"plain":          plain,
		"crlf":           strings.ReplaceAll(plain, "\n", "\r\n"),
		"cr":             strings.ReplaceAll(plain, "\n", "\r"),
		"terse":          strings.ReplaceAll(plain, "data: ", "data:"),
		"comments":       ": hello\n\n" + strings.ReplaceAll(plain, "data: ", ": keep-alive\nid: 7\nretry: 5\ndata: "),
		"lines":          strings.ReplaceAll(plain, `"delta":`, "\ndata: \"delta\":"),
		"bom":            "\uFEFF" + plain,
		"no done":        data(delta(`"Grüße, 日本 🙂"`), stop),
		"no finish":      data(delta(`"Grüße, 日本 🙂"`), done),
		"no blank line":  strings.TrimRight(plain, "\n"),
		"usage":          strings.Replace(plain, "data: [DONE]", data(`{"choices":[],"usage":{"total_tokens":7}}`)+"data: [DONE]", 1),
		"null choices":   data(`{"choices":null}`) + plain,
		"length":         strings.Replace(plain, `"stop"`, `"length"`, 1),
		"finish at once": data(`{"choices":[{"delta":{"content":"Grüße, 日本 🙂"},"finish_reason":"stop"}]}`),
		"empty finish":   data(`{"choices":[{"delta":{"content":"Grüße, "},"finish_reason":""}]}`, delta(`"日本 🙂"`), done),
		"parts":          data(delta(`[{"type":"text","text":"Grüße, "},{"type":"image"},{"type":"text","text":"日本 🙂"}]`), done),
		"surrogates":     data(delta(`"Gr\u00fc\u00dfe, 日本 \ud83d"`), delta(`"\ude42"`), stop, done),
		"bytes":          data(delta("\"Gr\xc3\""), delta("\"\xbc\xc3\x9fe, \xe6\""), delta("\"\x97\""), delta("\"\xa5\xe6\x9c\xac \xf0\x9f\x99\""), delta("\"\x82\""), stop, done),
		"thought":        data(delta(`"<th"`), delta(`"ink>Hm, </thi"`), delta(`"nk>\n"`), delta(`"\nGrüße, "`), delta(`"日本 🙂"`), stop, done),
		"reasoning":      data(`{"choices":[{"delta":{"reasoning_content":"Hm","reasoning":"Hm","content":null}}]}`) + plain,
		"second choice":  data(`{"choices":[{"index":1,"delta":{"content":"no"}}]}`) + plain,
		"whole":          `{"choices":[{"index":0,"message":{"role":"assistant","content":"Grüße, 日本 🙂"},"finish_reason":"stop"}]}`,
	}
	for name, stream := range streams {
		t.Run(name, func(t *testing.T) {
			got := ask(t, serve(t, raw(stream)), reason.Request{})
			require.NoError(t, got.err)
			require.Equal(t, "Grüße, 日本 🙂", got.text)
		})
	}
	t.Run("byte by byte", func(t *testing.T) {
		got := ask(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
			for _, b := range []byte(strings.ReplaceAll(plain, "\n", "\r\n")) {
				_, _ = w.Write([]byte{b})
				_ = http.NewResponseController(w).Flush()
			}
		}), reason.Request{})
		require.NoError(t, got.err)
		require.Equal(t, "Grüße, 日本 🙂", got.text)
	})
}

func TestTextIsKeptToTheLetter(t *testing.T) {
	for name, test := range map[string]struct{ stream, want string }{
		"leading space":      {data(delta(`" \n"`), delta(`" word"`), stop), " \n word"},
		"almost a thought":   {data(delta(`"<thi"`), delta(`"s is it>"`), stop), "<this is it>"},
		"a cut thought mark": {data(delta(`"<think"`), stop), "<think"},
		"a thought alone":    {data(delta(`"<think>Hm"`), stop), ""},
		"a thought inside":   {data(delta(`"Say <think>x</think>."`), stop), "Say <think>x</think>."},
		"escapes":            {data(delta(`"\"\\\/\b\f\n\r\t\u0041"`), stop), "\"\\/\b\f\n\r\tA"},
		"half a pair":        {data(delta(`"a\ud83d"`), delta(`"b\ude42c"`), stop), "a\uFFFDb\uFFFDc"},
		"half at the end":    {data(delta(`"a\ud83d"`), stop), "a\uFFFD"},
		"half a character":   {data(delta("\"a\xf0\x9f\""), stop), "a\uFFFD"},
		"bad bytes":          {data(delta("\"a\xff\xfeb\""), stop), "a\uFFFDb"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ask(t, serve(t, raw(test.stream)), reason.Request{})
			require.NoError(t, got.err)
			require.Equal(t, test.want, got.text)
		})
	}
}

func TestToolCallsAreAssembled(t *testing.T) {
	type call struct{ id, name, arguments string }
	for name, test := range map[string]struct {
		fragments []string
		want      []call
	}{
		"in pieces": {
			[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":""}}`, `{"index":0,"function":{"arguments":"{\"x\":"}}`, `{"index":0,"function":{"arguments":"1}"}}`},
			[]call{{"a", "one", `{"x":1}`}},
		},
		"interleaved": {
			[]string{
				`{"index":0,"id":"a","function":{"name":"one","arguments":"{"}},{"index":1,"id":"b","function":{"name":"two","arguments":"{\""}}`,
				`{"index":1,"function":{"arguments":"y\":2}"}},{"index":0,"function":{"arguments":"}"}}`,
			},
			[]call{{"a", "one", `{}`}, {"b", "two", `{"y":2}`}},
		},
		"whole, every index 0": {
			[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}`, `{"index":0,"id":"b","function":{"name":"one","arguments":"{}"}}`},
			[]call{{"a", "one", `{}`}, {"b", "one", `{}`}},
		},
		"whole, no id, every index 0": {
			[]string{`{"index":0,"function":{"name":"one","arguments":"{}"}}`, `{"index":0,"function":{"name":"one","arguments":"{}"}}`},
			[]call{{"", "one", `{}`}, {"", "one", `{}`}},
		},
		"no index": {
			[]string{`{"id":"a","function":{"name":"one","arguments":"{\"x\""}}`, `{"function":{"arguments":":1}"}}`, `{"id":"b","function":{"name":"two","arguments":"{}"}}`},
			[]call{{"a", "one", `{"x":1}`}, {"b", "two", `{}`}},
		},
		"no index, no id": {
			[]string{`{"function":{"name":"one","arguments":"{}"}},{"function":{"name":"two","arguments":"{}"}}`},
			[]call{{"", "one", `{}`}, {"", "two", `{}`}},
		},
		"id and name again in every piece": {
			[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\""}}`, `{"index":0,"id":"a","function":{"name":"one","arguments":":1}"}}`},
			[]call{{"a", "one", `{"x":1}`}},
		},
		"arguments as an object": {[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":{"x":1}}}`}, []call{{"a", "one", `{"x":1}`}}},
		"no arguments":           {[]string{`{"index":0,"id":"a","function":{"name":"one"}}`}, []call{{"a", "one", ``}}},
		"null arguments":         {[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":null}}`}, []call{{"a", "one", ``}}},
		"a character in two":     {[]string{`{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":\"\ud83d"}}`, `{"index":0,"function":{"arguments":"\ude42\"}"}}`}, []call{{"a", "one", `{"x":"🙂"}`}}},
		"gaps in the index":      {[]string{`{"index":3,"id":"a","function":{"name":"one","arguments":"{}"}}`}, []call{{"a", "one", `{}`}}},
	} {
		t.Run(name, func(t *testing.T) {
			documents := []string{delta(`"Let me see."`)}
			for _, fragment := range test.fragments {
				documents = append(documents, calls(fragment))
			}
			documents = append(documents, `{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`, done)
			got := ask(t, serve(t, raw(data(documents...))), reason.Request{})
			require.NoError(t, got.err)
			require.Equal(t, "Let me see.", got.text)
			var seen []call
			for _, c := range got.calls {
				seen = append(seen, call{c.ID, c.Name, string(c.Arguments)})
			}
			require.Equal(t, test.want, seen)
		})
	}
}

func TestWhatIsNoAnswerIsAnEngineError(t *testing.T) {
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://elsewhere.example/v1")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	cut := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, data(delta(`"Half"`)))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		says    string
	}{
		"no JSON":          {raw("data: <html>this is no JSON</html>\n\n"), "nonsense"},
		"choices 7":        {raw(data(`{"choices": 7}`, stop, done)), "nonsense"},
		"content 7":        {raw(data(delta(`7`), stop, done)), "nonsense"},
		"a web page":       {raw("<!DOCTYPE html><html></html>"), "nonsense"},
		"nothing":          {raw(""), "middle"},
		"no end":           {raw(data(delta(`"Half"`))), "middle"},
		"cut off":          {cut, "middle"},
		"error object":     {raw(data(delta(`"Half"`), `{"error":{"message":"out of memory.","code":500}}`, done)), "out of memory. Try"},
		"error string":     {raw(data(`{"error":"overloaded"}`)), "overloaded"},
		"error document":   {raw(`{"object":"error","message":"no such model","code":404}`), "no such model"},
		"error event":      {raw("event: error\ndata: {\"message\":\"oops\"}\n\n"), "oops"},
		"finish error":     {raw(data(`{"choices":[{"delta":{},"finish_reason":"error"}]}`)), "gave its answer up"},
		"500":              {status(500, `{"error":{"message":"scripted failure"}}`), "error 500: scripted failure. Try"},
		"500 in plain":     {status(500, "it  is\nbroken"), "it is broken"},
		"502 page":         {status(502, "<html>Bad gateway</html>"), "error 502. Try"},
		"401 with the key": {status(401, `{"error":{"message":"Incorrect API key provided: sk-very-secret."}}`), "********. Check the API key"},
		"404":              {status(404, `{"error":"model 'm' not found"}`), "model 'm' not found. Check the model"},
		"422 detail":       {status(422, `{"detail":"field required"}`), "field required"},
		"429":              {status(429, ``), "Wait a moment"},
		"redirect":         {status(307, ``), "elsewhere"},
		"204":              {status(204, ``), "OpenAI-compatible"},
		"long":             {status(500, strings.Repeat("ä", 5000)), strings.Repeat("ä", 200) + "…. Try"},
	} {
		t.Run(name, func(t *testing.T) {
			client := serve(t, test.handler)
			got := ask(t, client, reason.Request{})
			require.Equal(t, echo.CodeEngineError, echo.CodeOf(got.err), "%v", got.err)
			message := echo.AsError(got.err).Message
			require.Contains(t, message, test.says)
			require.Contains(t, message, "The reasoning server at 127.0.0.1")
			require.NotContains(t, got.err.Error(), "sk-very-secret")
			require.Equal(t, echo.Engine{Name: client.Engine().Name, State: echo.EngineFailed, Problem: message}, client.Engine())
		})
	}
}

func TestAServerThatIsNotThereIsUnreachable(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	for name, base := range map[string]string{"refused": server.URL, "no such host": "http://no-such-host.invalid/v1"} {
		client := openai.New(openai.Config{BaseURL: base, Model: "m", EngineTimeout: 10 * time.Second})
		got := ask(t, client, reason.Request{})
		require.Equal(t, echo.CodeEngineUnreachable, echo.CodeOf(got.err), name)
		_, err := client.Models(t.Context())
		require.Equal(t, echo.CodeEngineUnreachable, echo.CodeOf(err), name)
		require.Equal(t, echo.EngineFailed, client.Engine().State)
	}
	for _, base := range []string{"", "127.0.0.1:80", "ftp://x", "http://", "::"} {
		client := openai.New(openai.Config{BaseURL: base, Model: "m"})
		require.Equal(t, echo.EngineFailed, client.Engine().State, base)
		require.Equal(t, echo.CodeEngineError, echo.CodeOf(ask(t, client, reason.Request{}).err), base)
	}
}

func TestTheRequestIsWhatTheAPISays(t *testing.T) {
	var body, path, key string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		all, _ := io.ReadAll(r.Body)
		body, path, key = string(all), r.Method+" "+r.URL.Path, r.Header.Get("Authorization")
		raw(data(stop))(w, r)
	})
	got := ask(t, client, reason.Request{
		Messages: []reason.Message{
			{Role: reason.RoleSystem, Text: "Be kind."},
			{Role: reason.RoleUser, Text: "6*7?"},
			{Role: reason.RoleAssistant, Calls: []reason.Call{{ID: "a", Name: "calculate", Arguments: json.RawMessage(`{"expression":"6*7"}`)}, {ID: "b", Name: "current_time"}}},
			{Role: reason.RoleTool, Text: "42", CallID: "a", Name: "calculate"},
			{Role: reason.RoleTool, Text: "noon", CallID: "b", Name: "current_time"},
		},
		Tools: []reason.Tool{{Name: "current_time", Description: "The time.", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "bare"}},
	})
	require.NoError(t, got.err)
	require.Equal(t, "POST /v1/chat/completions", path)
	require.Equal(t, "Bearer sk-very-secret", key)
	require.JSONEq(t, `{"model":"m","stream":true,
		"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"6*7?"},
			{"role":"assistant","content":"","tool_calls":[
				{"id":"a","type":"function","function":{"name":"calculate","arguments":"{\"expression\":\"6*7\"}"}},
				{"id":"b","type":"function","function":{"name":"current_time","arguments":"{}"}}]},
			{"role":"tool","content":"42","tool_call_id":"a"},{"role":"tool","content":"noon","tool_call_id":"b"}],
		"tools":[{"type":"function","function":{"name":"current_time","description":"The time.","parameters":{"type":"object"}}},
			{"type":"function","function":{"name":"bare","parameters":{"type":"object","properties":{}}}}]}`, body)
}

func TestAModelWithoutToolsIsAskedWithoutThem(t *testing.T) {
	var bodies []string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		all, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(all))
		if strings.Contains(string(all), `"tools"`) {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"error":{"message":"library/gemma:2b does not support tools"}}`)
			return
		}
		raw(data(delta(`"Fine."`), stop))(w, r)
	})
	got := ask(t, client, reason.Request{
		Messages: []reason.Message{
			{Role: reason.RoleAssistant, Calls: []reason.Call{{ID: "a", Name: "calculate"}}},
			{Role: reason.RoleTool, CallID: "a", Name: "calculate", Text: "42"},
			{Role: reason.RoleUser, Text: "And now?"},
		},
		Tools: []reason.Tool{{Name: "calculate"}},
	})
	require.NoError(t, got.err)
	require.Equal(t, "Fine.", got.text)
	require.Len(t, bodies, 2)
	require.JSONEq(t, `{"model":"m","stream":true,"messages":[{"role":"system","content":"The tool calculate said: 42"},{"role":"user","content":"And now?"}]}`, bodies[1])
}

func TestModels(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"text-embedding-3"},{"id":"fake-1"},{"id":"fake-2","name":"Fake Two"},{"id":""}]}`)
			return
		}
		var body struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		asked = append(asked, body.Model)
		raw(data(stop))(w, r)
	}))
	defer server.Close()
	client := openai.New(openai.Config{BaseURL: server.URL})
	models, err := client.Models(t.Context())
	require.NoError(t, err)
	require.Equal(t, []reason.Model{{ID: "fake-1", Provider: "openai", Name: "fake-1", Local: true}, {ID: "fake-2", Provider: "openai", Name: "Fake Two", Local: true}}, models)
	for _, named := range []string{"", "fake-2"} {
		require.NoError(t, ask(t, client, reason.Request{Model: named}).err)
	}
	require.NoError(t, ask(t, openai.New(openai.Config{BaseURL: server.URL, Model: "set"}), reason.Request{}).err)
	require.Equal(t, []string{"fake-1", "fake-2", "set"}, asked)

	none := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"data":[]}`) })
	models, err = none.Models(t.Context())
	require.NoError(t, err)
	require.Empty(t, models)
}

func TestAnErrorOfEmitEndsTheAnswer(t *testing.T) {
	client := serve(t, raw(data(delta(`"a"`), delta(`"b"`), stop)))
	full := errors.New("the disk is full")
	count := 0
	err := client.Reason(t.Context(), reason.Request{}, func(reason.Chunk) error { count++; return full })
	require.Equal(t, full, err)
	require.Equal(t, 1, count)
	require.Equal(t, echo.EngineReady, client.Engine().State)
}
