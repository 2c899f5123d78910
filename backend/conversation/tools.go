package conversation

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/history"
	"echo-companion/backend/reason"
	"echo-companion/backend/reply"
)

// askUser is the tool by which a reply asks its user something (R12).
const askUser = "ask_user"

// answerPatience is how long a reply waits for its user: as long as anybody may be away. Stop ends it at any time.
const answerPatience = 365 * 24 * time.Hour

// toolset is what the tools of a reply are made of.
type toolset struct {
	make func(History) reply.Tools
	log  history.Log
}

// tools are those of a reply, with ask_user.
type tools struct {
	reply.Tools // nil: there are no others
	ask         func(ctx context.Context, question string) (string, error)
}

func newTools(set toolset, ask func(context.Context, string) (string, error)) tools {
	t := tools{ask: ask}
	if set.make != nil {
		t.Tools = set.make(set.log)
	}
	return t
}

// Offer implements reply.Tools.
func (t tools) Offer() []reason.Tool {
	var offered []reason.Tool
	if t.Tools != nil {
		offered = t.Tools.Offer()
	}
	return append(slices.Clip(offered), reason.Tool{
		Name:        askUser,
		Description: "Ask the user one question that only they can answer, and wait for what they say. Use it only where the answer cannot go on without.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"question":{"type":"string","description":"The question, as it is to be put to the user"}},"required":["question"]}`),
	})
}

// Call implements reply.Tools.
func (t tools) Call(ctx context.Context, call reason.Call) (string, error) {
	if call.Name != askUser {
		if t.Tools == nil {
			return "", echo.Errorf(echo.CodeNotFound, "There is no tool %q.", call.Name)
		}
		return t.Tools.Call(ctx, call)
	}
	var arguments struct {
		Question string `json:"question"`
	}
	if err := json.Unmarshal(call.Arguments, &arguments); err != nil || strings.TrimSpace(arguments.Question) == "" {
		return "", echo.Errorf(echo.CodeInvalid, "ask_user needs a question, as a text.")
	}
	return t.ask(ctx, strings.TrimSpace(arguments.Question))
}

// Patience implements reply.Patient: people take longer than tools.
func (t tools) Patience(call reason.Call) time.Duration {
	if call.Name == askUser {
		return answerPatience
	}
	if patient, ok := t.Tools.(reply.Patient); ok {
		return patient.Patience(call)
	}
	return 0
}
