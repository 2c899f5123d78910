package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	maxTokens   = 256 // that MiniLM was trained for, with the two around the sentence
	maxWordSize = 100 // code points; longer words are unknown
)

// vocabulary cuts English text into BERT's word pieces, without case and accents.
type vocabulary struct {
	pieces                  map[string]int64
	unknown, opening, close int64
}

// readVocabulary reads a tokenizer.json.
func readVocabulary(path string) (*vocabulary, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Model struct {
			Vocab map[string]int64 `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	v := &vocabulary{pieces: file.Model.Vocab}
	for token, id := range map[string]*int64{"[UNK]": &v.unknown, "[CLS]": &v.opening, "[SEP]": &v.close} {
		var ok bool
		if *id, ok = v.pieces[token]; !ok {
			return nil, fmt.Errorf("read %s: the token %s is missing", path, token)
		}
	}
	return v, nil
}

// tokens gives the numbers of a sentence's pieces, cut to what the model can take.
func (v *vocabulary) tokens(text string) []int64 {
	ids := []int64{v.opening}
	for _, word := range words(text) {
		ids = append(ids, v.split(word)...)
		if len(ids) >= maxTokens {
			ids = ids[:maxTokens-1]
			break
		}
	}
	return append(ids, v.close)
}

// split finds the longest pieces that make up a word.
func (v *vocabulary) split(word string) []int64 {
	rest := []rune(word)
	if len(rest) > maxWordSize {
		return []int64{v.unknown}
	}
	var ids []int64
	for len(rest) > 0 {
		n := len(rest)
		for ; n > 0; n-- {
			piece := string(rest[:n])
			if len(ids) > 0 {
				piece = "##" + piece
			}
			if id, ok := v.pieces[piece]; ok {
				ids = append(ids, id)
				break
			}
		}
		if n == 0 {
			return []int64{v.unknown}
		}
		rest = rest[n:]
	}
	return ids
}

// words cuts a text as BERT's normaliser and pre-tokeniser do: lower case, no accents, no control characters; each mark and
// each Chinese character is a word of its own.
func words(text string) []string {
	var found []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			found = append(found, word.String())
			word.Reset()
		}
	}
	for _, r := range norm.NFD.String(strings.ToLower(text)) {
		switch {
		case unicode.IsSpace(r):
			flush()
		case r == 0, r == unicode.ReplacementChar, unicode.Is(unicode.Mn, r), unicode.Is(unicode.C, r):
		case mark(r), unicode.Is(unicode.Han, r):
			flush()
			found = append(found, string(r))
		default:
			word.WriteRune(r)
		}
	}
	flush()
	return found
}

// mark tells what BERT takes for punctuation: all that is neither letter nor digit in ASCII, and Unicode's punctuation.
func mark(r rune) bool {
	if r < unicode.MaxASCII {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return unicode.IsPunct(r)
}
