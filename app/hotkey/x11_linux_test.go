package hotkey_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
	"github.com/stretchr/testify/require"

	"echo-companion/app/hotkey"
)

// display runs an X server until the test ends.
func display(t *testing.T) string {
	t.Helper()
	_, err := exec.LookPath("Xvfb")
	require.NoError(t, err, "run `make test`, which installs it")
	read, write, err := os.Pipe()
	require.NoError(t, err)
	cmd := exec.CommandContext(context.Background(), "Xvfb", "-displayfd", "3", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{write}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	require.NoError(t, write.Close())
	number, err := bufio.NewReader(read).ReadString('\n')
	require.NoError(t, err)
	return ":" + strings.TrimSpace(number)
}

// fingers press keys by their codes on the keyboard of every Xvfb.
type fingers struct {
	t    *testing.T
	conn *xgb.Conn
}

const (
	leftCtrl = 37
	leftAlt  = 64
	space    = 65
	numLock  = 77
)

func (f fingers) tap(kind byte, codes ...byte) {
	f.t.Helper()
	for _, code := range codes {
		require.NoError(f.t, xtest.FakeInputChecked(f.conn, kind, code, 0, xproto.Setup(f.conn).DefaultScreen(f.conn).Root, 0, 0, 0).Check())
	}
}

func TestTheKeyIsHeardAndTakenOnce(t *testing.T) {
	on := display(t)
	chord, err := hotkey.Parse("Ctrl+Alt+Space")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	heard, ended := make(chan bool, 16), make(chan error, 1)
	go func() { ended <- hotkey.Listen(ctx, on, chord, func(down bool) { heard <- down }) }()

	conn, err := xgb.NewConnDisplay(on)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, xtest.Init(conn))
	f := fingers{t, conn}
	require.Eventually(t, func() bool { // until it is taken, nothing is heard
		f.tap(xproto.KeyPress, leftCtrl, leftAlt, space)
		defer f.tap(xproto.KeyRelease, leftCtrl, leftAlt, space)
		select {
		case down := <-heard:
			return down
		case <-time.After(100 * time.Millisecond):
			return false
		}
	}, 10*time.Second, 50*time.Millisecond)
	next := func(want bool) {
		t.Helper()
		select {
		case down := <-heard:
			require.Equal(t, want, down)
		case <-time.After(5 * time.Second):
			t.Fatal("the key is not heard")
		}
	}
	next(false)
	for range 2 {
		f.tap(xproto.KeyPress, leftCtrl, leftAlt, space)
		next(true)
		select { // long enough for the keyboard to repeat the key
		case <-heard:
			t.Fatal("a repeat is taken for a press or a release")
		case <-time.After(1200 * time.Millisecond):
		}
		f.tap(xproto.KeyRelease, leftCtrl, leftAlt, space)
		next(false)
		f.tap(xproto.KeyPress, numLock)
		f.tap(xproto.KeyRelease, numLock) // heard with it as well
	}
	require.ErrorIs(t, hotkey.Listen(t.Context(), on, chord, func(bool) {}), hotkey.ErrTaken)
	stop()
	require.NoError(t, <-ended)
}

func TestWithoutADisplayThereIsNoKey(t *testing.T) {
	chord, err := hotkey.Parse("Ctrl+Alt+Space")
	require.NoError(t, err)
	for _, display := range []string{"", ":4711", "nonsense"} {
		require.ErrorIs(t, hotkey.Listen(t.Context(), display, chord, func(bool) {}), hotkey.ErrNone, display)
	}
}
