package chat

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
)

// maxHits is how many messages a search gives: more than anybody reads.
const maxHits = 50

// Row is one row of the chat list.
type Row struct {
	echo.Chat
	Replying bool // a typed or spoken question is being answered in it
	Waiting  bool // a typed question waits for its turn
	// Problem is why what is said in it is not saved yet, and what to do about it. Empty where all is.
	Problem string
}

// row adds what runs in a chat, and counts what could not be stored yet.
func (c *Chats) row(chat echo.Chat) Row {
	unwritten, problem := c.book.unwritten(chat.ID), c.book.problem()
	chat.Messages += len(unwritten)
	c.mu.Lock()
	defer c.mu.Unlock()
	row, r := Row{Chat: chat}, c.runs[chat.ID]
	if len(unwritten) > 0 || r != nil && r.phase != over && (r.entry.id == 0 || r.behind) {
		row.Problem = problem
	}
	switch {
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
	var unstored []echo.Chat
	if before == "" {
		unstored = c.unstored()
	}
	chats, next, err := c.ports.Archive.List(ctx, before, max(1, page(limit)-len(unstored)))
	if err != nil {
		return nil, "", err
	}
	rows = make([]Row, 0, len(chats)+len(unstored))
	for _, chat := range unstored {
		if !slices.ContainsFunc(chats, func(stored echo.Chat) bool { return stored.ID == chat.ID }) {
			rows = append(rows, c.row(chat))
		}
	}
	for _, chat := range chats {
		rows = append(rows, c.row(chat))
	}
	return rows, next, nil
}

// Get is a chat with the newest messages before a number (0: the newest of all), in ascending order, and its summary. What could
// not be stored yet is in it.
func (c *Chats) Get(ctx context.Context, id string, before, limit int) (Row, []echo.Message, *echo.Summary, error) {
	unstored := c.unstored()
	at := slices.IndexFunc(unstored, func(chat echo.Chat) bool { return chat.ID == id })
	chat, err := c.ports.Archive.Chat(ctx, id)
	switch {
	case err == nil:
	case at >= 0:
		chat = unstored[at]
	default:
		return Row{}, nil, nil, err
	}
	var messages []echo.Message
	var summary *echo.Summary
	if err == nil {
		if messages, err = c.ports.Archive.Page(ctx, id, before, page(limit)); err != nil {
			return Row{}, nil, nil, err
		}
		if summary, err = c.ports.Archive.Summary(ctx, id); err != nil {
			return Row{}, nil, nil, err
		}
	}
	if more := c.book.unwritten(id); len(more) > 0 && before == 0 {
		messages = history.NewLog(messages, nil).With(more...).All()
		messages = messages[max(0, len(messages)-page(limit)):]
	}
	return c.row(chat), messages, summary, nil
}

// unstored are the new chats that the archive could not take yet, newest first.
func (c *Chats) unstored() []echo.Chat {
	var chats []echo.Chat
	c.mu.Lock()
	for _, r := range c.runs {
		if r.entry.isNew && r.phase != over {
			chats = append(chats, r.entry.chat)
		}
	}
	c.mu.Unlock()
	for _, chat := range c.book.newChats() {
		if !slices.ContainsFunc(chats, func(other echo.Chat) bool { return other.ID == chat.ID }) {
			chats = append(chats, chat)
		}
	}
	slices.SortFunc(chats, func(a, b echo.Chat) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return chats
}

// unlessUnstored is err, unless the chat is unknown only because it could not be stored yet.
func (c *Chats) unlessUnstored(id string, err error) error {
	if echo.CodeOf(err) == echo.CodeUnknownChat && slices.ContainsFunc(c.unstored(), func(chat echo.Chat) bool { return chat.ID == id }) {
		return echo.Errorf(echo.CodeStorage, "This chat could not be saved yet. Echo tries again; free some space on the disk, and close what uses the chat database.").Because(err)
	}
	return err
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
		return Row{}, c.unlessUnstored(id, err)
	}
	return c.row(chat), nil
}

// tidyTitle puts a title on one line.
func tidyTitle(title string) (string, error) {
	title = strings.Join(history.TitleWords(title), " ")
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

// Search finds the messages with a query's words or meaning, the best first.
func (c *Chats) Search(ctx context.Context, query string) ([]echo.Hit, error) {
	return c.ports.Search.Search(ctx, query, maxHits)
}
