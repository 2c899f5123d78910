package reply_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reply"
)

// model is a scripted reasoner: one answer per round, the last one again and again.
type model struct {
	rounds   [][]reason.Chunk
	err      error // after the last round's chunks
	requests []reason.Request
}

func (m *model) Reason(_ context.Context, request reason.Request, emit func(reason.Chunk) error) error {
	m.requests = append(m.requests, request)
	round := min(len(m.requests), len(m.rounds)) - 1
	for _, chunk := range m.rounds[round] {
		if len(chunk.Calls) > 0 && len(request.Tools) == 0 {
			chunk = reason.Chunk{Text: "no tools"}
		}
		if err := emit(chunk); err != nil {
			return err
		}
	}
	if round == len(m.rounds)-1 {
		return m.err
	}
	return nil
}

// bench is the tools of a test.
type bench map[string]func(ctx context.Context, arguments string) (string, error)

func (b bench) Offer() []reason.Tool {
	var offered []reason.Tool
	for _, name := range []string{"say", "fail", "hang", "long", "quiet"} {
		if b[name] != nil {
			offered = append(offered, reason.Tool{Name: name})
		}
	}
	return offered
}

func (b bench) Call(ctx context.Context, call reason.Call) (string, error) {
	return b[call.Name](ctx, string(call.Arguments))
}

func hang(ctx context.Context, _ string) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func newBench() bench {
	return bench{
		"say":   func(_ context.Context, arguments string) (string, error) { return "said " + arguments, nil },
		"fail":  func(context.Context, string) (string, error) { return "", errors.New("it broke") },
		"hang":  hang,
		"long":  func(context.Context, string) (string, error) { return strings.Repeat("ä", 20_000), nil },
		"quiet": func(context.Context, string) (string, error) { return " ", nil },
	}
}

func text(parts ...string) []reason.Chunk {
	var chunks []reason.Chunk
	for _, part := range parts {
		chunks = append(chunks, reason.Chunk{Text: part})
	}
	return chunks
}

func call(id, name, arguments string) reason.Call {
	return reason.Call{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
}

func calls(all ...reason.Call) []reason.Chunk { return []reason.Chunk{{Calls: all}} }

// told is a reply as its owner saw it.
type told struct {
	text  string
	steps []string
	tools []echo.ToolCall // as they ended
}

func (w *told) take(step reply.Step) error {
	if step.Tool == nil {
		w.text += step.Text
		return nil
	}
	w.steps = append(w.steps, fmt.Sprintf("%s %s", step.Tool.Name, step.Tool.Status))
	if step.Tool.Status != echo.ToolRunning {
		w.tools = append(w.tools, *step.Tool)
	}
	return nil
}

func run(t *testing.T, m *model, tools reply.Tools) (told, error) {
	t.Helper()
	var w told
	err := reply.Run(t.Context(), m, tools, reply.Request{Model: "m", Messages: []reason.Message{{Role: reason.RoleUser, Text: "?"}}}, w.take)
	for _, request := range m.requests {
		require.Equal(t, "m", request.Model)
		requirePaired(t, request.Messages)
	}
	return w, err
}

// requirePaired holds what strict servers ask for: each call is followed by its one result, and no id comes twice.
func requirePaired(t *testing.T, messages []reason.Message) {
	t.Helper()
	seen := map[string]bool{}
	var open []string
	for _, message := range messages {
		if message.Role == reason.RoleTool {
			require.NotEmpty(t, open)
			require.Equal(t, open[0], message.CallID)
			require.NotEmpty(t, message.Text)
			open = open[1:]
			continue
		}
		require.Empty(t, open, "calls without results")
		for _, c := range message.Calls {
			require.NotEmpty(t, c.ID)
			require.False(t, seen[c.ID], "the id %s came twice", c.ID)
			require.True(t, json.Valid(c.Arguments))
			seen[c.ID] = true
			open = append(open, c.ID)
		}
	}
	require.Empty(t, open)
}

func TestRun(t *testing.T) {
	for name, test := range map[string]struct {
		rounds  [][]reason.Chunk
		text    string
		steps   []string
		results []string
	}{
		"plain":            {[][]reason.Chunk{text("Hello", " there.")}, "Hello there.", nil, nil},
		"a call":           {[][]reason.Chunk{calls(call("a", "say", `{"x":1}`)), text("Done.")}, "Done.", []string{"say running", "say done"}, []string{`said {"x":1}`}},
		"text before it":   {[][]reason.Chunk{append(text("Let me see."), calls(call("a", "say", `{}`))...), text("Done.")}, "Let me see.\n\nDone.", []string{"say running", "say done"}, []string{"said {}"}},
		"space before it":  {[][]reason.Chunk{append(text("It is "), calls(call("a", "say", `{}`))...), text("42.")}, "It is 42.", []string{"say running", "say done"}, []string{"said {}"}},
		"space after it":   {[][]reason.Chunk{append(text("It is"), calls(call("a", "say", `{}`))...), text(" 42.")}, "It is 42.", []string{"say running", "say done"}, []string{"said {}"}},
		"two together":     {[][]reason.Chunk{calls(call("a", "say", `{"x":1}`), call("b", "fail", `{}`)), text("Done.")}, "Done.", []string{"say running", "say done", "fail running", "fail failed"}, []string{`said {"x":1}`, "it broke"}},
		"two rounds":       {[][]reason.Chunk{calls(call("a", "say", `{}`)), calls(call("a", "say", `{}`)), text("Done.")}, "Done.", []string{"say running", "say done", "say running", "say done"}, []string{"said {}", "said {}"}},
		"no ids, no names": {[][]reason.Chunk{calls(call("", "say", ``), call("", "", `null`)), text("Done.")}, "Done.", []string{"say running", "say done", "unnamed running", "unnamed failed"}, []string{"said {}", `There is no tool "unnamed". There are: say, fail, hang, long, quiet.`}},
		"the same id":      {[][]reason.Chunk{calls(call("a", "say", `{}`), call("a", "say", `{}`)), text("Done.")}, "Done.", []string{"say running", "say done", "say running", "say done"}, []string{"said {}", "said {}"}},
		"no JSON":          {[][]reason.Chunk{calls(call("a", "say", `{"x":`)), text("Done.")}, "Done.", []string{"say running", "say failed"}, []string{`The arguments are not a JSON object (unexpected end of JSON input). They were: {"x":`}},
		"no object":        {[][]reason.Chunk{calls(call("a", "say", `[1]`)), text("Done.")}, "Done.", []string{"say running", "say failed"}, []string{`The arguments are not a JSON object (json: cannot unmarshal array into Go value of type map[string]json.RawMessage). They were: [1]`}},
		"quiet":            {[][]reason.Chunk{calls(call("a", "quiet", `{}`)), text("Done.")}, "Done.", []string{"quiet running", "quiet done"}, []string{"The tool returned nothing."}},
	} {
		t.Run(name, func(t *testing.T) {
			m := &model{rounds: test.rounds}
			w, err := run(t, m, newBench())
			require.NoError(t, err)
			require.Equal(t, test.text, w.text)
			require.Equal(t, test.steps, w.steps)
			var results []string
			for _, c := range w.tools {
				results = append(results, c.Result)
				require.True(t, json.Valid(c.Arguments))
			}
			require.Equal(t, test.results, results)
			require.Len(t, m.requests, len(test.rounds))
		})
	}
}

func TestAtMostSixteenCalls(t *testing.T) {
	five := calls(call("", "say", `{}`), call("", "say", `{}`), call("", "say", `{}`), call("", "say", `{}`), call("", "say", `{}`))
	for name, test := range map[string]struct {
		round            []reason.Chunk
		done, refused    int
		requests, offers int
	}{
		"one by one": {calls(call("x", "say", `{}`)), 16, 1, 18, 17},
		"by fives":   {five, 16, 4, 5, 4},
	} {
		t.Run(name, func(t *testing.T) {
			m := &model{rounds: [][]reason.Chunk{test.round}}
			w, err := run(t, m, newBench())
			require.NoError(t, err)
			require.Equal(t, "no tools", w.text)
			done, refused := 0, 0
			for _, c := range w.tools {
				if c.Status == echo.ToolDone {
					done++
				} else {
					require.Contains(t, c.Result, "at most 16 tool calls")
					refused++
				}
			}
			require.Equal(t, []int{test.done, test.refused, test.requests}, []int{done, refused, len(m.requests)})
			for i, request := range m.requests {
				require.Equal(t, i < test.offers, len(request.Tools) > 0, "request %d", i)
			}
		})
	}
}

// stubborn calls tools that it was not offered.
type stubborn struct{ asked int }

func (s *stubborn) Reason(_ context.Context, _ reason.Request, emit func(reason.Chunk) error) error {
	s.asked++
	return emit(reason.Chunk{Calls: []reason.Call{{Name: "say"}}})
}

func TestAModelThatOnlyCallsToolsFails(t *testing.T) {
	var w told
	s := &stubborn{}
	err := reply.Run(t.Context(), s, newBench(), reply.Request{}, w.take)
	require.Equal(t, echo.CodeEngineError, echo.CodeOf(err))
	require.Equal(t, 18, s.asked)
	require.Len(t, w.tools, 17)
}

func TestWithoutToolsNoneIsCalled(t *testing.T) {
	m := &model{rounds: [][]reason.Chunk{calls(call("a", "say", `{}`))}}
	w, err := run(t, m, nil)
	require.NoError(t, err)
	require.Equal(t, "no tools", w.text)
	require.Empty(t, w.steps)
}

func TestAnEmptyAnswerFails(t *testing.T) {
	_, err := run(t, &model{rounds: [][]reason.Chunk{text(" ", "\n")}}, newBench())
	require.Equal(t, echo.CodeEngineError, echo.CodeOf(err))
}

func TestIdsOfEarlierCallsAreNotUsedAgain(t *testing.T) {
	m := &model{rounds: [][]reason.Chunk{calls(call("a", "say", `{}`), call("", "say", `{}`)), text("Done.")}}
	earlier := []reason.Message{
		{Role: reason.RoleUser, Text: "?"},
		{Role: reason.RoleAssistant, Calls: []reason.Call{call("a", "say", `{}`), call("call_2", "say", `{}`)}},
		{Role: reason.RoleTool, CallID: "a", Text: "said"},
		{Role: reason.RoleTool, CallID: "call_2", Text: "said"},
		{Role: reason.RoleUser, Text: "And?"},
	}
	require.NoError(t, reply.Run(t.Context(), m, newBench(), reply.Request{Messages: earlier}, (&told{}).take))
	requirePaired(t, m.requests[1].Messages)
	require.Len(t, earlier, 5)
}

func TestResultsAreBounded(t *testing.T) {
	w, err := run(t, &model{rounds: [][]reason.Chunk{calls(call("a", "long", `{}`)), text("Done.")}}, newBench())
	require.NoError(t, err)
	result := w.tools[0].Result
	require.LessOrEqual(t, len(result), reply.MaxResult)
	require.True(t, utf8.ValidString(result))
	require.True(t, strings.HasSuffix(result, "ä\n[cut: 40000 bytes in all]"), result[len(result)-60:])
}

func TestCallsAreBoundedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		w, err := run(t, &model{rounds: [][]reason.Chunk{calls(call("a", "hang", `{}`)), text("Done.")}}, newBench())
		require.NoError(t, err)
		require.Equal(t, reply.CallTime, time.Since(began))
		require.Equal(t, []string{"hang running", "hang failed"}, w.steps)
		require.Equal(t, "The tool did not finish within 20s and was stopped.", w.tools[0].Result)
		require.Equal(t, "Done.", w.text)
	})
}

// patient waits a minute for a person.
type patient struct{ bench }

func (patient) Patience(reason.Call) time.Duration { return time.Minute }

func TestACallThatWaitsForAPersonMayTakeLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := run(t, &model{rounds: [][]reason.Chunk{calls(call("a", "hang", `{}`)), text("Done.")}}, patient{newBench()})
		require.NoError(t, err)
		require.Equal(t, time.Minute, time.Since(began))
	})
}

func TestStopEndsTheReplyAtOnce(t *testing.T) {
	for name, m := range map[string]*model{
		"during a call":   {rounds: [][]reason.Chunk{calls(call("a", "hang", `{}`)), text("never")}},
		"while it writes": {rounds: [][]reason.Chunk{text("stop", "never", "never")}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				began := time.Now()
				var seen []string
				err := reply.Run(ctx, m, newBench(), reply.Request{}, func(step reply.Step) error {
					if step.Tool != nil {
						seen = append(seen, string(step.Tool.Status))
						time.AfterFunc(time.Second, cancel)
					} else {
						seen = append(seen, step.Text)
						cancel()
					}
					return nil
				})
				require.Equal(t, context.Canceled, err)
				require.Len(t, seen, 1, seen)
				require.LessOrEqual(t, time.Since(began), time.Second)
			})
		})
	}
}

func TestErrorsEndTheReplyAsTheyAre(t *testing.T) {
	down := echo.Errorf(echo.CodeEngineUnreachable, "it is down")
	w, err := run(t, &model{rounds: [][]reason.Chunk{text("Half")}, err: down}, newBench())
	require.Equal(t, error(down), err)
	require.Equal(t, "Half", w.text)

	full := errors.New("the log is full")
	for _, rounds := range [][][]reason.Chunk{{text("x")}, {calls(call("a", "say", `{}`)), text("x")}} {
		err = reply.Run(t.Context(), &model{rounds: rounds}, newBench(), reply.Request{}, func(reply.Step) error { return full })
		require.Equal(t, full, err)
	}
}

func TestACodedErrorOfAToolKeepsItsCauseFromTheModel(t *testing.T) {
	tools := newBench()
	tools["fail"] = func(context.Context, string) (string, error) {
		return "", echo.Errorf(echo.CodeStorage, "The chats cannot be read.").Because(errors.New("/home/ada/echo.db: locked"))
	}
	w, err := run(t, &model{rounds: [][]reason.Chunk{calls(call("a", "fail", `{}`)), text("Done.")}}, tools)
	require.NoError(t, err)
	require.Equal(t, "The chats cannot be read.", w.tools[0].Result)
}

func TestCut(t *testing.T) {
	require.Equal(t, "short", reply.Cut("short", 5))
	require.Equal(t, "a\uFFFDb", reply.Cut("a\xffb", 50))
	for limit := 23; limit < 40; limit++ {
		cut := reply.Cut(strings.Repeat("🙂", 20), limit)
		require.LessOrEqual(t, len(cut), limit)
		require.True(t, utf8.ValidString(cut))
		require.Contains(t, cut, "[cut: 80 bytes in all]")
	}
}
