// Package tools is what a reply may call: the time, arithmetic, the messages of its own chat, saved chats, and the files of the
// workspace's folder. Each call is bounded in time and output and ends with its context. Nothing here changes anything.
package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"echo-companion/backend/echo"
	"echo-companion/backend/passage"
	"echo-companion/backend/reason"
	"echo-companion/backend/reply"
)

// NotesSearcher finds passages in the files of the workspace's folder, the best first.
type NotesSearcher interface {
	Search(ctx context.Context, query string, limit int) (passage.Found, error)
}

// Config says where the tools look. Both functions may be called from several goroutines.
type Config struct {
	Root func() string    // the workspace's folder; empty where there is none
	Now  func() time.Time // nil: time.Now
}

// Ports is what the tools reach the rest of Echo through. What is nil fails when it is called.
type Ports struct {
	Search func(ctx context.Context, query string) ([]echo.Hit, error) // through saved chats, the best first
	Notes  NotesSearcher
}

// Set is the tools of one workspace. It is safe for use from several goroutines.
type Set struct {
	config Config
	ports  Ports
}

// New returns the tools of a workspace.
func New(config Config, ports Ports) *Set {
	if config.Now == nil {
		config.Now = time.Now
	}
	return &Set{config: config, ports: ports}
}

// For gives the tools to a reply in a chat whose messages, by number from 1, history reads. It may be nil where there are none.
func (s *Set) For(history func(from, to int) []echo.Message) reply.Tools {
	return &bound{set: s, history: history}
}

// bound is the tools of one reply.
type bound struct {
	set     *Set
	history func(from, to int) []echo.Message
}

// tool is one tool: how it is offered, and what it does.
type tool struct {
	name, description, parameters string
	run                           func(b *bound, ctx context.Context, arguments json.RawMessage) (string, error)
}

// list gives the tools in the order in which they are offered. The names are the protocol's.
func list() []tool {
	return []tool{
		{
			"current_time", "Tells the date, weekday and time of day, here or in another time zone.",
			`{"type":"object","properties":{"timezone":{"type":"string","description":"An IANA time zone such as Europe/Paris. Left out: here."}}}`,
			(*bound).currentTime,
		},
		{
			"calculate", "Works out an arithmetic expression exactly: + - * / ^, % (remainder, or percent as in 15% * 80), parentheses, sqrt, cbrt, abs, round, floor, ceil, ln, log, exp, factorials, pi, e. Use it for any sum instead of working it out yourself.",
			`{"type":"object","properties":{"expression":{"type":"string","description":"For example (3+4)*2.5"}},"required":["expression"]}`,
			(*bound).calculate,
		},
		{
			"conversation_history", "Reads messages of this conversation back by their numbers, counted from 1. Use it for what a summary leaves out.",
			`{"type":"object","properties":{"from":{"type":"integer","minimum":1},"to":{"type":"integer","minimum":1}},"required":["from","to"]}`,
			(*bound).conversationHistory,
		},
		{
			"search_chats", "Searches all earlier conversations with the user, spoken and typed, and returns the passages that fit best.",
			`{"type":"object","properties":{"query":{"type":"string","description":"The words to look for"}},"required":["query"]}`,
			(*bound).searchChats,
		},
		{
			"list_files", "Lists the files and folders in the user's own folder, with their sizes.",
			`{"type":"object","properties":{"path":{"type":"string","description":"A folder within it. Left out: the folder itself."}}}`,
			(*bound).listFiles,
		},
		{
			"read_file", "Reads a text file in the user's own folder.",
			`{"type":"object","properties":{"path":{"type":"string","description":"The file, as list_files names it"},"from_line":{"type":"integer","minimum":1,"description":"Where to begin in a long file. Left out: line 1."}},"required":["path"]}`,
			(*bound).readFile,
		},
		{
			"search_files", "Searches the user's own notes and files, by meaning and by words, and returns the passages that fit best, with where each is from.",
			`{"type":"object","properties":{"query":{"type":"string","description":"What to look for: a question or a few words"}},"required":["query"]}`,
			(*bound).searchFiles,
		},
	}
}

// Offer implements reply.Tools.
func (b *bound) Offer() []reason.Tool {
	all := list()
	offered := make([]reason.Tool, 0, len(all))
	for _, t := range all {
		offered = append(offered, reason.Tool{Name: t.name, Description: t.description, Parameters: json.RawMessage(t.parameters)})
	}
	return offered
}

// Call implements reply.Tools. The text of an error is for the model.
func (b *bound) Call(ctx context.Context, call reason.Call) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	for _, t := range list() {
		if t.name == call.Name {
			return t.run(b, ctx, call.Arguments)
		}
	}
	return "", fmt.Errorf("there is no tool %q", call.Name)
}

// decode reads a call's arguments. Fields that it does not know are ignored, as the models make some up.
func decode[T any](arguments json.RawMessage) (T, error) {
	var fields T
	if len(bytes.TrimSpace(arguments)) == 0 {
		return fields, nil
	}
	err := json.Unmarshal(arguments, &fields)
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mismatch) && mismatch.Field != "":
		return fields, fmt.Errorf("the argument %q has the wrong type: it came as %s", mismatch.Field, mismatch.Value)
	case err != nil:
		return fields, fmt.Errorf("the arguments are not a JSON object: %w", err)
	}
	return fields, nil
}

// word is a string argument. Models write numbers where a string is asked for.
type word string

// UnmarshalJSON implements json.Unmarshaler.
func (w *word) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && (data[0] == '-' || data[0] >= '0' && data[0] <= '9') {
		*w = word(data)
		return nil
	}
	return json.Unmarshal(data, (*string)(w))
}

// count is a whole number as an argument. Models write it as 3, 3.0 or "3".
type count int

// UnmarshalJSON implements json.Unmarshaler.
func (c *count) UnmarshalJSON(data []byte) error {
	var number float64
	if err := json.Unmarshal([]byte(strings.Trim(string(data), `"`)), &number); err != nil {
		return fmt.Errorf("%s is not a number", data)
	}
	if number != float64(int32(number)) {
		return fmt.Errorf("%s is not a whole number of a reasonable size", data)
	}
	*c = count(number)
	return nil
}
