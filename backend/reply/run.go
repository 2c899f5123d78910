package reply

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
)

const (
	// CallTime bounds one tool call: longer than any tool here needs, shorter than a listener waits in silence.
	CallTime = 20 * time.Second

	// MaxResult bounds, in bytes, what a model reads of one call, so that sixteen of them fit a small model's context.
	MaxResult = 16 << 10
)

// Patient is implemented by Tools of which some calls wait for a person. Patience says how long that call may take; zero
// stands for CallTime.
type Patient interface {
	Patience(call reason.Call) time.Duration
}

// Run writes one reply and returns nil once it is answered. Steps come in order, from the goroutine that called Run: text as
// the model writes it, and each call as running, then as done or failed. Calls run one after the other. What was written
// before a call stays part of the answer. Tools may be nil. Once ctx is over Run returns its error and emits nothing more; an error of emit ends
// the reply and is returned as it is, and so is the reasoner's.
func Run(ctx context.Context, r reason.Reasoner, tools Tools, req Request, emit func(Step) error) error {
	run := &run{tools: tools, emit: emit, messages: slices.Clone(req.Messages), ids: map[string]bool{}}
	for _, message := range req.Messages {
		for _, call := range message.Calls {
			run.ids[call.ID] = true
		}
	}
	var offered []reason.Tool
	if tools != nil {
		offered = tools.Offer()
	}
	for {
		text, calls, err := run.ask(ctx, r, reason.Request{Model: req.Model, Messages: slices.Clone(run.messages), Tools: offered})
		if err != nil {
			return err
		}
		if len(calls) == 0 || len(offered) == 0 { // a call of what was not offered is not made
			return run.conclude()
		}
		refused, err := run.perform(ctx, offered, text, calls)
		if err != nil {
			return err
		}
		if refused {
			offered = nil
		}
	}
}

// run is the state of one reply.
type run struct {
	tools    Tools
	emit     func(Step) error
	messages []reason.Message
	ids      map[string]bool // every call's id so far
	calls    int             // how many were asked for
	written  bool            // some text that is more than space
	parted   bool            // calls were made since the last text, which did not end in a space
	last     rune            // of the text
}

// ask asks the reasoner once, and returns what it wrote in this round.
func (r *run) ask(ctx context.Context, reasoner reason.Reasoner, request reason.Request) (string, []reason.Call, error) {
	var (
		text  strings.Builder
		calls []reason.Call
	)
	err := reasoner.Reason(ctx, request, func(chunk reason.Chunk) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, call := range chunk.Calls {
			calls = append(calls, r.tidy(call))
		}
		if chunk.Text == "" {
			return nil
		}
		text.WriteString(chunk.Text)
		return r.say(chunk.Text)
	})
	if ctx.Err() != nil {
		return "", nil, ctx.Err()
	}
	return text.String(), calls, err
}

// say passes text on. Text before a call and text after it are two messages of the model: a blank line parts them.
func (r *run) say(text string) error {
	if r.parted {
		r.parted = false
		if first, _ := utf8.DecodeRuneInString(text); !unicode.IsSpace(first) {
			text = "\n\n" + text
		}
	}
	r.last, _ = utf8.DecodeLastRuneInString(text)
	r.written = r.written || strings.TrimSpace(text) != ""
	return r.emit(Step{Text: text})
}

// tidy gives a call an id of its own and a name, which some servers leave out.
func (r *run) tidy(call reason.Call) reason.Call {
	for n := len(r.ids) + 1; call.ID == "" || r.ids[call.ID]; n++ {
		call.ID = fmt.Sprintf("call_%d", n)
	}
	r.ids[call.ID] = true
	if call.Name == "" {
		call.Name = "unnamed"
	}
	return call
}

// perform runs the calls of one message. It tells whether one was refused because the reply had made all that it may.
func (r *run) perform(ctx context.Context, offered []reason.Tool, text string, calls []reason.Call) (refused bool, err error) {
	request := reason.Message{Role: reason.RoleAssistant, Text: text}
	results := make([]reason.Message, 0, len(calls))
	for _, call := range calls {
		shown, problem := arguments(call.Arguments)
		call.Arguments = shown
		request.Calls = append(request.Calls, call)
		step := echo.ToolCall{ID: call.ID, Name: call.Name, Arguments: shown, Status: echo.ToolRunning}
		if err := r.tell(ctx, step); err != nil {
			return false, err
		}
		r.calls++
		switch {
		case r.calls > MaxCalls:
			refused = true
			step.Result, step.Status = fmt.Sprintf("Refused: a reply makes at most %d tool calls. Answer with what you have.", MaxCalls), echo.ToolFailed
		case !slices.ContainsFunc(offered, func(tool reason.Tool) bool { return tool.Name == call.Name }):
			step.Result, step.Status = unknown(call.Name, offered), echo.ToolFailed
		case problem != "":
			step.Result, step.Status = problem, echo.ToolFailed
		default:
			step.Result, step.Status = r.call(ctx, call)
		}
		step.Result = Cut(step.Result, MaxResult)
		if err := r.tell(ctx, step); err != nil {
			return false, err
		}
		results = append(results, reason.Message{Role: reason.RoleTool, Text: step.Result, CallID: call.ID, Name: call.Name})
	}
	r.messages = append(append(r.messages, request), results...)
	r.parted = r.written && !unicode.IsSpace(r.last)
	return refused, nil
}

// tell emits a tool step, unless the reply is over.
func (r *run) tell(ctx context.Context, call echo.ToolCall) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.emit(Step{Tool: &call})
}

// call runs one call within its bounds.
func (r *run) call(ctx context.Context, call reason.Call) (string, echo.ToolStatus) {
	patience := CallTime
	if patient, ok := r.tools.(Patient); ok {
		if longer := patient.Patience(call); longer > 0 {
			patience = longer
		}
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	result, err := r.tools.Call(bounded, call)
	var coded *echo.Error
	switch {
	case err == nil && strings.TrimSpace(result) == "":
		return "The tool returned nothing.", echo.ToolDone
	case err == nil:
		return result, echo.ToolDone
	case bounded.Err() != nil && ctx.Err() == nil:
		return fmt.Sprintf("The tool did not finish within %v and was stopped.", patience), echo.ToolFailed
	case errors.As(err, &coded):
		return coded.Message, echo.ToolFailed // the cause is for the log
	}
	return err.Error(), echo.ToolFailed
}

// conclude ends the reply: one in which nothing was ever written is no answer.
func (r *run) conclude() error {
	if r.written {
		return nil
	}
	return echo.Errorf(echo.CodeEngineError, "The model wrote no answer. Try again, or choose another model.")
}

// arguments gives the arguments as a JSON object, and says what is wrong with them where they are none.
func arguments(written json.RawMessage) (object json.RawMessage, problem string) {
	empty := json.RawMessage("{}")
	trimmed := bytes.TrimSpace(written)
	if len(trimmed) == 0 || string(trimmed) == "null" {
		return empty, "" // how some servers write "none"
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(trimmed, &fields); err != nil {
		return empty, fmt.Sprintf("The arguments are not a JSON object (%v). They were: %s", err, Cut(string(trimmed), 500))
	}
	return trimmed, ""
}

func unknown(name string, offered []reason.Tool) string {
	names := make([]string, 0, len(offered))
	for _, tool := range offered {
		names = append(names, tool.Name)
	}
	return fmt.Sprintf("There is no tool %q. There are: %s.", Cut(name, 100), strings.Join(names, ", "))
}

// Cut shortens text to at most so many bytes, a note included, without parting a character, and makes it valid UTF-8.
func Cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	note := fmt.Sprintf("\n[cut: %d bytes in all]", len(text))
	end := max(0, limit-len(note))
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + note
}
