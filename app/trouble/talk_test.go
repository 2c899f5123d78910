package trouble_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/coder/websocket"

	"echo-companion/backend/protocol"
)

// event is any event of a reply or a conversation.
type event struct {
	Type     string            `json:"type"`
	ID       json.RawMessage   `json:"id"`
	Title    string            `json:"title"`
	Text     string            `json:"text"`
	Question string            `json:"question"`
	Answer   string            `json:"answer"`
	Number   int               `json:"number"`
	Code     string            `json:"code"`
	Message  string            `json:"message"`
	Saved    *bool             `json:"saved"`
	Saving   bool              `json:"saving"`
	Reason   string            `json:"reason"`
	Chat     *protocol.ChatRef `json:"chat"`
	Turns    []protocol.Turn   `json:"turns"`
	LastID   int               `json:"last_id"`
}

// turn is the number of the turn that an event is about; 0 where its id is none.
func (e event) turn() (id int) {
	_ = json.Unmarshal(e.ID, &id)
	return id
}

// name is the id of a chat.
func (e event) name() (id string) {
	_ = json.Unmarshal(e.ID, &id)
	return id
}

// asked is what is posted to /api/chat.
type asked struct {
	Session string `json:"session,omitempty"`
	Message string `json:"message"`
}

// follow posts and hands on the events of the reply until see has enough of them or they end.
func (s *server) follow(ctx context.Context, path string, body any, key string, see func(event) (more bool)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	response, err := s.do(ctx, http.MethodPost, path, body, key)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		data, _ := io.ReadAll(response.Body)
		return refused{response.StatusCode, fmt.Sprintf("%s: %s", path, data)}
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		var e event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return err
		}
		if !see(e) {
			return nil
		}
	}
	if lines.Err() != nil {
		return lines.Err()
	}
	return io.ErrUnexpectedEOF
}

// window is an attached window.
type window struct {
	conn *websocket.Conn
	next int // the id of the next turn
}

// attach attaches one, as the request asks.
func (s *server) attach(ctx context.Context, request map[string]any) (*window, event, error) {
	var grant protocol.Grant
	if err := s.call(ctx, http.MethodPost, "/api/voice/sessions", request, &grant); err != nil {
		return nil, event{}, err
	}
	conn, _, err := websocket.Dial(ctx, s.base+"/api/voice/stream?ticket="+grant.Ticket, &websocket.DialOptions{ //nolint:bodyclose // coder/websocket closes it
		HTTPClient: s.http, HTTPHeader: http.Header{"Authorization": {"Bearer " + s.token}},
	})
	if err != nil {
		return nil, event{}, err
	}
	conn.SetReadLimit(1 << 20)
	w := &window{conn: conn}
	ready, err := w.read(ctx)
	if err == nil && ready.Type != "ready" {
		err = errors.New("the first event is " + ready.Type)
	}
	w.next = ready.LastID + 1
	return w, ready, err
}

func (w *window) close() { _ = w.conn.CloseNow() }

// read gives the next event; sound is passed over.
func (w *window) read(ctx context.Context) (event, error) {
	for {
		kind, data, err := w.conn.Read(ctx)
		if err != nil {
			return event{}, err
		}
		if kind == websocket.MessageBinary {
			continue
		}
		var e event
		err = json.Unmarshal(data, &e)
		return e, err
	}
}

// send sends a message.
func (w *window) send(ctx context.Context, message map[string]any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return w.conn.Write(ctx, websocket.MessageText, data)
}

// ask types a question.
func (w *window) ask(ctx context.Context, text string) (id int, err error) {
	id, w.next = w.next, w.next+1
	return id, w.send(ctx, map[string]any{"type": "ask", "id": id, "text": text})
}

// say speaks a number.
func (w *window) say(ctx context.Context, number int) (id int, err error) {
	id, w.next = w.next, w.next+1
	return id, errors.Join(
		w.send(ctx, map[string]any{"type": "speech", "id": id}),
		w.conn.Write(ctx, websocket.MessageBinary, soundOf(number)),
		w.send(ctx, map[string]any{"type": "speech_end", "id": id, "voiced": 60}),
	)
}
