package trouble_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/protocol"
)

var kills = flag.Int("kills", 8, "how often the server is killed at work")

// TestKilledServerLosesNothingAcknowledged kills the server at random moments of typed and spoken work, and as often while it starts
// again; then all that it had said is there.
func TestKilledServerLosesNothingAcknowledged(t *testing.T) {
	data, base := t.TempDir(), engines(t)
	s := launch(t, data)
	s.use(t, base)
	var rounds []*promises
	cut := 0
	for round := range *kills {
		said, lasts := newPromises(1+rand.IntN(25)), time.Duration(0) // as soon as something was said
		if round%2 == 0 {
			lasts = time.Duration(rand.IntN(2000)) * time.Millisecond
		}
		crash := work(t, s, said, round, lasts)
		if round%4 == 3 {
			interrupted(t, data)
		}
		s = launch(t, data)
		cut += check(t, s, said, crash)
		rounds = append(rounds, said)
	}
	sound(t, data)
	for _, said := range rounds { // what later rounds did has cost the earlier ones nothing
		check(t, s, said, time.Time{})
	}
	t.Logf("%d kills cut off %d replies", *kills, cut)
}

// work has typed and spoken questions asked until the server is killed, so long after what is waited for was said, and gives that
// moment.
func work(t *testing.T, s *server, said *promises, round int, lasts time.Duration) time.Time {
	t.Helper()
	var workers sync.WaitGroup
	ended := make([]error, 3)
	name := fmt.Sprint("round ", round)
	workers.Go(func() { ended[0] = s.typist(t.Context(), said, name+", left") })
	workers.Go(func() { ended[1] = s.typist(t.Context(), said, name+", right") })
	workers.Go(func() { ended[2] = s.speaker(t.Context(), said, name, round) })
	select {
	case <-said.come:
	case <-time.After(patience):
		require.Fail(t, "nothing was asked")
	}
	if lasts > 0 {
		<-time.After(lasts)
	}
	crash := time.Now()
	s.kill()
	workers.Wait()
	for _, err := range ended {
		require.NotErrorAs(t, err, new(refused), "until it was killed it refused nothing")
		require.NotContains(t, err.Error(), "question", "and nothing failed")
	}
	return crash
}

// interrupted kills a server while it starts and puts in order what the one before left.
func interrupted(t *testing.T, data string) {
	t.Helper()
	s := launch(t, data)
	go func() { _ = s.call(t.Context(), http.MethodGet, "/api/chat/sessions", nil, nil) }() // it opens the database
	<-time.After(time.Duration(rand.IntN(20)) * time.Millisecond)
	s.kill()
}

// library is what a server has of all chats.
type library struct {
	chats     map[string]protocol.ChatPage
	exchanges map[string][]exchange // by question
}

// exchange is a question and its answer.
type exchange struct {
	chat   string
	answer protocol.Message
}

// read takes a chat in: each question has its answer, with nothing but results of tools between them.
func (l *library) read(t *testing.T, chat protocol.ChatPage) {
	t.Helper()
	question := ""
	for _, message := range chat.Items {
		switch message.Role {
		case "user":
			require.Empty(t, question, "a question without an answer in chat %s", chat.ID)
			question = message.Text
		case "tool":
			require.NotEmpty(t, question)
		case "assistant":
			require.NotEmpty(t, question)
			l.exchanges[question] = append(l.exchanges[question], exchange{chat.ID, message})
			question = ""
		}
	}
	require.Empty(t, question, "a question without an answer in chat %s", chat.ID)
	l.chats[chat.ID] = chat
}

// check looks for all that was promised, and gives how many replies were cut off. crash is zero where it was long ago.
func check(t *testing.T, s *server, said *promises, crash time.Time) (cut int) {
	t.Helper()
	has := &library{chats: map[string]protocol.ChatPage{}, exchanges: map[string][]exchange{}}
	rows := map[string]bool{}
	for _, row := range s.chats(t) {
		rows[row.ID] = true
		require.False(t, row.Replying || row.Waiting, "%q answers nobody", row.Title)
		if crash.IsZero() || row.UpdatedAt.After(crash.Add(-time.Minute)) {
			has.read(t, s.chat(t, row.ID))
		}
	}
	for chat := range said.deleted {
		require.NotContains(t, rows, chat, "a deleted chat is there again")
	}
	for chat, title := range said.titles {
		if !said.deleted[chat] && !said.unsure[chat] {
			require.Equal(t, title, has.chats[chat].Title)
		}
	}
	voice := ""
	for _, question := range said.questions() {
		promised := said.by[question]
		if promised.withdrawn {
			require.Empty(t, has.exchanges[question], "%q was withdrawn", question)
		}
		if !promised.acked {
			continue
		}
		require.NotEmpty(t, has.exchanges[question], "%q is lost", question)
		found := has.exchanges[question][0]
		promised.check(t, question, found, crash)
		if found.answer.State == "interrupted" {
			cut++
			if promised.voice {
				voice = found.chat
			}
		}
	}
	if !crash.IsZero() {
		goesOn(t, s, said, has, voice)
	}
	return cut
}

// check compares what is there with what was said of it.
func (p *promise) check(t *testing.T, question string, found exchange, crash time.Time) {
	t.Helper()
	if p.chat != "" {
		require.Equal(t, p.chat, found.chat)
	}
	whole, got := answerTo(question), found.answer.Text
	if p.ended != "" {
		require.EqualValues(t, p.ended, found.answer.State)
	}
	if p.ended == "complete" {
		require.Equal(t, whole, got)
	}
	require.True(t, strings.HasPrefix(whole, got), "%q was answered %q", question, got)
	if !crash.IsZero() {
		require.True(t, strings.HasPrefix(got, p.kept(crash)), "%q was answered %q, and %q is kept", question, p.kept(crash), got)
	}
}

// goesOn has the server answer again where it was cut off: by the same key, in a typed chat, and by voice.
func goesOn(t *testing.T, s *server, said *promises, has *library, voice string) {
	t.Helper()
	tried := false
	for _, question := range said.questions() {
		promised := said.by[question]
		if !promised.acked || promised.voice {
			continue
		}
		found := has.exchanges[question][0]
		if promised.key != "" {
			keyed(t, s, promised, found)
		}
		response, err := s.do(t.Context(), http.MethodGet, "/api/chat/sessions/"+found.chat+"/reply", nil, "")
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusNotFound, response.StatusCode, "no reply is known after a crash")
		before := len(s.chat(t, found.chat).Items)
		require.Len(t, has.chats[found.chat].Items, before, "a key asked nothing again")
		if found.answer.State != "interrupted" || tried || before != found.answer.Number || strings.Contains(question, "at length") {
			continue
		}
		tried = true // once a round will do
		require.NoError(t, s.follow(t.Context(), "/api/chat/sessions/"+found.chat+"/retry", nil, "", func(e event) bool { return e.Type != "done" }))
		items := s.chat(t, found.chat).Items
		require.Equal(t, answerTo(question), items[len(items)-1].Text)
	}
	if voice != "" {
		cut, err := s.again(t.Context(), voice)
		require.NoError(t, err)
		require.NotEmpty(t, cut, "what waited is listed")
	}
}

// keyed asks with the key of a question again: what was kept of its reply comes, and nothing is asked.
func keyed(t *testing.T, s *server, promised *promise, found exchange) {
	t.Helper()
	var last event
	answer := ""
	require.NoError(t, s.follow(t.Context(), "/api/chat", promised.body, promised.key, func(e event) bool {
		last = e
		if e.Type == "session" {
			require.Equal(t, found.chat, e.name())
		}
		answer += e.Text
		return e.Type != "done" && e.Type != "stopped" && e.Type != "failed"
	}))
	require.Equal(t, found.answer.Text, answer)
	want := map[protocol.MessageState]string{"complete": "done", "stopped": "stopped", "interrupted": "failed"}
	require.Equal(t, want[found.answer.State], last.Type)
	if last.Type == "failed" {
		require.Equal(t, "interrupted", last.Code)
	}
}
