package present_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/chat"
	"echo-companion/backend/conversation"
	"echo-companion/backend/echo"
	"echo-companion/backend/present"
	"echo-companion/backend/protocol"
)

func encoded(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	require.NoError(t, err)
	return string(data)
}

func TestEveryNoticeIsAnEvent(t *testing.T) {
	ref := &echo.ChatRef{ID: "c1", Title: "Peaks"}
	call := echo.ToolCall{Name: "calculate", Arguments: json.RawMessage(`{"expression":"1+1"}`), Result: "2", Status: echo.ToolDone}
	refusal := echo.Errorf(echo.CodeQueueFull, "Four wait already.")
	for _, test := range []struct {
		notice conversation.Notice
		want   string
	}{
		{
			conversation.Ready{State: conversation.State{Active: true, ID: "v1", Busy: true, LastID: 3, Saving: true, Chat: ref, Look: "aurora", Workspace: "default"}, Resumed: true},
			`{"type":"ready","id":"v1","resumed":true,"busy":true,"last_id":3,"turns":[],"saving":true,"chat":{"id":"c1","title":"Peaks"},"look":"aurora","model":"",
			  "workspace":"default","audio":{"input":{"sample_rate":16000},"output":{"sample_rate":24000}},"limits":{"waiting":4,"text":8000,"utterance_ms":60000}}`,
		},
		{conversation.Heard{ID: 1, Text: "Hello?"}, `{"type":"heard","id":1,"text":"Hello?"}`},
		{conversation.Ignored{ID: 1, Reason: "echo", Text: "Hello"}, `{"type":"ignored","id":1,"reason":"echo","text":"Hello"}`},
		{conversation.Queued{ID: 2, Position: 1}, `{"type":"queued","id":2,"position":1}`},
		{conversation.Start{ID: 1, Question: "Hello?"}, `{"type":"start","id":1,"question":"Hello?"}`},
		{conversation.Delta{ID: 1, Text: "<b>"}, `{"type":"delta","id":1,"text":"<b>"}`},
		{conversation.Tool{ID: 1, Call: call}, `{"type":"tool","id":1,"name":"calculate","arguments":{"expression":"1+1"},"status":"done","result":"2"}`},
		{conversation.Asking{ID: 1, Question: "Which?"}, `{"type":"asking","id":1,"question":"Which?"}`},
		{conversation.Taken{ID: 2, Of: 1}, `{"type":"taken","id":2,"of":1}`},
		{conversation.Sentence{ID: 1, Index: 0, Text: "Hi."}, `{"type":"sentence","id":1,"index":0,"text":"Hi."}`},
		{conversation.Answered{ID: 1, Answer: "Hi.", Saved: true, Chat: ref}, `{"type":"answered","id":1,"answer":"Hi.","saved":true,"chat":{"id":"c1","title":"Peaks"}}`},
		{conversation.Answered{ID: 1, Answer: "Hi."}, `{"type":"answered","id":1,"answer":"Hi.","saved":false,"chat":null}`},
		{conversation.Done{ID: 1}, `{"type":"done","id":1}`},
		{conversation.Failed{ID: 1, Error: echo.Errorf(echo.CodeEngineError, "Broken.").Because(errors.New("cause"))}, `{"type":"failed","id":1,"code":"engine_error","message":"Broken."}`},
		{conversation.Cancelled{ID: 1}, `{"type":"cancelled","id":1}`},
		{conversation.Stopped{}, `{"type":"stopped"}`},
		{conversation.Replayed{ID: 1, Complete: true}, `{"type":"replayed","id":1,"complete":true}`},
		{conversation.Saving{Saving: false, Reason: "deleted"}, `{"type":"saving","saving":false,"reason":"deleted"}`},
		{conversation.Ending{After: 3}, `{"type":"ending","after":3}`},
		{conversation.Ending{}, `{"type":"ending","after":null}`},
		{conversation.Ended{Reason: "user"}, `{"type":"ended","reason":"user"}`},
		{conversation.Detached{Reason: "taken"}, `{"type":"detached","reason":"taken"}`},
		{conversation.Refused{ID: 6, Error: refusal}, `{"type":"error","code":"queue_full","message":"Four wait already.","id":6}`},
		{conversation.Refused{Error: refusal}, `{"type":"error","code":"queue_full","message":"Four wait already."}`},
	} {
		event := present.Event(test.notice)
		require.NotNil(t, event, "%T", test.notice)
		text := encoded(t, event)
		require.JSONEq(t, test.want, text)
		decoded, err := protocol.DecodeVoiceEvent([]byte(text))
		require.NoError(t, err)
		require.Equal(t, reflect.TypeOf(event), reflect.TypeOf(decoded))
		_, is := present.Audio(test.notice)
		require.False(t, is)
	}
	require.Nil(t, present.Event(conversation.Voice{}))
	frame, is := present.Audio(conversation.Voice{ID: 1, Offset: 2, PCM: []int16{3}})
	require.True(t, is)
	require.Equal(t, []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0}, frame)
}

func TestCommands(t *testing.T) {
	for frame, want := range map[string]conversation.Command{
		`{"type":"ask","id":1,"text":"Hello?"}`:                  conversation.Ask{ID: 1, Text: "Hello?"},
		`{"type":"speech","id":1,"overlap":true,"wake":true}`:    conversation.Speech{ID: 1, Overlap: true, Wake: true},
		`{"type":"speech_end","id":1,"voiced":12}`:               conversation.SpeechEnd{ID: 1, Voiced: 12},
		`{"type":"speech_cancel","id":1}`:                        conversation.SpeechCancel{ID: 1},
		`{"type":"cancel"}`:                                      conversation.Cancel{},
		`{"type":"cancel","id":3}`:                               conversation.Cancel{ID: 3},
		`{"type":"retry","id":3,"of":1}`:                         conversation.Retry{ID: 3, Of: 1},
		`{"type":"replay","id":1}`:                               conversation.Replay{ID: 1},
		`{"type":"credit","id":1,"played_ms":200,"unknown":[1]}`: conversation.Credit{ID: 1, PlayedMS: 200},
		`{"type":"end"}`:                                         conversation.End{},
		`{"type":"played"}`:                                      nil,
	} {
		command, err := protocol.DecodeVoiceCommand([]byte(frame))
		require.NoError(t, err)
		require.Equal(t, want, present.Command(command), frame)
	}
}

func TestTurnsAreWholeWhateverTheModelWrote(t *testing.T) {
	at := time.Date(2026, 11, 30, 11, 0, 0, 0, time.FixedZone("CET", 3600))
	turn := echo.Turn{
		ID: 1, Source: echo.SourceTyped, Question: "Hello?", Status: echo.StatusFailed, AskedAt: at, Error: echo.Errorf(echo.CodeEngineError, "Broken."),
		Tools: []echo.ToolCall{{Name: "a", Status: echo.ToolRunning}, {Name: "b", Arguments: json.RawMessage(`{"x": `), Status: echo.ToolFailed, Result: "No JSON."}},
	}
	require.JSONEq(t, `{"id":1,"source":"typed","wake":false,"question":"Hello?","status":"failed","answer":"","away":false,
		"tools":[{"name":"a","arguments":{},"result":"","status":"running"},{"name":"b","arguments":"{\"x\": ","result":"No JSON.","status":"failed"}],
		"error":{"code":"engine_error","message":"Broken."},"asked_at":"2026-11-30T10:00:00Z","answered_at":null}`, encoded(t, present.Turn(turn)))
}

func TestStateWithAndWithoutAConversation(t *testing.T) {
	require.JSONEq(t, `{"active":false,"busy":false,"held":false,"last_id":0,"turns":[]}`, encoded(t, present.State(conversation.State{})))
	state := present.State(conversation.State{Active: true, ID: "v1", ForgetAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	require.JSONEq(t, `{"active":true,"id":"v1","busy":false,"held":false,"saving":false,"chat":null,"look":"","model":"","workspace":"","last_id":0,"turns":[],
		"forget_at":"2026-01-02T03:04:05Z"}`, encoded(t, state))
	grant := present.Grant(conversation.Grant{Ticket: "t", ExpiresIn: 30 * time.Second, Pending: true})
	require.JSONEq(t, `{"ticket":"t","expires_in_ms":30000,"pending":true,"conversation":{"active":false,"busy":false,"held":false,"last_id":0,"turns":[]}}`, encoded(t, grant))
}

func TestAnErrorWithoutACodeKeepsItsText(t *testing.T) {
	for _, err := range []error{errors.New("secret path"), echo.Errorf(echo.CodeInternal, "secret path"), (*echo.Error)(nil)} {
		problem := present.Problem(err)
		require.Equal(t, "internal", problem.Code)
		require.NotContains(t, problem.Message, "secret")
	}
	require.Equal(t, protocol.Problem{Code: "held", Message: "Held."}, present.Problem(echo.Errorf(echo.CodeHeld, "Held.").Because(errors.New("cause"))))
}

func TestChats(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	row := chat.Row{Chat: echo.Chat{ID: "c1", Title: "Peaks", Kind: echo.KindVoice, CreatedAt: at, UpdatedAt: at, Messages: 3}, Waiting: true}
	items := []echo.Message{
		{Number: 1, Role: echo.RoleUser, Text: "Hello?", State: echo.StateComplete, Source: echo.SourceSpoken, CreatedAt: at},
		{Number: 2, Role: echo.RoleTool, Text: "2", Name: "calculate", State: echo.StateComplete, Source: echo.SourceSpoken, CreatedAt: at},
		{Number: 3, Role: echo.RoleAssistant, Text: "Hi", State: echo.StateFailed, Code: echo.CodeEngineError, Reason: "Broken.", Source: echo.SourceSpoken, CreatedAt: at},
	}
	require.JSONEq(t, `{"id":"c1","title":"Peaks","kind":"voice","created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-02T03:04:05Z","messages":3,"replying":false,"waiting":true,
		"items":[
		{"number":1,"role":"user","text":"Hello?","state":"complete","source":"spoken","created_at":"2026-01-02T03:04:05Z"},
		{"number":2,"role":"tool","text":"2","name":"calculate","arguments":{},"state":"complete","source":"spoken","created_at":"2026-01-02T03:04:05Z"},
		{"number":3,"role":"assistant","text":"Hi","state":"failed","source":"spoken","created_at":"2026-01-02T03:04:05Z","error":{"code":"engine_error","message":"Broken."}}],
		"summary":{"text":"Greetings.","through":2}}`, encoded(t, present.ChatPage(row, items, &echo.Summary{Text: "Greetings.", Through: 2})))
	require.JSONEq(t, `{"sessions":[],"next":null}`, encoded(t, present.ChatList(nil, "")))
	require.Contains(t, encoded(t, present.ChatList([]chat.Row{row}, "more")), `"next":"more"`)
	require.JSONEq(t, `{"hits":[]}`, encoded(t, present.Hits(nil)))
}

func TestChatEvents(t *testing.T) {
	for _, test := range []struct {
		event chat.Event
		want  string
	}{
		{chat.Event{Kind: chat.KindSession, Chat: echo.ChatRef{ID: "c1", Title: "Peaks"}}, `{"type":"session","id":"c1","title":"Peaks"}`},
		{chat.Event{Kind: chat.KindWaiting, Text: "Waiting…"}, `{"type":"waiting","message":"Waiting…"}`},
		{chat.Event{Kind: chat.KindStart, Text: "Hello?"}, `{"type":"start","question":"Hello?"}`},
		{chat.Event{Kind: chat.KindDelta, Text: "Hi"}, `{"type":"delta","text":"Hi"}`},
		{chat.Event{Kind: chat.KindTool, Tool: echo.ToolCall{Name: "a", Status: echo.ToolRunning}}, `{"type":"tool","name":"a","arguments":{},"status":"running","result":""}`},
		{chat.Event{Kind: chat.KindDone, Message: 2}, `{"type":"done","number":2}`},
		{chat.Event{Kind: chat.KindStopped, Message: 2}, `{"type":"stopped","number":2}`},
		{chat.Event{Kind: chat.KindFailed, Error: echo.Errorf(echo.CodeEngineError, "Broken.")}, `{"type":"failed","code":"engine_error","message":"Broken."}`},
	} {
		text := encoded(t, present.ChatEvent(test.event))
		require.JSONEq(t, test.want, text)
		_, err := protocol.DecodeChatEvent([]byte(text))
		require.NoError(t, err)
	}
	require.Nil(t, present.ChatEvent(chat.Event{Kind: "dance"}))
}
