//go:build production && cgo

package device_test

import (
	"log/slog"
	"math"
	"os/exec"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/audio"
	"echo-companion/backend/device"
	"echo-companion/backend/device/pulsetest"
)

// tone fills with 440 Hz at half of full scale.
func tone() func([]int16) {
	n := 0
	return func(pcm []int16) {
		for i := range pcm {
			pcm[i] = int16(16384 * math.Sin(2*math.Pi*440*float64(n)/24000))
			n++
		}
	}
}

func heard(t *testing.T, r *pulsetest.Recording) {
	t.Helper()
	require.Eventually(t, func() bool { return r.Last() > 0.3 }, 5*time.Second, 10*time.Millisecond)
}

func TestRealDevices(t *testing.T) {
	server := pulsetest.Start(t)
	system := device.New(slog.New(slog.DiscardHandler))

	t.Run("listed by name, without monitors", func(t *testing.T) {
		list, err := system.List()
		require.NoError(t, err)
		require.Contains(t, list.Inputs, device.Info{Name: pulsetest.Mic, Default: true})
		require.Contains(t, list.Outputs, device.Info{Name: pulsetest.Speaker, Default: true})
		require.True(t, device.Has(list.Outputs, pulsetest.Other))
		for _, info := range list.Inputs {
			require.NotContains(t, info.Name, "Monitor")
		}
	})

	t.Run("microphone gives frames and is let go of", func(t *testing.T) {
		cmd := exec.Command("pacat", "--device=micfeed", "--rate=16000", "--channels=1", "--format=s16le", "/dev/urandom")
		require.NoError(t, cmd.Start())
		defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
		ring := audio.NewRing(16000)
		in, err := system.OpenInput("", ring)
		require.NoError(t, err)
		frame := make([]int16, 320)
		require.Eventually(t, func() bool {
			n := ring.Take(frame)
			return n == 320 && audio.RMS(frame) > 0.3
		}, 5*time.Second, 10*time.Millisecond)
		require.NoError(t, in.Err())
		require.Equal(t, 1, server.Microphones())
		require.NoError(t, in.Close())
		require.Zero(t, server.Microphones())
	})

	t.Run("a device that is not there", func(t *testing.T) {
		_, err := system.OpenOutput("Nothing", 24000, tone())
		require.ErrorIs(t, err, device.ErrNone)
	})

	t.Run("a microphone is unplugged", func(t *testing.T) {
		module := server.Control("load-module", "module-remap-source", "source_name=gone", "master=micfeed.monitor", "source_properties=device.description=Gone")
		ring := audio.NewRing(16000)
		in, err := system.OpenInput("Gone", ring)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return ring.Len() > 0 }, 5*time.Second, 10*time.Millisecond)
		server.Control("unload-module", module)
		require.Eventually(t, func() bool { return in.Err() != nil }, 5*time.Second, 10*time.Millisecond)
		require.NoError(t, in.Close(), "which never returns in the library")
		in, err = system.OpenInput("", ring)
		require.NoError(t, err)
		require.NoError(t, in.Close())
		require.Zero(t, server.Microphones())
	})

	t.Run("a chosen loudspeaker", func(t *testing.T) {
		rec := server.Record("other")
		out, err := system.OpenOutput(pulsetest.Other, 24000, tone())
		require.NoError(t, err)
		heard(t, rec)
		require.NoError(t, out.Close())
	})

	t.Run("the default loudspeaker, closed, opened, and after the server died", func(t *testing.T) {
		rec := server.Record("speaker")
		for range 2 {
			out, err := system.OpenOutput("", 24000, tone())
			require.NoError(t, err)
			heard(t, rec)
			require.NoError(t, out.Close())
			require.Eventually(t, func() bool { return rec.Last() < 0.001 }, 5*time.Second, 10*time.Millisecond)
		}
		var asked atomic.Int64
		fill := tone()
		count := func(pcm []int16) { asked.Add(1); fill(pcm) }
		out, err := system.OpenOutput("", 24000, count)
		require.NoError(t, err)
		heard(t, rec)
		server.Kill()
		require.Eventually(t, func() bool { return out.Err() != nil }, 3*time.Second, 20*time.Millisecond)
		require.NoError(t, out.Close())
		server.Run()
		rec = server.Record("speaker")
		out, err = system.OpenOutput("", 24000, count)
		require.NoError(t, err)
		heard(t, rec)
		require.NoError(t, out.Err())
		server.Kill()
		require.Eventually(t, func() bool { return out.Err() != nil }, 3*time.Second, 20*time.Millisecond)
		require.NoError(t, out.Close())
		server.Run()
	})
}

func TestASoundServerThatHangsHoldsNothingUp(t *testing.T) {
	server := pulsetest.Start(t)
	system := device.New(slog.New(slog.DiscardHandler))
	out, err := system.OpenOutput(pulsetest.Other, 24000, tone())
	require.NoError(t, err)
	server.Signal(syscall.SIGSTOP)
	require.Eventually(t, func() bool { return out.Err() != nil }, 3*time.Second, 20*time.Millisecond)
	require.NoError(t, out.Close())
	_, err = system.List()
	require.Error(t, err)
	_, err = system.OpenInput("", audio.NewRing(16000))
	require.Error(t, err, "at once, while the first call hangs")
	server.Signal(syscall.SIGCONT)
	require.Eventually(t, func() bool {
		list, err := system.List()
		return err == nil && device.Has(list.Inputs, pulsetest.Mic)
	}, 10*time.Second, 20*time.Millisecond)
	in, err := system.OpenInput("", audio.NewRing(16000))
	require.NoError(t, err)
	require.NoError(t, in.Close())
}

func TestWithoutASoundServerPluginsAreNoDevices(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PULSE_SERVER", "unix:"+t.TempDir()+"/none")
	list, err := device.New(slog.New(slog.DiscardHandler)).List()
	require.NoError(t, err)
	for _, info := range slices.Concat(list.Inputs, list.Outputs) {
		require.NotRegexp(t, "(?i)rate|plugin|server|mix|converter|discard", info.Name)
	}
}
