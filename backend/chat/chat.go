// Package chat answers typed questions. A reply is its own: it goes on without those who watch it, is written down as it grows,
// and ends when it is answered or stopped. One reply is written at a time, in all chats of all workspaces; each chat's last one
// can be watched again from its first event. The package also lists, searches, exports and imports a workspace's chats. It
// knows neither HTTP nor SQL.
package chat

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/reply"
)

// Exchanges stores replies as they are written. Every method returns once the change is durable, or with an error that says why
// it is not.
type Exchanges interface {
	// Begin stores a question and gives it its number. Where it names no chat, one is made, titled after it.
	Begin(ctx context.Context, question echo.Question) (exchange echo.Exchange, number int, err error)
	// Journal replaces what is kept of the growing reply.
	Journal(ctx context.Context, exchange int64, answer string, tools []echo.ToolCall) error
	// Finish turns an exchange into its numbered messages, and returns the answer's number.
	Finish(ctx context.Context, exchange int64, outcome echo.Outcome) (number int, err error)
	// Keep stores an exchange at once that could not be stored before.
	Keep(ctx context.Context, unsaved echo.Unsaved) (number int, err error)
	// Key tells what was asked with an idempotency key in the last ten minutes.
	Key(ctx context.Context, key string) (asked echo.Asked, found bool, err error)
}

// Shelf holds the chats. What names a chat that is not there fails with unknown_chat.
type Shelf interface {
	Chat(ctx context.Context, id string) (echo.Chat, error)
	List(ctx context.Context, before string, limit int) (chats []echo.Chat, next string, err error)
	Create(ctx context.Context, title string) (echo.Chat, error)
	Rename(ctx context.Context, id, title string) (echo.Chat, error)
	Delete(ctx context.Context, id string) error
	Import(ctx context.Context, chat echo.Chat, messages []echo.Message, summary *echo.Summary) (echo.Chat, error)
}

// Reader reads chats.
type Reader interface {
	Page(ctx context.Context, id string, before, limit int) ([]echo.Message, error)
	Messages(ctx context.Context, id string, from, to int) ([]echo.Message, error)
	Transcript(ctx context.Context, id string) ([]echo.Message, *echo.Summary, error)
	// Tail is the summary and the messages that it does not cover.
	Tail(ctx context.Context, id string) ([]echo.Message, *echo.Summary, error)
	Summary(ctx context.Context, id string) (*echo.Summary, error)
	SetSummary(ctx context.Context, id string, summary echo.Summary) error
}

// Archive is where a workspace's chats are kept: see store.Store.
type Archive interface {
	Exchanges
	Shelf
	Reader
}

// Searcher finds messages with a query's words or meaning, the best first. See recall.Recall.
type Searcher interface {
	Search(ctx context.Context, query string, limit int) ([]echo.Hit, error)
}

// Floor is held by whoever answers in a chat: voice or Chat, one at a time. See reply.Floor.
type Floor interface {
	TryTake(chat string) (release func(), ok bool)
	Taken(chat string) bool
}

// Desk is where a model on this machine writes: one reply at a time, voice first. See reply.Desk.
type Desk interface {
	Take(ctx context.Context, voice bool, waiting func()) (release func(), err error)
	Spare(ctx context.Context) (within context.Context, release func(), err error)
}

// Ports is what chats reach the world through.
type Ports struct {
	Archive  Archive
	Search   Searcher
	Floor    Floor
	Turns    *Turns // shared by all workspaces
	Reasoner reason.Reasoner
	// Tools are those of a reply in a chat whose messages history reads back by number.
	Tools func(history func(from, to int) []echo.Message) reply.Tools
	// Summarizes tells whether the reasoner can write a running summary. Nil: it cannot.
	Summarizes func() bool
	// Look is Echo's present look. Nil: none.
	Look func() echo.Look
	// Desk is taken for every reply of a model on this machine, which Local tells. Nil: there is none.
	Desk  Desk
	Local func() bool
	// Deleted is told of every chat that was deleted. Nil: nobody is.
	Deleted func(chat string)
}

// Config holds what does not change.
type Config struct {
	EngineTimeout time.Duration    // how long an engine may send nothing; 0 is 60 s
	Now           func() time.Time // nil is time.Now
}

// Limits of the protocol.
const (
	MaxQuestion = 32_000 // characters of a message
	MaxTitle    = 200    // characters of a title that a person gives
	MaxPage     = 100
	DefaultPage = 50
)

// journalEvery is how often the growing reply is written down: often enough to lose less than a second, far from once a token.
const journalEvery = 250 * time.Millisecond

// Chats answers and keeps the chats of one workspace. It is safe for use from several goroutines. Nothing is answered until Run
// runs.
type Chats struct {
	config Config
	ports  Ports
	log    *slog.Logger
	book   *book
	jobs   chan func(ctx context.Context) // taken by Run
	ended  chan struct{}                  // closed when Run takes no more

	mu        sync.Mutex
	runs      map[string]*run               // by chat: the reply in progress, or the last one
	keys      map[string]*keyed             // by idempotency key
	summaries map[string]context.CancelFunc // by chat: the summary that is being written
}

// New returns chats over an archive. It starts nothing.
func New(config Config, ports Ports, log *slog.Logger) *Chats {
	if config.EngineTimeout == 0 {
		config.EngineTimeout = time.Minute
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	return &Chats{
		config: config, ports: ports, log: log, book: newBook(ports.Archive, log),
		jobs: make(chan func(context.Context)), ended: make(chan struct{}),
		runs: map[string]*run{}, keys: map[string]*keyed{}, summaries: map[string]context.CancelFunc{},
	}
}

// Run answers questions until ctx is over. Then it stops what is being written, keeps it as interrupted, and returns when all
// that it started has ended. It is called once.
func (c *Chats) Run(ctx context.Context) error {
	var work sync.WaitGroup
	work.Go(func() { c.book.retry(ctx) })
	for {
		select {
		case job := <-c.jobs:
			work.Go(func() { job(ctx) })
		case <-ctx.Done():
			close(c.ended)
			work.Wait()
			return c.book.close()
		}
	}
}
