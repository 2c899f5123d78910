// Package skills is the reasoner that answers without a model: offline, the same each time, and with real tools. It owns what
// questions it understands and how it words the answers; it computes and looks up nothing itself but asks for tool calls, and
// says plainly when a question needs a model. It never invents.
package skills

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"echo-companion/backend/reason"
	"echo-companion/backend/speech"
)

// The tools that the skills call, by the names under which they are offered.
const (
	toolTime    = "current_time"
	toolSum     = "calculate"
	toolFiles   = "search_files"
	toolChats   = "search_chats"
	toolHistory = "conversation_history"
)

// Config says what the skills take from outside.
type Config struct {
	Now func() time.Time // tells the time where no tool for it is offered; nil: time.Now
}

// Reasoner answers by skills. It keeps nothing of what was said, and may be used from several goroutines.
type Reasoner struct {
	now     func() time.Time
	meaning *meaning
	places  places
	sums    sums
	units   units
}

// New makes the reasoner. The embedder compares questions by meaning; where it is nil or fails, their words do.
func New(config Config, embedder speech.Embedder) *Reasoner {
	if config.Now == nil {
		config.Now = time.Now
	}
	return &Reasoner{now: config.Now, meaning: newMeaning(embedder), places: newPlaces(), sums: newSums(), units: newUnits()}
}

// plan is how a question is answered: by the calls and what is made of their results, or, without calls, by the text alone.
type plan struct {
	intent  intent
	calls   []call
	compose func(ctx context.Context, results []result) string
	text    string
}

// call is a tool call to be made.
type call struct {
	tool      string
	arguments map[string]any
}

// result is what a call gave.
type result struct {
	tool string
	text string
}

// Reason implements reason.Reasoner: it asks for the tool calls that the last question needs or, where their results are in the
// request, answers.
func (r *Reasoner) Reason(ctx context.Context, request reason.Request, emit func(reason.Chunk) error) error {
	q := read(request)
	found, err := r.plan(ctx, q)
	if err != nil {
		return err
	}
	switch {
	case len(found.calls) == 0:
		return say(ctx, found.text, emit)
	case len(q.results) > 0:
		return say(ctx, answer(ctx, found, q.results), emit)
	case !q.offers(found.calls):
		return say(ctx, r.withoutTool(ctx, found), emit)
	}
	calls := make([]reason.Call, len(found.calls))
	for n, c := range found.calls {
		arguments, err := json.Marshal(c.arguments)
		if err != nil {
			return err
		}
		calls[n] = reason.Call{ID: "skill-" + strconv.Itoa(n+1), Name: c.tool, Arguments: arguments}
	}
	return emit(reason.Chunk{Calls: calls})
}

// answer words the results of a plan's calls. A result for every call is expected; where there are fewer, or others (the embedder
// came or went between the two requests), they are told as they are.
func answer(ctx context.Context, p plan, results []result) string {
	matches := len(results) == len(p.calls)
	for n := range min(len(results), len(p.calls)) {
		matches = matches && results[n].tool == p.calls[n].tool
	}
	if !matches {
		var told []string
		for _, r := range results {
			told = append(told, strings.TrimSpace(r.text))
		}
		return strings.Join(told, "\n")
	}
	return p.compose(ctx, results)
}

// withoutTool answers where a tool that the plan needs is not offered.
func (r *Reasoner) withoutTool(ctx context.Context, p plan) string {
	results := make([]result, 0, len(p.calls))
	for _, c := range p.calls {
		if c.tool != toolTime {
			return "I would need a tool for that which I may not use just now. Please ask me again."
		}
		now := r.now()
		if name, _ := c.arguments["timezone"].(string); name != "" {
			zone, err := time.LoadLocation(name)
			if err != nil {
				return "I do not know the time zone " + name + " on this machine."
			}
			now = now.In(zone)
		}
		results = append(results, result{toolTime, now.Format(time.RFC3339)})
	}
	return p.compose(ctx, results)
}

// say emits a text clause by clause, so that speaking can begin with the first.
func say(ctx context.Context, text string, emit func(reason.Chunk) error) error {
	for text != "" {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		end := len(text)
		for _, mark := range []string{". ", "? ", "! ", ", ", ": ", "\n"} {
			if at := strings.Index(text, mark); at >= 0 && at+len(mark) < end {
				end = at + len(mark)
			}
		}
		if err := emit(reason.Chunk{Text: text[:end]}); err != nil {
			return err
		}
		text = text[end:]
	}
	return nil
}
