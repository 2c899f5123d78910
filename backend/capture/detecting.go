package capture

import (
	"context"
	"log/slog"
)

// A detector's figures: it is asked with blocks of 512 samples, begins to hear speech at one probability and ceases at a lower
// one, so that it does not flicker within a word.
const (
	block  = 512
	begins = 0.5
	ceases = 0.35
)

// detecting asks a detector about frames that are shorter than its blocks. After an error the gate decides alone until the detector
// is held again.
type detecting struct {
	detector Detector // nil: there is none
	release  func()   // nil: it is not held
	failed   bool     // since it was held
	asked    bool     // since it was held
	samples  []int16
	active   bool
}

// hold has the detector made ready, or lets go of it.
func (d *detecting) hold(on bool) {
	switch {
	case d.detector == nil || on == (d.release != nil):
	case on:
		*d = detecting{detector: d.detector, release: d.detector.Hold()}
	default:
		d.release()
		d.release = nil
	}
}

// speech tells whether the detector hears speech in a frame, and true where it does not know.
func (d *detecting) speech(ctx context.Context, frame []int16, logger *slog.Logger) bool {
	if d.release == nil || d.failed || !d.detector.Ready() {
		return true
	}
	if !d.asked {
		d.asked, d.active = true, true // the gate's word stands for the first block
		if d.fails(ctx, d.detector.Reset(), logger) {
			return true
		}
	}
	d.samples = append(d.samples, frame...)
	for len(d.samples) >= block {
		p, err := d.detector.Speech(d.samples[:block:block])
		if d.fails(ctx, err, logger) {
			return true
		}
		d.samples = append([]int16(nil), d.samples[block:]...)
		if d.active {
			d.active = p >= ceases
		} else {
			d.active = p >= begins
		}
	}
	return d.active
}

func (d *detecting) fails(ctx context.Context, err error, logger *slog.Logger) bool {
	if err != nil {
		d.failed = true
		logger.LogAttrs(ctx, slog.LevelWarn, "voice detection is off until hands-free listens again", slog.Any("error", err))
	}
	return d.failed
}
