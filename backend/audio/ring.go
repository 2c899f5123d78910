package audio

import "sync/atomic"

// Ring carries samples from one writing goroutine to one reading goroutine, without locks and without allocation, so that either
// may be a device's thread. What does not fit is dropped and counted.
type Ring struct {
	buf   []int16
	read  atomic.Uint64 // samples taken so far
	write atomic.Uint64 // samples put so far
	skip  atomic.Uint64 // samples before this one are not to be read
	lost  atomic.Uint64
}

// NewRing gives a ring that holds size samples.
func NewRing(size int) *Ring { return &Ring{buf: make([]int16, size)} }

// Put copies as much of pcm as fits and returns how many samples that were. The writer alone calls it.
func (r *Ring) Put(pcm []int16) int {
	w := r.write.Load()
	n := min(len(pcm), len(r.buf)-int(w-r.read.Load())) //nolint:gosec // at most the ring's size
	for i := range n {
		r.buf[(w+uint64(i))%uint64(len(r.buf))] = pcm[i]
	}
	r.write.Store(w + uint64(n)) //nolint:gosec // never negative
	if n < len(pcm) {
		r.lost.Add(uint64(len(pcm) - n)) //nolint:gosec // never negative
	}
	return n
}

// Take copies the oldest samples into pcm and returns how many there were. The reader alone calls it.
func (r *Ring) Take(pcm []int16) int {
	pos := r.read.Load()
	if s := r.skip.Load(); s > pos {
		pos = s
	}
	n := min(len(pcm), int(r.write.Load()-pos)) //nolint:gosec // at most the ring's size
	for i := range n {
		pcm[i] = r.buf[(pos+uint64(i))%uint64(len(r.buf))]
	}
	r.read.Store(pos + uint64(n)) //nolint:gosec // never negative
	return n
}

// Skipped tells whether the writer has dropped samples that the reader has not passed yet. The reader alone calls it.
func (r *Ring) Skipped() bool { return r.skip.Load() > r.read.Load() }

// Drop makes the reader pass over everything that was put so far. The writer alone calls it.
func (r *Ring) Drop() { r.skip.Store(r.write.Load()) }

// Len is how many samples wait to be read.
func (r *Ring) Len() int {
	return int(r.write.Load() - max(r.read.Load(), r.skip.Load())) //nolint:gosec // at most the ring's size
}

// Free is how many samples fit.
func (r *Ring) Free() int {
	return len(r.buf) - int(r.write.Load()-r.read.Load()) //nolint:gosec // at most the ring's size
}

// Position is how many samples have been taken or passed over since the ring was made.
func (r *Ring) Position() uint64 { return max(r.read.Load(), r.skip.Load()) }

// Written is how many samples have been put since the ring was made.
func (r *Ring) Written() uint64 { return r.write.Load() }

// Lost is how many samples did not fit.
func (r *Ring) Lost() uint64 { return r.lost.Load() }
