//go:build (production || dev) && cgo

package device

import (
	"context"
	"errors"
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

// BuiltIn tells whether this build knows any devices: with the window, and with cgo.
const BuiltIn = true

// latency is the length of a loudspeaker's buffer. oto has one queued, half of one mixed and half of one in which it fades, so that Stop
// is silent after 48 ms at the latest. Shorter ones had gaps on a machine that was busy.
const latency = 24 * time.Millisecond

// stalled is how long a device may give or ask for nothing before it is held to be lost: neither library tells when the sound
// server dies.
const stalled = time.Second

// inputRate is the rate of microphones, and period the samples of one frame at it.
const (
	inputRate = 16000
	period    = 320
)

// answering bounds how long the sound system may take for anything else: a server that is stopped answers nothing.
const answering = 2 * time.Second

// closing bounds how long the close of a device is waited for: that of one whose server has killed its stream, as when it is unplugged,
// never returns, while sound of another one is waited for.
const closing = 300 * time.Millisecond

// errBusy says that the sound system has not answered an earlier call yet.
var errBusy = errors.New("the sound system does not answer")

// System opens devices. Every open device has a connection to the sound server of its own, so that a server that was started
// again is found again.
type System struct {
	logger *slog.Logger
	stuck  atomic.Int32 // calls that were given up
	oto    otoOutput
}

// within waits for act, but not forever. What comes too late is given to late; until then other calls fail at once, since each of them
// would keep a thread.
func within[T any](stuck *atomic.Int32, act func() (T, error), late func(T)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	var none T
	if stuck.Load() > 0 {
		return none, errBusy
	}
	done := make(chan outcome) // not buffered: who gives up is told from who is answered
	given := make(chan struct{})
	go func() {
		value, err := act()
		select {
		case done <- outcome{value, err}:
		case <-given:
			stuck.Add(-1)
			if err == nil {
				late(value)
			}
		}
	}()
	timer := time.NewTimer(answering)
	defer timer.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-timer.C:
		stuck.Add(1)
		close(given)
		return none, errBusy
	}
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

// connect joins the first sound system that there is, and tells which.
func connect() (*malgo.AllocatedContext, malgo.Backend, error) {
	var problems []error
	for _, backend := range backends() {
		mc, err := malgo.InitContext([]malgo.Backend{backend}, malgo.ContextConfig{}, nil)
		if err == nil {
			return mc, backend, nil
		}
		problems = append(problems, err)
	}
	return nil, malgo.BackendNull, fmt.Errorf("%w: %w", ErrNone, errors.Join(problems...))
}

func disconnect(mc *malgo.AllocatedContext) error {
	err := mc.Uninit()
	mc.Free()
	return err
}

// List tells what devices there are.
func (s *System) List() (List, error) { return within(&s.stuck, list, func(List) {}) }

func list() (List, error) {
	mc, backend, err := connect()
	if err != nil {
		return List{}, nil //nolint:nilerr // no sound system is a machine without devices
	}
	inputs, inErr := mc.Devices(malgo.Capture)
	outputs, outErr := mc.Devices(malgo.Playback)
	found := List{Inputs: infos(inputs, backend), Outputs: infos(outputs, backend)}
	if err := disconnect(mc); err != nil {
		return found, fmt.Errorf("leave the sound system: %w", err)
	}
	if inErr != nil || outErr != nil {
		return found, fmt.Errorf("list devices: %w", errors.Join(inErr, outErr))
	}
	return found, nil
}

// infos leaves out what is no device: the monitors of loudspeakers, which PulseAudio lists among the microphones, and the plugins that
// ALSA lists ("lavrate", "samplerate"); its devices have ids such as ":0,0".
func infos(devices []malgo.DeviceInfo, backend malgo.Backend) []Info {
	out := make([]Info, 0, len(devices))
	for i := range devices {
		name := devices[i].Name()
		plugin := backend == malgo.BackendAlsa && devices[i].ID[0] != ':'
		if strings.HasPrefix(name, "Monitor of ") || plugin || Has(out, name) {
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
	config.SampleRate = uint32(rate)                               //nolint:gosec // a rate of the protocol
	config.PeriodSizeInFrames = uint32(audio.Count(rate, latency)) //nolint:gosec // a few hundred
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
	closed atomic.Bool
	moved  atomic.Int64 // when sound last moved, in Unix nanoseconds: the library says nothing when the sound server dies
	once   sync.Once
	logger *slog.Logger
}

func (s *System) open(config malgo.DeviceConfig, name string, data malgo.DataProc) (Stream, error) {
	return within(&s.stuck, func() (Stream, error) { return s.start(config, name, data) }, func(st Stream) { _ = st.Close() })
}

func (s *System) start(config malgo.DeviceConfig, name string, data malgo.DataProc) (Stream, error) {
	mc, _, err := connect()
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
			if !st.closed.Load() { // it may still be closing when the next one is open
				data(out, in, n)
			}
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

// Close implements Stream. A device that does not close is left to itself.
func (st *malgoStream) Close() error {
	var err error
	st.once.Do(func() {
		st.closed.Store(true)
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
			st.logger.LogAttrs(context.Background(), slog.LevelInfo, "a sound device does not close", slog.String("device", st.name))
		}
	})
	return err
}
