package conversation

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/echo"
	"echo-companion/backend/reply"
)

// room is a conversation with scripted engines and a memory for an archive.
type room struct {
	t        *testing.T
	c        *Conversation
	model    *fakeModel
	ears     *fakeEars
	voice    *fakeVoice
	archive  *fakeArchive
	lab      *fakeArchive // of the workspace "lab"
	floor    *reply.Floor
	stop     context.CancelFunc
	ended    chan struct{}
	mu       sync.Mutex
	settings Settings
	held     int
	sums     bool
	seats    []*seat
	sounds   int16
}

// inRoom runs a test with a conversation of its own, in a bubble of its own time. Every window's notices must be in order, and
// nothing that was begun may be left.
func inRoom(t *testing.T, test func(r *room), options ...func(*Ports)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, options...)
		test(r)
		r.close()
	})
}

func newRoom(t *testing.T, options ...func(*Ports)) *room {
	t.Helper()
	r := &room{
		t: t, model: &fakeModel{scripts: map[string]script{}}, ears: &fakeEars{texts: map[int16]hearing{}}, voice: &fakeVoice{},
		archive: newArchive(), lab: newArchive(), floor: reply.NewFloor(), ended: make(chan struct{}),
		settings: Settings{Workspace: "default", Look: "aurora", Model: "one", Save: true},
	}
	ports := Ports{
		Settings: func() Settings { r.mu.Lock(); defer r.mu.Unlock(); return r.settings },
		Look: func(id string) (echo.Look, bool) {
			return echo.Look{ID: id, Name: id, Voice: id}, id == "aurora" || id == "ember"
		},
		Workspace: r.workspace, Reasoner: r.model, Recognizer: r.ears, Synthesizer: r.voice,
		Hold: func() func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.held++
			return sync.OnceFunc(func() { r.mu.Lock(); defer r.mu.Unlock(); r.held-- })
		},
		Summarizes: func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.sums },
	}
	for _, change := range options {
		change(&ports)
	}
	r.c = New(Config{}, ports, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	go func() { defer close(r.ended); _ = r.c.Run(ctx) }()
	return r
}

func (r *room) workspace(_ context.Context, name string) (Workspace, error) {
	archive := r.archive
	switch name {
	case "default":
	case "lab":
		archive = r.lab
	default:
		return Workspace{}, echo.Errorf(echo.CodeUnknownWorkspace, "There is no such workspace.")
	}
	return Workspace{Name: name, Archive: archive, Chats: archive, Floor: r.floor}, nil
}

func (r *room) set(change func(*Settings)) {
	r.mu.Lock()
	change(&r.settings)
	r.mu.Unlock()
	require.NoError(r.t, r.c.Changed(r.t.Context()))
	synctest.Wait()
}

func (r *room) close() {
	r.stop()
	<-r.ended
	synctest.Wait()
	for i, s := range r.seats {
		require.Empty(r.t, orderFaults(s.Notices()), "window %d: %s", i, s)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Zero(r.t, r.held, "the engines are released")
}

func (r *room) state() State {
	s, err := r.c.State(r.t.Context())
	require.NoError(r.t, err)
	return s
}

func (r *room) turn(id int) echo.Turn {
	for _, t := range r.state().Turns {
		if t.ID == id {
			return t
		}
	}
	return echo.Turn{}
}

func (r *room) reserve(request SessionRequest) Grant {
	r.t.Helper()
	grant, err := r.c.Reserve(r.t.Context(), request)
	require.NoError(r.t, err)
	return grant
}

func (r *room) attach() *seat { r.t.Helper(); return r.attachTo(SessionRequest{}) }

func (r *room) attachTo(request SessionRequest) *seat {
	r.t.Helper()
	return r.open(r.reserve(request))
}

func (r *room) open(grant Grant) *seat {
	r.t.Helper()
	w, err := r.c.Attach(r.t.Context(), grant.Ticket)
	require.NoError(r.t, err)
	s := &seat{room: r, w: w, done: make(chan struct{})}
	r.seats = append(r.seats, s)
	go s.read()
	synctest.Wait()
	s.last = s.ready().LastID
	return s
}

// seat is a window with somebody before it, who hears all audio as soon as it comes.
type seat struct {
	room *room
	w    *Window
	last int
	done chan struct{}

	mu      sync.Mutex
	notices []Notice
	mute    bool // gives no credit
	ended   error
}

// questionPut marks in the notices that a question was typed.
type questionPut struct {
	ID   int
	Text string
}

func (questionPut) notice() {}

// spokenPut marks in the notices that something was said.
type spokenPut struct{ ID int }

func (spokenPut) notice() {}

// replayAsked marks in the notices that a replay was asked for.
type replayAsked struct{ ID int }

func (replayAsked) notice() {}

func (s *seat) read() {
	defer close(s.done)
	for {
		n, err := s.w.Next(context.Background())
		s.mu.Lock()
		if err != nil {
			s.ended = err
			s.mu.Unlock()
			return
		}
		s.notices = append(s.notices, n)
		mute := s.mute
		s.mu.Unlock()
		if v, ok := n.(Voice); ok && !mute {
			_ = s.w.Send(context.Background(), Credit{ID: v.ID, PlayedMS: (v.Offset + len(v.PCM)) / 24})
		}
	}
}

func (s *seat) Notices() []Notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notices)
}

// send sends a command and waits until all that it brings about has happened.
func (s *seat) send(c Command) {
	require.NoError(s.room.t, s.w.Send(s.room.t.Context(), c))
	synctest.Wait()
}

func (s *seat) ask(text string) int {
	s.last++
	s.mu.Lock()
	s.notices = append(s.notices, questionPut{s.last, text})
	s.mu.Unlock()
	s.send(Ask{ID: s.last, Text: text})
	return s.last
}

func (s *seat) holdCredit() { s.mu.Lock(); s.mute = true; s.mu.Unlock() }

func (s *seat) speak(speech Speech, h hearing) int {
	s.last++
	speech.ID = s.last
	s.mu.Lock()
	s.notices = append(s.notices, spokenPut{s.last})
	s.mu.Unlock()
	s.send(speech)
	s.room.sounds++
	s.room.ears.mu.Lock()
	s.room.ears.texts[s.room.sounds] = h
	s.room.ears.mu.Unlock()
	s.send(Audio{PCM: []int16{s.room.sounds, 2, 3}})
	s.send(SpeechEnd{ID: s.last, Voiced: 30})
	return s.last
}

func (s *seat) say(text string) int     { return s.speak(Speech{}, hearing{text: text}) }
func (s *seat) sayOver(text string) int { return s.speak(Speech{Overlap: true}, hearing{text: text}) }

func (s *seat) replay(id int) {
	s.mu.Lock()
	s.notices = append(s.notices, replayAsked{id})
	s.mu.Unlock()
	s.send(Replay{ID: id})
}

func (s *seat) leave() { s.w.Close(); synctest.Wait() }

// got finds the last notice of a type, for a turn unless the id is 0.
func got[N Notice](s *seat, id int) (N, bool) {
	for _, n := range slices.Backward(s.Notices()) {
		if n, ok := n.(N); ok && (id == 0 || turnOf(n) == id) {
			return n, true
		}
	}
	var none N
	return none, false
}

func must[N Notice](s *seat, id int) N {
	s.room.t.Helper()
	n, ok := got[N](s, id)
	require.True(s.room.t, ok, "no %T of turn %d: %s", n, id, s)
	return n
}

func never[N Notice](s *seat, id int) {
	s.room.t.Helper()
	n, ok := got[N](s, id)
	require.False(s.room.t, ok, "%T of turn %d: %s", n, id, s)
}

func count[N Notice](s *seat) int {
	n := 0
	for _, notice := range s.Notices() {
		if _, ok := notice.(N); ok {
			n++
		}
	}
	return n
}

func (s *seat) ready() Ready { return must[Ready](s, 0) }

// started are the turns whose replies began.
func (s *seat) started() []int {
	var ids []int
	for _, n := range s.Notices() {
		if n, ok := n.(Start); ok {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// answer is what the window knows of an answer.
func (s *seat) answer(id int) string {
	text := ""
	for _, n := range s.Notices() {
		switch n := n.(type) {
		case Ready:
			text = ""
			for _, t := range n.Turns {
				if t.ID == id {
					text = t.Answer
				}
			}
		case Delta:
			if n.ID == id {
				text += n.Text
			}
		}
	}
	return text
}

// heard is what was spoken to the window of a turn: its sentences, and how many samples.
func (s *seat) heard(id int) (text string, samples int) {
	var sentences []string
	for _, n := range s.Notices() {
		switch n := n.(type) {
		case Sentence:
			if n.ID == id {
				sentences = append(sentences, n.Text)
			}
		case Voice:
			if n.ID == id {
				samples += len(n.PCM)
			}
		}
	}
	return strings.Join(sentences, " "), samples
}

// turnOf is the turn that a notice is about, or 0.
func turnOf(n Notice) int {
	if field := reflect.ValueOf(n).FieldByName("ID"); field.IsValid() && field.Kind() == reflect.Int {
		return int(field.Int())
	}
	return 0
}

// String tells what the window received.
func (s *seat) String() string {
	var lines []string
	for _, n := range s.Notices() {
		if v, ok := n.(Voice); ok {
			lines = append(lines, fmt.Sprintf("Voice %d: %d+%d", v.ID, v.Offset, len(v.PCM)))
			continue
		}
		lines = append(lines, fmt.Sprintf("%T %+v", n, n))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil {
		lines = append(lines, s.ended.Error())
	}
	return "\n  " + strings.Join(lines, "\n  ")
}

// closed tells how the window ended.
func (s *seat) closed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

func (s *seat) requireEOF() {
	s.room.t.Helper()
	require.ErrorIs(s.room.t, s.closed(), io.EOF, "the window is still open: %s", s)
}

func pass(d time.Duration) { time.Sleep(d); synctest.Wait() }
