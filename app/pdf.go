package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"echo-companion/backend/passage/pdf"
)

// pdfCommand is the command that reads one PDF file for the file search. It is not for people, and help does not name it.
const pdfCommand = "pdf-text"

// What reading one PDF file may take.
const (
	pdfTime   = 5 * time.Second
	pdfMemory = 512 << 20
	pdfOutput = 16 << 20 // the text as JSON, escapes and all
)

// pdfReader reads PDF files in a process of its own: one that hangs is killed, one that wants too much memory ends itself.
type pdfReader struct {
	program string
	args    []string
	limit   time.Duration
}

// newPDFReader has this program read them.
func newPDFReader() (*pdfReader, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return &pdfReader{program: self, args: []string{pdfCommand}, limit: pdfTime}, nil
}

// Pages gives the text of a PDF file's pages.
func (r *pdfReader) Pages(ctx context.Context, content io.Reader) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	child := exec.CommandContext(ctx, r.program, r.args...)
	child.Stdin = content
	child.WaitDelay = time.Second
	var output, problem bytes.Buffer
	child.Stdout, child.Stderr = &bounded{buffer: &output, left: pdfOutput}, &bounded{buffer: &problem, left: 4096}
	if err := child.Run(); err != nil {
		return nil, fmt.Errorf("read a PDF file: %w: %s", err, bytes.TrimSpace(problem.Bytes()))
	}
	var pages []string
	if err := json.Unmarshal(output.Bytes(), &pages); err != nil {
		return nil, fmt.Errorf("read a PDF file: %w", err)
	}
	return pages, nil
}

// bounded takes so many bytes and then fails.
type bounded struct {
	buffer *bytes.Buffer
	left   int
}

// Write implements io.Writer.
func (b *bounded) Write(data []byte) (int, error) {
	if len(data) > b.left {
		return 0, errors.New("too much output")
	}
	b.left -= len(data)
	return b.buffer.Write(data)
}

// readPDF is the command: a PDF file on standard input, its pages as JSON on standard output.
func readPDF(in io.Reader, out io.Writer) error {
	debug.SetMemoryLimit(pdfMemory / 2)
	go endAt(pdfMemory) // as long as the process lives
	content, err := io.ReadAll(io.LimitReader(in, pdf.MaxBytes+1))
	if err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	pages, err := pdf.Pages(content)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(pages)
}

// endAt ends this process when it holds so much memory: a damaged file can ask for any amount.
func endAt(most uint64) {
	held := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	for range time.Tick(20 * time.Millisecond) {
		metrics.Read(held)
		if held[0].Value.Uint64() > most {
			fmt.Fprintln(os.Stderr, "the PDF takes too much memory")
			os.Exit(1) //nolint:forbidigo // nothing else ends a reader that does not return
		}
	}
}
