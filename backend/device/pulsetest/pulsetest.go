// Package pulsetest runs a PulseAudio server of its own, with virtual devices, for tests of real sound.
package pulsetest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/audio"
)

// The names of the virtual devices as they are listed.
const (
	Speaker = "Speaker"
	Other   = "Other"
	Mic     = "VirtualMic"
)

// norewinds keeps a null sink from holding sound back for more than a second.
const script = `load-module module-native-protocol-unix
load-module module-null-sink sink_name=speaker rate=48000 norewinds=1 sink_properties=device.description=Speaker
load-module module-null-sink sink_name=other rate=48000 norewinds=1 sink_properties=device.description=Other
load-module module-null-sink sink_name=micfeed rate=48000 norewinds=1 sink_properties=device.description=MicFeed
load-module module-remap-source source_name=virtmic master=micfeed.monitor source_properties=device.description=VirtualMic
set-default-sink speaker
set-default-source virtmic
`

// Server is a running sound server.
type Server struct {
	tb  testing.TB
	dir string
	cmd *exec.Cmd
}

// Start runs a server until the test ends, and points the process at it. Without PulseAudio the test is skipped, except where
// CI says that nothing may be.
func Start(tb testing.TB) *Server {
	tb.Helper()
	if _, err := exec.LookPath("pulseaudio"); err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatal("pulseaudio is not installed")
		}
		tb.Skip("pulseaudio is not installed")
	}
	dir, err := os.MkdirTemp("", "pulse") //nolint:usetesting // a socket's path must be short
	require.NoError(tb, err)
	require.NoError(tb, os.WriteFile(filepath.Join(dir, "echo.pa"), []byte(script), 0o600))
	tb.Setenv("XDG_RUNTIME_DIR", dir)
	tb.Setenv("PULSE_SERVER", "") // put back as it was after the test
	require.NoError(tb, os.Unsetenv("PULSE_SERVER"))
	tb.Setenv("HOME", dir)
	s := &Server{tb: tb, dir: dir}
	tb.Cleanup(func() { s.Kill(); _ = os.RemoveAll(dir) })
	s.Run()
	return s
}

// Run starts the server, or starts it again after Kill.
func (s *Server) Run() {
	s.tb.Helper()
	s.cmd = exec.CommandContext(context.Background(), "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "-F", filepath.Join(s.dir, "echo.pa"))
	require.NoError(s.tb, s.cmd.Start())
	require.Eventually(s.tb, func() bool {
		out, err := exec.CommandContext(s.tb.Context(), "pactl", "list", "short", "sources").Output()
		return err == nil && bytes.Contains(out, []byte("virtmic"))
	}, 10*time.Second, 50*time.Millisecond)
}

// Kill ends the server at once.
func (s *Server) Kill() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

// Signal sends the server a signal.
func (s *Server) Signal(signal os.Signal) {
	s.tb.Helper()
	require.NoError(s.tb, s.cmd.Process.Signal(signal))
}

// Control runs pactl and gives what it prints.
func (s *Server) Control(args ...string) string {
	s.tb.Helper()
	out, err := exec.CommandContext(s.tb.Context(), "pactl", args...).CombinedOutput()
	require.NoError(s.tb, err, string(out))
	return strings.TrimSpace(string(out))
}

// Microphones is how many programs have a microphone open; the virtual microphone's own stream does not count.
func (s *Server) Microphones() int {
	s.tb.Helper()
	n := 0
	for line := range strings.Lines(s.Control("list", "short", "source-outputs")) {
		if strings.TrimSpace(line) != "" && !strings.Contains(line, "module-remap-source") {
			n++
		}
	}
	return n
}

// quiet is the loudest sample that counts as silence.
const quiet = 32

// Recording is what a loudspeaker plays, at 48 kHz, with the moments at which it arrived here: up to some 10 ms after it was played.
type Recording struct {
	mu       sync.Mutex
	pcm      []int16
	arrivals []arrival
}

// arrival is a moment and how many samples had come by then.
type arrival struct {
	at    time.Time
	count int
}

// Record listens to a sink until the test ends.
func (s *Server) Record(sink string) *Recording {
	s.tb.Helper()
	r := &Recording{}
	cmd := exec.CommandContext(context.Background(), "parec", "--device="+sink+".monitor", "--rate=48000", "--channels=1", "--format=s16le", "--latency-msec=2")
	out, err := cmd.StdoutPipe()
	require.NoError(s.tb, err)
	require.NoError(s.tb, cmd.Start())
	var wg sync.WaitGroup
	wg.Go(func() {
		data, half := make([]byte, 1<<16), 0 // a read may end within a sample
		for {
			n, err := out.Read(data[half:])
			n += half
			r.add(audio.Samples(data[:n]))
			if half = n % 2; half == 1 {
				data[0] = data[n-1]
			}
			if err != nil {
				return
			}
		}
	})
	s.tb.Cleanup(func() { _ = cmd.Process.Kill(); wg.Wait(); _ = cmd.Wait() })
	return r
}

func (r *Recording) add(pcm []int16) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pcm = append(r.pcm, pcm...)
	r.arrivals = append(r.arrivals, arrival{time.Now(), len(r.pcm)})
}

// since is the first sample that arrived after a moment. The caller holds mu.
func (r *Recording) since(moment time.Time) int {
	i := sort.Search(len(r.arrivals), func(i int) bool { return r.arrivals[i].at.After(moment) })
	if i == 0 {
		return 0
	}
	return r.arrivals[i-1].count
}

// Since is what arrived after a moment.
func (r *Recording) Since(moment time.Time) []int16 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.pcm[r.since(moment):])
}

// Last is the RMS of the newest 10 ms.
func (r *Recording) Last() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return audio.RMS(r.pcm[max(len(r.pcm)-480, 0):])
}

// Loud is how many samples arrived after a moment up to the last one that was not silent.
func (r *Recording) Loud(moment time.Time) int {
	pcm := r.Since(moment)
	for n := len(pcm); n > 0; n-- {
		if pcm[n-1] > quiet || pcm[n-1] < -quiet {
			return n
		}
	}
	return 0
}
