package trouble_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"

	"echo-companion/backend/protocol"
)

// typist asks in Chat, stops, renames and deletes, until the server is gone. Its error is why it ended.
func (s *server) typist(ctx context.Context, said *promises, name string) error {
	chat := ""
	for n := 0; ; n++ {
		question := fmt.Sprintf("typed question %d of %s", n, name)
		if rand.IntN(5) == 0 {
			question += ", at length"
		}
		key := ""
		if rand.IntN(2) == 0 {
			key = question
		}
		err := s.typed(ctx, said, &chat, question, key, rand.IntN(3) == 0)
		if err != nil {
			return err
		}
		switch rand.IntN(6) {
		case 0:
			err = said.changing(chat, func() error {
				return s.call(ctx, http.MethodDelete, "/api/chat/sessions/"+chat, nil, nil)
			}, func() { said.deleted[chat] = true })
			chat = ""
		case 1:
			title := "Renamed after " + question
			err = said.changing(chat, func() error {
				return s.call(ctx, http.MethodPatch, "/api/chat/sessions/"+chat, map[string]string{"title": title}, nil)
			}, func() { said.titles[chat] = title })
		case 2:
			chat = ""
		}
		if err != nil {
			return err
		}
	}
}

// typed asks one question and follows its reply to the end; stop has it stopped on the way.
func (s *server) typed(ctx context.Context, said *promises, chat *string, question, key string, stop bool) error {
	stopAt, seen := rand.IntN(20), 0
	var failed error
	body := asked{*chat, question}
	err := s.follow(ctx, "/api/chat", body, key, func(e event) bool {
		said.of(question, func(p *promise) {
			switch e.Type {
			case "session":
				*chat = e.name()
				p.chat, p.key, p.body = *chat, key, body
			case "waiting", "start":
				p.acked = true
			case "done":
				p.ended = "complete"
			case "stopped":
				p.ended = "stopped"
			}
		})
		if e.Type == "delta" {
			said.show(question, e.Text)
			if seen++; stop && seen == stopAt {
				failed = s.call(ctx, http.MethodPost, "/api/chat/sessions/"+*chat+"/stop", nil, nil)
			}
		}
		if e.Type == "failed" {
			failed = fmt.Errorf("%q failed: %s: %s", question, e.Code, e.Message)
		}
		return failed == nil && e.Type != "done" && e.Type != "stopped"
	})
	if failed != nil {
		return failed
	}
	return err
}

// speaker asks in the voice conversation, several questions at a time, spoken and typed, and withdraws some, until the server is
// gone. Its error is why it ended.
func (s *server) speaker(ctx context.Context, said *promises, name string, round int) error {
	w, _, err := s.attach(ctx, map[string]any{"new": true, "take": true})
	if err != nil {
		return err
	}
	defer w.close()
	talk := &talk{said: said, window: w, asked: map[int]string{}}
	for n := 0; ; n++ {
		for range 1 + rand.IntN(4) {
			text := fmt.Sprintf("voice question %d of %s", w.next, name)
			if rand.IntN(3) == 0 {
				number := round*100 + w.next
				if number > 60_000 {
					return fmt.Errorf("no number is left for question %d", w.next)
				}
				text = spokenText(number)
				_, err = w.say(ctx, number)
			} else {
				_, err = w.ask(ctx, text)
			}
			talk.asked[w.next-1] = text
			if err != nil {
				return err
			}
		}
		last := w.next - 1
		switch rand.IntN(4) {
		case 0:
			err = w.send(ctx, map[string]any{"type": "cancel", "id": last})
		case 1:
			err = w.send(ctx, map[string]any{"type": "cancel", "id": talk.running})
		}
		for err == nil && len(talk.asked) > 0 {
			err = talk.next(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// talk is a window's view of its conversation.
type talk struct {
	said      *promises
	window    *window
	asked     map[int]string // questions that have not ended, by turn
	running   int
	withdrawn []string // of these nobody has said since that the next one is stored
}

// next takes the next event in.
func (t *talk) next(ctx context.Context) error {
	e, err := t.window.read(ctx)
	if err != nil {
		return err
	}
	id := e.turn()
	question := t.asked[id]
	switch e.Type {
	case "queued", "start":
		if e.Type == "start" {
			t.running = id
		}
		for _, gone := range t.withdrawn { // what is written is written in order
			t.said.of(gone, func(p *promise) { p.withdrawn = true })
		}
		t.withdrawn = nil
		t.said.of(question, func(p *promise) { p.voice, p.acked = true, true })
	case "delta":
		t.said.show(question, e.Text)
	case "answered":
		if e.Saved == nil || !*e.Saved || e.Chat == nil {
			return fmt.Errorf("%q is not saved", question)
		}
		t.said.of(question, func(p *promise) { p.ended, p.chat = "complete", e.Chat.ID })
	case "done", "cancelled":
		if e.Type == "cancelled" && id != t.running {
			t.withdrawn = append(t.withdrawn, question)
			t.said.of(question, func(p *promise) { p.acked = false })
		}
		delete(t.asked, id)
	case "error":
		if e.Code != "queue_full" && e.Code != "unknown_turn" {
			return fmt.Errorf("%s: %s", e.Code, e.Message)
		}
		if e.Code == "queue_full" {
			delete(t.asked, id)
		}
	case "failed", "ignored":
		return fmt.Errorf("%q: %s: %s %s", question, e.Type, e.Code, e.Message)
	}
	return nil
}

// again carries a voice chat on and asks what a crash cut off again; it gives that question.
func (s *server) again(ctx context.Context, chat string) (cut []protocol.Turn, err error) {
	w, ready, err := s.attach(ctx, map[string]any{"chat": chat, "take": true})
	if err != nil {
		return nil, err
	}
	defer w.close()
	for _, turn := range ready.Turns {
		if turn.Error != nil && turn.Error.Code == "interrupted" {
			cut = append(cut, turn)
		}
	}
	if len(cut) == 0 {
		return nil, nil
	}
	last := cut[len(cut)-1]
	if err := w.send(ctx, map[string]any{"type": "retry", "id": w.next, "of": last.ID}); err != nil {
		return cut, err
	}
	for {
		e, err := w.read(ctx)
		switch {
		case err != nil:
			return cut, err
		case e.Type == "answered":
			return cut, nil
		case e.Type == "failed", e.Type == "error":
			data, _ := json.Marshal(e)
			return cut, fmt.Errorf("%q asked again: %s", last.Question, data)
		}
	}
}
