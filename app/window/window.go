// Package window is Echo's floating window: a pure machine of its forms and places, and the adapter that moves the real one. It
// knows neither the conversation nor the microphone; whoever drives it carries out what the machine asks for.
package window

// Form is what the window is at a moment.
type Form string

// The forms of the window.
const (
	Hidden Form = "hidden"
	Panel  Form = "panel"
	Orb    Form = "orb"
)

// The sizes of the forms, in pixels.
const (
	PanelWidth  = 380
	PanelHeight = 600
	OrbSize     = 72
)

// Rect is a place on the desktop.
type Rect struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Desk is what the real desktop shows: the screens' work areas, and the window's place where it is mapped.
type Desk struct {
	Screens    []Rect
	Place      Rect
	Mapped     bool
	Compositor bool // the orb's corners can be see-through
}

// holds tells whether the middle of r lies in s.
func (s Rect) holds(r Rect) bool {
	x, y := r.X+r.Width/2, r.Y+r.Height/2
	return x >= s.X && x < s.X+s.Width && y >= s.Y && y < s.Y+s.Height
}

// within moves r so that it lies in s as far as it fits.
func (s Rect) within(r Rect) Rect {
	r.X = max(min(r.X, s.X+s.Width-r.Width), s.X)
	r.Y = max(min(r.Y, s.Y+s.Height-r.Height), s.Y)
	return r
}

// Machine is where the window is and what it is. The zero Machine is not ready; use New. It is one goroutine's.
type Machine struct {
	form    Form
	panel   Rect // where the panel is or would be
	orb     Rect // where the orb is or would be
	moved   bool // the panel was dragged since it unfolded: the orb does not go back to where it was
	screens []Rect
}

// Memory is what is kept between two starts.
type Memory struct {
	Panel Rect `json:"panel"`
	Orb   Rect `json:"orb"`
}

// New gives a hidden window that remembers its places; screens are the work areas that there are, the primary one first.
func New(kept Memory, screens []Rect) *Machine {
	m := &Machine{form: Hidden, panel: kept.Panel, orb: kept.Orb}
	m.SetScreens(screens)
	return m
}

// Form is what the window is.
func (m *Machine) Form() Form { return m.form }

// Place is where the window belongs in its form.
func (m *Machine) Place() Rect {
	if m.form == Orb {
		return m.orb
	}
	return m.panel
}

// Memory is what to keep for the next start.
func (m *Machine) Memory() Memory { return Memory{Panel: m.panel, Orb: m.orb} }

// SetScreens takes the work areas that there are now. A place on a screen that is gone moves to the first one; it tells whether
// the window has to be moved.
func (m *Machine) SetScreens(screens []Rect) (move bool) {
	if len(screens) == 0 {
		screens = []Rect{{Width: 1280, Height: 720}}
	}
	m.screens = screens
	before := m.Place()
	if m.panel.Width < PanelWidth/2 || m.panel.Height < PanelHeight/2 {
		s := screens[0]
		m.panel = Rect{X: s.X + s.Width - PanelWidth - 32, Y: s.Y + s.Height - PanelHeight - 48, Width: PanelWidth, Height: PanelHeight}
	}
	m.panel = m.fit(m.panel)
	if m.orb.Width != OrbSize {
		m.orb = m.folded()
	}
	m.orb = m.fit(m.orb)
	return m.Place() != before
}

// fit puts r wholly on the screen that it is on, or on the first one.
func (m *Machine) fit(r Rect) Rect {
	for _, s := range m.screens {
		if s.holds(r) {
			return s.within(r)
		}
	}
	return m.screens[0].within(r)
}

// folded is where the panel folds to: its upper left corner, where its head shows the small orb.
func (m *Machine) folded() Rect {
	return Rect{X: m.panel.X, Y: m.panel.Y, Width: OrbSize, Height: OrbSize}
}

// Show makes it the panel, from the orb or from nothing, and tells whether that changed anything.
func (m *Machine) Show() bool {
	if m.form == Panel {
		return false
	}
	if m.form == Orb {
		if home := m.folded(); home != m.orb { // the orb was dragged, or pushed in from an edge
			m.panel = m.fit(Rect{X: m.orb.X, Y: m.orb.Y, Width: m.panel.Width, Height: m.panel.Height})
		}
		m.moved = false
	}
	m.form = Panel
	return true
}

// Fold makes it the orb, and tells whether that changed anything.
func (m *Machine) Fold() bool {
	if m.form == Orb {
		return false
	}
	if m.moved || m.form == Hidden {
		m.orb = m.fit(m.folded())
	}
	m.form = Orb
	return true
}

// Hide makes it nothing, and tells whether that changed anything.
func (m *Machine) Hide() bool {
	if m.form == Hidden {
		return false
	}
	m.form = Hidden
	return true
}

// Moved takes where the window was found; it may have been dragged or, as the panel, resized. It tells whether there is something
// to keep. A place that does not belong to the form, as it comes in the midst of a change, is passed over.
func (m *Machine) Moved(r Rect) bool {
	switch {
	case m.form == Orb && r.Width == OrbSize && r != m.orb:
		m.orb = r
		return true
	case m.form == Panel && r.Width > 2*OrbSize && r.Height > 2*OrbSize && r != m.panel:
		m.panel = r
		m.moved = true
		return true
	}
	return false
}
