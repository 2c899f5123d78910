package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/speech/frame"
)

// TestMain runs the program itself where a test has asked for it.
func TestMain(m *testing.M) {
	if os.Getenv("ECHO_ENGINE_TEST") == "program" {
		main()
		return
	}
	os.Exit(m.Run())
}

// scripted is a worker that the test plays. A request's text says what it does.
type scripted struct{}

func (scripted) answer(ctx context.Context, request frame.Frame, reply func(frame.Kind, []byte) error) error {
	switch string(request.Payload) {
	case "hang":
		<-ctx.Done()
		return ctx.Err()
	case "stuck": // a model that does not look at ctx
		select {}
	case "fail":
		return errors.New("it broke")
	default:
		return reply(frame.KindText, request.Payload)
	}
}

func (scripted) close() {}

// session plays the app.
type session struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *io.PipeReader
	ended chan error
}

func begin(t *testing.T) *session {
	t.Helper()
	in, appIn := io.Pipe()
	appOut, out := io.Pipe()
	s := &session{t: t, in: appIn, out: appOut, ended: make(chan error, 1)}
	go func() { s.ended <- serve(t.Context(), in, out, scripted{}) }()
	require.Equal(t, frame.KindReady, s.read().Kind)
	return s
}

func (s *session) send(kind frame.Kind, request uint32, text string) {
	s.t.Helper()
	require.NoError(s.t, frame.Write(s.in, frame.Frame{Kind: kind, Request: request, Payload: []byte(text)}))
}

func (s *session) read() frame.Frame {
	s.t.Helper()
	f, err := frame.Read(s.out)
	require.NoError(s.t, err)
	return f
}

func (s *session) end() {
	s.t.Helper()
	require.NoError(s.t, s.in.Close())
	require.NoError(s.t, <-s.ended)
}

func TestRequestsAreServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t)
		for i, text := range []string{"one", "fail", "two"} {
			s.send(frame.KindRecognize, uint32(i+1), text)
		}
		require.Equal(t, frame.Frame{Kind: frame.KindText, Request: 1, Payload: []byte("one")}, s.read())
		require.Equal(t, frame.KindDone, s.read().Kind)
		require.Equal(t, frame.Frame{Kind: frame.KindFailed, Request: 2, Payload: []byte(`{"message":"it broke"}`)}, s.read())
		require.EqualValues(t, 3, s.read().Request)
		require.Equal(t, frame.Frame{Kind: frame.KindDone, Request: 3, Payload: []byte{}}, s.read())
		s.end()
	})
}

func TestCancelEndsWhatRunsAndWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t)
		s.send(frame.KindRecognize, 1, "hang")
		s.send(frame.KindRecognize, 2, "waits")
		s.send(frame.KindCancel, 2, "")
		s.send(frame.KindCancel, 99, "") // unknown
		s.send(frame.KindCancel, 1, "")
		for request := uint32(1); request <= 2; request++ {
			f := s.read()
			require.Equal(t, frame.KindFailed, f.Kind)
			require.Equal(t, request, f.Request)
		}
		s.send(frame.KindRecognize, 3, "next")
		require.Equal(t, "next", string(s.read().Payload))
		require.Equal(t, frame.KindDone, s.read().Kind)
		s.end()
	})
}

func TestEndsWithItsInputEvenWhenAModelIsStuck(t *testing.T) {
	in, app := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- serve(context.Background(), in, io.Discard, scripted{}) }()
	require.NoError(t, frame.Write(app, frame.Frame{Kind: frame.KindRecognize, Request: 1, Payload: []byte("stuck")}))
	require.NoError(t, app.Close())
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("it outlives its input")
	}
}

func TestGarbageEndsIt(t *testing.T) {
	var out bytes.Buffer
	require.Error(t, serve(t.Context(), bytes.NewReader([]byte("\xff\xff\xff\xffgarbage")), &out, scripted{}))
	require.NoError(t, serve(t.Context(), bytes.NewReader(nil), &out, scripted{}))
	require.ErrorIs(t, serve(t.Context(), bytes.NewReader([]byte{1, 0, 0, 0}), &out, scripted{}), io.ErrUnexpectedEOF)
}

// program starts the real thing.
func program(t *testing.T, arguments ...string) (*exec.Cmd, io.WriteCloser, io.Reader) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], arguments...)
	command.Env = append(os.Environ(), "ECHO_ENGINE_TEST=program")
	in, err := command.StdinPipe()
	require.NoError(t, err)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	return command, in, out
}

func TestProgramNamesTheMissingFile(t *testing.T) {
	for _, mode := range []string{"recognize", "synthesize", "listen", "embed"} {
		command, _, out := program(t, mode, "--models", t.TempDir())
		f, err := frame.Read(out)
		require.NoError(t, err)
		require.Equal(t, frame.KindFailed, f.Kind)
		require.Contains(t, string(f.Payload), `"missing":"/`)
		require.Error(t, command.Wait())
	}
}

func TestProgramSpeaksFramesAloneAndEndsWithItsInput(t *testing.T) {
	models := testOptions(t).models
	for _, c := range []struct {
		mode    string
		request frame.Frame
		answer  frame.Kind
	}{
		{"listen", frame.Frame{Kind: frame.KindListen, Request: 1, Payload: make([]byte, 1024)}, frame.KindSpeech},
		{"embed", frame.Frame{Kind: frame.KindEmbed, Request: 1, Payload: frame.JSON(frame.Texts{Texts: []string{"hello"}})}, frame.KindVectors},
		{"synthesize", frame.Frame{Kind: frame.KindSynthesize, Request: 1, Payload: frame.JSON(frame.Utterance{Text: "Hello."})}, frame.KindAudio},
		{"recognize", frame.Frame{Kind: frame.KindRecognize, Request: 1, Payload: make([]byte, 32000)}, frame.KindText},
	} {
		t.Run(c.mode, func(t *testing.T) {
			command, in, out := program(t, c.mode, "--models", models)
			f, err := frame.Read(out)
			require.NoError(t, err)
			require.Equal(t, frame.KindReady, f.Kind, string(f.Payload))
			require.NoError(t, frame.Write(in, c.request))
			f, err = frame.Read(out)
			require.NoError(t, err)
			require.Equal(t, c.answer, f.Kind, string(f.Payload))
			for f.Kind != frame.KindDone {
				f, err = frame.Read(out)
				require.NoError(t, err)
				require.NotEqual(t, frame.KindFailed, f.Kind)
			}
			require.NoError(t, in.Close())
			require.NoError(t, command.Wait())
		})
	}
}

func TestCommandLine(t *testing.T) {
	for cores, want := range map[int]int{1: 1, 2: 1, 4: 2, 32: 2} {
		require.Equal(t, want, fittingThreads(cores))
	}
	for _, arguments := range [][]string{nil, {"recognize"}, {"recognize", "--models", "x", "--threads", "0"}, {"recognize", "--nonsense"}} {
		_, err := parse(arguments)
		require.Error(t, err)
	}
	_, err := load(options{mode: "dance"})
	require.ErrorContains(t, err, "dance")
}
