package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/tmaxmax/go-sse"

	"echo-companion/backend/echo"
	"echo-companion/backend/reason"
	"echo-companion/backend/refusal"
)

const (
	maxEvent  = 64 << 20               // bytes of one event; a whole answer may come in one
	maxAnswer = 64 << 20               // bytes of one answer that came unstreamed
	grace     = 250 * time.Millisecond // for what follows the end of an answer: usage, [DONE]
)

// What is received. Everything that may come in several shapes stays raw.
type (
	wireAnswer struct {
		Object  string          `json:"object"`
		Choices []wireChoice    `json:"choices"`
		Error   json.RawMessage `json:"error"`
	}
	wireChoice struct {
		Index   int       `json:"index"`
		Delta   wireDelta `json:"delta"`
		Message wireDelta `json:"message"` // of an answer in one piece
		Finish  string    `json:"finish_reason"`
	}
	wireDelta struct {
		Content   json.RawMessage `json:"content"`
		Refusal   json.RawMessage `json:"refusal"`
		ToolCalls []wireFragment  `json:"tool_calls"`
	}
)

// The causes when an answer is not what the API's documentation says.
var (
	errGarbage = errors.New("not a chat completion")
	errWebPage = errors.New("a web page")
)

// read reads an answer and passes it on. It returns nil once the answer has had its end mark.
func (c *Client) read(e *exchange, emit func(reason.Chunk) error) error {
	answer := &answer{client: c, emit: emit}
	body := bufio.NewReader(e)
	first, err := firstByte(body)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return c.readFailure(e, err)
	case first == '{':
		err = answer.whole(e, body)
	case first == '<':
		err = answer.nonsense(errWebPage)
	default:
		err = answer.stream(e, body)
	}
	if err != nil {
		return err
	}
	return answer.finish()
}

// answer puts an answer together.
type answer struct {
	client *Client
	emit   func(reason.Chunk) error
	text   joiner
	think  thinking
	calls  assembly
	ended  bool
}

// whole reads an answer that came in one piece, though a stream was asked for.
func (a *answer) whole(e *exchange, body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err != nil {
		return a.client.readFailure(e, err)
	}
	if err := a.take(data); err != nil {
		return err
	}
	a.ended = true
	return nil
}

// stream reads server-sent events.
func (a *answer) stream(e *exchange, body io.Reader) error {
	for event, err := range sse.Read(body, &sse.ReadConfig{MaxEventSize: maxEvent}) {
		switch {
		case err != nil && a.ended && e.parent.Err() == nil:
			return nil // what came after the end mark is of no use
		case err != nil:
			return a.client.readFailure(e, err)
		case strings.TrimSpace(event.Data) == "[DONE]":
			a.ended = true
			return nil
		case strings.TrimSpace(event.Data) == "":
			continue
		}
		if event.Type == "error" {
			return a.refused([]byte(event.Data))
		}
		wasEnded := a.ended
		if err := a.take([]byte(event.Data)); err != nil {
			return err
		}
		if a.ended && !wasEnded {
			e.drain(grace)
		}
	}
	return nil
}

// take takes one JSON document of the answer.
func (a *answer) take(data []byte) error {
	var document wireAnswer
	if err := json.Unmarshal(data, &document); err != nil {
		return a.nonsense(err)
	}
	if len(document.Error) > 0 && string(document.Error) != "null" || document.Object == "error" {
		return a.refused(data)
	}
	for _, choice := range document.Choices {
		if choice.Index != 0 {
			continue // only one was asked for
		}
		for _, delta := range []wireDelta{choice.Delta, choice.Message} {
			if err := a.delta(delta); err != nil {
				return err
			}
		}
		switch choice.Finish {
		case "":
		case "error":
			return a.client.fail(echo.CodeEngineError, "%s gave its answer up. Try again.", a.client.config.Name)
		default:
			a.ended = true
		}
	}
	return nil
}

func (a *answer) delta(delta wireDelta) error {
	for _, raw := range []json.RawMessage{delta.Content, delta.Refusal} {
		for _, part := range parts(raw) {
			text, err := a.text.add(part)
			if err != nil {
				return a.nonsense(err)
			}
			if err := a.say(a.think.strip(text)); err != nil {
				return err
			}
		}
	}
	for _, fragment := range delta.ToolCalls {
		if err := a.calls.add(fragment); err != nil {
			return a.nonsense(err)
		}
	}
	return nil
}

func (a *answer) say(text string) error {
	if text == "" {
		return nil
	}
	return a.emit(reason.Chunk{Text: text})
}

// finish passes on what was held back, or says that the end mark is missing.
func (a *answer) finish() error {
	if !a.ended {
		return a.client.fail(echo.CodeEngineError, "%s ended its answer in the middle. Try again.", a.client.config.Name)
	}
	if err := a.say(a.think.strip(a.text.rest()) + a.think.rest()); err != nil {
		return err
	}
	if calls := a.calls.whole(); len(calls) > 0 {
		return a.emit(reason.Chunk{Calls: calls})
	}
	return nil
}

func (a *answer) nonsense(err error) error {
	return a.client.fail(echo.CodeEngineError, "%s answers nonsense. Check that its address in Settings is that of an OpenAI-compatible server.",
		a.client.config.Name).Because(errors.Join(errGarbage, err))
}

// refused tells of an error that came where the answer should be.
func (a *answer) refused(data []byte) error {
	words := refusal.Short(refusal.Words(data))
	if words == "" {
		words = "no reason given"
	}
	return a.client.fail(echo.CodeEngineError, "%s gave the answer up: %s. Try again.", a.client.config.Name, words)
}

// firstByte tells what an answer begins with, space aside. An empty answer is io.EOF.
func firstByte(body *bufio.Reader) (byte, error) {
	for {
		next, err := body.Peek(1)
		if err != nil {
			return 0, err
		}
		if !strings.ContainsRune(" \t\r\n", rune(next[0])) {
			return next[0], nil
		}
		_, _ = body.Discard(1)
	}
}

// parts gives the JSON strings of a content: one string, or the texts of a list of parts.
func parts(raw json.RawMessage) []json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '[' {
		return []json.RawMessage{raw}
	}
	var list []struct {
		Type string          `json:"type"`
		Text json.RawMessage `json:"text"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return []json.RawMessage{raw}
	}
	var texts []json.RawMessage
	for _, part := range list {
		if part.Type == "text" || part.Type == "" {
			texts = append(texts, part.Text)
		}
	}
	return texts
}
