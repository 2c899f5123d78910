package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"echo-companion/backend/reason"
)

// script is what the fake model does with a question. It waits at gates until they are opened.
type script struct {
	deltas []string
	gate   string        // waits there…
	after  int           // …after that many deltas
	err    error         // at the end, in place of the end
	delay  time.Duration // before each delta
	tool   *reason.Call
}

func words(n int) script {
	var s script
	for i := range n {
		word := fmt.Sprintf("word%d", i+1)
		if i%8 == 0 {
			word = "W" + word[1:]
		}
		if (i+1)%8 == 0 || i+1 == n {
			word += "."
		}
		if i > 0 {
			word = " " + word
		}
		s.deltas = append(s.deltas, word)
	}
	return s
}

func (s script) answer() string { return strings.Join(s.deltas, "") }

// gated is an answer of 20 words that stops after n words until the gate "go" is opened.
func gated(n int) script {
	s := words(20)
	s.gate, s.after = "go", n
	return s
}

type gates struct {
	mu   sync.Mutex
	open map[string]chan struct{}
}

func (g *gates) gate(name string) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = map[string]chan struct{}{}
	}
	if g.open[name] == nil {
		g.open[name] = make(chan struct{})
	}
	return g.open[name]
}

func (g *gates) Open(name string) { close(g.gate(name)) }

func (g *gates) pass(ctx context.Context, name string) error {
	if name == "" {
		return ctx.Err()
	}
	select {
	case <-g.gate(name):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wait lets time pass.
func wait(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fakeModel answers by script; without one, with eight words.
type fakeModel struct {
	gates
	mu        sync.Mutex
	scripts   map[string]script
	requests  []reason.Request
	running   int
	peak      int
	cancelled int
	summary   func(ctx context.Context, emit func(reason.Chunk) error) error
}

func (m *fakeModel) Script(question string, s script) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scripts[question] = s
}

func (m *fakeModel) Requests() []reason.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Seen is the transcript of the last request that asked the question.
func (m *fakeModel) Seen(question string) string {
	requests := m.Requests()
	for _, r := range slices.Backward(requests) {
		if lastUser(r.Messages) != question {
			continue
		}
		var all strings.Builder
		for _, message := range r.Messages {
			fmt.Fprintf(&all, "%s: %s\n", message.Role, message.Text)
		}
		return all.String()
	}
	return ""
}

func lastUser(messages []reason.Message) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == reason.RoleUser {
			return m.Text
		}
	}
	return ""
}

func (m *fakeModel) Reason(ctx context.Context, r reason.Request, emit func(reason.Chunk) error) error {
	m.mu.Lock()
	if len(r.Tools) == 0 && strings.Contains(r.Messages[0].Text, "running summary") {
		summary := m.summary
		m.mu.Unlock()
		if summary == nil {
			return emit(reason.Chunk{Text: "They talked."})
		}
		return summary(ctx, emit)
	}
	m.requests = append(m.requests, r)
	m.running++
	m.peak = max(m.peak, m.running)
	s, found := m.scripts[lastUser(r.Messages)]
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		m.running--
		if ctx.Err() != nil {
			m.cancelled++
		}
		m.mu.Unlock()
	}()
	if !found {
		s = words(8)
	}
	if s.tool != nil && r.Messages[len(r.Messages)-1].Role == reason.RoleUser {
		return emit(reason.Chunk{Calls: []reason.Call{*s.tool}})
	}
	for i, delta := range s.deltas {
		if err := wait(ctx, s.delay); err != nil {
			return err
		}
		if i == s.after {
			if err := m.pass(ctx, s.gate); err != nil {
				return err
			}
		}
		if err := emit(reason.Chunk{Text: delta}); err != nil {
			return err
		}
	}
	if s.after >= len(s.deltas) {
		if err := m.pass(ctx, s.gate); err != nil {
			return err
		}
	}
	return s.err
}

// fakeEars hear what was arranged for an utterance, which is known by its first sample.
type fakeEars struct {
	gates
	mu    sync.Mutex
	heard []int16
	texts map[int16]hearing
}

type hearing struct {
	text, gate string
	err        error
	delay      time.Duration
}

func (e *fakeEars) Recognize(ctx context.Context, pcm []int16) (string, error) {
	e.mu.Lock()
	e.heard = append(e.heard, pcm[0])
	h := e.texts[pcm[0]]
	e.mu.Unlock()
	if err := errors.Join(e.pass(ctx, h.gate), wait(ctx, h.delay)); err != nil {
		return "", err
	}
	return h.text, h.err
}

// fakeVoice speaks 40 ms a word, or what it is told.
type fakeVoice struct {
	gates
	mu     sync.Mutex
	wordMS int
	gate   string
	err    error
	texts  []string
}

func (v *fakeVoice) Behave(wordMS int, gate string, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.wordMS, v.gate, v.err = wordMS, gate, err
}

func (v *fakeVoice) Texts() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.texts)
}

func (v *fakeVoice) Synthesize(ctx context.Context, text, _ string, emit func([]int16) error) error {
	v.mu.Lock()
	v.texts = append(v.texts, text)
	gate, problem, ms := v.gate, v.err, v.wordMS
	v.mu.Unlock()
	if ms == 0 {
		ms = 40
	}
	if err := v.pass(ctx, gate); err != nil {
		return err
	}
	if problem != nil {
		return problem
	}
	for range strings.FieldsSeq(text) {
		if err := emit(make([]int16, ms*24)); err != nil {
			return err
		}
	}
	return nil
}
