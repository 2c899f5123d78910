//go:build production || dev

package device

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gen2brain/malgo"

	"echo-companion/backend/audio"
)

// latency is the length of a loudspeaker's buffer. With 25 ms, Stop is silent after 40 ms, and a tone had no more gaps than with
// 40 ms, after which it is silent after 70, on two processors with a load of 20. With 20 ms, after 40 as well, speech once had gaps.
const latency = 25 * time.Millisecond

// stalled is how long a device may give or ask for nothing before it is held to be lost: neither library tells when the sound
// server dies.
const stalled = time.Second

// inputRate is the rate of microphones, and period the samples of one frame at it.
const (
	inputRate = 16000
	period    = 320
)

// closing bounds how long the close of a device is waited for: one whose server has died may never return.
const closing = 2 * time.Second

// System opens devices. Every open device has a connection to the sound server of its own, so that a server that was started
// again is found again.
type System struct {
	logger *slog.Logger
	oto    otoOutput
}

// New gives the machine's sound system; it opens nothing.
func New(logger *slog.Logger) *System { return &System{logger: logger} }

// backends are the sound systems to try, by platform; the last resort of the library, which plays into nothing, is not among
// them: no device is no device.
func backends() []malgo.Backend {
	switch runtime.GOOS {
	case "windows":
		return []malgo.Backend{malgo.BackendWasapi, malgo.BackendDsound, malgo.BackendWinmm}
	case "darwin":
		return []malgo.Backend{malgo.BackendCoreaudio}
	default:
		return []malgo.Backend{malgo.BackendPulseaudio, malgo.BackendAlsa}
	}
}

func connect() (*malgo.AllocatedContext, error) {
	mc, err := malgo.InitContext(backends(), malgo.ContextConfig{}, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	return mc, nil
}

func disconnect(mc *malgo.AllocatedContext) error {
	err := mc.Uninit()
	mc.Free()
	return err
}

// List tells what devices there are.
func (s *System) List() (List, error) {
	mc, err := connect()
	if err != nil {
		return List{}, nil //nolint:nilerr // no sound system is a machine without devices
	}
	inputs, inErr := mc.Devices(malgo.Capture)
	outputs, outErr := mc.Devices(malgo.Playback)
	list := List{Inputs: infos(inputs), Outputs: infos(outputs)}
	if err := disconnect(mc); err != nil {
		return list, fmt.Errorf("leave the sound system: %w", err)
	}
	if inErr != nil || outErr != nil {
		return list, fmt.Errorf("list devices: %w, %w", inErr, outErr)
	}
	return list, nil
}

// infos leaves out the monitors of loudspeakers, which PulseAudio lists among the microphones.
func infos(devices []malgo.DeviceInfo) []Info {
	out := make([]Info, 0, len(devices))
	for i := range devices {
		name := devices[i].Name()
		if strings.HasPrefix(name, "Monitor of ") || Has(out, name) {
			continue
		}
		out = append(out, Info{Name: name, Default: devices[i].IsDefault != 0})
	}
	return out
}

// OpenInput opens the microphone of that name, or the default one. It puts 16 kHz samples into ring, from the device's thread.
func (s *System) OpenInput(name string, ring *audio.Ring) (Stream, error) {
	config := malgo.DefaultDeviceConfig(malgo.Capture)
	config.Capture.Format = malgo.FormatS16
	config.Capture.Channels = 1
	config.SampleRate = inputRate
	config.PeriodSizeInFrames = period
	config.Periods = 3
	scratch := make([]int16, 16*period)
	return s.open(config, name, func(_, in []byte, _ uint32) {
		for len(in) > 1 {
			n := audio.Get(scratch, in)
			ring.Put(scratch[:n])
			in = in[2*n:]
		}
	})
}

// openOutput opens a loudspeaker with malgo.
func (s *System) openOutput(name string, rate int, fill func([]int16)) (Stream, error) {
	config := malgo.DefaultDeviceConfig(malgo.Playback)
	config.Playback.Format = malgo.FormatS16
	config.Playback.Channels = 1
	config.SampleRate = uint32(rate)                                   //nolint:gosec // a rate of the protocol
	config.PeriodSizeInFrames = uint32(audio.Count(rate, latency) / 2) //nolint:gosec // a few hundred
	config.Periods = 3
	scratch := make([]int16, 16*audio.Count(rate, latency))
	return s.open(config, name, func(out, _ []byte, _ uint32) {
		for len(out) > 1 {
			n := min(len(out)/2, len(scratch))
			fill(scratch[:n])
			audio.Put(out, scratch[:n])
			out = out[2*n:]
		}
	})
}

// malgoStream is one open device and its connection.
type malgoStream struct {
	name   string
	device *malgo.Device
	mc     *malgo.AllocatedContext
	lost   atomic.Bool
	moved  atomic.Int64 // when sound last moved, in Unix nanoseconds: the library says nothing when the sound server dies
	once   sync.Once
	logger *slog.Logger
}

func (s *System) open(config malgo.DeviceConfig, name string, data malgo.DataProc) (Stream, error) {
	mc, err := connect()
	if err != nil {
		return nil, err
	}
	if name != "" {
		if err := choose(mc, &config, name); err != nil {
			_ = disconnect(mc)
			return nil, err
		}
	}
	st := &malgoStream{name: name, mc: mc, logger: s.logger}
	st.moved.Store(time.Now().UnixNano())
	st.device, err = malgo.InitDevice(mc.Context, config, malgo.DeviceCallbacks{
		Data: func(out, in []byte, n uint32) {
			st.moved.Store(time.Now().UnixNano())
			data(out, in, n)
		},
		Stop: func() { st.lost.Store(true) },
	})
	if err != nil {
		_ = disconnect(mc)
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	if err := st.device.Start(); err != nil {
		_ = st.Close()
		return nil, fmt.Errorf("start the sound device: %w", err)
	}
	return st, nil
}

// choose puts the id of the device of that name into config.
func choose(mc *malgo.AllocatedContext, config *malgo.DeviceConfig, name string) error {
	devices, err := mc.Devices(config.DeviceType)
	if err != nil {
		return fmt.Errorf("list devices: %w", err)
	}
	for i := range devices {
		if devices[i].Name() == name {
			if config.DeviceType == malgo.Capture {
				config.Capture.DeviceID = devices[i].ID.Pointer()
			} else {
				config.Playback.DeviceID = devices[i].ID.Pointer()
			}
			return nil
		}
	}
	return fmt.Errorf("%w: %s", ErrNone, name)
}

// Err implements Stream.
func (st *malgoStream) Err() error {
	if st.lost.Load() || time.Since(time.Unix(0, st.moved.Load())) > stalled {
		return ErrLost
	}
	return nil
}

// Close implements Stream. A device whose server has died is left to itself after a bounded wait.
func (st *malgoStream) Close() error {
	var err error
	st.once.Do(func() {
		done := make(chan error, 1)
		go func() {
			st.device.Uninit()
			done <- disconnect(st.mc)
		}()
		timer := time.NewTimer(closing)
		defer timer.Stop()
		select {
		case err = <-done:
		case <-timer.C:
			st.logger.LogAttrs(context.Background(), slog.LevelWarn, "a sound device does not close", slog.String("device", st.name))
		}
	})
	return err
}
