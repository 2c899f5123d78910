// Package pdf reads the text of PDF files. A damaged or hostile file can make the reader hang or take all memory: who reads the
// files of others does it in a process of its own, with limits.
package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

// The bounds of what is read: a file that is larger is refused, text and pages that are more are left out.
const (
	MaxBytes = 32 << 20
	maxText  = 2 << 20
	maxPages = 5000
)

// Pages gives the text of each page. Pages without text are empty; what is not a PDF, or has a password, is an error.
func Pages(content []byte) (pages []string, err error) {
	defer func() {
		if broken := recover(); broken != nil { // the library panics at damaged files
			pages, err = nil, fmt.Errorf("the PDF is damaged: %v", broken)
		}
	}()
	if len(content) > MaxBytes {
		return nil, errors.New("the PDF is too large")
	}
	reader, err := pdf.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("read the PDF: %w", err)
	}
	length := 0
	for number := 1; number <= min(reader.NumPage(), maxPages) && length < maxText; number++ {
		page := reader.Page(number)
		if page.V.IsNull() {
			pages = append(pages, "")
			continue
		}
		text, err := page.GetPlainText(nil) // a font's name means another one on each page
		if err != nil {
			return nil, fmt.Errorf("read page %d: %w", number, err)
		}
		text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
		length += len(text)
		pages = append(pages, text)
	}
	return pages, nil
}
