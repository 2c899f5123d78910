package hotkey

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// errLost says that the X server is gone.
var errLost = errors.New("the display is gone")

// Listen takes the key and tells of each time that it goes down or comes up, until ctx ends or the key is lost. Between two calls of
// on it waits for the first to return. display is the X server's name, as in DISPLAY.
func Listen(ctx context.Context, display string, chord Chord, on func(down bool)) error {
	if display == "" {
		return ErrNone
	}
	xgb.Logger.SetOutput(io.Discard) // it writes to standard error what is returned here as well
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNone, err)
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	leave := sync.OnceFunc(conn.Close) // lets go of the key as well
	defer leave()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	wg.Go(func() {
		<-ctx.Done()
		leave()
	})
	roots := xproto.Setup(conn).Roots
	if conn.DefaultScreen >= len(roots) {
		return ErrNone
	}
	k := &keyboard{conn: conn, chord: chord, root: roots[conn.DefaultScreen].Root}
	if err := k.grab(); err != nil {
		return err
	}
	for {
		event, failed := conn.WaitForEvent()
		switch {
		case ctx.Err() != nil:
			return nil
		case event == nil && failed == nil:
			return errLost
		case event == nil:
			continue // an error of a request that nobody waited for
		}
		if err := k.take(event, on); err != nil {
			return err
		}
	}
}

// keyboard is the key on one X server.
type keyboard struct {
	conn  *xgb.Conn
	root  xproto.Window
	chord Chord
	code  xproto.Keycode // 0: not taken
	held  held
}

func (k *keyboard) take(event xgb.Event, on func(down bool)) error {
	switch e := event.(type) {
	case xproto.KeyPressEvent:
		if e.Detail == k.code && k.held.press(uint32(e.Time)) {
			on(true)
		}
	case xproto.KeyReleaseEvent:
		if e.Detail == k.code && k.held.release(uint32(e.Time), k.down()) {
			on(false)
		}
	case xproto.MappingNotifyEvent: // another layout may have the key elsewhere
		if e.Request == xproto.MappingKeyboard && !k.held.down {
			return k.grab()
		}
	}
	return nil
}

// grab takes the key, with and without the locks.
func (k *keyboard) grab() error {
	code, err := k.find()
	if err != nil {
		return err
	}
	if code == k.code {
		return nil
	}
	if k.code != 0 {
		xproto.UngrabKey(k.conn, k.code, k.root, xproto.ModMaskAny)
	}
	k.code = code
	for _, locks := range []uint16{0, lock, numLock, lock | numLock} {
		err := xproto.GrabKeyChecked(k.conn, true, k.root, k.chord.modifiers|locks, code, xproto.GrabModeAsync, xproto.GrabModeAsync).Check()
		if _, is := errors.AsType[xproto.AccessError](err); is {
			return ErrTaken
		}
		if err != nil {
			return fmt.Errorf("take the key: %w", err)
		}
	}
	return nil
}

// find gives the code of the key on this keyboard.
func (k *keyboard) find() (xproto.Keycode, error) {
	setup := xproto.Setup(k.conn)
	first := setup.MinKeycode
	table, err := xproto.GetKeyboardMapping(k.conn, first, byte(setup.MaxKeycode-first+1)).Reply()
	if err != nil {
		return 0, fmt.Errorf("read the keyboard: %w", err)
	}
	width := int(table.KeysymsPerKeycode)
	for column := range width { // the plain key before one that needs Shift
		for i := column; i < len(table.Keysyms); i += width {
			if uint32(table.Keysyms[i]) == k.chord.symbol {
				return first + xproto.Keycode(i/width), nil //nolint:gosec // at most 255 keys
			}
		}
	}
	return 0, ErrUnknown
}

// down tells whether the keyboard has the key down now.
func (k *keyboard) down() bool {
	keys, err := xproto.QueryKeymap(k.conn).Reply()
	if err != nil || int(k.code)/8 >= len(keys.Keys) {
		return false
	}
	return keys.Keys[k.code/8]&(1<<(k.code%8)) != 0
}
