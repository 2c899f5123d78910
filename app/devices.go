package app

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"echo-companion/backend/device"
)

// devicePoll is how often the list of devices is read while the window is open: a device that goes is noticed within 2 s, also
// where closing it takes its 0.3 s.
const devicePoll = 700 * time.Millisecond

// devices follows what sound devices there are, and tells capture and playback which to use.
type devices struct {
	read    func() (device.List, error)
	choice  func() (input, output string)
	input   func(ctx context.Context, name string, inputs []device.Info)
	output  func(ctx context.Context, name string, outputs []device.Info)
	watched func() bool // the window is open: somebody may speak or hear
	chosen  chan struct{}
	logger  *slog.Logger

	last device.List // Run's goroutine alone touches these two
	dumb bool        // the sound system did not answer the last time
}

// list reads the devices now.
func (d *devices) list() (device.List, error) { return d.read() }

// Choose has the choice read again; it never blocks.
func (d *devices) Choose() {
	select {
	case d.chosen <- struct{}{}:
	default:
	}
}

// Run follows the devices until ctx ends.
func (d *devices) Run(ctx context.Context) error {
	ticker := time.NewTicker(devicePoll)
	defer ticker.Stop()
	d.follow(ctx, true)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-d.chosen:
			d.follow(ctx, true)
		case <-ticker.C:
			if d.watched() {
				d.follow(ctx, false)
			}
		}
	}
}

func (d *devices) follow(ctx context.Context, chosen bool) {
	list, err := d.read()
	if err != nil {
		if !d.dumb {
			d.logger.LogAttrs(ctx, slog.LevelWarn, "the sound devices cannot be listed", slog.Any("error", err))
		}
		d.dumb = true
		return
	}
	d.dumb = false
	changed := !slices.Equal(list.Inputs, d.last.Inputs) || !slices.Equal(list.Outputs, d.last.Outputs)
	d.last = list
	if !changed && !chosen {
		return
	}
	input, output := d.choice()
	d.input(ctx, input, known(list.Inputs))
	d.output(ctx, output, known(list.Outputs))
}

// known is never nil: an empty list says that there is no device, not that nobody knows.
func known(infos []device.Info) []device.Info {
	if infos == nil {
		return []device.Info{}
	}
	return infos
}
