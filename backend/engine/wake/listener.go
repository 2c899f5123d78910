package wake

import "fmt"

// Listener hears one stream of sound. It is for one goroutine.
type Listener struct {
	models *Models
	head   *Head
	quiet  memory // what it knows after a long silence
	memory memory
	last   float64 // the head's word on the hop before
}

// memory is the end of what was heard.
type memory struct {
	sound       []float32 // the last samples, and room for a hop
	spectrogram []float32 // the last rows of it, and no fewer than a row of features is made of
	rows        []float32 // the last rows of features, of which the head sees all
}

// NewListener makes a listener that has heard silence until now.
func NewListener(models *Models, head *Head) (*Listener, error) {
	l := &Listener{models: models, head: head}
	l.quiet = memory{sound: make([]float32, before+Hop), spectrogram: make([]float32, spans*bands), rows: make([]float32, Rows*Width)}
	l.memory = l.quiet.clone()
	for range spans/step + 1 + Rows {
		if err := l.take(make([]int16, Hop)); err != nil {
			return nil, err
		}
	}
	l.quiet = l.memory.clone()
	return l, nil
}

func (m memory) clone() memory {
	return memory{
		sound: append([]float32(nil), m.sound...), spectrogram: append([]float32(nil), m.spectrogram...), rows: append([]float32(nil), m.rows...),
	}
}

// Reset forgets what was heard, as after a long silence.
func (l *Listener) Reset() { l.memory, l.last = l.quiet.clone(), 0 }

// Hear takes the next hop and tells how sure it is that the words have just ended, 0 to 1: the lesser of two hops, since one alone
// is wrong too often.
func (l *Listener) Hear(hop []int16) (float64, error) {
	if len(hop) != Hop {
		return 0, fmt.Errorf("a hop has %d samples, not %d", Hop, len(hop))
	}
	if err := l.take(hop); err != nil {
		return 0, err
	}
	last := l.last
	l.last = l.head.Score(l.memory.rows)
	return min(last, l.last), nil
}

// take moves the memory on by a hop.
func (l *Listener) take(hop []int16) error {
	m := &l.memory
	m.hear(hop)
	fresh, err := l.models.spectrogram(m.sound)
	if err != nil {
		return err
	}
	push(m.spectrogram, fresh)
	row, err := l.models.features(m.spectrogram, 1)
	if err != nil {
		return err
	}
	push(m.rows, row)
	return nil
}

func (m *memory) hear(hop []int16) {
	copy(m.sound, m.sound[Hop:])
	for i, s := range hop { // not from -1 to 1: the models were trained on 16-bit numbers
		m.sound[before+i] = float32(s)
	}
}

// push moves numbers to the front and puts fresh ones behind them.
func push(numbers, fresh []float32) {
	copy(numbers, numbers[len(fresh):])
	copy(numbers[len(numbers)-len(fresh):], fresh)
}

// batch is how many rows of features are made at a time.
const batch = 32

// Features gives the rows of features that the head sees of a whole recording, as a listener that hears it has them: Rows-1 rows of
// silence first, then one for each whole hop. It does not touch what the listener hears, and may be called by several goroutines.
func (l *Listener) Features(pcm []int16) ([]float32, error) {
	m := l.quiet.clone()
	rows := append([]float32(nil), m.rows[Width:]...)
	var pieces []float32
	for len(pcm) >= Hop {
		m.hear(pcm[:Hop])
		pcm = pcm[Hop:]
		fresh, err := l.models.spectrogram(m.sound)
		if err != nil {
			return nil, err
		}
		push(m.spectrogram, fresh)
		pieces = append(pieces, m.spectrogram...)
		if count := len(pieces) / (spans * bands); count == batch || len(pcm) < Hop {
			made, err := l.models.features(pieces, count)
			if err != nil {
				return nil, err
			}
			rows, pieces = append(rows, made...), pieces[:0]
		}
	}
	return rows, nil
}
