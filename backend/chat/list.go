package chat

import (
	"context"
	"strings"
	"unicode/utf8"

	"echo-companion/backend/echo"
)

// maxHits is how many messages a search gives: more than anybody reads.
const maxHits = 50

// Row is one row of the chat list.
type Row struct {
	echo.Chat
	Replying bool // a typed or spoken question is being answered in it
	Waiting  bool // a typed question waits for its turn
}

// row adds what runs in a chat.
func (c *Chats) row(chat echo.Chat) Row {
	c.mu.Lock()
	defer c.mu.Unlock()
	row := Row{Chat: chat}
	switch r := c.runs[chat.ID]; {
	case r != nil && r.phase == waiting:
		row.Waiting = true
	case r != nil && r.phase == replying:
		row.Replying = true
	default:
		row.Replying = c.ports.Floor.Taken(chat.ID)
	}
	return row
}

// page is a limit within bounds.
func page(limit int) int {
	if limit <= 0 {
		return DefaultPage
	}
	return min(limit, MaxPage)
}

// List is a page of chats, newest first, and what names the next page: empty where there is none. A limit of 0 is the default,
// one beyond the bound is taken as the bound.
func (c *Chats) List(ctx context.Context, before string, limit int) (rows []Row, next string, err error) {
	chats, next, err := c.ports.Archive.List(ctx, before, page(limit))
	if err != nil {
		return nil, "", err
	}
	rows = make([]Row, 0, len(chats))
	for _, chat := range chats {
		rows = append(rows, c.row(chat))
	}
	return rows, next, nil
}

// Get is a chat with the newest messages before a number (0: the newest of all), in ascending order, and its summary.
func (c *Chats) Get(ctx context.Context, id string, before, limit int) (Row, []echo.Message, *echo.Summary, error) {
	chat, err := c.ports.Archive.Chat(ctx, id)
	if err != nil {
		return Row{}, nil, nil, err
	}
	row := c.row(chat)
	messages, err := c.ports.Archive.Page(ctx, id, before, page(limit))
	if err != nil {
		return Row{}, nil, nil, err
	}
	summary, err := c.ports.Archive.Summary(ctx, id)
	if err != nil {
		return Row{}, nil, nil, err
	}
	return row, messages, summary, nil
}

// Create makes an empty chat. One without a title gets it from its first question.
func (c *Chats) Create(ctx context.Context, title string) (Row, error) {
	title, err := tidyTitle(title)
	if err != nil {
		return Row{}, err
	}
	chat, err := c.ports.Archive.Create(ctx, title)
	if err != nil {
		return Row{}, err
	}
	return c.row(chat), nil
}

// Rename gives a chat another title.
func (c *Chats) Rename(ctx context.Context, id, title string) (Row, error) {
	title, err := tidyTitle(title)
	if err != nil {
		return Row{}, err
	}
	if title == "" {
		return Row{}, echo.Errorf(echo.CodeInvalid, "title: it is empty; give the chat a name")
	}
	chat, err := c.ports.Archive.Rename(ctx, id, title)
	if err != nil {
		return Row{}, err
	}
	return c.row(chat), nil
}

// tidyTitle puts a title on one line.
func tidyTitle(title string) (string, error) {
	title = strings.Join(strings.Fields(title), " ")
	if utf8.RuneCountInString(title) > MaxTitle {
		return "", echo.Errorf(echo.CodeInvalid, "title: it has more than %d characters; shorten it", MaxTitle)
	}
	return title, nil
}

// Delete removes a chat for good, and stops the reply that is written in it.
func (c *Chats) Delete(ctx context.Context, id string) error {
	c.mu.Lock()
	r := c.runs[id]
	c.mu.Unlock()
	if err := c.book.forget(ctx, id, r != nil && r.entry.id == 0); err != nil {
		return err
	}
	c.mu.Lock()
	r = c.runs[id]
	delete(c.runs, id)
	if cancel := c.summaries[id]; cancel != nil {
		cancel()
	}
	c.mu.Unlock()
	if r != nil {
		c.end(r, errDeleted)
	}
	if c.ports.Deleted != nil {
		c.ports.Deleted(id)
	}
	return nil
}

// Search finds the messages with all words of a query, the best first.
func (c *Chats) Search(ctx context.Context, query string) ([]echo.Hit, error) {
	return c.ports.Archive.Search(ctx, query, maxHits)
}

// Find finds the messages with any word of a query, the best first, for a reply's own use.
func (c *Chats) Find(ctx context.Context, query string) ([]echo.Hit, error) {
	return c.ports.Archive.Find(ctx, query, maxHits)
}
