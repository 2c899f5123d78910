// Package present turns the domain's words into the protocol's, for both transports: HTTP with its WebSocket, and the desktop
// window. It is pure. The other direction, from a window's commands to the conversation's, is here as well.
package present

import (
	"encoding/json"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/protocol"
	"echo-companion/backend/reason"
)

// Problem tells of an error. What has no code of its own is internal: its text is for the log, not for people.
func Problem(err error) protocol.Problem {
	coded := echo.AsError(err)
	if coded == nil || coded.Code == echo.CodeInternal {
		return protocol.Problem{Code: string(echo.CodeInternal), Message: "Something went wrong inside Echo. Try again; Echo's log says more."}
	}
	return protocol.Problem{Code: string(coded.Code), Message: coded.Message}
}

// Error is the body of an answer that is an error.
func Error(err error) protocol.ErrorBody { return protocol.ErrorBody{Error: Problem(err)} }

// ToolCall tells of a tool call.
func ToolCall(call echo.ToolCall) protocol.ToolCall {
	return protocol.ToolCall{
		Name: call.Name, Arguments: arguments(call.Arguments), Result: call.Result, Status: protocol.ToolStatus(call.Status),
	}
}

// arguments are valid JSON, whatever the model wrote: what is none becomes a JSON string.
func arguments(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	if json.Valid(raw) {
		return raw
	}
	quoted, err := json.Marshal(string(raw))
	if err != nil {
		return json.RawMessage("{}")
	}
	return quoted
}

// Engine tells of an engine.
func Engine(engine echo.Engine) protocol.Engine {
	return protocol.Engine{Name: engine.Name, State: protocol.EngineState(engine.State), Problem: engine.Problem}
}

// Look tells of a look.
func Look(look echo.Look) protocol.Look {
	return protocol.Look{ID: look.ID, Name: look.Name, Voice: look.Voice, Accent: look.Accent, Persona: look.Persona}
}

// Looks tells of all looks.
func Looks(looks []echo.Look) []protocol.Look { return each(looks, Look) }

// Models tells what can be chosen, and who could not be asked.
func Models(models []reason.Model, problems []echo.Engine) protocol.Models {
	return protocol.Models{Models: each(models, model), Problems: each(problems, Engine)}
}

func model(m reason.Model) protocol.Model {
	return protocol.Model{ID: m.ID, Provider: m.Provider, Name: m.Name, Local: m.Local}
}

func chatRef(ref *echo.ChatRef) *protocol.ChatRef {
	if ref == nil {
		return nil
	}
	return &protocol.ChatRef{ID: ref.ID, Title: ref.Title}
}

// moment is null for the zero time.
func moment(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}

// each never gives nil.
func each[A, B any](from []A, turn func(A) B) []B {
	to := make([]B, 0, len(from))
	for _, entry := range from {
		to = append(to, turn(entry))
	}
	return to
}
