package pdf_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"echo-companion/backend/passage/pdf"
)

// notes is testdata/notes.html as Chromium prints it.
func notes(t *testing.T) []byte {
	t.Helper()
	content, err := os.ReadFile("testdata/notes.pdf")
	require.NoError(t, err)
	return content
}

func TestTextOfThePages(t *testing.T) {
	pages, err := pdf.Pages(notes(t))
	require.NoError(t, err)
	require.Len(t, pages, 2)
	require.Contains(t, pages[0], "The tooth doctor sees me on Tuesday.")
	require.Contains(t, pages[0], "Grüße: naïve café")
	require.Equal(t, "The key of the shed lies under the blue pot.", strings.TrimSpace(pages[1]))
}

// TestDamagedFilesAreRefused cuts and spoils a file everywhere: no panic comes out.
func TestDamagedFilesAreRefused(t *testing.T) {
	whole := notes(t)
	for at := 0; at < len(whole); at += len(whole) / 40 {
		_, err := pdf.Pages(whole[:at])
		require.Error(t, err, "cut at %d", at)
		spoilt := append([]byte(nil), whole...)
		for n := at; n < min(at+20, len(spoilt)); n++ {
			spoilt[n] ^= 0x55
		}
		_, _ = pdf.Pages(spoilt) // may still be readable
	}
	for _, text := range []string{"", "not a PDF", "%PDF-1.7\n", "%PDF-1.7\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF"} {
		_, err := pdf.Pages([]byte(text))
		require.Error(t, err)
	}
}
