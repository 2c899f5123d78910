//go:build (production || dev) && (linux || windows)

package tray

import (
	_ "embed" // for the icon
	"os"
	"path/filepath"
	"sync"

	"github.com/getlantern/systray"
)

//go:embed icon.png
var icon []byte

// leftovers are the icon files that the library writes and never removes.
const leftovers = "systray_*"

// Tray is the icon in the notification area. Where the system has none, nothing shows and nothing fails.
type Tray struct {
	act    func(Action)
	before map[string]bool // icon files of other programs

	mu    sync.Mutex // guards the below
	state State
	items map[Action]*systray.MenuItem // nil until the icon is there
	done  chan struct{}
}

// Register makes the icon on the window's own loop: call it on the main goroutine before that begins. act is called for each click,
// one at a time, from a goroutine of the tray's.
func Register(state State, act func(Action)) *Tray {
	t := &Tray{act: act, state: state, before: map[string]bool{}, done: make(chan struct{})}
	for _, name := range iconFiles() {
		t.before[name] = true
	}
	systray.Register(t.ready, nil)
	return t
}

func (t *Tray) ready() {
	systray.SetIcon(icon)
	systray.SetTooltip("Echo")
	clicks := make(chan Action)
	t.mu.Lock()
	t.items = map[Action]*systray.MenuItem{}
	for _, e := range Menu(t.state) {
		if e.Parted {
			systray.AddSeparator()
		}
		item := add(e)
		t.items[e.Action] = item
		go t.follow(e.Action, item, clicks)
	}
	t.show()
	t.mu.Unlock()
	for {
		select {
		case <-t.done:
			return
		case action := <-clicks:
			t.act(action)
		}
	}
}

func add(e Entry) *systray.MenuItem {
	if e.Tickable {
		return systray.AddMenuItemCheckbox(e.Label, "", e.Ticked)
	}
	return systray.AddMenuItem(e.Label, "")
}

// follow passes the clicks of one entry on.
func (t *Tray) follow(action Action, item *systray.MenuItem, clicks chan<- Action) {
	for {
		select {
		case <-t.done:
			return
		case <-item.ClickedCh:
		}
		select {
		case <-t.done:
			return
		case clicks <- action:
		}
	}
}

// Set shows another state.
func (t *Tray) Set(state State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state == state {
		return
	}
	t.state = state
	t.show()
}

// show brings the entries up to date. The caller holds mu.
func (t *Tray) show() {
	for _, e := range Menu(t.state) {
		item := t.items[e.Action]
		if item == nil {
			return
		}
		item.SetTitle(e.Label)
		if e.Disabled {
			item.Disable()
		} else {
			item.Enable()
		}
		if e.Tickable && e.Ticked != item.Checked() {
			if e.Ticked {
				item.Check()
			} else {
				item.Uncheck()
			}
		}
	}
}

// Close ends the clicks and removes the files that the library left.
func (t *Tray) Close() {
	close(t.done)
	for _, name := range iconFiles() {
		if !t.before[name] {
			_ = os.RemoveAll(name)
		}
	}
}

func iconFiles() []string {
	names, err := filepath.Glob(filepath.Join(os.TempDir(), leftovers))
	if err != nil {
		return nil
	}
	return names
}
