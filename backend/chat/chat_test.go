package chat_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/chat"
	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reply"
	"echo-companion/backend/store"
)

// model answers by script: by default "Word1 word2 word3.", a word a chunk. It is told what to do by the question.
type model struct {
	mu       sync.Mutex
	gates    map[string]chan struct{}
	requests []reason.Request
	running  int
	peak     int
	hangs    bool // a summary takes until it is given up
}

func newModel() *model { return &model{gates: map[string]chan struct{}{}} }

func (m *model) gate(name string) chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gates[name] == nil {
		m.gates[name] = make(chan struct{})
	}
	return m.gates[name]
}

func (m *model) open(name string) { close(m.gate(name)) }

// about are the requests whose question contains a text.
func (m *model) about(text string) []reason.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []reason.Request
	for _, request := range m.requests {
		if strings.Contains(request.Messages[len(request.Messages)-1].Text, text) {
			found = append(found, request)
		}
	}
	return found
}

func (m *model) count(by int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running += by
	m.peak = max(m.peak, m.running)
}

func (m *model) Reason(ctx context.Context, request reason.Request, emit func(reason.Chunk) error) error {
	m.mu.Lock()
	m.requests = append(m.requests, request)
	hangs := m.hangs
	m.mu.Unlock()
	if strings.Contains(request.Messages[0].Text, "running summary") {
		if hangs {
			<-ctx.Done()
			return ctx.Err()
		}
		return emit(reason.Chunk{Text: "SUMMARY"})
	}
	m.count(1)
	defer m.count(-1)
	last := request.Messages[len(request.Messages)-1]
	if strings.Contains(last.Text, "use a tool") {
		return emit(reason.Chunk{Calls: []reason.Call{{ID: "a", Name: "shout", Arguments: []byte(`{"text":"hi"}`)}}})
	}
	_, long, _ := strings.Cut(last.Text, "repeat ")
	for i, word := range []string{"Word1", " word2", " word3." + long} {
		if _, name, found := strings.Cut(last.Text, "wait at "); found && i == 2 {
			select {
			case <-m.gate(name):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if strings.Contains(last.Text, "then fail") && i == 2 {
			return echo.Errorf(echo.CodeEngineError, "The model broke. Start it again.")
		}
		if err := emit(reason.Chunk{Text: word}); err != nil {
			return err
		}
	}
	return nil
}

// shouter is a set of tools with one.
type shouter struct{}

func (shouter) Offer() []reason.Tool { return []reason.Tool{{Name: "shout"}} }
func (shouter) Call(context.Context, reason.Call) (string, error) {
	return "HI", nil
}

// bench is one workspace's chats under test.
type bench struct {
	t       *testing.T
	chats   *chat.Chats
	archive *flaky
	model   *model
	floor   *reply.Floor
	deleted []string
	stop    func()
}

type options struct {
	path       string
	turns      *chat.Turns
	summarizes bool
	desk       chat.Desk
}

func start(t *testing.T, o options) *bench {
	t.Helper()
	if o.path == "" {
		o.path = filepath.Join(t.TempDir(), "chats.db")
	}
	if o.turns == nil {
		o.turns = chat.NewTurns()
	}
	log := slog.New(slog.DiscardHandler)
	kept, err := store.Open(context.WithoutCancel(t.Context()), o.path, log)
	require.NoError(t, err)
	b := &bench{t: t, archive: &flaky{Store: kept}, model: newModel(), floor: reply.NewFloor()}
	b.chats = chat.New(chat.Config{}, chat.Ports{
		Archive: b.archive, Search: b.archive, Floor: b.floor, Turns: o.turns, Reasoner: b.model,
		Tools:      func(func(int, int) []echo.Message) reply.Tools { return shouter{} },
		Summarizes: func() bool { return o.summarizes },
		Deleted:    func(id string) { b.deleted = append(b.deleted, id) },
		Desk:       o.desk,
	}, log)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = b.chats.Run(ctx) })
	b.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		require.NoError(t, kept.Close())
	})
	t.Cleanup(b.stop)
	return b
}

func (b *bench) ask(id, text string) *chat.Watch {
	b.t.Helper()
	w, err := b.chats.Ask(b.t.Context(), chat.Question{Chat: id, Text: text})
	require.NoError(b.t, err)
	return w
}

// rest reads a watch to its end.
func (b *bench) rest(w *chat.Watch) []chat.Event {
	b.t.Helper()
	var events []chat.Event
	for {
		event, err := w.Next(b.t.Context())
		if errors.Is(err, io.EOF) {
			return events
		}
		require.NoError(b.t, err)
		events = append(events, event)
	}
}

// until reads a watch up to an event of a kind.
func (b *bench) until(w *chat.Watch, kind chat.Kind) chat.Event {
	b.t.Helper()
	for {
		event, err := w.Next(b.t.Context())
		require.NoError(b.t, err)
		if event.Kind == kind {
			return event
		}
	}
}

func (b *bench) answered(id, text string) string {
	b.t.Helper()
	events := b.rest(b.ask(id, text))
	require.Equal(b.t, chat.KindDone, events[len(events)-1].Kind)
	return events[0].Chat.ID
}

func (b *bench) items(id string) (texts []string) {
	b.t.Helper()
	_, messages, _, err := b.chats.Get(b.t.Context(), id, 0, 100)
	require.NoError(b.t, err)
	for _, m := range messages {
		line := string(m.Role) + ": " + m.Text
		if m.State != echo.StateComplete {
			line += " (" + string(m.State) + ")"
		}
		texts = append(texts, line)
	}
	return texts
}

func kinds(events []chat.Event) string {
	var all []string
	for _, event := range events {
		if n := len(all); n == 0 || all[n-1] != string(event.Kind) {
			all = append(all, string(event.Kind))
		}
	}
	return strings.Join(all, " ")
}

// bubble runs a test in a bubble of its own time.
// pass lets the bubble's fake time go by, and whatever is due in it happen.
func pass(d time.Duration) { time.Sleep(d); synctest.Wait() }

func bubble(t *testing.T, o options, test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(start(t, o)) })
}

func TestEventsOfAReply(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		events := b.rest(b.ask("", "Which is the tallest mountain?"))
		require.Equal(t, "session start delta done", kinds(events))
		require.Equal(t, "Which is the tallest mountain?", events[0].Chat.Title)
		require.Equal(t, 2, events[len(events)-1].Message)
		for i, event := range events {
			require.Equal(t, i+1, event.Number)
		}
		id := events[0].Chat.ID
		require.Equal(t, []string{"user: Which is the tallest mountain?", "assistant: Word1 word2 word3."}, b.items(id))
		b.answered(id, "And then?")
		request := b.model.about("And then?")[0]
		require.Len(t, request.Messages, 4)
		require.Equal(t, "Word1 word2 word3.", request.Messages[2].Text)
	})
}

func TestToolCallsAreToldAndKept(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		events := b.rest(b.ask("", "Please use a tool"))
		require.Equal(t, "session start tool delta done", kinds(events))
		require.Equal(t, echo.ToolRunning, events[2].Tool.Status)
		require.Equal(t, echo.ToolDone, events[3].Tool.Status)
		require.Equal(t, []string{"user: Please use a tool", "tool: HI", "assistant: Word1 word2 word3."}, b.items(events[0].Chat.ID))
		require.Equal(t, 3, events[len(events)-1].Message)
	})
}

func TestReplyOutlivesItsWatchers(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		first := b.ask("", "wait at go")
		id := b.until(first, chat.KindSession).Chat.ID
		b.until(first, chat.KindDelta)
		row, _, _, err := b.chats.Get(t.Context(), id, 0, 0)
		require.NoError(t, err)
		require.True(t, row.Replying)

		var all [20][]chat.Event
		var watchers sync.WaitGroup
		for i := range all {
			w, err := b.chats.Watch(t.Context(), id, 0)
			require.NoError(t, err)
			watchers.Go(func() { all[i] = b.rest(w) })
		}
		b.model.open("go")
		watchers.Wait()
		for _, events := range all {
			require.Equal(t, all[0], events)
			require.Equal(t, "session start delta done", kinds(events))
		}
		w, err := b.chats.Watch(t.Context(), id, 3)
		require.NoError(t, err)
		require.Equal(t, all[0][3:], b.rest(w))
	})
}

func TestUnknownChatsAndReplies(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		ctx := t.Context()
		row, err := b.chats.Create(ctx, "")
		require.NoError(t, err)
		_, err = b.chats.Watch(ctx, row.ID, 0)
		require.Equal(t, echo.CodeNotFound, echo.CodeOf(err))
		stopped, err := b.chats.Stop(ctx, row.ID)
		require.NoError(t, err)
		require.False(t, stopped)
		_, err = b.chats.Retry(ctx, row.ID)
		require.Equal(t, echo.CodeNotRetryable, echo.CodeOf(err))
		for name, call := range map[string]func() error{
			"watch":  func() error { _, err := b.chats.Watch(ctx, "none", 0); return err },
			"stop":   func() error { _, err := b.chats.Stop(ctx, "none"); return err },
			"retry":  func() error { _, err := b.chats.Retry(ctx, "none"); return err },
			"ask":    func() error { _, err := b.chats.Ask(ctx, chat.Question{Chat: "none", Text: "Hello?"}); return err },
			"get":    func() error { _, _, _, err := b.chats.Get(ctx, "none", 0, 0); return err },
			"rename": func() error { _, err := b.chats.Rename(ctx, "none", "x"); return err },
			"delete": func() error { return b.chats.Delete(ctx, "none") },
			"export": func() error { _, err := b.chats.Export(ctx, "none"); return err },
		} {
			require.Equal(t, echo.CodeUnknownChat, echo.CodeOf(call()), name)
		}
		_, err = b.chats.Ask(ctx, chat.Question{Text: " "})
		require.Equal(t, echo.CodeInvalid, echo.CodeOf(err))
		_, err = b.chats.Ask(ctx, chat.Question{Text: strings.Repeat("é", chat.MaxQuestion+1)})
		require.Equal(t, echo.CodeInvalid, echo.CodeOf(err))
	})
}

func TestStopKeepsWhatWasWritten(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		w := b.ask("", "wait at go")
		id := b.until(w, chat.KindSession).Chat.ID
		b.until(w, chat.KindDelta)
		synctest.Wait()
		stopped, err := b.chats.Stop(t.Context(), id)
		require.NoError(t, err)
		require.True(t, stopped)
		events := b.rest(w)
		require.Equal(t, chat.KindStopped, events[len(events)-1].Kind)
		require.Equal(t, 2, events[len(events)-1].Message)
		require.Equal(t, []string{"user: wait at go", "assistant: Word1 word2 (stopped)"}, b.items(id))
		stopped, err = b.chats.Stop(t.Context(), id)
		require.NoError(t, err)
		require.False(t, stopped, "nothing runs")

		b.model.open("go")
		again, err := b.chats.Retry(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, "session start delta done", kinds(b.rest(again)))
		_, err = b.chats.Retry(t.Context(), id)
		require.Equal(t, echo.CodeNotRetryable, echo.CodeOf(err))
	})
}

func TestFailureSaysWhyAndCanBeTriedAgain(t *testing.T) {
	bubble(t, options{}, func(b *bench) {
		t := b.t
		events := b.rest(b.ask("", "then fail"))
		last := events[len(events)-1]
		require.Equal(t, chat.KindFailed, last.Kind)
		require.Equal(t, echo.CodeEngineError, last.Error.Code)
		require.Contains(t, last.Error.Message, "broke")
		id := events[0].Chat.ID
		require.Equal(t, []string{"user: then fail", "assistant: Word1 word2 (failed)"}, b.items(id))
		w, err := b.chats.Retry(t.Context(), id)
		require.NoError(t, err)
		b.rest(w)
		require.Len(t, b.items(id), 4)
	})
}
