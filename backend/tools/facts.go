package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // time zones where the system has none

	"echo-companion/backend/echo"
	"echo-companion/backend/reply"
	"echo-companion/backend/tools/arithmetic"
)

const (
	maxMessages = 50       // that one call reads back
	maxResult   = 12 << 10 // bytes of what a call reads; below reply.MaxResult, with room for notes
)

// currentTime tells the time: first as RFC 3339, then in words.
func (b *bound) currentTime(_ context.Context, arguments json.RawMessage) (string, error) {
	asked, err := decode[struct {
		Timezone word `json:"timezone"`
	}](arguments)
	if err != nil {
		return "", err
	}
	now := b.set.config.Now()
	place := "here"
	if name := strings.TrimSpace(string(asked.Timezone)); name != "" && !strings.EqualFold(name, "local") {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return "", fmt.Errorf("there is no time zone %q: name one as in Europe/Paris or America/New_York", reply.Cut(name, 60))
		}
		now, place = now.In(zone), name
	}
	return fmt.Sprintf("%s (%s %s)", now.Format(time.RFC3339), now.Format("Monday, 2 January 2006, 15:04"), place), nil
}

// calculate works out an expression. The result is the number alone.
func (b *bound) calculate(_ context.Context, arguments json.RawMessage) (string, error) {
	asked, err := decode[struct {
		Expression word `json:"expression"`
	}](arguments)
	if err != nil {
		return "", err
	}
	return arithmetic.Evaluate(string(asked.Expression))
}

// conversationHistory reads messages back, one a paragraph, each with its number and speaker.
func (b *bound) conversationHistory(ctx context.Context, arguments json.RawMessage) (string, error) {
	asked, err := decode[struct {
		From *count `json:"from"`
		To   *count `json:"to"`
	}](arguments)
	if err != nil {
		return "", err
	}
	if asked.From == nil && asked.To == nil {
		return "", errors.New("say which messages: from and to, counted from 1")
	}
	if asked.From == nil {
		asked.From = asked.To
	}
	if asked.To == nil {
		asked.To = asked.From
	}
	from, to := int(*asked.From), int(*asked.To)
	if from < 1 || to < from {
		return "", fmt.Errorf("there are no messages %d to %d: they are counted from 1, and from comes first", from, to)
	}
	last := min(to, from+maxMessages-1)
	var messages []echo.Message
	if b.history != nil {
		messages = b.history(from, last)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if len(messages) == 0 {
		return fmt.Sprintf("This conversation has no messages %d to %d.", from, to), nil
	}
	return transcript(messages, last < to), nil
}

// transcript writes messages as far as there is room, and says where to read on.
func transcript(messages []echo.Message, more bool) string {
	var text strings.Builder
	for i, message := range messages {
		paragraph := fmt.Sprintf("%d. %s: %s", message.Number, speaker(message), strings.TrimSpace(message.Text))
		if i == 0 {
			paragraph = reply.Cut(paragraph, maxResult) // one at least
		} else if text.Len()+len(paragraph) > maxResult {
			more, messages = true, messages[:i]
			break
		}
		text.WriteString(paragraph + "\n")
	}
	if more {
		fmt.Fprintf(&text, "[more: go on from %d]\n", messages[len(messages)-1].Number+1)
	}
	return text.String()
}

func speaker(message echo.Message) string {
	who := string(message.Role)
	if message.Role == echo.RoleTool {
		who = fmt.Sprintf("tool %s %s", message.Name, message.Arguments)
	}
	if message.State != echo.StateComplete && message.State != "" {
		who += " (" + string(message.State) + ")"
	}
	return who
}
