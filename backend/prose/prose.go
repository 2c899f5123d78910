// Package prose turns an answer, as it is written, into what is read aloud: sentences as soon as they are complete, without
// markdown, code, links, tables and emoji. It is pure; the raw pieces joined are the text.
package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// pieceMost is how long a piece may be, in code points. Synthesisers slow down and lose their melody beyond.
	pieceMost = 250
	// pieceLeast is how short a first piece may be before it is joined with what follows: "1." and "Hm." are no sentences.
	pieceLeast = 2
)

// Piece is a part of the text.
type Piece struct {
	Raw    string // as it stands in the text
	Spoken string // as it is read aloud; empty: it is not
}

// Aloud is a whole text as it is read aloud.
func Aloud(text string) string {
	var r Reader
	var aloud []string
	for _, piece := range append(r.Add(text), r.End()...) {
		if piece.Spoken != "" {
			aloud = append(aloud, piece.Spoken)
		}
	}
	return strings.Join(aloud, " ")
}

// Reader cuts a text into pieces. The zero Reader is ready. It is a value of its owner: nothing in it is shared.
type Reader struct {
	rest    string // what is not cut off yet; it holds whole characters
	torn    string // the first bytes of a character whose others are to come
	scanned int    // how much of rest is known to hold no end
	fenced  bool   // inside of a code block
	spoken  bool   // something was read aloud
	written bool   // something was there to be read
}

// Add takes more of the text and returns the pieces that it completes.
func (r *Reader) Add(delta string) []Piece {
	text := r.torn + delta
	whole := wholeLength(text)
	r.torn = text[whole:]
	r.rest += text[:whole]
	return r.cutAll(false)
}

// End returns what is left. An answer of which nothing can be read aloud says that it is there to be read.
func (r *Reader) End() []Piece {
	r.rest += r.torn
	r.torn = ""
	pieces := r.cutAll(true)
	if r.written && !r.spoken {
		pieces = append(pieces, Piece{Spoken: "I have written the answer down for you to read."})
	}
	return pieces
}

// Break returns what is left though the text goes on: something else is said before the rest.
func (r *Reader) Break() []Piece { return r.cutAll(true) }

// Partial tells whether a piece has begun that is not complete.
func (r *Reader) Partial() bool { return strings.TrimSpace(r.rest) != "" || r.torn != "" || r.fenced }

// wholeLength is how much of a text holds whole characters.
func wholeLength(text string) int {
	for i := max(0, len(text)-utf8.UTFMax+1); i < len(text); i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRuneInString(text[i:]) {
			return i
		}
	}
	return len(text)
}

func (r *Reader) cutAll(last bool) []Piece {
	var pieces []Piece
	for r.rest != "" {
		n := r.next(last)
		if n == 0 {
			break
		}
		pieces = append(pieces, r.piece(r.rest[:n]))
		r.rest, r.scanned = r.rest[n:], 0
	}
	return pieces
}

// piece reads a raw piece.
func (r *Reader) piece(raw string) Piece {
	r.written = r.written || strings.TrimSpace(raw) != ""
	fence := isFence(raw)
	spoken := ""
	if !fence && !r.fenced {
		spoken = Spoken(raw)
	}
	if fence {
		r.fenced = !r.fenced
	}
	r.spoken = r.spoken || spoken != ""
	return Piece{Raw: raw, Spoken: spoken}
}

// next is how long the next piece is, in bytes; 0: its end has not come.
func (r *Reader) next(last bool) int {
	if n, known := r.lineNext(last); known {
		return n
	}
	most := beginning(r.rest)
	if n := r.sentence(most, last); n > 0 {
		return n
	}
	if most < len(r.rest) {
		return clause(r.rest)
	}
	if last {
		return len(r.rest)
	}
	return 0
}

// lineNext cuts what is taken by the line: code and its fences, rows of tables. It tells whether the text begins with such.
func (r *Reader) lineNext(last bool) (n int, known bool) {
	head := strings.TrimLeft(r.rest, " \t\n\r")
	special := r.fenced || strings.HasPrefix(head, "`") && (len(head) < 3 || isFence(head)) || strings.HasPrefix(head, "|") ||
		strings.HasPrefix(head, "~~~")
	if !special {
		return 0, false
	}
	start := len(r.rest) - len(head)
	if end := strings.IndexByte(r.rest[start:], '\n'); end >= 0 && head != "" {
		return start + end + 1, true
	}
	if strings.HasPrefix(head, "`") && len(head) < 3 && !last && !r.fenced {
		return 0, true // it may become a fence
	}
	if last {
		return len(r.rest), true
	}
	return 0, true
}

// isFence tells whether a line opens or closes a code block.
func isFence(line string) bool {
	line = strings.TrimLeft(line, " \t\n\r")
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// beginning is how many bytes of a text one piece takes at most. What comes after is not looked at for it, however much has come.
func beginning(text string) int {
	count := 0
	for i := range text {
		if count == pieceMost {
			return i
		}
		count++
	}
	return len(text)
}

// sentence is where the first sentence ends, its space included, or 0. Its stop is among the first most bytes.
func (r *Reader) sentence(most int, last bool) int {
	text := r.rest
	for i, ch := range text[r.scanned:most] {
		at := r.scanned + i
		end := at + utf8.RuneLen(ch)
		if ch == utf8.RuneError {
			end = at + 1
		}
		var (
			n    int
			sure bool
		)
		switch {
		case ch == '\n':
			n, sure = lineEnd(text, at, last)
		case isStop(ch):
			n, sure = stopEnd(text, end, ch, last)
		default:
			continue
		}
		if !sure {
			r.scanned = at
			return 0
		}
		if n == 0 || ch != '\n' && isWithin(text[:end], text[n:], ch) || utf8.RuneCountInString(strings.TrimSpace(text[:n])) <= pieceLeast {
			continue
		}
		return n
	}
	r.scanned = most
	return 0
}

// lineEnd is where a line's end ends a piece, or 0: a line that goes on in lower case was only wrapped. Unless it is the last of
// the text, what follows must be known.
func lineEnd(text string, at int, last bool) (n int, sure bool) {
	if strings.TrimSpace(text[:at]) == "" {
		return 0, true
	}
	if at+1 == len(text) {
		return at + 1, last
	}
	if next, _ := utf8.DecodeRuneInString(text[at+1:]); unicode.IsLower(next) {
		return 0, true
	}
	return at + 1, true
}

// isStop tells whether a rune may end a sentence.
func isStop(r rune) bool {
	switch r {
	case '.', '!', '?', '…', '。', '！', '？', '｡', '؟', '।':
		return true
	}
	return false
}

// wide tells whether a stop needs no space after it.
func wide(r rune) bool { return strings.ContainsRune("。！？｡", r) }

// stopEnd is where a sentence ends whose stop ends at end: with the closing quotes, the other stops and the space that follow.
// Unless it is the last of the text, what follows must be known.
func stopEnd(text string, end int, stop rune, last bool) (n int, sure bool) {
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !isStop(r) && !strings.ContainsRune(`"'”’»)]*_）」』`, r) {
			break
		}
		if isStop(r) {
			stop = r
		}
		end += size
	}
	if end == len(text) {
		if last {
			return end, true
		}
		return 0, false
	}
	r, _ := utf8.DecodeRuneInString(text[end:])
	if !unicode.IsSpace(r) {
		if wide(stop) {
			return end, true
		}
		return 0, true
	}
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !unicode.IsSpace(r) {
			return end, true
		}
		end += size
		if r == '\n' {
			return end, true
		}
	}
	// Only space has come since: after a dot that may be an abbreviation's the next word tells.
	return end, last || stop != '.' || !doubtful(text)
}
