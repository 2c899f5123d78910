package main

import (
	"slices"
	"strings"
	"unicode"
)

const (
	maxRepeats = 8  // of the same few words in a row: more are a model that has run away
	maxUnit    = 6  // words in what is repeated
	maxEchoes  = 14 // of the same few letters in a row
)

// credible gives the text, or nothing where no English speaker can have said it: letters of another script, or the same words
// over and over. A recogniser invents such texts out of noise.
func credible(text string) string {
	text = strings.TrimSpace(text)
	for _, r := range text {
		if unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) {
			return ""
		}
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' })
	if len(words) == 0 || repeats(words, maxUnit, maxRepeats) {
		return ""
	}
	for _, word := range words {
		if repeats(strings.Split(word, ""), 4, maxEchoes) {
			return ""
		}
	}
	return text
}

// repeats tells whether a run of up to unit items comes more than times times in a row.
func repeats(items []string, unit, times int) bool {
	for size := 1; size <= unit; size++ {
		run := 1
		for i := size; i+size <= len(items); i += 1 {
			if !slices.Equal(items[i:i+size], items[i-size:i]) {
				run = 1
				continue
			}
			if run++; run > times*size {
				return true
			}
		}
	}
	return false
}
