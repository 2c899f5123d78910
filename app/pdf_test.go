package app

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pdfChild makes this test's program the child that reads a PDF file: what it reads it answers as the command does.
const pdfChild = "ECHO_APP_TEST_PDF"

// TestMain is that child where it is started as one.
func TestMain(m *testing.M) {
	if manner := os.Getenv(pdfChild); manner != "" {
		if err := readPDFLike(manner); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func readPDFLike(manner string) error {
	switch manner {
	case "hang":
		select {}
	case "grow":
		go endAt(pdfMemory)
		for kept := [][]byte{}; ; {
			kept = append(kept, bytes.Repeat([]byte("grow"), 4<<20))
			_ = kept
		}
	}
	return readPDF(os.Stdin, os.Stdout)
}

func TestPDFFilesAreReadInAProcessOfTheirOwn(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("..", "backend", "passage", "pdf", "testdata", "notes.pdf"))
	require.NoError(t, err)
	reader := &pdfReader{program: os.Args[0], limit: time.Minute}
	t.Setenv(pdfChild, "read")
	pages, err := reader.Pages(t.Context(), bytes.NewReader(content))
	require.NoError(t, err)
	require.Len(t, pages, 2)
	require.Contains(t, pages[1], "under the blue pot")
	_, err = reader.Pages(t.Context(), bytes.NewReader(content[:len(content)/2]))
	require.ErrorContains(t, err, "PDF")

	t.Setenv(pdfChild, "grow")
	_, err = reader.Pages(t.Context(), bytes.NewReader(content))
	require.ErrorContains(t, err, "too much memory")
	t.Setenv(pdfChild, "hang")
	reader.limit = 100 * time.Millisecond
	_, err = reader.Pages(t.Context(), bytes.NewReader(content))
	require.Error(t, err)
}
