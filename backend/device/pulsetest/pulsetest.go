// Package pulsetest runs a PulseAudio server of its own, with virtual devices, for tests of real sound.
package pulsetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
	t   *testing.T
	dir string
	cmd *exec.Cmd
}

// Start runs a server until the test ends, and points the process at it. Without PulseAudio the test is skipped, except where
// CI says that nothing may be.
func Start(t *testing.T) *Server {
	t.Helper()
	if _, err := exec.LookPath("pulseaudio"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("pulseaudio is not installed")
		}
		t.Skip("pulseaudio is not installed")
	}
	dir, err := os.MkdirTemp("", "pulse") //nolint:usetesting // a socket's path must be short
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "echo.pa"), []byte(script), 0o600))
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("PULSE_SERVER", "") // put back as it was after the test
	require.NoError(t, os.Unsetenv("PULSE_SERVER"))
	t.Setenv("HOME", dir)
	s := &Server{t: t, dir: dir}
	t.Cleanup(func() { s.Kill(); _ = os.RemoveAll(dir) })
	s.Run()
	return s
}

// Run starts the server, or starts it again after Kill.
func (s *Server) Run() {
	s.t.Helper()
	s.cmd = exec.CommandContext(context.Background(), "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "-F", filepath.Join(s.dir, "echo.pa"))
	require.NoError(s.t, s.cmd.Start())
	require.Eventually(s.t, func() bool {
		out, err := exec.CommandContext(s.t.Context(), "pactl", "list", "short", "sources").Output()
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

// Control runs pactl and gives what it prints.
func (s *Server) Control(args ...string) string {
	s.t.Helper()
	out, err := exec.CommandContext(s.t.Context(), "pactl", args...).CombinedOutput()
	require.NoError(s.t, err, string(out))
	return strings.TrimSpace(string(out))
}

// Microphones is how many programs have a microphone open; the virtual microphone's own stream does not count.
func (s *Server) Microphones() int {
	s.t.Helper()
	n := 0
	for line := range strings.Lines(s.Control("list", "short", "source-outputs")) {
		if strings.TrimSpace(line) != "" && !strings.Contains(line, "module-remap-source") {
			n++
		}
	}
	return n
}

// Recording is what a loudspeaker plays, in blocks of 10 ms at 48 kHz.
type Recording struct {
	mu    sync.Mutex
	rms   []float64
	times []time.Time
}

// Record listens to a sink until the test ends.
func (s *Server) Record(sink string) *Recording {
	s.t.Helper()
	r := &Recording{}
	cmd := exec.CommandContext(context.Background(), "parec", "--device="+sink+".monitor", "--rate=48000", "--channels=1", "--format=s16le", "--latency-msec=5")
	out, err := cmd.StdoutPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, cmd.Start())
	var wg sync.WaitGroup
	wg.Go(func() {
		block := make([]byte, 960)
		for {
			n := 0
			for n < len(block) {
				m, err := out.Read(block[n:])
				if err != nil {
					return
				}
				n += m
			}
			r.add(block)
		}
	})
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); wg.Wait(); _ = cmd.Wait() })
	return r
}

func (r *Recording) add(block []byte) {
	sum := 0.0
	for i := 0; i+1 < len(block); i += 2 {
		v := float64(int16(binary.LittleEndian.Uint16(block[i:]))) / 32768 //nolint:gosec // the bits of a sample, not its value
		sum += v * v
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rms = append(r.rms, math.Sqrt(sum/float64(len(block)/2)))
	r.times = append(r.times, time.Now())
}

// Level is the RMS of what was heard since a moment, and how many blocks of 10 ms that is.
func (r *Recording) Level(since time.Time) (float64, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum, n := 0.0, 0
	for i, at := range r.times {
		if at.After(since) {
			sum += r.rms[i] * r.rms[i]
			n++
		}
	}
	if n == 0 {
		return 0, 0
	}
	return math.Sqrt(sum / float64(n)), n
}

// Last is the RMS of the newest block.
func (r *Recording) Last() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.rms) == 0 {
		return 0
	}
	return r.rms[len(r.rms)-1]
}

// Loud is how many samples, at 48 kHz and in blocks of 480, were heard since a moment in blocks that were not quiet.
func (r *Recording) Loud(since time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for i, at := range r.times {
		if at.After(since) && r.rms[i] > 0.001 {
			n += 480
		}
	}
	return n
}
