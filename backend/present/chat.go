package present

import (
	"echo-companion/backend/chat"
	"echo-companion/backend/echo"
	"echo-companion/backend/protocol"
)

// ChatRow tells of a chat.
func ChatRow(row chat.Row) protocol.ChatRow {
	return protocol.ChatRow{
		ID: row.ID, Title: row.Title, Kind: protocol.Kind(row.Kind), CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(),
		Messages: row.Messages, Replying: row.Replying, Waiting: row.Waiting, Problem: row.Problem,
	}
}

// ChatRows tells of chats.
func ChatRows(rows []chat.Row) []protocol.ChatRow { return each(rows, ChatRow) }

// ChatList tells of a page of chats.
func ChatList(rows []chat.Row, next string) protocol.ChatList {
	list := protocol.ChatList{Sessions: ChatRows(rows)}
	if next != "" {
		list.Next = &next
	}
	return list
}

// ChatPage tells of a chat with a page of its messages.
func ChatPage(row chat.Row, items []echo.Message, summary *echo.Summary) protocol.ChatPage {
	page := protocol.ChatPage{ChatRow: ChatRow(row), Items: each(items, Message)}
	if summary != nil {
		page.Summary = &protocol.Summary{Text: summary.Text, Through: summary.Through}
	}
	return page
}

// Message tells of a message.
func Message(message echo.Message) protocol.Message {
	shown := protocol.Message{
		Number: message.Number, Role: protocol.Role(message.Role), Text: message.Text, Name: message.Name,
		State: protocol.MessageState(message.State), Source: protocol.Source(message.Source), CreatedAt: message.CreatedAt.UTC(),
	}
	if message.Role == echo.RoleTool {
		shown.Arguments = arguments(message.Arguments)
	}
	if message.Code != "" {
		shown.Error = &protocol.Problem{Code: string(message.Code), Message: message.Reason}
	}
	return shown
}

// Hits tells what a search found.
func Hits(hits []echo.Hit) protocol.Hits {
	return protocol.Hits{Hits: each(hits, func(hit echo.Hit) protocol.Hit {
		return protocol.Hit{Session: hit.Chat, Title: hit.Title, Number: hit.Number, Snippet: hit.Snippet}
	})}
}

// ChatEvent tells of an event of a chat's reply. It is nil for a kind that the protocol does not know.
func ChatEvent(event chat.Event) protocol.ChatEvent {
	switch event.Kind {
	case chat.KindSession:
		return protocol.ChatSessionEvent{Type: "session", ID: event.Chat.ID, Title: event.Chat.Title}
	case chat.KindWaiting:
		return protocol.ChatWaitingEvent{Type: "waiting", Message: event.Text}
	case chat.KindStart:
		return protocol.ChatStartEvent{Type: "start", Question: event.Text}
	case chat.KindDelta:
		return protocol.ChatDeltaEvent{Type: "delta", Text: event.Text}
	case chat.KindTool:
		call := ToolCall(event.Tool)
		return protocol.ChatToolEvent{Type: "tool", Name: call.Name, Arguments: call.Arguments, Status: call.Status, Result: call.Result}
	case chat.KindDone:
		return protocol.ChatDoneEvent{Type: "done", Number: event.Message}
	case chat.KindStopped:
		return protocol.ChatStoppedEvent{Type: "stopped", Number: event.Message}
	case chat.KindFailed:
		problem := Problem(event.Error)
		return protocol.ChatFailedEvent{Type: "failed", Code: problem.Code, Message: problem.Message}
	}
	return nil
}
