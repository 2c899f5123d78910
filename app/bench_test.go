package app

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/speech"
)

// BenchmarkSpokenQuestion measures the wait from the end of speech to the first audio of the answer, by stage, as shares of the
// whole and against the length of what was said.
func BenchmarkSpokenQuestion(b *testing.B) {
	r := start(b, nil)
	defer r.stop()
	defer r.engines.Hold()() // warm, as in the middle of a conversation
	pcm := r.say("What is twelve times seven?")
	r.converse(pcm)
	var recognising, reasoning, speaking time.Duration
	for b.Loop() {
		result := r.converse(pcm)
		recognising += result.heardAt.Sub(result.endedAt)
		reasoning += result.answeringAt.Sub(result.heardAt)
		speaking += result.speakingAt.Sub(result.answeringAt)
	}
	whole := recognising + reasoning + speaking
	said := time.Duration(len(pcm)) * time.Second / speech.InputRate
	b.ReportMetric(float64(whole.Milliseconds())/float64(b.N), "ms/first-audio")
	b.ReportMetric(recognising.Seconds()/whole.Seconds(), "recognition/whole")
	b.ReportMetric(reasoning.Seconds()/whole.Seconds(), "reasoning/whole")
	b.ReportMetric(speaking.Seconds()/whole.Seconds(), "synthesis/whole")
	b.ReportMetric(whole.Seconds()/float64(b.N)/said.Seconds(), "whole/said")
}

// program is the binary as `make build` leaves it.
func program(b *testing.B) string {
	b.Helper()
	path, err := filepath.Abs(filepath.Join("..", "build", "bin", "echo-companion"))
	require.NoError(b, err)
	require.FileExists(b, path, "run `make build` first")
	return path
}

// serveBinary starts the built program and returns its address once the API is up.
func serveBinary(b *testing.B, data string) (pid int, base string, stop func()) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	cmd := exec.CommandContext(ctx, program(b), "serve", "--addr", "127.0.0.1:0", "--data", data)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(b, err)
	base, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(b, found, "it said %q", line)
	return cmd.Process.Pid, base, func() {
		cancel()
		_ = cmd.Wait()
	}
}

// BenchmarkStart measures a start on an empty data folder until the API is up, against starting the program at all.
func BenchmarkStart(b *testing.B) {
	path := program(b)
	var up, bare time.Duration
	for b.Loop() {
		began := time.Now()
		require.NoError(b, exec.CommandContext(b.Context(), path, "version").Run())
		bare += time.Since(began)
		began = time.Now()
		_, _, stop := serveBinary(b, b.TempDir())
		up += time.Since(began)
		stop()
	}
	b.ReportMetric(float64(up.Milliseconds())/float64(b.N), "ms/api-up")
	b.ReportMetric(up.Seconds()/bare.Seconds(), "api-up/process")
}

// BenchmarkMemory measures the resident memory of all of Echo's processes, idle and with the engines of a spoken conversation.
func BenchmarkMemory(b *testing.B) {
	var idle, talking int64
	for b.Loop() {
		r := start(b, nil)
		own := resident(b, os.Getpid())
		release := r.engines.Hold()
		r.converse(r.say("What is twelve times seven?"))
		children := residentChildren(b, os.Getpid())
		release()
		r.stop()
		pid, _, stop := serveBinary(b, b.TempDir())
		idle += resident(b, pid)
		talking += resident(b, pid) + children + resident(b, os.Getpid()) - own
		stop()
	}
	b.ReportMetric(float64(idle)/float64(b.N)/(1<<20), "MB-idle")
	b.ReportMetric(float64(talking)/float64(b.N)/(1<<20), "MB-talking")
	b.ReportMetric(float64(talking)/float64(idle), "talking/idle")
}

// resident is a process's resident memory in bytes.
func resident(b *testing.B, pid int) int64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(b, err)
	for line := range strings.Lines(string(data)) {
		if rest, found := strings.CutPrefix(line, "VmRSS:"); found {
			kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			require.NoError(b, err)
			return kilobytes << 10
		}
	}
	require.Fail(b, "no VmRSS", "process %d", pid)
	return 0
}

// residentChildren is the resident memory of a process's children.
func residentChildren(b *testing.B, pid int) (sum int64) {
	b.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	require.NoError(b, err)
	for _, task := range tasks {
		data, err := os.ReadFile(task)
		require.NoError(b, err)
		for field := range strings.FieldsSeq(string(data)) {
			child, err := strconv.Atoi(field)
			require.NoError(b, err)
			sum += resident(b, child)
		}
	}
	return sum
}
