package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/httpapi"
	"echo-companion/backend/protocol"
)

// event is one event of a stream; a comment has the name ":".
type event struct {
	id         int
	name, data string
}

// watchStream gives the events of a stream as they come. The channel is closed with the stream.
func (s *stack) watchStream(method, path string, body any, changes ...change) (events <-chan event, leave func()) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	s.t.Cleanup(cancel)
	response, err := s.open(ctx, method, path, body, changes...) //nolint:bodyclose // the reader below closes it
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, response.StatusCode)
	require.Equal(s.t, "text/event-stream; charset=utf-8", response.Header.Get("Content-Type"))
	out := make(chan event, 1000)
	go func() {
		defer close(out)
		defer func() { _ = response.Body.Close() }()
		lines := bufio.NewScanner(response.Body)
		var e event
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ":")
			switch value = strings.TrimPrefix(value, " "); {
			case lines.Text() == "":
				if e.name != "" {
					out <- e
				}
				e = event{}
			case name == "":
				e.name = ":"
			case name == "id":
				e.id, _ = strconv.Atoi(value)
			case name == "event":
				e.name = value
			case name == "data":
				e.data = value
			}
		}
	}()
	return out, cancel
}

func (s *stack) next(events <-chan event) event {
	s.t.Helper()
	select {
	case e, open := <-events:
		require.True(s.t, open, "the stream ended")
		return e
	case <-time.After(patience):
		s.t.Fatal("no event came")
		return event{}
	}
}

// all gives the events until the stream ends.
func (s *stack) all(events <-chan event) []event {
	s.t.Helper()
	var all []event
	limit := time.After(patience)
	for {
		select {
		case e, open := <-events:
			if !open {
				return all
			}
			all = append(all, e)
		case <-limit:
			s.t.Fatalf("the stream does not end: %v", all)
		}
	}
}

// askAndWait asks in a new chat and gives its events and its id.
func (s *stack) askAndWait(text string) ([]event, string) {
	s.t.Helper()
	stream, _ := s.watchStream("POST", "/api/chat", protocol.ChatQuestion{Message: text})
	events := s.all(stream)
	decoded, err := protocol.DecodeChatEvent([]byte(events[0].data))
	require.NoError(s.t, err)
	return events, decoded.(protocol.ChatSessionEvent).ID
}

func TestEventsOfAReply(t *testing.T) {
	s := start(t)
	events, id := s.askAndWait("one two")
	for i, e := range events {
		require.Equal(t, i+1, e.id)
		decoded, err := protocol.DecodeChatEvent([]byte(e.data))
		require.NoError(t, err, e.data)
		require.Contains(t, e.data, `"type":"`+e.name+`"`)
		require.NotNil(t, decoded)
	}
	require.Equal(t, "session", events[0].name)
	require.Equal(t, "start", events[1].name)
	require.Equal(t, event{id: len(events), name: "done", data: `{"type":"done","number":2}`}, events[len(events)-1])

	path := "/api/chat/sessions/" + id
	again, _ := s.watchStream("GET", path+"/reply", nil)
	require.Equal(t, events, s.all(again), "watched again from the first")
	rest, _ := s.watchStream("GET", path+"/reply", nil, header("Last-Event-ID", "2"))
	require.Equal(t, events[2:], s.all(rest))

	page := into[protocol.ChatPage](s.call("GET", path, nil).must(200))
	require.Equal(t, id, page.ID)
	require.Equal(t, "one two", page.Title)
	require.Len(t, page.Items, 2)
	require.Equal(t, "You said: one two", page.Items[1].Text)
	require.Contains(t, s.call("GET", path, nil).body, `"summary":null`)
	limited := into[protocol.ChatPage](s.call("GET", path+"?limit=1&before=2", nil).must(200))
	require.Equal(t, 1, limited.Items[0].Number)
}

func TestReplyOutlivesItsWatcher(t *testing.T) {
	s := start(t)
	stream, leave := s.watchStream("POST", "/api/chat", `{"message":"[wait] and see"}`)
	first, err := protocol.DecodeChatEvent([]byte(s.next(stream).data))
	require.NoError(t, err)
	id := first.(protocol.ChatSessionEvent).ID
	s.call("POST", "/api/chat", protocol.ChatQuestion{Session: id, Message: "too soon"}).refused(409, "replying")
	leave()
	close(s.gate)
	again, _ := s.watchStream("GET", "/api/chat/sessions/"+id+"/reply", nil)
	events := s.all(again)
	require.Equal(t, "done", events[len(events)-1].name)
}

func TestStopKeepsWhatWasWritten(t *testing.T) {
	s := start(t)
	stream, _ := s.watchStream("POST", "/api/chat", `{"message":"[wait] and see"}`)
	first, err := protocol.DecodeChatEvent([]byte(s.next(stream).data))
	require.NoError(t, err)
	path := "/api/chat/sessions/" + first.(protocol.ChatSessionEvent).ID
	for s.next(stream).name != "delta" {
	}
	require.JSONEq(t, `{"stopped":true}`, s.call("POST", path+"/stop", nil).must(200).body)
	events := s.all(stream)
	require.Equal(t, "stopped", events[len(events)-1].name)
	require.JSONEq(t, `{"stopped":false}`, s.call("POST", path+"/stop", nil).must(200).body)

	close(s.gate)
	retried, _ := s.watchStream("POST", path+"/retry", nil)
	events = s.all(retried)
	require.Equal(t, "done", events[len(events)-1].name)
	s.call("POST", path+"/retry", nil).refused(409, "not_retryable")
}

func TestCommentsKeepAQuietStreamAlive(t *testing.T) {
	s := start(t, func(c *httpapi.Config, _ *httpapi.Ports) { c.KeepAlive = 20 * time.Millisecond })
	stream, _ := s.watchStream("POST", "/api/chat", `{"message":"[wait] and see"}`)
	for s.next(stream).name != ":" {
	}
	close(s.gate)
	events := s.all(stream)
	require.Equal(t, "done", events[len(events)-1].name)
}

func TestIdempotencyKeyIsOfTheQuestion(t *testing.T) {
	s := start(t)
	key := header("Idempotency-Key", "one-and-the-same")
	first, _ := s.watchStream("POST", "/api/chat", `{"message":"once", "session":""}`, key)
	events := s.all(first)
	second, _ := s.watchStream("POST", "/api/chat", "{ \"unknown\": 1,\n \"message\":\"once\"}", key)
	require.Equal(t, events, s.all(second))
	s.call("POST", "/api/chat", `{"message":"twice"}`, key).refused(422, "idempotency_mismatch")
	s.call("POST", "/api/chat", `{"message":"once","model":"other"}`, key).refused(422, "idempotency_mismatch")
	require.Len(t, into[protocol.ChatList](s.call("GET", "/api/chat/sessions", nil)).Sessions, 1)
}

func TestChatsAreListedMadeRenamedAndDeleted(t *testing.T) {
	s := start(t)
	var ids []string
	for i := range 3 {
		row := into[protocol.ChatRow](s.call("POST", "/api/chat/sessions", fmt.Sprintf(`{"title":"Plans %d","unknown":1}`, i)).must(201))
		require.Equal(t, protocol.KindChat, row.Kind)
		ids = append([]string{row.ID}, ids...)
	}
	require.Equal(t, http.StatusCreated, s.call("POST", "/api/chat/sessions", nil).status, "a body need not be there")
	page := into[protocol.ChatList](s.call("GET", "/api/chat/sessions?limit=2", nil).must(200))
	require.Len(t, page.Sessions, 2)
	rest := into[protocol.ChatList](s.call("GET", "/api/chat/sessions?limit=1000&before="+*page.Next, nil).must(200))
	require.Len(t, rest.Sessions, 2)
	require.Equal(t, rest, into[protocol.ChatList](s.call("GET", "/api/chat/sessions?limit=99999999999999999999&before="+*page.Next, nil).must(200)))
	for i, row := range rest.Sessions {
		require.Equal(t, ids[i+1], row.ID)
	}
	require.Nil(t, rest.Next)

	path := "/api/chat/sessions/" + ids[0]
	require.Equal(t, "Grand plans", into[protocol.ChatRow](s.call("PATCH", path, `{"title":"Grand plans"}`).must(200)).Title)
	s.call("GET", path+"/reply", nil).refused(404, "not_found")
	s.call("DELETE", path, nil).must(204)
	for _, call := range []string{"GET ", "DELETE ", "POST /stop", "POST /retry", "GET /reply", "GET /export?format=json"} {
		method, rest, _ := strings.Cut(call, " ")
		s.call(method, path+rest, nil).refused(404, "unknown_chat")
	}
	s.call("PATCH", path, `{"title":"x"}`).refused(404, "unknown_chat")
	s.call("POST", "/api/chat", protocol.ChatQuestion{Session: ids[0], Message: "Hello?"}).refused(404, "unknown_chat")
}

func TestSearchExportAndImport(t *testing.T) {
	s := start(t)
	_, id := s.askAndWait("Où sont les gazelles / lions?")
	hits := into[protocol.Hits](s.call("GET", "/api/chat/search?q=gazelles", nil).must(200)).Hits
	require.NotEmpty(t, hits)
	require.Equal(t, id, hits[0].Session)
	require.JSONEq(t, `{"hits":[]}`, s.call("GET", "/api/chat/search?q=unicorns", nil).must(200).body)
	require.JSONEq(t, `{"hits":[]}`, s.call("GET", "/api/chat/search?q=", nil).must(200).body)

	path := "/api/chat/sessions/" + id + "/export?format="
	markdown := s.call("GET", path+"markdown", nil).must(200)
	require.Contains(t, markdown.body, "gazelles")
	require.True(t, strings.HasPrefix(markdown.header.Get("Content-Disposition"), "attachment; filename*=utf-8''O%C3%B9"), markdown.header)
	export := s.call("GET", path+"json", nil).must(200)
	require.True(t, strings.HasPrefix(export.header.Get("Content-Type"), "application/json"))
	row := into[protocol.ChatRow](s.call("POST", "/api/chat/import", export.body).must(201))
	require.NotEqual(t, id, row.ID)
	require.Equal(t, 2, row.Messages)
	old := strings.NewReplacer(`"created_at": "20`, `"created_at": "19`, `"updated_at": "20`, `"updated_at": "19`).Replace(export.body)
	row = into[protocol.ChatRow](s.call("POST", "/api/chat/import", old).must(201))
	require.Equal(t, 19, row.CreatedAt.Year()/100, "an imported chat keeps its dates")
	require.Equal(t, 19, row.UpdatedAt.Year()/100)
	refused := s.call("POST", "/api/chat/import", `{"title":"`+strings.Repeat("x", 1<<20)+`"}`).must(413)
	require.Contains(t, refused.body, "the most that can be imported")
}
