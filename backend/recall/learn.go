package recall

import (
	"context"
	"fmt"
	"strings"
	"time"

	"echo-companion/backend/echo"
)

const (
	// batch is how many messages are learnt at once, which takes some 0.2 s: another user of the embedder waits no longer.
	batch = 32
	// due is how many messages wait before they are learnt without a search: the embedder's memory is not taken for every reply.
	due = 64
	// lookEvery is how often the learner looks whether so many wait.
	lookEvery = time.Minute
	// rest is how many times as long as a batch took the learner pauses after it, for whatever else wants the machine.
	rest = 2
	// partLength is how many bytes of a message are one part: the embedder reads 256 tokens, some 1,000 letters. maxParts bounds
	// what a very long message costs; what is after them is found by its words.
	partLength = 800
	maxParts   = 8
)

// Run learns what messages mean until ctx is over: the newest first, when a search asks, or when many wait. An embedder that
// fails is not asked again before the next search.
func (r *Recall) Run(ctx context.Context) {
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	failed := r.embedder == nil
	for {
		select {
		case <-ctx.Done():
			return
		case told := <-r.asked:
			failed = !r.study(ctx, told)
		case <-ticks.C:
			if !failed && r.manyWait(ctx) {
				failed = !r.study(ctx, nil)
			}
		}
	}
}

// learnNewest has the learner learn a batch, so that what was just said is found. What it cannot learn in time is found by words.
func (r *Recall) learnNewest(ctx context.Context) {
	learnt := make(chan struct{})
	select {
	case r.asked <- learnt:
	case <-ctx.Done():
		return
	}
	select {
	case <-learnt:
	case <-ctx.Done():
	}
}

func (r *Recall) manyWait(ctx context.Context) bool {
	waiting, err := r.archive.Unlearnt(ctx, due)
	return err == nil && len(waiting) == due
}

// study learns batch after batch until none is left, and tells whether it could. Told, unless nil, is closed after the first.
func (r *Recall) study(ctx context.Context, told chan<- struct{}) bool {
	for {
		began := time.Now()
		learnt, err := r.learn(ctx)
		if told != nil {
			close(told)
			told = nil
		}
		if err != nil && ctx.Err() == nil {
			r.log.DebugContext(ctx, "messages could not be learnt", "error", err)
		}
		if err != nil || learnt < batch {
			return err == nil
		}
		pause := time.NewTimer(rest * time.Since(began))
		select {
		case <-ctx.Done():
			pause.Stop()
			return true
		case told = <-r.asked:
			pause.Stop()
		case <-pause.C:
		}
	}
}

// learn embeds the newest messages that are not known, and tells how many they were.
func (r *Recall) learn(ctx context.Context) (int, error) {
	waiting, err := r.archive.Unlearnt(ctx, batch)
	if err != nil || len(waiting) == 0 {
		return 0, err
	}
	var texts []string
	meanings := make([]echo.Meaning, 0, len(waiting))
	counts := make([]int, 0, len(waiting))
	for _, message := range waiting {
		cuts := parts(message.Text)
		texts, counts = append(texts, cuts...), append(counts, len(cuts))
	}
	var vectors [][]float32
	if len(texts) > 0 {
		if vectors, err = r.embedder.Embed(ctx, texts); err != nil {
			return 0, fmt.Errorf("embed %d parts: %w", len(texts), err)
		}
	}
	if len(vectors) != len(texts) {
		return 0, fmt.Errorf("embed %d parts: got %d vectors", len(texts), len(vectors))
	}
	for n, message := range waiting {
		meanings = append(meanings, echo.Meaning{ID: message.ID, Parts: vectors[:counts[n]]})
		vectors = vectors[counts[n]:]
	}
	return len(waiting), r.archive.Learn(ctx, meanings)
}

// parts cuts a message into what is embedded as one: at the end of a paragraph, else of a sentence, else at a word.
func parts(text string) []string {
	var all []string
	for text = strings.TrimSpace(text); text != "" && len(all) < maxParts; {
		part := cut(text, partLength)
		if len(part) < len(text) {
			part = part[:breakIn(part)]
		}
		text = strings.TrimSpace(text[len(part):])
		if part = strings.TrimSpace(part); letters(part) > 0 {
			all = append(all, part)
		}
	}
	return all
}

// breakIn is where a text is best cut, in its second half if it can be.
func breakIn(text string) int {
	for _, mark := range []string{"\n\n", "\n", ". ", "? ", "! ", "。", " "} {
		if at := strings.LastIndex(text, mark); at >= len(text)/2 {
			return at + len(mark)
		}
	}
	return len(text)
}
