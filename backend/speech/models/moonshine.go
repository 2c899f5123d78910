package models

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// moonshineRows is the size of Moonshine's vocabulary: Llama's 32,000 tokens and its own special ones.
const moonshineRows = 32768

// moonshineTokens turns the vocabulary that llama-tokenizer.js carries into sherpa-onnx's table: a token in base64 and its
// number on each line.
func moonshineTokens(source []byte) ([]byte, error) {
	found := regexp.MustCompile(`vocab_base64 = "([A-Za-z0-9+/=]+)"`).FindSubmatch(source)
	if found == nil {
		return nil, errors.New("make token table: no vocabulary in llama-tokenizer.js")
	}
	vocabulary, err := base64.StdEncoding.DecodeString(string(found[1]))
	if err != nil {
		return nil, fmt.Errorf("make token table: %w", err)
	}
	words := strings.Split(string(vocabulary), "\n")
	if len(words) > moonshineRows {
		return nil, fmt.Errorf("make token table: %d tokens are too many", len(words))
	}
	bare := regexp.MustCompile(`^<0x([0-9A-F]{2})>$`)
	var table bytes.Buffer
	for i := range moonshineRows {
		token := []byte("<<ST_" + strconv.Itoa(i-len(words)) + ">>")
		if i < len(words) {
			token = []byte(strings.ReplaceAll(words[i], "▁", " "))
			if code := bare.FindStringSubmatch(words[i]); code != nil {
				if token, err = hex.DecodeString(code[1]); err != nil {
					return nil, fmt.Errorf("make token table: %w", err)
				}
			}
		}
		table.WriteString(base64.StdEncoding.EncodeToString(token) + " " + strconv.Itoa(i) + "\n")
	}
	return table.Bytes(), nil
}
