package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"echo-companion/backend/chat"
	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
	"echo-companion/backend/logging"
	"echo-companion/backend/passage"
	"echo-companion/backend/recall"
	"echo-companion/backend/reply"
	"echo-companion/backend/speech"
	"echo-companion/backend/store"
	"echo-companion/backend/tools"
	"echo-companion/backend/workspace"
)

// room is an open workspace.
type room struct {
	name  string
	store *store.Store
	chats *chat.Chats
	floor *reply.Floor
	tools *tools.Set
	found *recall.Recall
}

// rooms opens each workspace when it is first needed, and keeps it open. Run's goroutine alone opens them.
type rooms struct {
	dir      *workspace.Dir
	shared   chat.Ports // what the chats of every workspace have in common
	config   chat.Config
	embedder speech.Embedder
	pdf      func(ctx context.Context, content io.Reader) ([]string, error) // nil: PDF files are not searched
	deleted  func(workspace, chat string)
	logger   *slog.Logger

	asked chan openRoom
	ended chan struct{} // closed when Run takes no more
}

// openRoom asks Run for a room.
type openRoom struct {
	name  string
	reply chan<- openedRoom // of 1: Run never waits for who asked
}

type openedRoom struct {
	room *room
	err  error
}

func newRooms(b *backend, shared chat.Ports, config chat.Config) *rooms {
	r := &rooms{
		dir: b.dir, shared: shared, config: config, embedder: b.engines.embedder, logger: b.logger,
		deleted: func(workspace, chat string) { b.forget(workspace, chat) },
		asked:   make(chan openRoom),
		ended:   make(chan struct{}),
	}
	if reader, err := newPDFReader(); err == nil {
		r.pdf = reader.Pages
	}
	return r
}

// get gives a workspace's room, opening it where it is not open yet.
func (r *rooms) get(ctx context.Context, name string) (*room, error) {
	opened := make(chan openedRoom, 1)
	select {
	case r.asked <- openRoom{name: name, reply: opened}:
		answer := <-opened // Run answers what it took
		return answer.room, answer.err
	case <-r.ended:
		return nil, echo.Stopping()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Run opens rooms until ctx ends, then lets their chats end and closes their databases.
func (r *rooms) Run(ctx context.Context) error {
	open := map[string]*room{}
	var running sync.WaitGroup
	serve := func(request openRoom) {
		if open[request.name] == nil {
			opened, err := r.open(ctx, request.name)
			if err != nil {
				request.reply <- openedRoom{err: err}
				return
			}
			open[request.name] = opened
			running.Go(func() { r.keep(ctx, opened) })
			running.Go(func() { opened.found.Run(ctx) })
		}
		request.reply <- openedRoom{room: open[request.name]}
	}
	for {
		select {
		case request := <-r.asked:
			serve(request)
		case <-ctx.Done():
			close(r.ended)
			running.Wait()
			return closeAll(open)
		}
	}
}

// keep runs a room's chats.
func (r *rooms) keep(ctx context.Context, opened *room) {
	if err := opened.chats.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
		r.logger.ErrorContext(ctx, "chats ended", "workspace", opened.name, "error", err)
	}
}

func closeAll(open map[string]*room) error {
	var problems []error
	for _, opened := range open {
		problems = append(problems, opened.store.Close())
	}
	return errors.Join(problems...)
}

func (r *rooms) open(ctx context.Context, name string) (*room, error) {
	if !r.dir.Exists(name) {
		return nil, echo.Errorf(echo.CodeUnknownWorkspace, "There is no workspace %q. Settings lists those that there are.", name)
	}
	kept, err := store.Open(ctx, r.dir.Database(name), logging.For(r.logger, "store"))
	if err != nil {
		return nil, err
	}
	opened := &room{name: name, store: kept, floor: reply.NewFloor()}
	opened.found = recall.New(kept, r.embedder, logging.For(r.logger, "recall"))
	root := func() string { return r.dir.Folder(name) }
	opened.tools = tools.New(tools.Config{Root: root, Now: time.Now}, tools.Ports{
		Search: opened.search,
		Notes:  passage.NewIndex(passage.Config{Root: root, PDF: r.pdf, Logger: logging.For(r.logger, "passage")}, r.embedder),
	})
	ports := r.shared
	ports.Archive, ports.Search, ports.Floor, ports.Tools = kept, opened.found, opened.floor, opened.tools.For
	ports.Deleted = func(chat string) { r.deleted(name, chat) }
	opened.chats = chat.New(r.config, ports, logging.For(r.logger, "chat"))
	return opened, nil
}

// searched is how many messages a reply's search through the chats looks at.
const searched = 24

func (o *room) search(ctx context.Context, query string) ([]echo.Hit, error) {
	return o.found.Find(ctx, query, searched)
}

// conversation is the room as the voice conversation needs it.
func (o *room) conversation() conversation.Workspace {
	return conversation.Workspace{
		Name: o.name, Archive: o.store, Chats: o.store, Floor: o.floor,
		Tools: func(history conversation.History) reply.Tools { return o.tools.For(history.Messages) },
	}
}
