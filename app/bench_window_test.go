package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// desktop is the built app with its window, on a display of its own and without sound.
type desktop struct {
	b         *testing.B
	display   string
	data      string
	inspector string
	base      string
	pid       int
	begun     time.Time
	up        time.Duration // until the API answered
	stop      func()
}

// startDesktop starts it on an empty data folder.
func startDesktop(b *testing.B) *desktop {
	b.Helper()
	for _, tool := range []string{"Xvfb", "import"} {
		_, err := exec.LookPath(tool)
		require.NoError(b, err, "run `make test`, which installs it")
	}
	path := program(b)
	ctx, cancel := context.WithCancel(b.Context())
	display, endDisplay := startDisplay(ctx, b)
	d := &desktop{b: b, display: display, data: b.TempDir(), inspector: freeAddress(b)}
	cmd := exec.CommandContext(ctx, path, "--addr", "127.0.0.1:0", "--data", d.data)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(os.Environ(), "DISPLAY="+display, "GDK_BACKEND=x11", "WAYLAND_DISPLAY=", "NO_AT_BRIDGE=1", "XDG_RUNTIME_DIR="+b.TempDir(),
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/nothing", "PULSE_SERVER=unix:/nothing", "WEBKIT_INSPECTOR_HTTP_SERVER="+d.inspector)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	d.begun = time.Now()
	require.NoError(b, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(b, err)
	d.up, d.pid = time.Since(d.begun), cmd.Process.Pid
	d.base = strings.TrimPrefix(strings.TrimSpace(line), "listening on ")
	d.stop = func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		cancel()
		endDisplay()
	}
	return d
}

// startDisplay runs an X server of its own.
func startDisplay(ctx context.Context, b *testing.B) (name string, stop func()) {
	b.Helper()
	read, write, err := os.Pipe()
	require.NoError(b, err)
	cmd := exec.CommandContext(ctx, "Xvfb", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{write}
	require.NoError(b, cmd.Start())
	require.NoError(b, write.Close())
	number, err := bufio.NewReader(read).ReadString('\n')
	require.NoError(b, err)
	return ":" + strings.TrimSpace(number), func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = read.Close() }
}

func freeAddress(b *testing.B) string {
	b.Helper()
	var config net.ListenConfig
	l, err := config.Listen(b.Context(), "tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// painted waits until the page is on the screen: most of the panel is the paper's colour, on a root that is black.
func (d *desktop) painted() time.Duration {
	d.b.Helper()
	until := time.Now().Add(patience)
	for time.Now().Before(until) {
		pixels, err := exec.CommandContext(d.b.Context(), "import", "-display", d.display, "-window", "root", "-depth", "8", "gray:-").Output()
		require.NoError(d.b, err)
		bright := 0
		for _, v := range pixels {
			if v > 0xf0 {
				bright++
			}
		}
		if bright > 380*600/2 {
			return time.Since(d.begun)
		}
	}
	require.Fail(d.b, "the window is not painted")
	return 0
}

// api patches the settings.
func (d *desktop) patch(settings map[string]any) {
	d.b.Helper()
	data, err := json.Marshal(settings)
	require.NoError(d.b, err)
	token, err := os.ReadFile(filepath.Join(d.data, "token"))
	require.NoError(d.b, err)
	request, err := http.NewRequestWithContext(d.b.Context(), http.MethodPatch, d.base+"/api/settings", bytes.NewReader(data))
	require.NoError(d.b, err)
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	response, err := http.DefaultClient.Do(request)
	require.NoError(d.b, err)
	_, _ = io.Copy(io.Discard, response.Body)
	require.NoError(d.b, response.Body.Close())
	require.Equal(d.b, http.StatusOK, response.StatusCode)
}

// probe runs the end-to-end checks' program.
func (d *desktop) probe(args ...string) *exec.Cmd {
	d.b.Helper()
	path, err := filepath.Abs(filepath.Join("..", "build", "bin", "e2e-probe"))
	require.NoError(d.b, err)
	build := exec.CommandContext(d.b.Context(), "go", "build", "-o", path, "../build/e2e/probe")
	require.NoError(d.b, build.Run())
	return exec.CommandContext(d.b.Context(), path, args...)
}

// js evaluates a script in the window until it is true.
func (d *desktop) js(script string) {
	d.b.Helper()
	until := time.Now().Add(patience)
	for {
		out, err := d.probe("eval", d.inspector, script).Output()
		if err == nil && strings.TrimSpace(string(out)) == "true" {
			return
		}
		require.True(d.b, time.Now().Before(until), "%s: %s %v", script, out, err)
	}
}

// ask attaches and asks, and waits for the first words of the answer.
func (d *desktop) ask(question, first string) {
	d.b.Helper()
	d.js(fmt.Sprintf("window.go.app.Voice.Open({}).then(() => window.go.app.Voice.Ask(%q)); true", question))
	d.js(fmt.Sprintf("document.body.innerText.includes(%q)", first))
}

// spent is what a group of processes takes.
type spent struct {
	memory int64 // proportional set size: shared libraries count once
	ticks  int64 // of a processor
}

// spend tells what the app, the web view and the engines take now.
func (d *desktop) spend() map[string]spent {
	d.b.Helper()
	groups := map[string]spent{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(d.b, err)
	parents, names, ticks := map[int]int{}, map[int]string{}, map[int]int64{}
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		head, rest, _ := strings.Cut(string(data), ") ")
		number, name, _ := strings.Cut(head, " (")
		fields := strings.Fields(rest)
		pid, _ := strconv.Atoi(number)
		parents[pid], _ = strconv.Atoi(fields[1])
		user, _ := strconv.ParseInt(fields[11], 10, 64)
		system, _ := strconv.ParseInt(fields[12], 10, 64)
		names[pid], ticks[pid] = name, user+system
	}
	for pid, name := range names {
		up := pid
		for up > 1 && up != d.pid {
			up = parents[up]
		}
		if up != d.pid {
			continue
		}
		group := "web"
		switch {
		case pid == d.pid:
			group = "app"
		case strings.HasPrefix(name, "echo-engine"):
			group = "engines"
		}
		u := groups[group]
		groups[group] = spent{u.memory + proportional(d.b, pid), u.ticks + ticks[pid]}
	}
	return groups
}

func proportional(b *testing.B, pid int) int64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	require.NoError(b, err)
	for line := range strings.Lines(string(data)) {
		if rest, found := strings.CutPrefix(line, "Pss:"); found {
			kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			require.NoError(b, err)
			return kilobytes << 10
		}
	}
	return 0
}

// BenchmarkWindowStart measures a start on an empty data folder until the window is painted, against the API being up.
func BenchmarkWindowStart(b *testing.B) {
	var up, painted time.Duration
	for b.Loop() {
		d := startDesktop(b)
		painted += d.painted()
		up += d.up
		d.stop()
	}
	b.ReportMetric(float64(up.Milliseconds())/float64(b.N), "ms/api-up")
	b.ReportMetric(float64(painted.Milliseconds())/float64(b.N), "ms/painted")
	b.ReportMetric(painted.Seconds()/up.Seconds(), "painted/api-up")
}

// BenchmarkWindow measures the memory of all processes, idle and talking, and the processors' time of an idle window and of one in which
// an answer streams at 200 tokens a second. Without a loudspeaker the engines speak as fast as they can: they are counted apart.
func BenchmarkWindow(b *testing.B) {
	const watched = 10 * time.Second
	d := startDesktop(b)
	defer d.stop()
	d.painted()
	rest := time.NewTimer(45 * time.Second) // the start's last work, and the orb's last round before it rests
	<-rest.C
	cores := func() map[string]float64 {
		before := d.spend()
		rest.Reset(watched)
		<-rest.C
		used := map[string]float64{}
		for group, after := range d.spend() {
			used[group] = float64(after.ticks-before[group].ticks) / 100 / watched.Seconds()
		}
		return used
	}
	for b.Loop() {
		idle := cores()
		quiet := d.spend()
		model := d.probe("model")
		out, err := model.StdoutPipe()
		require.NoError(b, err)
		require.NoError(b, model.Start())
		address, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(b, err)
		d.patch(map[string]any{"reasoning": map[string]any{"provider": "openai", "base_url": strings.TrimSpace(address), "model": "scripted"}})
		d.ask("Tell me quickly", "And on it goes")
		streaming := cores()
		talking := d.spend()
		_ = model.Process.Kill()
		_ = model.Wait()
		b.ReportMetric(idle["app"], "cores-idle-app")
		b.ReportMetric(idle["web"], "cores-idle-web")
		b.ReportMetric(streaming["app"], "cores-streaming-app")
		b.ReportMetric(streaming["web"], "cores-streaming-web")
		sum := func(groups map[string]spent) (n int64) {
			for _, u := range groups {
				n += u.memory
			}
			return n
		}
		b.ReportMetric(float64(sum(quiet))/(1<<20), "MB-idle")
		b.ReportMetric(float64(quiet["app"].memory)/(1<<20), "MB-idle-app")
		b.ReportMetric(float64(sum(talking))/(1<<20), "MB-talking")
		b.ReportMetric(float64(sum(talking))/float64(sum(quiet)), "talking/idle")
	}
}
