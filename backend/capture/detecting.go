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

// detecting asks a detector about frames that are shorter than its blocks. After its first error the gate decides alone.
type detecting struct {
	detector Detector
	samples  []int16
	active   bool
}

func (d *detecting) speech(ctx context.Context, frame []int16, logger *slog.Logger) bool {
	if d.detector == nil {
		return true
	}
	d.samples = append(d.samples, frame...)
	for len(d.samples) >= block {
		p, err := d.detector.Speech(d.samples[:block:block])
		if err != nil {
			logger.LogAttrs(ctx, slog.LevelWarn, "voice detection is off", slog.Any("error", err))
			d.detector = nil
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
