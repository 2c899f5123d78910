package trouble_test

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// journalLag is how much of a reply that was shown a crash may cost, by the protocol.
const journalLag = time.Second

// promise is what the server has said of a question: all that must be there after a crash.
type promise struct {
	chat      string // empty: nobody said which
	voice     bool
	acked     bool   // by start, queued or waiting
	ended     string // how its reply ended, as far as that was said: complete or stopped
	withdrawn bool
	body      asked  // as it was posted, with
	key       string // this Idempotency-Key
	shown     []piece
}

// piece is a delta and when it was shown.
type piece struct {
	at   time.Time
	text string
}

// kept is what of the answer must be there after a crash at that moment.
func (p *promise) kept(crash time.Time) string {
	var text strings.Builder
	for _, shown := range p.shown {
		if crash.Sub(shown.at) > journalLag {
			text.WriteString(shown.text)
		}
	}
	return text.String()
}

// promises are those of one round. It may be used from several goroutines.
type promises struct {
	mu      sync.Mutex
	by      map[string]*promise // by question
	titles  map[string]string   // by chat, as they were renamed
	deleted map[string]bool     // chats
	unsure  map[string]bool     // chats whose renaming or deletion was under way
	said    int                 // how often something was acknowledged
	due     int                 // of these, the one at which
	come    chan struct{}       // this is closed
}

// newPromises are none yet. due is which of them is waited for.
func newPromises(due int) *promises {
	return &promises{
		by: map[string]*promise{}, titles: map[string]string{}, deleted: map[string]bool{}, unsure: map[string]bool{},
		due: due, come: make(chan struct{}),
	}
}

// of changes what was said of a question.
func (p *promises) of(question string, change func(*promise)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.by[question] == nil {
		p.by[question] = &promise{}
	}
	change(p.by[question])
	p.acknowledged()
}

// acknowledged counts what was said. The caller holds mu.
func (p *promises) acknowledged() {
	if p.said++; p.said == p.due {
		close(p.come)
	}
}

// show adds a delta to what was shown.
func (p *promises) show(question, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.by[question].shown = append(p.by[question].shown, piece{time.Now(), text})
}

// changing says that a chat is about to be changed, and what holds once it was.
func (p *promises) changing(chat string, change func() error, changed func()) error {
	p.mu.Lock()
	p.unsure[chat] = true
	p.mu.Unlock()
	if err := change(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.unsure, chat)
	changed()
	p.acknowledged()
	return nil
}

// questions are those of a chat whose promises hold.
func (p *promises) questions() (all []string) {
	for question, it := range p.by {
		if !p.deleted[it.chat] && !p.unsure[it.chat] {
			all = append(all, question)
		}
	}
	slices.Sort(all)
	return all
}
