package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
)

// transcriptFormat is the version of an export; one that is newer is not read.
const transcriptFormat = 1

// Transcript is a chat as it is exported. Its JSON form can be imported again.
type Transcript struct {
	Format    int               `json:"echo_chat"` // the version of this form
	Title     string            `json:"title"`
	Kind      echo.Kind         `json:"kind"`
	CreatedAt time.Time         `json:"created_at"`
	UpdatedAt time.Time         `json:"updated_at"`
	Summary   *Covered          `json:"summary"`
	Items     []TranscriptEntry `json:"items"`
}

// Covered is the running summary in an export.
type Covered struct {
	Text    string `json:"text"`
	Through int    `json:"through"`
}

// TranscriptEntry is one message of an export.
type TranscriptEntry struct {
	Number    int             `json:"number"`
	Role      echo.Role       `json:"role"`
	Text      string          `json:"text"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	State     echo.State      `json:"state"`
	Source    echo.Source     `json:"source"`
	Code      echo.Code       `json:"code,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	CreatedAt time.Time       `json:"created_at"`
}

// Export is a whole chat.
func (c *Chats) Export(ctx context.Context, id string) (Transcript, error) {
	chat, err := c.ports.Archive.Chat(ctx, id)
	if err != nil {
		return Transcript{}, c.unlessUnstored(id, err)
	}
	messages, summary, err := c.ports.Archive.Transcript(ctx, id)
	if err != nil {
		return Transcript{}, err
	}
	t := Transcript{
		Format: transcriptFormat, Title: chat.Title, Kind: chat.Kind, CreatedAt: chat.CreatedAt, UpdatedAt: chat.UpdatedAt,
		Items: make([]TranscriptEntry, 0, len(messages)),
	}
	if summary != nil {
		t.Summary = &Covered{Text: summary.Text, Through: summary.Through}
	}
	for _, m := range messages {
		t.Items = append(t.Items, TranscriptEntry(m))
	}
	return t, nil
}

// Import takes a transcript as a new chat. Error: invalid, naming the field.
func (c *Chats) Import(ctx context.Context, t Transcript) (Row, error) {
	if err := t.check(); err != nil {
		return Row{}, err
	}
	title, err := tidyTitle(t.Title)
	if err != nil {
		return Row{}, err
	}
	if title == "" && len(t.Items) > 0 {
		title = history.Title(t.Items[0].Text) // the question: later ones must not name it
	}
	messages := make([]echo.Message, 0, len(t.Items))
	for _, item := range t.Items {
		messages = append(messages, echo.Message(item))
	}
	var summary *echo.Summary
	if t.Summary != nil {
		summary = &echo.Summary{Text: t.Summary.Text, Through: t.Summary.Through}
	}
	chat, err := c.ports.Archive.Import(ctx, echo.Chat{Title: title, Kind: t.Kind, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt}, messages, summary)
	if err != nil {
		return Row{}, err
	}
	return c.row(chat), nil
}

// check names the first field that is not as an export writes it.
func (t *Transcript) check() error {
	if t.Format < 1 || t.Format > transcriptFormat {
		return echo.Errorf(echo.CodeInvalid, "echo_chat: this is no chat that Echo exported as JSON, or a newer version did")
	}
	if t.Kind != echo.KindChat && t.Kind != echo.KindVoice {
		return echo.Errorf(echo.CodeInvalid, "kind: %q is neither chat nor voice", t.Kind)
	}
	if t.Summary != nil && (t.Summary.Text == "" || t.Summary.Through < 1 || t.Summary.Through > len(t.Items)) {
		return echo.Errorf(echo.CodeInvalid, "summary: it covers message 1 to %d of %d", t.Summary.Through, len(t.Items))
	}
	for i := range t.Items {
		if field := t.Items[i].wrong(i + 1); field != "" {
			return echo.Errorf(echo.CodeInvalid, "items.%d.%s: it is not as Echo exports it", i, field)
		}
	}
	return nil
}

// wrong names the field of a message that is not as it should be.
func (e *TranscriptEntry) wrong(number int) string {
	switch {
	case e.Number != number:
		return "number"
	case e.Role != echo.RoleUser && e.Role != echo.RoleAssistant && e.Role != echo.RoleTool, number == 1 && e.Role != echo.RoleUser:
		return "role"
	case e.State != echo.StateComplete && e.State != echo.StateStopped && e.State != echo.StateFailed && e.State != echo.StateInterrupted:
		return "state"
	case e.Source != echo.SourceTyped && e.Source != echo.SourceSpoken:
		return "source"
	case e.CreatedAt.IsZero():
		return "created_at"
	}
	return ""
}

// Markdown writes the transcript for people.
func (t *Transcript) Markdown() string {
	var text strings.Builder
	title := t.Title
	if title == "" {
		title = "Chat"
	}
	fmt.Fprintf(&text, "# %s\n\n%s\n", title, t.CreatedAt.UTC().Format("2 January 2006, 15:04 UTC"))
	for _, item := range t.Items {
		switch item.Role {
		case echo.RoleUser:
			fmt.Fprintf(&text, "\n## You\n\n%s\n", item.Text)
		case echo.RoleAssistant:
			fmt.Fprintf(&text, "\n## Echo%s\n\n%s\n", ending(item), item.Text)
		case echo.RoleTool:
			fmt.Fprintf(&text, "\n**%s** `%s`\n\n%s\n", item.Name, item.Arguments, quote(item.Text))
		}
	}
	return text.String()
}

// ending says how an answer ended that was not complete.
func ending(item TranscriptEntry) string {
	if item.State == echo.StateComplete {
		return ""
	}
	return " (" + string(item.State) + ")"
}

// quote sets a tool's result apart.
func quote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}
