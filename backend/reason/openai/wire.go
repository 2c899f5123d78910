package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"echo-companion/backend/reason"
)

// What is sent. Optional fields are left out: strict servers refuse what they do not know.
type (
	wireRequest struct {
		Model    string        `json:"model"`
		Messages []wireMessage `json:"messages"`
		Tools    []wireTool    `json:"tools,omitempty"`
		Stream   bool          `json:"stream"`
	}
	wireMessage struct {
		Role      reason.Role `json:"role"`
		Content   string      `json:"content"` // always there: some servers refuse null
		ToolCalls []wireCall  `json:"tool_calls,omitempty"`
		CallID    string      `json:"tool_call_id,omitempty"`
	}
	wireCall struct {
		ID       string       `json:"id"`
		Type     string       `json:"type"`
		Function wireFunction `json:"function"`
	}
	wireFunction struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
		Arguments   *string         `json:"arguments,omitempty"` // of a call
	}
	wireTool struct {
		Type     string       `json:"type"`
		Function wireFunction `json:"function"`
	}
)

// encode writes a request for the wire.
func encode(request reason.Request) []byte {
	wire := wireRequest{Model: request.Model, Stream: true, Messages: make([]wireMessage, 0, len(request.Messages))}
	for _, message := range request.Messages {
		out := wireMessage{Role: message.Role, Content: message.Text, CallID: message.CallID}
		for _, call := range message.Calls {
			arguments := string(call.Arguments)
			if strings.TrimSpace(arguments) == "" {
				arguments = "{}"
			}
			out.ToolCalls = append(out.ToolCalls, wireCall{ID: call.ID, Type: "function", Function: wireFunction{Name: call.Name, Arguments: &arguments}})
		}
		wire.Messages = append(wire.Messages, out)
	}
	for _, tool := range request.Tools {
		parameters := tool.Parameters
		if len(parameters) == 0 {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		wire.Tools = append(wire.Tools, wireTool{Type: "function", Function: wireFunction{Name: tool.Name, Description: tool.Description, Parameters: parameters}})
	}
	data, err := json.Marshal(wire)
	if err != nil {
		panic(fmt.Errorf("a tool's parameters are no JSON: %w", err)) // they are written in the code
	}
	return data
}

// refusesTools tells whether the server refused a request because the model cannot call tools.
func refusesTools(err error) bool {
	var answer *refused
	if !errors.As(err, &answer) || answer.status != http.StatusBadRequest {
		return false
	}
	words := strings.ToLower(answer.words)
	return strings.Contains(words, "tool") && (strings.Contains(words, "support") || strings.Contains(words, "template"))
}

// withoutTools is the request for a model that cannot call tools. What tools said before stays, as text.
func withoutTools(request reason.Request) reason.Request {
	flat := reason.Request{Model: request.Model}
	for _, message := range request.Messages {
		switch {
		case message.Role == reason.RoleTool:
			message = reason.Message{Role: reason.RoleSystem, Text: "The tool " + message.Name + " said: " + message.Text}
		case len(message.Calls) > 0 && message.Text == "":
			continue
		}
		message.Calls = nil
		flat.Messages = append(flat.Messages, message)
	}
	return flat
}
