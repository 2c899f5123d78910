package main

import (
	"strings"
	"unicode"
)

// maxPiece bounds what a voice is given at once, in code points: memory grows with the length (843 MB at 400), and a piece that
// is being computed cannot be stopped.
const maxPiece = 200

// pieces cuts a text for the voice: whole where it is short, else at the end of a sentence, a clause, a word, in this order of
// preference. Pieces without a letter or digit are left out: there is nothing to say in them.
func pieces(text string) []string {
	rest := []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, " "), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " "))
	var found []string
	for len(rest) > 0 {
		n := len(rest)
		if n > maxPiece {
			n = place(rest[:maxPiece+1])
		}
		piece := strings.TrimSpace(string(rest[:n]))
		if strings.ContainsFunc(piece, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			found = append(found, piece)
		}
		rest = rest[n:]
	}
	return found
}

// place is where a text of one code point too many is cut.
func place(text []rune) int {
	last := len(text) - 1
	for _, ends := range []string{".!?…。！？", ",;:—–)，、；："} {
		for i := last; i > last/4; i-- {
			if text[i] == ' ' && strings.ContainsRune(ends, text[i-1]) {
				return i
			}
		}
	}
	for i := last; i > last/4; i-- {
		if text[i] == ' ' {
			return i
		}
	}
	return last
}
